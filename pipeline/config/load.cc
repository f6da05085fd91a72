#include <flowtrain/rng.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "pipeline/config/allowed.h"
#include "pipeline/config/check_params.h"
#include "pipeline/config/graph_config.h"
#include "pipeline/config/graph_name.h"
#include "pipeline/config/infer_shapes.h"
#include "pipeline/config/json_text.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/phases.h"
#include "pipeline/config/profile.h"
#include "pipeline/config/read_graph_file.h"
#include "pipeline/config/resolve.h"
#include "pipeline/config/upstream.h"

namespace flowtrain::config {
namespace {

template <class P>
P Bound(const Value& value) {
  P params;
  binder::BindFields(params, value);
  return params;
}

StageNode Node(const StageEntry& entry) {
  return {entry.name, entry.declaration, entry.params, entry.pointer};
}

Environment MakeEnvironment(const LoadOptions& options) {
  return [get = options.getenv](const std::string& name) -> std::optional<std::string> {
    const char* value = get ? get(name.c_str()) : std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

Chain MakeChain(const ChainPath& path, const std::vector<StageEntry>& entries, InferredRows rows) {
  Chain chain;
  chain.source = Node(entries[path.source]);
  for (const Upstream& upstream : path.upstream)
    chain.upstream.push_back({Node(entries[upstream.source]), entries[upstream.into].name});
  chain.source_params = Bound<SourceParams>(entries[path.source].framework);
  std::map<std::string, size_t> ordinals;
  for (const size_t index : path.transforms) {
    const StageEntry& entry = entries[index];
    chain.transforms.push_back(Node(entry));
    const size_t ordinal = ordinals[entry.type]++;
    const std::string given = Bound<TransformParams>(entry.framework).rng_key;
    chain.streams.push_back(Rng::HashStream(given.empty() ? entry.declaration->StreamKey(ordinal) : given));
  }
  chain.staging = entries[path.staging].name;
  chain.staging_params = Bound<StagingParams>(entries[path.staging].framework);
  chain.rows = std::move(rows.rows);
  return chain;
}

// A run folder is named after the graph and what is added to that: the profile, the moment, a number.
void CheckLength(const std::string& name, Faults& faults) {
  if (name.size() <= kLongestGraphName) return;
  faults.Add("/name", "the graph's name, with its profile's, has " + std::to_string(name.size()) +
                          " bytes; at most " + std::to_string(kLongestGraphName) +
                          " are allowed (a graph without \"name\" has its file's)");
}

void CheckName(const std::string& name, Faults& faults) {
  const bool good = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.';
  });
  if (!good || name[0] == '.')
    faults.Add("/name", "found \"" + name +
                            "\"; a graph's name has letters, digits, \"_\", \"-\" and \".\" only");
}

// Without a name of its own it has its file's.
std::string NameOf(const Top& top, const std::string& file, const AppliedProfile& profile) {
  const std::string name = top.name.empty() ? std::filesystem::path(file).stem().string() : top.name;
  return profile.name.empty() ? name : name + "-" + profile.name;
}

// A graph that was looked at: complete where no fault was found.
struct Checked {
  Value top_value;
  Top top;
  std::vector<StageEntry> entries;
  Links links;
  std::vector<ChainPath> paths;
  std::vector<InferredRows> rows;
};

Checked Check(const Value& graph, const std::string& file, const AppliedProfile& profile,
              const Lookup& lookup, Faults& faults) {
  Checked checked;
  checked.top_value =
      CheckParams(binder::FieldsOf<Top>(), graph, "", {"stages", "edges", "profiles"}, faults);
  checked.top = Bound<Top>(checked.top_value);
  if (!checked.top.name.empty()) CheckName(checked.top.name, faults);
  CheckLength(NameOf(checked.top, file, profile), faults);
  checked.entries = ReadStages(graph, lookup, faults);
  checked.links = ReadLinks(graph, checked.entries, faults);
  CheckUpstream(checked.entries, checked.links, faults);
  checked.paths = CheckTopology(checked.entries, checked.links, faults);
  for (const ChainPath& path : checked.paths)
    checked.rows.push_back(InferRows(path, checked.entries, faults));
  CheckTensors(checked.paths, checked.rows, checked.entries, checked.links.all, faults);
  return checked;
}

// Batch transforms in the order in which batches flow, however the file has them. They form no circle.
std::vector<StageNode> InOrder(const std::vector<StageEntry>& entries, const std::vector<Link>& links) {
  std::vector<StageNode> ordered;
  std::vector<bool> placed(entries.size());
  for (size_t left = entries.size(); left > 0; --left) {
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].role != Role::kBatchTransform || placed[i]) continue;
      const bool waits = std::any_of(links.begin(), links.end(), [&](const Link& link) {
        return link.to == i && entries[link.from].role == Role::kBatchTransform && !placed[link.from];
      });
      if (waits) continue;
      placed[i] = true;
      ordered.push_back(Node(entries[i]));
    }
  }
  return ordered;
}

