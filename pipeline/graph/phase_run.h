// Everything a run owns. A batch that is let go of calls back into the reaper, the gate and its slots, so
// the destructor drops every batch and drains the reaper before the members go (backwards).
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "pipeline/graph/bad_samples.h"
#include "pipeline/graph/batch_hashes.h"
#include "pipeline/graph/batch_queue.h"
#include "pipeline/graph/batch_runner.h"
#include "pipeline/graph/collector.h"
#include "pipeline/graph/consumer_runner.h"
#include "pipeline/graph/executor.h"
#include "pipeline/graph/fence_reaper.h"
#include "pipeline/graph/flow.h"
#include "pipeline/graph/granted_cpus.h"
#include "pipeline/graph/reader.h"
#include "pipeline/graph/slot_store.h"

namespace flowtrain::graph {

struct ChainRuntime {
  const config::Chain* config = nullptr;
  int index = 0;
  BadPolicy policy = BadPolicy::kReplace;
  std::unique_ptr<Source> source;
  std::vector<std::unique_ptr<Transform>> transforms;
  std::unique_ptr<SlotStore> slots;
  std::unique_ptr<Collector> collector;
  std::unique_ptr<Reader> reader;
  InputInfo info;  // what leaves staging
};

struct Executor::Core {
  Core(const config::ValidatedGraph& g, RunHost& h, metrics::RunMetrics& m, ExecutorOptions o);
  ~Core();

  const config::ValidatedGraph graph;
  RunHost& host;
  metrics::RunMetrics& metrics;
  const ExecutorOptions options;
  GrantedCpus granted;
  int workers = 1;

  std::unique_ptr<BatchHashes> hashes;
  BadSamples bad;
  std::unique_ptr<Gate> gate;
  std::vector<ChainRuntime> chains;
  std::vector<std::unique_ptr<ChainStages>> chain_stages;
  std::unique_ptr<FenceReaper> reaper;
  std::vector<std::unique_ptr<BatchQueue>> queues;  // one an edge between batch stages
  std::vector<std::unique_ptr<BatchTransform>> batch_transforms;
  std::vector<std::unique_ptr<BatchRunner>> batch_runners;
  std::vector<std::unique_ptr<Consumer>> consumers;
  std::vector<std::unique_ptr<ConsumerRunner>> consumer_runners;
  std::unique_ptr<Flow> flow;
  std::vector<metrics::Reading> readings;  // scrapes look at what stands above

  std::mutex mutex;  // protects what follows
  std::condition_variable changed;
  bool stop_asked = false;   // an interrupt
  std::exception_ptr error;  // the first one
  std::set<std::string> warned;
  bool opened = false;

  std::atomic<uint64_t> moves{0};  // of batches; the gate counts those of samples

  // executor_open.cc
  void OpenChains(const Value* resume);
  void OpenBatchStages(const Value* resume, const std::filesystem::path& folder);
  void Connect();
  void PublishPools();
  uint64_t FirstBatch(const ChainRuntime& chain, const Value* resume) const;
  const InputInfo& InfoOf(const std::string& stage) const;
  int Demand(int chain) const;
  void WarnOnce(const std::string& message);

  // executor.cc
  void Fail(std::exception_ptr cause);
  bool MainConsumersEnded() const;
  void SaveCheckpoint(const std::string& tag, double metric, ConsumerRunner* only);
  std::string StopEverything(bool interrupted);

  // stall.cc
  std::string StallReport() const;
};

}  // namespace flowtrain::graph
