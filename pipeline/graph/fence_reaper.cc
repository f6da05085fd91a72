#include "pipeline/graph/fence_reaper.h"

#include <algorithm>

#include "pipeline/graph/start_thread.h"

namespace flowtrain::graph {

FenceReaper::FenceReaper() : thread_(StartThread("ft-fences", [this] { Loop(); })) {}

FenceReaper::~FenceReaper() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void FenceReaper::After(std::vector<FencePtr> fences, std::function<void()> free) {
  if (std::all_of(fences.begin(), fences.end(), [](const FencePtr& fence) { return fence->Passed(); })) return free();
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back({std::move(fences), std::move(free)});
  }
  changed_.notify_one();
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
    for (const FencePtr& fence : pending.fences) fence->Wait();
    pending.free();
    pending = {};
    lock.lock();
    waiting_ = false;
    drained_.notify_all();
  }
}

}  // namespace flowtrain::graph