// Of a graph without faults.
ValidatedGraph Build(Checked checked, const std::string& file, const AppliedProfile& profile) {
  ValidatedGraph valid;
  valid.file = file;
  valid.name = NameOf(checked.top, file, profile);
  valid.seed = static_cast<uint64_t>(checked.top.seed);
  valid.metrics = checked.top.metrics;
  valid.run = checked.top.run;
  valid.profile = profile.name;
  valid.profile_variable = profile.variable;
  valid.profile_why = profile.why;
  const std::vector<StageEntry>& entries = checked.entries;
  for (size_t i = 0; i < checked.paths.size(); ++i)
    valid.chains.push_back(MakeChain(checked.paths[i], entries, std::move(checked.rows[i])));
  valid.batch_transforms = InOrder(entries, checked.links.all);
  for (const StageEntry& entry : entries) {
    if (entry.role == Role::kConsumer) valid.consumers.push_back(Node(entry));
  }
  for (const Link& link : checked.links.all) {
    if (entries[link.from].gives_batches())
      valid.batch_edges.push_back({entries[link.from].name, entries[link.to].name, link.port});
  }
  valid.resolved = Resolved(valid, entries, checked.links.all, checked.top_value.At("metrics"),
                            checked.top_value.At("run"));
  SetFixed(entries, checked.links.all, valid);
  return valid;
}

// The graph and, where it has phases, what each makes of it.
ValidatedGraph Validate(Value graph, const std::string& file, const AppliedProfile& profile,
                        const Lookup& lookup, Faults& faults) {
  const std::vector<PhaseText> phases = TakePhases(graph, faults);
  Checked base = Check(graph, file, profile, lookup, faults);
  std::vector<Checked> changed;
  for (const PhaseText& phase : phases) {
    Faults own(file);
    changed.push_back(Check(InPhase(phase, graph, faults), file, profile, lookup, own));
    CheckConsumers(phase, base.entries, changed.back().entries, faults);
    faults.AddNew(own, InPhaseText(phase));
  }
  faults.ThrowIfAny();

  ValidatedGraph valid = Build(std::move(base), file, profile);
  valid.notes = faults.notes();
  for (size_t i = 0; i < phases.size(); ++i)
    valid.phases.push_back(
        {phases[i].name, phases[i].epochs, Build(std::move(changed[i]), file, profile)});
  AddPhases(phases, valid);
  return valid;
}

}  // namespace

ValidatedGraph LoadText(const std::string& text, const std::string& file,
                        const LoadOptions& options, const Lookup& lookup) {
  Faults faults(file);
  std::optional<Value> graph = ParseJson(text, faults);
  if (graph && !graph->is_object())
    faults.Add("",
               "expected an object with " + Quoted(TopLevelKeys()) + ", found " + Found(*graph));
  if (!graph || !graph->is_object()) faults.ThrowIfAny();

  const Environment environment = MakeEnvironment(options);
  const std::vector<Override> sets = ParseSets(options.sets, faults);
  const AppliedProfile profile =
      ApplyProfilesAndSets(options.profile, sets, environment, *graph, faults);
  std::map<std::string, std::string> used;
  const Environment noting = [&](const std::string& name) {
    const std::optional<std::string> value = environment(name);
    if (value) used[name] = *value;
    return value;
  };
  ValidatedGraph valid =
      Validate(Substitute(*graph, "", noting, faults), file, profile, lookup, faults);
  valid.variables.assign(used.begin(), used.end());
  return valid;
}

ValidatedGraph Load(const std::filesystem::path& file, const LoadOptions& options,
                    const Lookup& lookup) {
  std::string why;
  const std::string text = ReadGraphFile(file, why);
  if (!why.empty()) throw GraphError({{file.string(), "", why}});
  return LoadText(text, file.string(), options, lookup);
}

}  // namespace flowtrain::config
