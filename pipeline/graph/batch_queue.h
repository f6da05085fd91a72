// An edge between batch stages. Never blocks who pushes: what bounds it are the slots (or residents)
// its batches hold. A lossy queue (before an observer) drops a batch while one waits already.
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

  // Takes a handle; where it is not taken (lossy, or closed) the handle stays with the caller, so that
  // the batch isn't dropped under a lock of the caller's.
  void Push(Batch& batch);
  // Blocks. Empty: closed.
  Batch Pop();
  void Close();
  // Drops what waits; after Close, when nobody pops any more.
  void Clear();

  const std::string& name() const { return name_; }
  size_t depth() const { return depth_.load(std::memory_order_relaxed); }
  size_t capacity() const { return capacity_; }
  bool someone_waits() const { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  const std::string name_;
  const size_t capacity_;
  const bool lossy_;
  std::mutex mutex_;  // protects batches_ and closed_
  std::condition_variable arrived_;
  std::deque<Batch> batches_;
  bool closed_ = false;
  std::atomic<size_t> depth_{0};
  std::atomic<int> waiting_{0};
};

}  // namespace flowtrain::graph
