// Ctrl-C, SIGTERM and SIGHUP (a terminal that is closed): the first asks the run to stop, a later one
// ends the process at once. The program makes one on its main thread before any other thread, so that
// every thread inherits the mask.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace flowtrain::run {

class StopSignals {
 public:
  // `on_first(number)` is called once, on an ordinary thread, where locks and logs are fine. One that
  // comes within kSameWish is the same wish: timeout(1) signals the process and its group, a closing
  // terminal's shell and kernel both send SIGHUP. A later one prints one line and leaves with 128 + its
  // number, even if on_first still runs. SIGHUP is left alone where it is ignored (nohup).
  static constexpr std::chrono::milliseconds kSameWish{1000};
  explicit StopSignals(std::function<void(int)> on_first);
  ~StopSignals();  // waits for on_first; the former signal mask returns
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  void Watch();

  std::function<void(int)> on_first_;
  sigset_t former_mask_;
  int signal_fd_ = -1, end_fd_ = -1;
  std::thread watcher_, caller_;
};

}  // namespace flowtrain::run
