#include "stages/data/camouflage/set.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "stages/data/camouflage/encode.h"
#include "stages/data/camouflage/file_lock.h"
#include "stages/data/in_parallel.h"

namespace flowtrain::data::camouflage {
namespace {

namespace fs = std::filesystem;

// A change of the generator needs a new name: old caches hold the old set.
constexpr const char* kName = "camouflage-v1";
constexpr int kJpegQuality = 92;

[[noreturn]] void FailToWrite(const fs::path& path, int error) {
  throw Error(path.string() + " can't be written: " + std::generic_category().message(error));
}

struct Files {
  uint64_t seed;
  fs::path image, mask;  // relative to the set's folder
};

// The i-th example: training ones first.
Files FilesOf(uint64_t i, const SetSize& size) {
  const bool train = i < size.train;
  const uint64_t seed = train ? i : kValSeed + i - size.train;
  char stem[32];
  std::snprintf(stem, sizeof stem, "camouflage-%06llu", static_cast<unsigned long long>(seed));
  const fs::path half = train ? "Train" : "Val";
  return {seed, half / "Image" / (std::string(stem) + ".jpg"),
          half / "GT_Object" / (std::string(stem) + ".png")};
}

bool HasContent(const fs::path& path) {
  std::error_code error;
  return fs::file_size(path, error) > 0 && !error;
}

bool Complete(const fs::path& folder, const SetSize& size) {
  for (uint64_t i = 0; i < size.train + size.val; ++i) {
    const Files files = FilesOf(i, size);
    if (!HasContent(folder / files.image) || !HasContent(folder / files.mask)) return false;
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
  explicit Workshop(const fs::path& cache) {
    std::string name = (cache / (std::string(kName) + ".part-XXXXXX")).native();
    if (::mkdtemp(name.data()) == nullptr) FailToWrite(name, errno);
    folder_ = name;
    fs::permissions(folder_, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                 fs::perms::others_read | fs::perms::others_exec);
    for (const char* half : {"Train", "Val"}) {
      for (const char* kind : {"Image", "GT_Object"}) fs::create_directories(folder_ / half / kind);
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
void RemoveLeftovers(const fs::path& cache) {
  std::vector<fs::path> leftovers;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache)) {
    if (entry.path().filename().native().starts_with(std::string(kName) + ".part-")) {
      leftovers.push_back(entry.path());
    }
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover);
}

}  // namespace

fs::path EnsureSet(OpenContext& context, const SetSize& size) {
  const fs::path cache = context.cache_dir(), place = cache / kName;
  if (Complete(place, size)) return place;
  const uint64_t total = size.train + size.val;
  const FileLock lock(cache / (std::string(kName) + ".lock"), [&] {
    context.Progress("waiting for another process that makes builtin:camouflage", 0, total);
  });
  if (Complete(place, size)) return place;
  try {
    if (lock.held()) RemoveLeftovers(cache);
    if (fs::exists(place)) {
      context.Warn(place.string() + " is incomplete and is made again");
      fs::remove_all(place);
    }
    Workshop workshop(cache);
    const auto make = [&](uint64_t i) {
      const Files files = FilesOf(i, size);
      const Example example = Generate(files.seed);
      WriteFile(workshop.folder() / files.image,
                EncodeJpeg(example.rgb, kSize, kSize, kJpegQuality));
      WriteFile(workshop.folder() / files.mask, EncodePng(example.mask, kSize, kSize, 1));
    };
    InParallel(total, context.granted_cpus(), make,
               [&](uint64_t done) { context.Progress("making builtin:camouflage", done, total); });
    if (!workshop.MoveTo(place) && !Complete(place, size)) FailToWrite(place, ENOTEMPTY);
  } catch (const fs::filesystem_error& error) {
    throw Error(error.path1().string() + ": " + error.code().message());
  }
  context.Info("made builtin:camouflage in " + place.string());
  return place;
}

}  // namespace flowtrain::data::camouflage
