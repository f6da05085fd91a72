#include <doctest/doctest.h>

#include "data/class_tree.h"
#include "data/list_tree.h"
#include "stages/data/delimited_text.h"
#include "stages/data/names.h"

namespace flowtrain::data_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// Latin-1, a lone continuation byte, an escape sequence, a bell, a line end, CSI as one character.
const Lines kNames = {" a  b ",
                      "\xC3\xA9t\xC3\xA9 \xE9\xAD\x9A",
                      "\xE9t\xE9",
                      "\x80 \xFF\xFE",
                      "\x1B[31mred\a",
                      "two\nlines\r\t",
                      "\xC2\x9B"
                      "2J"};

// All that was said is fit for a terminal, and for JSON.
void CheckClean(const OpenedSource& opened) {
  Lines said = opened.context.infos;
  said.insert(said.end(), opened.context.warnings.begin(), opened.context.warnings.end());
  CHECK(!said.empty());
  for (const std::string& message : said) CHECK(data::Printable(message) == message);
}
void CheckClean(const std::string& refusal) {
  CHECK(refusal != "");
  CHECK(data::Printable(refusal) == refusal);
}

Lines Sorted(Lines names) {
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("images with masks of any name are read, and messages about them are clean") {
  for (const std::string& name : kNames) {
    TempTree tree;
    tree.Pairs("set" + name + "/Train/Image", "set" + name + "/Train/GT", kNames);
    for (const char* alone : {"Image/x", "GT/y"}) {
      tree.File("set" + name + "/Train/" + alone + name + ".png");
    }
    const Opened opened(Whole(tree.root()));
    CHECK(opened.Stems() == Sorted(kNames));
    CHECK(opened.context.warnings.size() == 2);
    CheckClean(opened);
    CheckClean(Refusal(Whole(tree / ("set" + name) / "nowhere")));
    CheckClean(Refusal(Params(tree.root(), "test")));
    Value sets = Whole(tree.root());
    sets.Set("sets", Value::List{"z" + name});
    CheckClean(Refusal(sets));
    fs::remove_all(tree / ("set" + name) / "Train/GT");
    CheckClean(Refusal(Whole(tree.root())));
    CheckClean(Refusal(Whole("builtin:" + name)));
  }
}

TEST_CASE("classes and images of any name are read, and messages about them are clean") {
  TempTree tree;
  const Lines names = Sorted(kNames);
  Classes(tree, "train", names, 2);
  for (const std::string& name : names) {
    tree.File("train/" + name + "/" + name + ".txt");
    tree.File("train/" + name + ".jpg");
    fs::create_directories(tree / ("train/empty" + name));
    fs::create_directory_symlink(".", tree / ("train/loop" + name));
    fs::create_symlink("nowhere", tree / ("train/" + name) / (name + ".jpg"));
  }
  Value params = Whole(tree.root());
  params.Set("per_class", 2);
  const OpenedClasses opened(params, 42, tree / "cache\xE9\a");
  CHECK(opened.source->Size() == 2 * names.size());
  CHECK(opened.context.warnings.size() == 5);
  CheckClean(opened);
  for (const std::string& name : names) {
    CheckClean(ClassesRefusal(Whole(tree / name)));
    fs::create_directories(tree / ("val/other" + name));
  }
  CheckClean(ClassesRefusal(Whole(tree.root())));
}

TEST_CASE(
    "lists, images, masks and labels of any name are read, and messages about them are clean") {
  const ListTree folder;
  std::string lines = "image,label,mask\n", twice = lines, gone = lines, wrong = lines;
  for (const std::string& name : kNames) {
    const fs::path image = "images/" + name + ".jpg", mask = "masks/" + name + ".png";
    folder.File(image);
    folder.File(mask);
    const auto line = [&](const std::string& path, const std::string& label) {
      return data::DelimitedField(path, ',') + "," + data::DelimitedField(label, ',') + "," +
             data::DelimitedField(mask.native(), ',') + "\n";
    };
    lines += line(image.native(), "=" + name + "=");
    twice += line("images/a.jpg", "=" + name + "=");
    gone += line(image.native() + ".gone", "=" + name + "=");
    wrong += line(image.native(), "=" + name + "=") + line("images/a.jpg", "0");
  }
  for (const std::string& name : kNames) {
    CAPTURE(name);
    folder.Write(name + ".csv", lines);
    const OpenedList labels(Labels(folder / (name + ".csv"))),
        masks(Masks(folder / (name + ".csv")));
    for (const OpenedList* opened : {&labels, &masks}) {
      REQUIRE(opened->source->Size() == kNames.size());
      for (size_t i = 0; i < kNames.size(); ++i) {
        CHECK(OpenedSource::Text(opened->Read(i), "image") == kNames[i]);
      }
      CheckClean(*opened);
    }
    CHECK(OpenedSource::Text(masks.Read(2), "mask") == kNames[2]);
    folder.Write(name + ".csv", twice);
    const OpenedList repeated(Labels(folder / (name + ".csv")));
    CHECK(repeated.context.warnings.size() == 1);
    CheckClean(repeated);
    for (const std::string& bad : {gone, wrong, name, name + "\n", "image," + name}) {
      folder.Write(name + ".csv", bad);
      CheckClean(ListRefusal(Labels(folder / (name + ".csv"))));
      folder.Write(name + ".jsonl", "{\"image\": \"" + name + "\", \"" + name + "\": 0}");
      CheckClean(ListRefusal(Labels(folder / (name + ".jsonl"))));
    }
    Value params = Labels(folder / (name + ".csv"));
    params.Set("class_names", Value::List{name, name});
    CheckClean(ListRefusal(params));
    params = Labels(folder / (name + ".csv"));
    params.Set("target_column", name);
    CheckClean(ListRefusal(params));
    CheckClean(ListRefusal(Labels(folder / (name + ".gone"))));
  }
}

TEST_CASE("links to images, folders and lists serve a list as what they lead to") {
  const ListTree folder;
  folder.Write("list.csv", "image,mask\nimages/link.jpg,linked/b.png\n");
  fs::create_symlink("a.jpg", folder / "images/link.jpg");
  fs::create_directory_symlink("masks", folder / "linked");
  fs::create_directory_symlink(".", folder / "here");
  fs::create_symlink("here/here/list.csv", folder / "link.csv");
  CHECK(OpenedList(Masks(folder / "link.csv")).Targets() == Lines{"a > b"});
  fs::create_directory_symlink("loop", folder / "loop");
  folder.Write("list.csv", "image,mask\nimages/a.jpg,loop/b.png\n");
  CHECK(Holds(ListRefusal(Masks(folder / "list.csv")), "line 2: can't look at " +
                                                           (folder / "loop/b.png").native() +
                                                           ": Too many levels of symbolic links"));
}

}  // namespace
}  // namespace flowtrain::data_test
