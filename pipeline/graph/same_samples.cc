#include "pipeline/graph/same_samples.h"

#include <cinttypes>
#include <cstdio>

#include "pipeline/graph/work.h"

namespace flowtrain::graph {
namespace {

constexpr const char* kWhatThen = "a run goes on over the same ones only";
constexpr const char* kOrNew = "a new run may begin with the old one's weights";

const Value* Saved(const Value& state, const char* key, const std::string& source) {
  const Value* sets = state.Find(key);
  return sets == nullptr ? nullptr : sets->Find(source);
}

std::string Text(uint64_t fingerprint) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, fingerprint);
  return text;
}

// Empty: it is none, as far as is known.
std::string Difference(const SampleSet& now, bool moved, const Value& state) {
  const Value* size = Saved(state, "samples", now.source);
  if (size != nullptr && static_cast<uint64_t>(size->AsInteger()) != now.size) {
    return "there are " + std::to_string(now.size) + " samples now, and " +
           std::to_string(size->AsInteger()) + " in the checkpoint: " + kWhatThen + "; " + kOrNew;
  }
  // The place was let pass because the checkpoint has a fingerprint to tell by.
  if (moved && now.fingerprint == 0)
    return "its files are looked for in another place than the checkpoint's, and it no longer says "
           "which samples it has (Fingerprint is 0): " +
           std::string(kWhatThen) + "; name the place they had; " + kOrNew;
  const Value* fingerprint = Saved(state, "fingerprints", now.source);
  if (fingerprint == nullptr || now.fingerprint == 0 ||
      fingerprint->AsString() == Text(now.fingerprint))
    return "";
  const std::string same =
      "there are " + std::to_string(now.size) + " samples as in the checkpoint, but ";
  // What they are drawn from is as it was.
  if (now.of_others)
    return same + "another choice or order of them, though its sources have theirs: " + kWhatThen +
           "; one possible cause is the order of the stages in the graph file; " + kOrNew;
  return same +
         "not the same ones (files have other names, labels or another order): " + kWhatThen +
         "; put the files back as they were; " + kOrNew;
}

}  // namespace

SampleSet SampleSetOf(const Source& source, const config::StageNode& node) {
  try {
    const uint64_t size = source.Size();
    if (size == 0) throw Error("it has no samples");
    return {node.name, size, source.Fingerprint(), node.declaration->takes_sources};
  } catch (...) {
    std::rethrow_exception(WithPlace(node.name, ""));
  }
}

void SaveSampleSets(const std::vector<SampleSet>& sets, Value& state) {
  for (const char* key : {"samples", "fingerprints"}) {
    if (state.Find(key) == nullptr) state.Set(key, Value(Value::Object{}));
  }
  for (const SampleSet& set : sets) {
    state.Find("samples")->Set(set.source, set.size);
    if (set.fingerprint != 0) state.Find("fingerprints")->Set(set.source, Text(set.fingerprint));
  }
}

std::string OtherSamples(const std::vector<SampleSet>& sets, const std::set<std::string>& moved,
                         const Value& state, const std::string& file) {
  std::string lines;
  for (const SampleSet& set : sets) {
    // What is drawn from other samples is other samples, and nobody can help it but there.
    if (set.of_others && !lines.empty()) continue;
    const std::string difference = Difference(set, moved.contains(set.source), state);
    if (!difference.empty())
      lines += (lines.empty() ? "" : "\n") + file + ": /stages/" + set.source + ": " + difference;
  }
  return lines;
}

bool HasFingerprint(const Value& state, const std::string& source) {
  return Saved(state, "fingerprints", source) != nullptr;
}

}  // namespace flowtrain::graph
