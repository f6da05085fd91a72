// An edge between batch stages. Never blocks who pushes: what bounds it are the slots (or residents)
// its batches hold. A lossy queue (before an observer) takes a batch only while its reader has none, in
// the queue or in hand: an observer holds one slot at most.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include <flowtrain/batch.h>

namespace flowtrain::graph {

class BatchQueue {
 public:
  BatchQueue(std::string name, size_t capacity, bool lossy) : name_(std::move(name)), capacity_(capacity), lossy_(lossy) {}

  // Takes a handle; where it is not taken (lossy, closed or left) the handle stays with the caller, so that
  // the batch isn't dropped under a lock of the caller's.
  void Push(Batch& batch);
  // Blocks. Empty: closed.
  Batch Pop();
  void Close();
  // The reader will not come back: what waits is dropped, what comes is not taken.
  void Leave();
  // Drops what waits; after Close, when nobody pops any more.
  void Clear();

  const std::string& name() const { return name_; }
  size_t depth() const { return depth_.load(std::memory_order_relaxed); }
  size_t capacity() const { return capacity_; }
  bool lossy() const { return lossy_; }
  // Whether the reader has a batch, in the queue or in hand.
  bool occupied() const;
  bool left() const { return left_.load(std::memory_order_relaxed); }
  // Most that ever waited at one instant, for the tests of bounds.
  size_t peak() const;
  bool someone_waits() const { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  const std::string name_;
  const size_t capacity_;
  const bool lossy_;
  mutable std::mutex mutex_;  // protects batches_, closed_, in_hand_, peak_; left_ where it is set
  std::condition_variable arrived_;
  std::deque<Batch> batches_;
  bool closed_ = false;
  bool in_hand_ = false;  // the reader has not come back since it took a batch
  size_t peak_ = 0;
  std::atomic<bool> left_{false};
  std::atomic<size_t> depth_{0};
  std::atomic<int> waiting_{0};
};

}  // namespace flowtrain::graph
