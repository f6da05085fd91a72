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
  d.Param("epochs", &Params::epochs, "The run ends after this many epochs; in a graph with phases, they say it")
      .Min(1)
      .Affects(Effect::kTraining);
  d.Param("batches", &Params::batches, "... or after this many batches, where that is sooner")
      .Min(1)
      .Affects(Effect::kTraining);
  d.Input(kInput);
}

void Null::Open(OpenContext& context) {
  const PhaseInfo& phase = context.phase();
  if (phase.epochs > 0 && params_.batches)
    context.Refuse("batches", "the graph's phases say when it ends");
  done_ = phase.first_epoch * context.input(kInput).batches_per_epoch;
}

void Null::EnterPhase(const Consumer&, OpenContext& context) { Open(context); }

void Null::Save(State& state) const { state.Set("done", done_); }
void Null::Load(const State& state) { done_ = static_cast<uint64_t>(state.Get("done").AsInteger()); }

void Null::Run(RunContext& context) {
  const PhaseInfo& phase = context.phase();
  const auto epochs = phase.epochs > 0 ? phase.first_epoch + phase.epochs
                                       : static_cast<uint64_t>(params_.epochs);
  const uint64_t steps = context.input(kInput).batches_per_epoch;
  // Counted from the first epoch, so that a resumed run ends where the undisturbed one would.
  const uint64_t all = std::min(
      epochs * steps, params_.batches ? static_cast<uint64_t>(*params_.batches) : UINT64_MAX);
  EpochCount count;
  while (done_ < all) {
    const Batch batch = context.Pull(kInput);
    if (!batch) break;
    count.Add(batch);
    rows_ += static_cast<uint64_t>(batch.rows());
    context.Commit(batch, kInput);
    done_ = batch.epoch() * steps + batch.index() + 1;
    context.Progress({.epoch = batch.epoch() + 1,
                      .epochs = epochs,
                      .step = batch.index() + 1,
                      .steps = steps,
                      .total_steps = all,
                      .done_steps = done_,
                      .phase = "data"});
    if (batch.last_in_epoch() || done_ >= all) {
      Record(context, batch.epoch(), count);
      count = {};
    }
  }
  if (phase.index + 1 == phase.count) context.Summary("rows taken in", std::to_string(rows_));
}

}  // namespace flowtrain::monitor
