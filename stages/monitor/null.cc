#include "stages/monitor/null.h"

#include <algorithm>

namespace flowtrain::monitor {
namespace {

constexpr char kInput[] = "in";

struct EpochCount {
  uint64_t batches = 0, samples = 0, bad = 0;

  void Add(const Batch& batch) {
    ++batches;
    for (const RowId& row : batch.content().ids) {
      if (row.padding) continue;
      ++(row.bad ? bad : samples);
    }
  }
};

void Record(RunContext& context, uint64_t epoch, const EpochCount& count) {
  Value line;
  line.Set("epoch", epoch);
  line.Set("batches", count.batches);
  line.Set("samples", count.samples);
  line.Set("bad_samples", count.bad);
  context.Record(std::move(line));
}

}  // namespace

void Null::Declare(Declaration<Params>& d) {
  d.Type("monitor.null", "Takes batches in and drops them.");
  d.Param("epochs", &Params::epochs, "The run ends after this many epochs")
      .Min(1)
      .Affects(Effect::kTraining);
  d.Param("batches", &Params::batches, "... or after this many batches, where that is sooner")
      .Min(1)
      .Affects(Effect::kTraining);
  d.Input(kInput);
}

void Null::Run(RunContext& context) {
  const auto epochs = static_cast<uint64_t>(params_.epochs);
  EpochCount count;
  uint64_t total = 0;
  while (Batch batch = context.Pull(kInput)) {
    count.Add(batch);
    total += static_cast<uint64_t>(batch.rows());
    context.Commit(batch, kInput);

    // Counted from the first epoch, so that a resumed run ends where the undisturbed one would.
    const uint64_t steps = batch.content().batches_per_epoch;
    const uint64_t done = batch.epoch() * steps + batch.index() + 1;
    const uint64_t all = std::min(
        epochs * steps, params_.batches ? static_cast<uint64_t>(*params_.batches) : UINT64_MAX);
    context.Progress({.epoch = batch.epoch() + 1,
                      .epochs = epochs,
                      .step = batch.index() + 1,
                      .steps = steps,
                      .total_steps = all,
                      .done_steps = done,
                      .phase = "data"});
    if (batch.last_in_epoch() || done >= all) {
      Record(context, batch.epoch(), count);
      count = {};
    }
    if (done >= all) break;
  }
  context.Summary("rows taken in", std::to_string(total));
}

}  // namespace flowtrain::monitor
