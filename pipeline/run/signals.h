// Ctrl-C and SIGTERM: the first asks the run to stop, the second ends the process at once. The
// program makes one on its main thread before any other thread, so that every thread inherits the
// mask.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace flowtrain::run {

class StopSignals {
 public:
  // `on_first(SIGINT or SIGTERM)` is called once, on an ordinary thread, where locks and logs are
  // fine. The second signal prints one line and leaves with 128 + its number, even if on_first
  // still runs.
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
