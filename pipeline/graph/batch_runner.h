// Runs one BatchTransform on its own thread: a batch in, a resident free, a batch out, in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <flowtrain/stage.h>

#include "pipeline/graph/batch_queue.h"
#include "pipeline/graph/fanout.h"
#include "pipeline/graph/fence_reaper.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

// The numbered outputs of a BatchTransform that may be alive at once (on a GPU: what its memory holds).
class Residents {
 public:
  explicit Residents(int count);
  int Acquire();  // blocks; -1: closed
  void Release(int resident) noexcept;
  void Close();
  int in_use() const { return in_use_.load(std::memory_order_relaxed); }
  int peak() const;  // most ever in use at one instant, for the tests of bounds
  int count() const { return count_; }

 private:
  const int count_;
  mutable std::mutex mutex_;  // protects free_, closed_ and peak_
  std::condition_variable freed_;
  std::vector<int> free_;
  bool closed_ = false;
  int peak_ = 0;
  std::atomic<int> in_use_{0};
};

class BatchRunner {
 public:
  BatchRunner(std::string name, BatchTransform& transform, int residents, BatchQueue& input, FenceReaper& reaper,
              metrics::StageSeries series, std::function<void(std::exception_ptr)> failed);

  void AddOutput(BatchQueue* queue) { outputs_.Add(queue); }
  void Start();
  void Stop();  // closes the input and the residents
  bool End(std::chrono::steady_clock::duration limit);  // false: its thread has not returned
  void Detach() { if (thread_.joinable()) thread_.detach(); }  // leaves it behind
  const std::string& name() const { return name_; }
  const Residents& residents() const { return residents_; }
  bool busy() const { return busy_.load(std::memory_order_relaxed); }

 private:
  class Derivation;
  void Loop();

  const std::string name_;
  BatchTransform& transform_;
  Residents residents_;
  BatchQueue& input_;
  FenceReaper& reaper_;
  metrics::StageSeries series_;
  const std::function<void(std::exception_ptr)> failed_;
  Fanout outputs_;
  std::atomic<bool> busy_{false}, stopping_{false};
  std::thread thread_;
  std::mutex mutex_;  // protects ended_
  std::condition_variable changed_;
  bool ended_ = false;
};

}  // namespace flowtrain::graph
