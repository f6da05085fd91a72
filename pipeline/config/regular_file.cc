#include "pipeline/config/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace flowtrain::config {

RegularFile::RegularFile(const std::filesystem::path& path)
    : fd_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  struct stat info {};
  if (fd_ < 0 || fstat(fd_, &info) != 0) {
    Fail();
  } else if (S_ISDIR(info.st_mode)) {
    why_not_ = "this is a folder";
  } else if (!S_ISREG(info.st_mode)) {
    why_not_ = "this is no regular file";
  } else {
    size_ = static_cast<uint64_t>(info.st_size);
  }
}

RegularFile::~RegularFile() {
  if (fd_ >= 0) close(fd_);
}

void RegularFile::Fail() { why_not_ = std::string("can't be read: ") + std::strerror(errno); }

std::ptrdiff_t RegularFile::Read(char* into, size_t bytes) {
  ssize_t n = 0;
  while ((n = read(fd_, into, bytes)) < 0 && errno == EINTR) {
  }
  if (n < 0) Fail();
  return n;
}

std::string RegularFile::ReadAll(size_t most) {
  std::string text;
  char piece[1 << 16];
  std::ptrdiff_t n = 0;
  while (text.size() <= most && (n = Read(piece, sizeof piece)) > 0)
    text.append(piece, static_cast<size_t>(n));
  return n < 0 ? "" : text;
}

}  // namespace flowtrain::config
