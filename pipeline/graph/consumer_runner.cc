#include "pipeline/graph/consumer_runner.h"

#include <algorithm>

#include "pipeline/graph/start_thread.h"
#include "pipeline/graph/work.h"

namespace flowtrain::graph {

using Clock = std::chrono::steady_clock;

ConsumerRunner::ConsumerRunner(std::string name, Consumer& consumer, bool observer, PhaseInfo phase,
                               RunHost& host, metrics::RunMetrics& metrics, BatchHashes* hashes, Hooks hooks)
    : name_(std::move(name)), consumer_(consumer), observer_(observer), phase_(std::move(phase)), host_(host), metrics_(metrics),
      series_(metrics.Stage(name_)), hashes_(hashes), hooks_(std::move(hooks)) {}

void ConsumerRunner::Start() {
  thread_ = StartThread("ft-consumer", [this] {
    try {
      consumer_.Run(*this);
      EndOfBatch();
    } catch (...) {
      if (const std::exception_ptr cause = FailureOf(name_, stopping())) {
        series_.failed.Add(1);
        hooks_.failed(cause);
      }
    }
    for (const auto& input : inputs_) {  // what would wait here for ever holds slots others need
      if (input->queue != nullptr) input->queue->Leave();
    }
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    hooks_.returned();
  });
}

void ConsumerRunner::Stop() {
  stopping_ = true;
  for (const auto& input : inputs_) {
    if (input->queue != nullptr) input->queue->Close();
  }
}

bool ConsumerRunner::End(Clock::duration limit) {
  if (!thread_.joinable()) return true;
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, limit, [this] { return ended_; })) return false;
  lock.unlock();
  thread_.join();
  return true;
}

bool ConsumerRunner::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::string ConsumerRunner::waiting_for(double& seconds) const {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty()) seconds = std::chrono::duration<double>(Clock::now() - waiting_since_).count();
  return waiting_;
}

ConsumerInput& ConsumerRunner::Find(std::string_view name) const {
  for (const auto& input : inputs_) {
    if (input->port == name) return *input;
  }
  throw Error("there is no input \"" + std::string(name) + "\"");
}

const InputInfo& ConsumerRunner::input(std::string_view name) const { return Find(name).info; }

// A batch's time is from Pull to the next Pull: the histogram's count is the batches that passed.
void ConsumerRunner::EndOfBatch() {
  if (!in_batch_) return;
  in_batch_ = false;
  series_.duration.Observe(std::chrono::duration<double>(Clock::now() - batch_began_).count());
  series_.ok.Add(1);
}

Batch ConsumerRunner::Pull(std::string_view name) {
  ConsumerInput& input = Find(name);
  if (input.queue == nullptr) throw Error("input \"" + input.port + "\" is not connected");
  EndOfBatch();
  const auto asked = Clock::now();
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    waiting_ = name_ + "." + input.port;
    waiting_since_ = asked;
  }
  hooks_.demand_changed();
  uint64_t number = 0;
  do {  // a source shared with a consumer that is behind begins before what this one has committed
    batch = input.queue->Pop();
    if (batch) number = batch.epoch() * batch.content().batches_per_epoch + batch.index();
  } while (batch && number < input.committed);
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  batch_began_ = Clock::now();
  const double waited = std::chrono::duration<double>(batch_began_ - asked).count();
  if (input.pull_wait != nullptr) input.pull_wait->Add(waited);
  waited_s_ += waited;
  hooks_.moved();
  if (!batch) return batch;
  series_.wait.Observe(waited);
  in_batch_ = true;
  if (input.decides) hooks_.pulled(input.chain, number);
  if (!observer_) input.pulled.push_back({number, batch.content().hash, batch.rows()});
  return batch;
}

void ConsumerRunner::Commit(const Batch& batch, std::string_view name) {
  ConsumerInput& input = Find(name);
  const uint64_t number = batch.epoch() * batch.content().batches_per_epoch + batch.index();
  while (!input.pulled.empty() && input.pulled.front().batch <= number) {
    const ConsumerInput::Pulled& pulled = input.pulled.front();
    if (hashes_ != nullptr) {
      const uint64_t per_epoch = input.info.batches_per_epoch;
      hashes_->Write(name_ + "." + input.port, pulled.batch / per_epoch, pulled.batch % per_epoch, pulled.hash);
    }
    rows_ += pulled.rows;
    input.pulled.pop_front();
  }
  input.committed = std::max(input.committed, number + 1);
  dirty_ = true;
  hooks_.moved();
}

bool ConsumerRunner::Checkpoint(const std::string& tag, double metric) {
  try {
    hooks_.checkpoint(tag, metric);
    return true;
  } catch (const std::exception& error) {
    host_.Warn(std::string("no checkpoint was written, training goes on: ") + error.what());
    return false;
  }
}

void ConsumerRunner::Progress(const ProgressReport& report) { host_.Progress(report, rows_, waited_s_); }

}  // namespace flowtrain::graph
