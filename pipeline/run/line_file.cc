#include "pipeline/run/line_file.h"

#include <fcntl.h>
#include <flowtrain/error.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "pipeline/run/files.h"

namespace flowtrain::run {

LineFile::LineFile(std::filesystem::path path) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat info {};
  if (fd_ < 0 || fstat(fd_, &info) != 0) ThrowErrno(path_, "cannot be opened");
  // What is written into a FIFO waits for somebody who reads it.
  if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
    close(fd_);
    throw Error(path_.string() + ": this is no regular file");
  }
  const off_t size = lseek(fd_, 0, SEEK_END);
  char last = '\n';
  torn_ = size > 0 && pread(fd_, &last, 1, size - 1) == 1 && last != '\n';
}

LineFile::~LineFile() { close(fd_); }

void LineFile::Append(const std::string& line) {
  std::lock_guard lock(mutex_);
  const std::string text = (torn_ ? "\n" : "") + line + "\n";
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      torn_ = torn_ || done > 0;
      ThrowErrno(path_, "cannot be written");
    }
    done += static_cast<size_t>(n);
  }
  torn_ = false;
}

}  // namespace flowtrain::run
