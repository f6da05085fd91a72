// Waits for the fences of released batches on a thread of its own, then gives their memory back. One
// for a run; it ends after everything handed to it has passed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <flowtrain/fence.h>

namespace flowtrain::graph {

class FenceReaper {
 public:
  // What errors and reports call it.
  static constexpr char kName[] = "a fence that a released batch waits for";
  // `failed` is told what a fence throws: its batch's memory is not given back then. From any thread.
  explicit FenceReaper(std::function<void(std::exception_ptr)> failed);
  ~FenceReaper();  // waits for the fences that are left: see that Drain gave true, or leave the process

  // Calls `free`, which must not throw, when all fences have passed: at once, on this thread, where they have.
  void After(std::vector<FencePtr> fences, std::function<void()> free) noexcept;
  // True once all that was handed over has passed, within `limit`.
  bool Drain(std::chrono::steady_clock::duration limit);

 private:
  struct Pending {
    std::vector<FencePtr> fences;
    std::function<void()> free;
  };
  void Loop();
  void WaitAndFree(const Pending& pending) noexcept;

  const std::function<void(std::exception_ptr)> failed_;
  std::mutex mutex_;  // protects pending_, waiting_ and ending_
  std::condition_variable changed_, drained_;
  bool waiting_ = false;  // for what was taken out of pending_
  std::deque<Pending> pending_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace flowtrain::graph
