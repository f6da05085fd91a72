// Runs one Consumer on its own thread, and is its RunContext: pulls, commits, checkpoints.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <flowtrain/stage.h>

#include "pipeline/graph/batch_hashes.h"
#include "pipeline/graph/batch_queue.h"
#include "pipeline/graph/run_host.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

// One input of a consumer.
struct ConsumerInput {
  std::string port;
  InputInfo info;
  BatchQueue* queue = nullptr;  // null: not connected
  Counter* pull_wait = nullptr;  // null: an observer, whose waiting starves nobody
  int chain = -1;               // where its batches come from
  bool decides = true;          // what is pulled here is what the run has read; false: another reader's is
  uint64_t committed = 0;       // batches, from the start of training: where a resumed run goes on
  struct Pulled {
    uint64_t batch, hash;
    int rows;
  };
  std::deque<Pulled> pulled;    // and not committed yet
};

class ConsumerRunner final : public RunContext {
 public:
  struct Hooks {
    std::function<void(std::exception_ptr)> failed;
    std::function<void()> returned;
    std::function<void()> demand_changed;  // before a Pull that waits
    std::function<void()> moved;           // a batch was pulled or committed
    std::function<void(int chain, uint64_t batch)> pulled;  // of an input that decides, before Pull returns
    // Checkpoint(tag, metric) of this consumer. Throws Error.
    std::function<void(const std::string&, double)> checkpoint;
  };
  ConsumerRunner(std::string name, Consumer& consumer, bool observer, PhaseInfo phase, RunHost& host,
                 metrics::RunMetrics& metrics, BatchHashes* hashes, Hooks hooks);

  void AddInput(std::unique_ptr<ConsumerInput> input) { inputs_.push_back(std::move(input)); }
  const std::vector<std::unique_ptr<ConsumerInput>>& inputs() const { return inputs_; }
  void Start();
  void Stop();  // closes the inputs
  bool End(std::chrono::steady_clock::duration limit);  // false: its thread has not returned
  void Detach() { if (thread_.joinable()) thread_.detach(); }  // leaves it behind

  const std::string& name() const { return name_; }
  Consumer& consumer() { return consumer_; }
  bool observer() const { return observer_; }
  bool ended() const;
  // Commits since the last checkpoint, or the start.
  bool dirty() const { return dirty_.load(std::memory_order_relaxed); }
  void SetClean() { dirty_ = false; }
  // "trainer.val" while it stands in Pull, and for how long; else empty.
  std::string waiting_for(double& seconds) const;

  // After End.
  uint64_t rows() const { return rows_; }
  double waited_s() const { return waited_s_; }

  // RunContext
  Batch Pull(std::string_view input) override;
  void Commit(const Batch& batch, std::string_view input) override;
  const InputInfo& input(std::string_view name) const override;
  const PhaseInfo& phase() const override { return phase_; }
  bool stopping() const override { return stopping_.load(std::memory_order_relaxed); }
  bool Checkpoint(const std::string& tag, double metric) override;
  void Record(Value fields) override { host_.Record(fields); }
  void Progress(const ProgressReport& report) override;
  void Summary(const std::string& name, const std::string& value) override { host_.Summary(name_, name, value); }
  void Info(const std::string& message) override { host_.Info(name_ + ": " + message); }
  void Warn(const std::string& message) override { host_.Warn(name_ + ": " + message); }
  Instruments& metrics() override { return metrics_.ForStage(name_); }
  std::filesystem::path run_dir() const override { return host_.run_dir(); }

 private:
  ConsumerInput& Find(std::string_view name) const;
  void EndOfBatch();

  const std::string name_;
  Consumer& consumer_;
  const bool observer_;
  const PhaseInfo phase_;
  RunHost& host_;
  metrics::RunMetrics& metrics_;
  metrics::StageSeries series_;
  BatchHashes* const hashes_;
  const Hooks hooks_;
  std::vector<std::unique_ptr<ConsumerInput>> inputs_;
  std::atomic<bool> stopping_{false}, dirty_{false};
  std::chrono::steady_clock::time_point batch_began_;
  bool in_batch_ = false;
  uint64_t rows_ = 0;
  double waited_s_ = 0;
  std::thread thread_;
  mutable std::mutex mutex_;  // protects ended_, waiting_, waiting_since_
  std::condition_variable changed_;
  bool ended_ = false;
  std::string waiting_;
  std::chrono::steady_clock::time_point waiting_since_;
};

}  // namespace flowtrain::graph
