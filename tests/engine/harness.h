// A graph of scripted stages for the engine's tests: what each stage does is a function of the test.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <flowtrain/stage.h>

#include "pipeline/config/graph_config.h"
#include "pipeline/graph/executor.h"
#include "support/holds.h"
#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::testing {

// What the scripted stages do; each test fills in what it needs.
struct Script {
  uint64_t size = 20;
  std::function<uint64_t()> fingerprint = [] { return 0; };               // source
  std::function<uint64_t()> fingerprint2;                                 // second chain; null: as the first
  std::function<void(uint64_t index, ReadContext&)> on_read;              // source
  std::function<void(const Sample::Id&)> on_read_of;                      // source, of a sample's place in the run
  std::function<void(Sample&, Context&)> on_process;                      // transform, before it fills the row
  std::function<Batch(const Batch&, BatchContext&)> on_batch;             // batch transform; null: passes data through
  std::function<void(RunContext&)> run = [](RunContext&) {};              // consumer
  std::function<void(RunContext&)> run_second = [](RunContext&) {};       // the second consumer
  std::function<void(RunContext&)> run_observer = [](RunContext&) {};     // the observer
  std::function<void(uint64_t index, ReadContext&)> on_read2;             // second chain; null: as the first
  std::function<void(Sample&, Context&)> on_process2;                     // second chain; null: as the first
  std::function<void(OpenContext&)> on_open;                              // transform
  std::function<void()> on_close;                                         // transform
  std::function<void()> on_make;                                          // transform
  std::function<void(const std::string& type, OpenContext&)> on_open_of;  // any stage
  std::function<void(const std::string& type)> on_close_of;               // any stage
  std::function<void(OpenContext&)> on_phase;                             // consumer
  std::function<void()> on_save, on_load;                                 // consumer
  std::atomic<uint64_t> reads{0}, processed{0};
};

// Collects what the engine says.
class ScriptHost final : public graph::RunHost {
 public:
  void Info(const std::string&) override {}
  void Warn(const std::string& message) override;
  void Record(const Value&) override {}
  void BadSample(const graph::BadSampleInfo& bad) override;
  void Progress(const ProgressReport&, uint64_t, double) override {}
  void Opening(const std::string&, uint64_t, uint64_t) override {}
  void PhaseBegins(const PhaseInfo& phase, const std::string&) override { phases.push_back(phase); }
  void Summary(const std::string&, const std::string&, const std::string&) override {}
  void SaveCheckpoint(const std::string& tag, double metric, const std::function<Value(const std::filesystem::path&)>& writer) override;
  std::filesystem::path run_dir() const override { return "."; }
  std::filesystem::path cache_dir() const override { return "."; }

  std::mutex mutex;
  std::vector<std::string> warnings;
  std::vector<graph::BadSampleInfo> bad;
  std::vector<std::pair<std::string, Value>> checkpoints;  // tag, state
  std::vector<PhaseInfo> phases;  // that began after the first
  bool disk_full = false;
};

// source -> fill -> staging (-> device) -> sink.in, on the settings of `text`, e.g.
// R"("batch": 4, "slots": 2)" for staging.
struct Settings {
  std::string staging = R"("batch": 4, "slots": 3)";
  std::string source = R"("sampler": {"shuffle": true})";
  std::string run = R"("threads": 2)";
  bool device = false;       // a batch transform between staging and sink
  bool second_chain = false;  // into the sink's second input
  bool second_reader = false;  // a second consumer of the batches that the sink takes
  bool observer = false;       // an observer of the batches that the sink takes
  bool second_observer = false;  // another one
  bool watched_device = false;  // staging -> device -> observer, beside the sink
  bool observer_alone = false;  // an observer with the second chain to itself
  uint64_t seed = 7;
  std::string phases;         // the list's content; empty: none
};

// The scripted stages' declarations by type; a graph made of them must not outlive them.
using Declared = std::map<std::string, std::unique_ptr<StageDeclaration>>;
Declared DeclareStages(Script& script);
config::ValidatedGraph MakeGraph(const Declared& declared, const Settings& settings);

struct Result {
  graph::Outcome outcome;
  graph::Gate::Peaks peaks;
  std::set<std::string> hashes;
  double seconds = 0;
  uint64_t bad = 0;
};

// One run of a scripted graph. `during` may stop it from outside.
class ScriptedRun {
 public:
  ScriptedRun(Script& script, const Settings& settings, graph::ExecutorOptions options = {});
  ~ScriptedRun();
  Result Run(const Value* resume = nullptr);
  // Before what the executor speaks to.
  void DropExecutor() { executor_.reset(); }
  graph::Executor& executor() { return *executor_; }
  ScriptHost host;
  metrics::RunMetrics metrics;

 private:
  const Declared declared_;
  config::ValidatedGraph graph_;
  std::filesystem::path hash_file_;
  std::unique_ptr<graph::Executor> executor_;
};

// A consumer's Run that takes `batches` batches of "in" and commits each.
std::function<void(RunContext&)> TakeBatches(uint64_t batches, std::function<void(const Batch&)> look = {});

// Seconds since `start`.
inline double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A fence that passes when told to.
class ManualFence final : public Fence {
 public:
  bool Passed() override { return passed_.load(); }
  void Wait() override {
    while (!passed_.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void Pass() { passed_ = true; }

 private:
  std::atomic<bool> passed_{false};
};

}  // namespace flowtrain::testing
