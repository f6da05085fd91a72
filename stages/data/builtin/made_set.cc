#include "stages/data/builtin/made_set.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "stages/data/builtin/file_lock.h"
#include "stages/data/in_parallel.h"

namespace flowtrain::data::builtin {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void FailToWrite(const fs::path& path, int error) {
  throw Error(path.string() + " can't be written: " + std::generic_category().message(error));
}

bool HasContent(const fs::path& path) {
  std::error_code error;
  return fs::file_size(path, error) > 0 && !error;
}

bool Complete(const fs::path& folder, const MadeSet& set) {
  for (uint64_t i = 0; i < set.examples; ++i) {
    for (const fs::path& path : set.paths(i)) {
      if (!HasContent(folder / path)) return false;
    }
  }
  return true;
}

void WriteFile(const fs::path& path, const std::vector<uint8_t>& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) FailToWrite(path, errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int write_error = errno;
  if (std::fclose(file) != 0) FailToWrite(path, errno);
  if (!written) FailToWrite(path, write_error);
}

// A folder beside the set's place, removed again unless it is moved there.
class Workshop {
 public:
  Workshop(const fs::path& cache, const MadeSet& set) {
    std::string name = (cache / (set.folder + ".part-XXXXXX")).native();
    if (::mkdtemp(name.data()) == nullptr) FailToWrite(name, errno);
    folder_ = name;
    fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                 fs::perms::others_read | fs::perms::others_exec);
    for (uint64_t i = 0; i < set.examples; ++i) {
      for (const fs::path& path : set.paths(i)) {
        fs::create_directories((folder_ / path).parent_path());
      }
    }
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  const fs::path& folder() const { return folder_; }

  // False where something stands there.
  bool MoveTo(const fs::path& place) {
    // All files reach the disk before the name that vouches for them.
    const int handle = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = handle >= 0 && ::syncfs(handle) == 0;
    const int error = errno;
    if (handle >= 0) ::close(handle);
    if (!synced) FailToWrite(folder_, error);
    if (::rename(folder_.c_str(), place.c_str()) == 0) return true;
    if (errno != ENOTEMPTY && errno != EEXIST) FailToWrite(place, errno);
    return false;
  }

 private:
  fs::path folder_;
};

// What killed processes left behind. Only the holder of the lock may do this.
void RemoveLeftovers(const fs::path& cache, const std::string& folder) {
  std::vector<fs::path> leftovers;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache)) {
    if (entry.path().filename().native().starts_with(folder + ".part-")) {
      leftovers.push_back(entry.path());
    }
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover);
}

}  // namespace

fs::path EnsureMade(const MadeSet& set, OpenContext& context) {
  const fs::path cache = context.cache_dir(), place = cache / set.folder;
  if (Complete(place, set)) return place;
  const FileLock lock(cache / (set.folder + ".lock"), [&] {
    context.Progress("waiting for another process that makes " + set.root, 0, set.examples);
  });
  if (Complete(place, set)) return place;
  try {
    if (lock.held()) RemoveLeftovers(cache, set.folder);
    if (fs::exists(place)) {
      context.Warn(place.string() + " is incomplete and is made again");
      fs::remove_all(place);
    }
    Workshop workshop(cache, set);
    const auto make = [&](uint64_t i) {
      for (const MadeFile& file : set.make(i)) WriteFile(workshop.folder() / file.path, file.bytes);
    };
    InParallel(set.examples, context.granted_cpus(), make,
               [&](uint64_t done) { context.Progress("making " + set.root, done, set.examples); });
    if (!workshop.MoveTo(place) && !Complete(place, set)) FailToWrite(place, ENOTEMPTY);
  } catch (const fs::filesystem_error& error) {
    throw Error(error.path1().string() + ": " + error.code().message());
  }
  context.Info("made " + set.root + " in " + place.string());
  return place;
}

}  // namespace flowtrain::data::builtin
