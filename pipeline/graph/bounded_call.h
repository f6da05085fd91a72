// A call into a stage's code that may never return (an Open that hangs on a dead mount): it runs on a
// thread of its own, so that who waits for it can stop waiting. Used by the main thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace flowtrain::graph {

class BoundedCall {
 public:
  // Starts `body`. What it uses must outlive the process if Wait never gives true.
  explicit BoundedCall(std::function<void()> body);
  // Joins the thread if the body has returned, else leaves it behind.
  ~BoundedCall();
  BoundedCall(const BoundedCall&) = delete;
  BoundedCall& operator=(const BoundedCall&) = delete;

  // True once the body has returned; throws what it threw. False: not within `limit`.
  bool Wait(std::chrono::steady_clock::duration limit);

 private:
  struct Shared {
    std::mutex mutex;  // protects done and error
    std::condition_variable changed;
    bool done = false;
    std::exception_ptr error;
  };
  const std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace flowtrain::graph
