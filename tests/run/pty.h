// A pseudo terminal of a given width, to see what a terminal would.
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include <string>

namespace flowtrain::testing {

class Pty {
 public:
  explicit Pty(int columns) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = 24;
    ok_ = openpty(&master_, &slave_, nullptr, nullptr, &size) == 0;
    if (ok_) fcntl(master_, F_SETFL, O_NONBLOCK);
  }
  ~Pty() {
    if (!ok_) return;
    close(master_);
    close(slave_);
  }
  bool ok() const { return ok_; }
  int fd() const { return slave_; }
  std::string Read() {
    std::string out;
    char buffer[4096];
    for (ssize_t n; (n = read(master_, buffer, sizeof buffer)) > 0;)
      out.append(buffer, static_cast<size_t>(n));
    return out;
  }

 private:
  bool ok_ = false;
  int master_ = -1, slave_ = -1;
};

}  // namespace flowtrain::testing
