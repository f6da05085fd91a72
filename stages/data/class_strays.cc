#include "stages/data/class_strays.h"

#include <algorithm>
#include <utility>

#include "stages/data/folders.h"

namespace flowtrain::data {

void ClassStrays::LookBeside(const std::filesystem::path& half) {
  for (const std::string& name : FilesIn(half)) {
    if (IsPicture(name)) beside_.Add(name);
  }
}

std::vector<std::string> ClassStrays::PicturesOf(const std::filesystem::path& half,
                                                 const std::string& name) {
  Entries entries = EntriesIn(half / name);
  const auto note = [&](const std::vector<std::string>& names, CountedNames& strays) {
    for (const std::string& stray : names) {
      if (!IsStrewn(stray)) strays.Add(name + "/" + stray);
    }
  };
  const auto pictures =
      std::stable_partition(entries.files.begin(), entries.files.end(),
                            [](const std::string& file) { return IsPicture(file); });
  note({pictures, entries.files.end()}, files_);
  note(entries.folders, folders_);
  note(entries.others, others_);
  entries.files.erase(pictures, entries.files.end());
  return std::move(entries.files);
}

std::vector<std::string> ClassStrays::Texts() const {
  std::vector<std::string> texts;
  const auto add = [&](const CountedNames& names, const char* one, const char* many) {
    if (names.count() > 0) texts.push_back(Count(names.count(), one, many) + ": " + names.Text());
  };
  add(beside_, "image lies beside the class folders and is left out",
      "images lie beside the class folders and are left out");
  add(files_, "file in a class folder is no image", "files in class folders are no images");
  add(folders_, "folder in a class folder is not looked into",
      "folders in class folders are not looked into");
  add(others_, "entry of a class folder is no file", "entries of class folders are no files");
  return texts;
}

}  // namespace flowtrain::data
