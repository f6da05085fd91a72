// The end of a sample's way: fills in who stands in the row, decides what becomes of a bad sample, turns
// a full slot into a batch and hands it on in order. One for a chain; called on workers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/graph/bad_samples.h"
#include "pipeline/graph/batch_queue.h"
#include "pipeline/graph/fanout.h"
#include "pipeline/graph/fence_reaper.h"
#include "pipeline/graph/gate.h"
#include "pipeline/graph/work.h"

namespace flowtrain::graph {

class Collector {
 public:
  struct Settings {
    int chain = 0;
    BadPolicy policy = BadPolicy::kReplace;
    bool hash = false;    // of each batch, for --batch-hashes
    bool poison = false;  // freed slots (tests)
    std::string staging;  // the staging stage's name
  };
  Collector(Settings settings, Gate& gate, SlotStore& slots, FenceReaper& reaper, BadSamples& bad, metrics::StageSeries staging,
            std::function<void()> stopped);

  void AddOutput(BatchQueue* queue) { outputs_.Add(queue); }
  const std::vector<BatchQueue*>& outputs() const { return outputs_.queues(); }
  // After the end: lets go of batches that were full and never handed on.
  void DropBatches() { full_.clear(); }
  // Ends a sample, and gives the one that its worker goes on with, if any. Never throws: what goes wrong
  // stops the run.
  std::optional<Unit> Finish(Work& work) noexcept;

 private:
  std::optional<Unit> FinishRow(Work& work);
  void FinishBatch(uint64_t batch, int slot);
  // True where the sample was sent back to be read again.
  bool HandleBad(Work& work);

  const Settings settings_;
  Gate& gate_;
  SlotStore& slots_;
  FenceReaper& reaper_;
  BadSamples& bad_;
  metrics::StageSeries staging_;
  const std::function<void()> stopped_;
  Fanout outputs_;
  std::vector<Batch> full_;  // by slot: made by the worker that filled it, moved out in order under the gate's lock
};

}  // namespace flowtrain::graph
