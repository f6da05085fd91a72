// What stands between a stop signal, which may come at any moment, and an executor, which is there
// for a part of the run only. The run command owns one; the signal's thread calls Ask.
#pragma once

#include <mutex>

#include "pipeline/graph/executor.h"

namespace flowtrain::cli {

class StopRequest {
 public:
  // Lets `request` stop `executor` as long as this lives; at once where it was asked before.
  class Attached {
   public:
    Attached(StopRequest& request, graph::Executor& executor) : request_(request) {
      const std::lock_guard lock(request_.mutex_);
      request_.executor_ = &executor;
      if (request_.signal_ != 0) executor.Stop();
    }
    ~Attached() {
      const std::lock_guard lock(request_.mutex_);
      request_.executor_ = nullptr;
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

   private:
    StopRequest& request_;
  };

  void Ask(int signal) {
    const std::lock_guard lock(mutex_);
    signal_ = signal;
    if (executor_ != nullptr) executor_->Stop();
  }
  int signal() const {  // 0: none came
    const std::lock_guard lock(mutex_);
    return signal_;
  }

 private:
  mutable std::mutex mutex_;  // protects what follows
  graph::Executor* executor_ = nullptr;
  int signal_ = 0;
};

}  // namespace flowtrain::cli
