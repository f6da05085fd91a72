#include "stages/data/shard_file.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <flowtrain/storage_fault.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

constexpr size_t kPiece = 8 << 20;  // a stop is noticed between pieces

[[noreturn]] void Fail(const char* what, const std::filesystem::path& path, int error) {
  ThrowStorageFault(std::string("can't ") + what + " " + Printable(path.native()), error);
}

FileState StateOf(const struct stat& info) {
  constexpr int64_t kSecond = 1'000'000'000;
  return {static_cast<uint64_t>(info.st_size),
          info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec};
}

}  // namespace

ShardFile::ShardFile(const std::filesystem::path& path)
    // A FIFO would wait for its writer.
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (file_ < 0) Fail("open", path_, errno);
  struct stat info {};
  const int error = ::fstat(file_, &info) != 0 ? errno : S_ISREG(info.st_mode) ? 0 : EINVAL;
  if (error != 0) {
    ::close(file_);
    if (error == EINVAL) throw Error(Printable(path_.native()) + " is no regular file");
    Fail("look at", path_, error);
  }
  state_ = StateOf(info);
}

ShardFile::~ShardFile() { ::close(file_); }

FileState ShardFile::StateNow() const {
  struct stat info {};
  if (::fstat(file_, &info) != 0) Fail("look at", path_, errno);
  return StateOf(info);
}

size_t ShardFile::ReadAt(uint64_t at, std::span<uint8_t> into,
                         const std::function<bool()>& stopping) const {
  size_t done = 0;
  while (done < into.size()) {
    if (stopping()) throw Cancelled();
    const ssize_t n = ::pread(file_, into.data() + done, std::min(kPiece, into.size() - done),
                              static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail("read", path_, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

}  // namespace flowtrain::data
