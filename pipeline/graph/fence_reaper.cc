#include "pipeline/graph/fence_reaper.h"

#include <algorithm>

#include "pipeline/graph/start_thread.h"
#include "pipeline/graph/work.h"

namespace flowtrain::graph {

FenceReaper::FenceReaper(std::function<void(std::exception_ptr)> failed) : failed_(std::move(failed)), thread_(StartThread("ft-fences", [this] { Loop(); })) {}

FenceReaper::~FenceReaper() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

// A batch's last handle may go anywhere, in a destructor too: nothing is thrown.
void FenceReaper::After(std::vector<FencePtr> fences, std::function<void()> free) noexcept {
  try {
    if (std::all_of(fences.begin(), fences.end(), [](const FencePtr& fence) { return fence->Passed(); })) return free();
  } catch (...) {
    return failed_(WithPlace(kName, ""));
  }
  Pending pending{std::move(fences), std::move(free)};
  try {
    const std::lock_guard lock(mutex_);
    pending_.emplace_back();
    pending_.back() = std::move(pending);
  } catch (const std::bad_alloc&) {
    return WaitAndFree(pending);  // there is no room to remember it: whoever lets go of the batch waits
  }
  changed_.notify_one();
}

void FenceReaper::WaitAndFree(const Pending& pending) noexcept {
  try {
    for (const FencePtr& fence : pending.fences) fence->Wait();
  } catch (...) {
    return failed_(WithPlace(kName, ""));
  }
  pending.free();
}

bool FenceReaper::Drain(std::chrono::steady_clock::duration limit) {
  std::unique_lock lock(mutex_);
  return drained_.wait_for(lock, limit, [this] { return pending_.empty() && !waiting_; });
}

void FenceReaper::Loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !pending_.empty(); });
    if (pending_.empty()) return;
    Pending pending = std::move(pending_.front());
    pending_.pop_front();
    waiting_ = true;
    lock.unlock();
    WaitAndFree(pending);
    pending = {};
    lock.lock();
    waiting_ = false;
    drained_.notify_all();
  }
}

}  // namespace flowtrain::graph
