// What stands between a stop signal, which may come at any moment, and what it stops (an executor), which
// is there for a part of the command only. The command owns one; the signal's thread calls Ask.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace flowtrain::cli {

class StopRequest {
 public:
  // Lets `request` call `stop` as long as this lives; at once where it was asked before.
  class Attached {
   public:
    Attached(StopRequest& request, std::function<void()> stop) : request_(request) {
      const std::lock_guard lock(request_.mutex_);
      request_.stop_ = std::move(stop);
      if (request_.signal_ != 0) request_.stop_();
    }
    ~Attached() {
      const std::lock_guard lock(request_.mutex_);
      request_.stop_ = nullptr;
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

   private:
    StopRequest& request_;
  };

  void Ask(int signal) {
    const std::lock_guard lock(mutex_);
    signal_ = signal;
    if (stop_) stop_();
  }
  int signal() const {  // 0: none came
    const std::lock_guard lock(mutex_);
    return signal_;
  }

 private:
  mutable std::mutex mutex_;  // protects what follows
  std::function<void()> stop_;
  int signal_ = 0;
};

}  // namespace flowtrain::cli
