#include "stages/data/write_whole.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const fs::path& path, int error) {
  throw Error(Printable(path.native()) +
              " can't be written: " + std::generic_category().message(error));
}

// A file beside the one that is to be, removed again unless it takes that one's place.
class Draft {
 public:
  explicit Draft(const fs::path& path) : path_(path), name_(path.native() + ".part-XXXXXX") {
    file_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (file_ < 0) Fail(path_, errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    ::close(file_);
    if (!placed_) ::unlink(name_.c_str());
  }

  void Write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t n = ::write(file_, content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) Fail(path_, errno);
      content.remove_prefix(static_cast<size_t>(n));
    }
  }
  void Place() {
    // The content reaches the disk before the name that vouches for it.
    if (::fchmod(file_, 0644) != 0 || ::fdatasync(file_) != 0 ||
        ::rename(name_.c_str(), path_.c_str()) != 0) {
      Fail(path_, errno);
    }
    placed_ = true;
  }

 private:
  const fs::path path_;
  std::string name_;
  int file_ = -1;
  bool placed_ = false;
};

}  // namespace

void WriteWhole(const fs::path& path, std::string_view content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) Fail(path.parent_path(), error.value());
  Draft draft(path);
  draft.Write(content);
  draft.Place();
}

}  // namespace flowtrain::data
