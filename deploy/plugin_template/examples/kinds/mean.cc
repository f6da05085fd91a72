#include "mean.h"

#include <string>

namespace kinds {

void Mean::Declare(flowtrain::Declaration<Params>& d) {
  d.Type("kinds.mean", "Says the mean over all pixels.");
  d.Input("in", {"image"});
  d.Param("epochs", &Params::epochs, "For how long.")
      .Range(1, 1000)
      .Affects(flowtrain::Effect::kTraining);
}

void Mean::Run(flowtrain::RunContext& context) {
  const uint64_t all =
      context.input("in").batches_per_epoch * static_cast<uint64_t>(params_.epochs);
  while (batches_ < all) {
    const flowtrain::Batch batch = context.Pull("in");
    if (!batch) return;  // the run is to end now
    Add(batch);
    ++batches_;
    context.Commit(batch, "in");  // a resumed run starts after it
  }
  context.Summary("mean", std::to_string(sum_ / count_));
}

void Mean::Add(const flowtrain::Batch& batch) {
  const flowtrain::Tensor& image = batch.tensor("image");
  const auto values = image.as<float>();
  // There may be room for more rows than are filled.
  const auto a_row = static_cast<size_t>(image.elements() / image.shape[0]);
  for (int row = 0; row < batch.rows(); ++row) {
    const flowtrain::RowId& id = batch.content().ids[static_cast<size_t>(row)];
    if (id.padding || id.bad) continue;
    for (const float value : values.subspan(static_cast<size_t>(row) * a_row, a_row)) sum_ += value;
    count_ += static_cast<double>(a_row);
  }
}

void Mean::Save(flowtrain::State& state) const {
  state.Set("batches", batches_);
  state.Set("sum", sum_);
  state.Set("count", count_);
}

void Mean::Load(const flowtrain::State& state) {
  batches_ = static_cast<uint64_t>(state.Get("batches").AsInteger());
  sum_ = state.Get("sum").AsNumber();
  count_ = state.Get("count").AsNumber();
}

}  // namespace kinds
