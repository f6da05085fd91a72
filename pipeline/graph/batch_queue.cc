#include "pipeline/graph/batch_queue.h"

#include <algorithm>

namespace flowtrain::graph {

void BatchQueue::Push(Batch& batch) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || left() || (lossy_ && (in_hand_ || !batches_.empty()))) return;
    batches_.push_back(std::move(batch));
    batch.Reset();
    depth_.store(batches_.size(), std::memory_order_relaxed);
    peak_ = std::max(peak_, batches_.size());
  }
  arrived_.notify_one();
}

Batch BatchQueue::Pop() {
  std::unique_lock lock(mutex_);
  in_hand_ = false;
  if (batches_.empty()) {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    arrived_.wait(lock, [this] { return closed_ || !batches_.empty(); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (closed_) return {};
  Batch batch = std::move(batches_.front());
  batches_.pop_front();
  in_hand_ = true;
  depth_.store(batches_.size(), std::memory_order_relaxed);
  return batch;
}

void BatchQueue::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  arrived_.notify_all();
}

void BatchQueue::Leave() {
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
  }
  Clear();
}

bool BatchQueue::occupied() const {
  const std::lock_guard lock(mutex_);
  return !left() && (in_hand_ || !batches_.empty());
}

size_t BatchQueue::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

void BatchQueue::Clear() {
  std::deque<Batch> dropped;  // let go of after the lock: a release may call back
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(batches_);
    depth_.store(0, std::memory_order_relaxed);
  }
}

}  // namespace flowtrain::graph
