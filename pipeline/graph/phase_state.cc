// What a checkpoint holds of a run, and where a run begins that goes on from one.
#include <flowtrain/error.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "pipeline/graph/executor.h"
#include "pipeline/graph/phase_run.h"

namespace flowtrain::graph {
namespace {

// As text: a path with bytes that are no UTF-8 does not come back as it was.
bool IsAsSaved(const Value& then, const Value& now) { return then.ToJson() == now.ToJson(); }

// The sources with files that are looked for in another place than the checkpoint's.
std::set<std::string> MovedSources(const config::ValidatedGraph& graph, const Value& checkpoint) {
  std::set<std::string> moved;
  for (const auto& [pointer, value] : graph.fixed) {
    const auto path = graph.source_paths.find(pointer);
    if (path == graph.source_paths.end()) continue;
    const Value* then = checkpoint.At("parameters").Find(pointer);
    if (then != nullptr && !IsAsSaved(*then, value)) moved.insert(path->second);
  }
  return moved;
}

}  // namespace

const Value* CommittedOf(const Value* state, const std::string& consumer, const std::string& port) {
  for (const std::string& key : {std::string("consumers"), consumer, std::string("inputs"), port}) {
    if (state != nullptr) state = state->Find(key);
  }
  return state;
}

void PhaseRun::CheckSamples(const ChainRuntime& chain, const PhaseStart& start) const {
  if (start.resume == nullptr) return;
  const std::string difference = OtherSamples(chain.sample_sets, MovedSources(graph, *start.resume),
                                              *start.resume, graph.file);
  if (!difference.empty()) throw OpenRefused(difference);
}

// The batch a chain begins with: the earliest that one of its consumers has not committed.
uint64_t PhaseRun::FirstBatch(const ChainRuntime& chain, const PhaseStart& start) const {
  const auto done = start.epochs_done.find(chain.config->source.name);
  std::optional<uint64_t> first;
  std::vector<std::string> stages{chain.config->staging};
  for (size_t i = 0; i < stages.size(); ++i) {
    for (const config::BatchEdge& edge : graph.batch_edges) {
      if (edge.from != stages[i]) continue;
      stages.push_back(edge.to);
      const Value* committed = CommittedOf(start.resume, edge.to, edge.port);
      if (committed == nullptr) continue;
      const auto batch = static_cast<uint64_t>(committed->AsInteger());
      first = first ? std::min(*first, batch) : batch;
    }
  }
  if (first) return *first;
  return done == start.epochs_done.end() ? 0 : done->second * chain.info.batches_per_epoch;
}

void PhaseRun::SaveCheckpoint(const std::string& tag, double metric, const ConsumerRunner* only) {
  const auto mains = std::count_if(consumer_runners.begin(), consumer_runners.end(),
                                   [](const auto& runner) { return !runner->observer(); });
  if (only != nullptr && mains > 1) {
    throw Error("a checkpoint in mid-run needs a graph with one consumer besides observers; this one has " +
                std::to_string(mains));
  }
  run.host.SaveCheckpoint(tag, metric, [&](const std::filesystem::path& folder) {
    Value state, saved_consumers{Value::Object{}}, parameters{Value::Object{}};
    for (const auto& runner : consumer_runners) {
      if (runner->observer()) continue;
      State own(folder, Value(Value::Object{}));
      try {
        runner->consumer().Save(own);
      } catch (...) {
        std::rethrow_exception(WithPlace(runner->name(), ""));
      }
      Value inputs{Value::Object{}}, saved;
      for (const auto& input : runner->inputs()) {
        if (input->queue != nullptr) inputs.Set(input->port, input->committed);
      }
      saved.Set("state", own.values());
      saved.Set("inputs", std::move(inputs));
      saved_consumers.Set(runner->name(), std::move(saved));
    }
    for (const auto& [pointer, value] : graph.fixed) parameters.Set(pointer, value);
    state.Set("graph", graph.name);
    state.Set("phase", info.index);
    state.Set("consumers", std::move(saved_consumers));
    state.Set("parameters", std::move(parameters));
    for (const ChainRuntime& chain : chains) SaveSampleSets(chain.sample_sets, state);
    return state;
  });
  for (const auto& runner : consumer_runners) runner->SetClean();
}

std::vector<std::string> ResumeDifferences(const config::ValidatedGraph& graph,
                                           const Value& checkpoint,
                                           std::vector<std::string>* moved) {
  std::vector<std::string> differences;
  const Value& saved = checkpoint.At("parameters");
  for (const auto& [pointer, value] : graph.fixed) {
    const Value* then = saved.Find(pointer);
    if (then != nullptr && IsAsSaved(*then, value)) continue;
    // A parameter that is younger than the checkpoint: its default is what was done before.
    if (then == nullptr && graph.at_default.contains(pointer)) continue;
    const auto path = graph.source_paths.find(pointer);
    const bool found_by_name = moved != nullptr && then != nullptr &&
                               path != graph.source_paths.end() &&
                               HasFingerprint(checkpoint, path->second);
    (found_by_name ? *moved : differences)
        .push_back(pointer + ": " + (then ? then->ToJson() : "absent") + " in the checkpoint, " +
                   value.ToJson() + " now");
  }
  for (const auto& [pointer, then] : saved.AsObject()) {
    const auto same = [&key = pointer](const auto& fixed) { return fixed.first == key; };
    if (std::none_of(graph.fixed.begin(), graph.fixed.end(), same)) {
      differences.push_back(pointer + ": " + then.ToJson() + " in the checkpoint, absent now");
    }
  }
  return differences;
}

}  // namespace flowtrain::graph
