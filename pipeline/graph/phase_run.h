// One phase at work: everything that is planned anew when a phase begins — sources, slots, the flow
// graph, queues, batch transforms — around the consumers, which live on. A graph without phases is one.
//
// A batch that is let go of calls back into the reaper, the gate and its slots, so the destructor drops
// every batch and drains the reaper before the members go (backwards). Owned by the executor.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/graph/batch_queue.h"
#include "pipeline/graph/batch_runner.h"
#include "pipeline/graph/collector.h"
#include "pipeline/graph/consumer_runner.h"
#include "pipeline/graph/end_deadline.h"
#include "pipeline/graph/fence_reaper.h"
#include "pipeline/graph/flow.h"
#include "pipeline/graph/open_context.h"
#include "pipeline/graph/outcome.h"
#include "pipeline/graph/reader.h"
#include "pipeline/graph/run_parts.h"
#include "pipeline/graph/same_samples.h"
#include "pipeline/graph/slot_store.h"

namespace flowtrain::graph {

struct ChainRuntime {
  const config::Chain* config = nullptr;
  int index = 0;
  BadPolicy policy = BadPolicy::kReplace;
  std::vector<std::unique_ptr<Source>> upstream;  // what the source draws from, in the config's order
  std::unique_ptr<Source> source;
  std::vector<SampleSet> sample_sets;  // of all of these, the source's own last
  storage::Cache* cache = nullptr;  // null: none
  std::vector<std::unique_ptr<Transform>> transforms;
  std::unique_ptr<SlotStore> slots;
  std::unique_ptr<Collector> collector;
  std::unique_ptr<Reader> reader;
  InputInfo info;  // what leaves staging
};

// Epochs of each source, by stage name, that earlier phases have gone through.
using EpochsDone = std::map<std::string, uint64_t>;

// Where a phase begins.
struct PhaseStart {
  EpochsDone epochs_done;
  const Value* resume = nullptr;  // a checkpoint's state, of this phase
  std::filesystem::path folder;   // ... and its files
};

// Why a phase ends: another one follows, it was the last, Stop, or an error.
enum class Ending { kBorder, kLast, kInterrupted, kFailed };

// How a phase's end went.
struct PhaseEnd {
  std::optional<std::string> abandoned;  // the names of what has not returned, and is left behind
  EndDeadline deadline;                  // for what is still to be closed
};

struct PhaseRun {
  PhaseRun(RunParts& run, const config::ValidatedGraph& graph, PhaseInfo info);
  ~PhaseRun();

  // --- phase_open.cc, phase_batches.cc: the stages are made and opened, sources first
  void Open(const PhaseStart& start);
  // --- phase_run.cc
  void Start();
  bool MainConsumersEnded() const;
  uint64_t moves() const { return batch_moves.load() + gate->moves(); }
  // --- phase_end.cc
  // Lets consumers return, writes a checkpoint where one is due, and lets everything else return.
  PhaseEnd End(Ending why);
  // --- phase_run.cc
  // After End: what still holds a batch; empty: nothing.
  std::string HeldBatches() const;
  EpochsDone epochs_done() const;
  std::string settings() const;
  Totals totals() const;
  // --- phase_state.cc
  // `only`: the consumer that asked for it in mid-run. Throws Error.
  void SaveCheckpoint(const std::string& tag, double metric, const ConsumerRunner* only);
  // --- stall.cc
  std::string StallReport() const;

  RunParts& run;
  const config::ValidatedGraph& graph;
  const PhaseInfo info;
  std::unique_ptr<Gate> gate;
  std::vector<ChainRuntime> chains;
  std::vector<std::unique_ptr<ChainStages>> chain_stages;
  std::unique_ptr<FenceReaper> reaper;
  std::vector<std::unique_ptr<BatchQueue>> queues;  // one an edge between batch stages
  std::vector<std::unique_ptr<BatchTransform>> batch_transforms;
  std::vector<std::unique_ptr<BatchRunner>> batch_runners;
  std::vector<std::unique_ptr<ConsumerRunner>> consumer_runners;
  std::unique_ptr<Flow> flow;
  OpenedStages open_stages;  // but the consumers
  std::vector<metrics::Reading> readings;  // scrapes look at what stands above
  std::atomic<uint64_t> batch_moves{0};    // of batches; the gate counts those of samples

 private:
  StageOpenContext::Run OpenRun() const;
  void OpenStage(Stage& stage, const config::StageNode& node, StageOpenContext& context, OpenedStages& opened);
  void OpenUpstream(ChainRuntime& chain);
  Gate::ChainSettings OpenChain(ChainRuntime& chain, const PhaseStart& start);
  void OpenBatchTransforms();
  void OpenConsumers(const PhaseStart& start);
  void MakeCollectors();
  void MakeBatchRunners();
  void MakeConsumerRunners(const PhaseStart& start);
  void Connect();
  void PublishPools();
  void CheckSamples(const ChainRuntime& chain, const PhaseStart& start) const;
  uint64_t FirstBatch(const ChainRuntime& chain, const PhaseStart& start) const;
  const ChainRuntime& ChainOf(const std::string& stage) const;
  std::vector<std::pair<std::string, InputInfo>> InputsOf(const config::StageNode& node) const;
  bool HasMainReader(const ChainRuntime& chain) const;
  BatchQueue* QueueTo(const std::string& stage, const std::string& port);
  int Demand(int chain) const;
  EndDeadline DeadlineOf(Ending why) const;
  std::set<std::string> StagesAtWork() const;
  void SaveLast(Ending why);
};

// The batches of an input that a checkpoint has as committed; null: none of it.
const Value* CommittedOf(const Value* state, const std::string& consumer, const std::string& port);

}  // namespace flowtrain::graph
