#include "pipeline/run/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace flowtrain::run {
namespace {

constexpr const char* kClearLine = "\r\x1b[K";

// In one call, so that lines of several processes on one terminal don't mix. A reader that has gone
// takes nothing: that is no reason to fail.
void WriteAll(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += static_cast<size_t>(n);
  }
}

}  // namespace

Terminal::Terminal(int fd) : fd_(fd), interactive_(isatty(fd) == 1) {}

int Terminal::width() const {
  winsize size{};
  return ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void Terminal::Print(const std::string& line) {
  std::lock_guard lock(mutex_);
  WriteAll(fd_, status_.empty() ? line + "\n" : kClearLine + line + "\n" + status_);
}

void Terminal::SetStatus(const std::string& line) {
  if (!interactive_) return;
  std::lock_guard lock(mutex_);
  if (line.empty() && status_.empty()) return;
  status_ = line;
  WriteAll(fd_, kClearLine + line);
}

}  // namespace flowtrain::run
