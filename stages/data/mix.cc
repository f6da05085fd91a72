#include "stages/data/mix.h"

namespace flowtrain::data {

void Mix::Declare(Declaration<Params>& d) {
  d.Type("data.mix",
         "Several sources in one stream, in shares by weight, the same in every run. Edges lead from "
         "each of them into it: \"a -> both -> decode\", \"b -> both\".");
  d.TakesSources();
  d.Param("weights", &Params::weights,
          "How many samples of each source come beside how many of the others: {\"a\": 3, \"b\": 1} "
          "is three of a to one of b. 0: none.")
      .BySource()
      .Range(0, 1e9)
      .Required();
  d.Param("epoch_samples", &Params::epoch_samples,
          "Samples in an epoch. A source that is larger than its share goes on in the next epoch where "
          "it left off, one that is smaller comes round again. 0: all of the source that is exhausted "
          "first at these weights, once, and of the others what their weights ask beside it.")
      .Range(0, 1ll << 31);
}

void Mix::Open(OpenContext& context) {
  std::vector<MixOrder::Source> sources;
  for (const NamedSource& upstream : context.sources()) {
    const auto weight = params_.weights.find(upstream.name);
    if (weight == params_.weights.end())
      context.Refuse("weights", "\"" + upstream.name + "\" is missing: it leads into this stage");
    sources.push_back({upstream.name, upstream.source.Size(), weight->second});
    sources_.push_back(upstream);
  }
  try {
    order_.emplace(sources, params_.epoch_samples);
  } catch (const MixOrder::Refused& refused) {
    context.Refuse(refused.parameter, refused.what());
  }
  std::string text;
  for (size_t i = 0; i < sources.size(); ++i) {
    text += (i == 0 ? ": " : ", ") + std::to_string(order_->counts()[i]) + " of " + sources[i].name +
            "'s " + std::to_string(sources[i].size);
  }
  context.Info("an epoch has " + std::to_string(order_->size()) + " samples" + text);
}

// Of which sample stands where, all else is parameters. Where one of them isn't known, the mix
// isn't.
uint64_t Mix::Fingerprint() const {
  Fingerprinter of;
  for (const NamedSource& source : sources_) {
    const uint64_t fingerprint = source.source.Fingerprint();
    if (fingerprint == 0) return 0;
    of.Add(source.name).Add(static_cast<int64_t>(fingerprint));
  }
  return of.value();
}

void Mix::Read(uint64_t index, Sample& sample, ReadContext& context) const {
  const MixOrder::Place place = order_->At(index, sample.id.epoch);
  // That source counts its own epochs: it may be a mix, too. Also where it throws, the sample is this one.
  struct Restore {
    Sample& sample;
    const Sample::Id id;
    ~Restore() { sample.id = id; }
  } restore{sample, sample.id};
  sample.id.epoch = place.cycle;
  sample.id.index = place.index;
  sources_[place.source].source.Read(place.index, sample, context);
}

}  // namespace flowtrain::data
