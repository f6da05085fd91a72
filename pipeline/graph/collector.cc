#include "pipeline/graph/collector.h"

namespace flowtrain::graph {

Collector::Collector(Settings settings, Gate& gate, SlotStore& slots, FenceReaper& reaper, BadSamples& bad,
                     metrics::StageSeries staging, std::function<void()> stopped)
    : settings_(std::move(settings)), gate_(gate), slots_(slots), reaper_(reaper), bad_(bad), staging_(staging),
      stopped_(std::move(stopped)), full_(gate.view().chains[settings_.chain].slots) {}

std::optional<Unit> Collector::Finish(Work& work) noexcept {
  try {
    if (work.outcome() == Work::Outcome::kFailed) {
      gate_.Stop(work.error());
      stopped_();
      return std::nullopt;
    }
    if (work.outcome() == Work::Outcome::kBad && HandleBad(work)) return std::nullopt;
    return FinishRow(work);
  } catch (...) {
    const Unit& unit = work.unit();  // without a sample where it is the batch that could not be made
    gate_.Stop(WithPlace(settings_.staging, unit.sample ? "sample " + std::to_string(unit.address.index) + " (" + unit.sample->path + ")"
                                                        : "batch " + std::to_string(unit.address.batch)));
    stopped_();
    return std::nullopt;
  }
}

bool Collector::HandleBad(Work& work) {
  Unit& unit = work.unit();
  if (!unit.bad) {  // else it failed while it was read, and that was told there
    const std::string& stage = work.chain().config->transforms[work.failed_stage()].name;
    bad_.Add(settings_.chain, unit.address.batch, settings_.policy, {unit.address.epoch, unit.address.position, unit.address.index, unit.sample->path, stage, work.reason(), work.message()});
  }
  if (settings_.policy != BadPolicy::kReplace) return false;
  if (unit.attempt == kMaxReplacements) bad_.OutOfReplacements(settings_.chain, unit.address.batch, "decoded", work.message());
  gate_.Retry(unit, unit.attempt + 1);
  return true;
}

std::optional<Unit> Collector::FinishRow(Work& work) {
  Unit& unit = work.unit();
  const int row = unit.address.row;
  const bool bad = work.outcome() == Work::Outcome::kBad;
  if (bad) slots_.ZeroRow(unit.slot, row);
  const auto& tensors = slots_.rows();
  for (size_t t = 0; t < tensors.size() && !bad; ++t) {
    const std::string& name = tensors[t].name;
    if (tensors[t].last_maker < 0) {
      slots_.SetLabel(unit.slot, row, static_cast<int>(t), unit.sample->label(name));
    } else if (unit.sample->image(name).data != slots_.ImageRow(unit.slot, row, static_cast<int>(t)).data) {
      throw Error("\"" + name + "\" was not made by " + work.chain().config->transforms[tensors[t].last_maker].name + ", which declares it");
    }
  }
  slots_.id(unit.slot, row) = {unit.address.position, unit.address.index, std::move(unit.sample->path), unit.address.padding, bad};
  const uint64_t batch = unit.address.batch;
  const int slot = unit.slot;
  unit.sample.reset();
  std::optional<Unit> next;
  if (gate_.Complete(unit, next)) FinishBatch(batch, slot);
  return next;
}

void Collector::FinishBatch(uint64_t batch, int slot) {
  const Sampler& sampler = gate_.sampler(settings_.chain);
  const int rows = sampler.rows_of(batch);
  BatchContent content = slots_.Content(slot, rows);
  content.batches_per_epoch = sampler.batches_per_epoch();
  content.epoch = batch / content.batches_per_epoch;
  content.index = batch % content.batches_per_epoch;
  if (settings_.hash) content.hash = slots_.Hash(slot, rows);
  content.on_release = [this, slot](std::vector<FencePtr> fences) {
    reaper_.After(std::move(fences), [this, slot] {
      if (settings_.poison) slots_.Poison(slot);
      gate_.ReleaseSlot(settings_.chain, slot);
    });
  };
  bad_.Filled(settings_.chain, batch, rows);
  full_[slot] = Batch::Create(std::move(content));
  const auto granted = gate_.granted_at(settings_.chain, slot);
  staging_.duration.Observe(std::chrono::duration<double>(Gate::Clock::now() - granted).count());
  staging_.ok.Add(1);
  // Under the gate's lock, where a handle that is dropped could free a slot and ask for that lock
  // again: our own handles go after it.
  std::vector<Batch> handed;
  gate_.Finished(settings_.chain, slot, [this, &handed](int next) {
    // Nobody is left who would read: the batch stays, and with its slot the chain comes to rest.
    if (!outputs_.wanted()) return;
    outputs_.Push(full_[next]);
    handed.push_back(std::move(full_[next]));
  });
}

}  // namespace flowtrain::graph
