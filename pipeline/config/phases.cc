#include "pipeline/config/phases.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "pipeline/config/allowed.h"
#include "pipeline/config/checkpoint_tag.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

const std::vector<std::string>& PhaseKeys() {
  static const std::vector<std::string> keys = {"name", "epochs", "set"};
  return keys;
}

PhaseText ReadPhase(const Value& value, size_t index, Faults& faults) {
  PhaseText phase;
  phase.pointer = Join("/phases", index);
  phase.name = "phase-" + std::to_string(index + 1);
  if (!value.is_object()) {
    faults.Add(phase.pointer,
               "expected an object with " + Quoted(PhaseKeys()) + ", found " + Found(value));
    return phase;
  }
  for (const auto& [key, member] : value.AsObject()) {
    if (std::find(PhaseKeys().begin(), PhaseKeys().end(), key) == PhaseKeys().end())
      faults.Add(Join(phase.pointer, key), "unknown key \"" + key + "\"" + Hint(key, PhaseKeys()));
  }
  if (const Value* name = value.Find("name"); name == nullptr || !name->is_string()) {
    faults.Add(name ? Join(phase.pointer, "name") : phase.pointer,
               name ? "expected a string, found " + Found(*name)
                    : "\"name\" is missing: expected the phase's name");
  } else if (!IsTagText(name->AsString(), kLongestPhaseName)) {
    faults.Add(Join(phase.pointer, "name"),
               "found " + Found(*name) + "; a phase's name has letters, digits, \".\", \"_\" and \"-\" "
               "only, 1 to " + std::to_string(kLongestPhaseName) + " of them: it stands in a checkpoint's name");
  } else {
    phase.name = name->AsString();
  }
  const Value* epochs = value.Find("epochs");
  if (epochs == nullptr) {
    faults.Add(phase.pointer, "\"epochs\" is missing: expected an integer, 1 or more");
  } else if (!epochs->is_number() || epochs->AsNumber() < 1 ||
             epochs->AsNumber() > static_cast<double>(kMostEpochs) ||
             epochs->AsNumber() != std::floor(epochs->AsNumber())) {
    faults.Add(Join(phase.pointer, "epochs"),
               "expected an integer from 1 to " + std::to_string(kMostEpochs) + ", found " + Found(*epochs));
  } else {
    phase.epochs = static_cast<uint64_t>(epochs->AsNumber());
  }
  if (const Value* set = value.Find("set"); set != nullptr && set->is_object()) {
    for (const auto& [target, to] : set->AsObject()) phase.sets.push_back({target, to});
  } else if (set != nullptr) {
    faults.Add(Join(phase.pointer, "set"),
               "expected an object of JSON Pointers and values, found " + Found(*set));
  }
  return phase;
}

// "/stages/NAME/PARAM...": what a phase may set.
std::string WhyNotInPhase(const std::string& pointer) {
  std::vector<std::string> steps;
  if (!Split(pointer, steps)) return "";  // Apply says it
  if (steps[0] == "stages" && steps.size() > 2 && steps[2] != "type") return "";
  return "a phase sets parameters of stages (/stages/NAME/PARAMETER), nothing else";
}

void CheckUnchanged(const PhaseText& phase, const std::vector<ParamSpec>& specs, const Value& before,
                    const Value& after, const std::string& pointer, Faults& faults) {
  for (const ParamSpec& spec : specs) {
    const Value *was = before.Find(spec.name), *is = after.Find(spec.name);
    if (spec.per_phase || was == nullptr || is == nullptr || *was == *is) continue;
    const std::string where = Join(pointer, spec.name);
    if (spec.type.kind == ParamKind::kStruct && was->is_object() && is->is_object()) {
      CheckUnchanged(phase, spec.type.fields, *was, *is, where, faults);
      continue;
    }
    faults.Add(Join(phase.pointer + "/set", where),
               InPhaseText(phase) + "can't change from phase to phase: the stage lives through all of them with " +
                   was->ToJson());
  }
}

// "/stages/NAME/...": NAME; "": none.
std::string StageOf(const std::string& pointer) {
  std::vector<std::string> steps;
  return Split(pointer, steps) && steps.size() > 1 && steps[0] == "stages" ? steps[1] : "";
}

// What a checkpoint knows of a source's samples is of one phase: where another phase changes it, or
// what it draws from, nobody can tell whether files in another place are those of that phase too.
void ForgetPaths(std::set<std::string> changed, ValidatedGraph& graph) {
  for (const Chain& chain : graph.chains) {
    for (const UpstreamNode& upstream : chain.upstream) {
      if (changed.contains(upstream.node.name)) changed.insert(upstream.into);
    }
  }
  std::erase_if(graph.source_paths,
                [&](const auto& path) { return changed.contains(path.second); });
}

}  // namespace

std::string InPhaseText(const PhaseText& phase) { return "in phase \"" + phase.name + "\": "; }

std::vector<PhaseText> TakePhases(Value& graph, Faults& faults) {
  std::vector<PhaseText> phases;
  const Value* section = graph.Find("phases");
  if (section == nullptr) return phases;
  if (section->is_list() && section->AsList().empty()) {
    faults.Add("/phases", "the list is empty: expected one phase or more, or no \"phases\" at all");
  } else if (!section->is_list()) {
    faults.Add("/phases", "expected a list of phases, each an object with " + Quoted(PhaseKeys()) +
                              ", found " + Found(*section));
  } else {
    std::set<std::string> names;
    for (const Value& value : section->AsList()) {
      phases.push_back(ReadPhase(value, phases.size(), faults));
      if (!names.insert(phases.back().name).second)
        faults.Add(Join(phases.back().pointer, "name"),
                   "another phase is named \"" + phases.back().name + "\" too");
    }
  }
  Value::Object rest;
  for (const auto& [key, member] : graph.AsObject()) {
    if (key != "phases") rest.emplace_back(key, member);
  }
  graph = std::move(rest);
  return phases;
}

Value InPhase(const PhaseText& phase, const Value& graph, Faults& faults) {
  Value changed = graph;
  for (const Override& set : phase.sets) {
    std::string fault = WhyNotInPhase(set.pointer);
    if (fault.empty()) fault = Apply(set, changed);
    if (!fault.empty()) faults.Add(Join(phase.pointer + "/set", set.pointer), InPhaseText(phase) + fault);
  }
  return changed;
}

void CheckConsumers(const PhaseText& phase, const std::vector<StageEntry>& base,
                    const std::vector<StageEntry>& changed, Faults& faults) {
  for (size_t i = 0; i < base.size() && i < changed.size(); ++i) {
    if (base[i].role != Role::kConsumer || base[i].declaration == nullptr) continue;
    CheckUnchanged(phase, base[i].declaration->params, base[i].params, changed[i].params,
                   base[i].pointer, faults);
  }
}

void AddPhases(const std::vector<PhaseText>& phases, ValidatedGraph& graph) {
  if (phases.empty()) return;
  const auto base = graph.fixed;
  const auto lacks = [](const auto& all, const auto& fixed) {
    return std::find(all.begin(), all.end(), fixed) == all.end();
  };
  std::set<std::string> changed;  // stages
  Value::List kept;
  for (size_t i = 0; i < phases.size(); ++i) {
    const std::string pointer = Join("/phases", i);
    Value set{Value::Object{}};
    for (const Override& override : phases[i].sets) set.Set(override.pointer, override.value);
    const auto epochs = static_cast<int64_t>(phases[i].epochs);
    kept.push_back(Value::Object{{"name", phases[i].name}, {"epochs", epochs}, {"set", set}});
    graph.fixed.emplace_back(pointer + "/epochs", epochs);
    const auto& own = graph.phases[i].graph.fixed;
    for (const auto& fixed : own) {
      if (!lacks(base, fixed)) continue;
      graph.fixed.emplace_back(Join(pointer + "/set", fixed.first), fixed.second);
      changed.insert(StageOf(fixed.first));
    }
    for (const auto& fixed : base) {  // an element of a list may be gone
      if (lacks(own, fixed)) changed.insert(StageOf(fixed.first));
    }
  }
  ForgetPaths(std::move(changed), graph);
  graph.resolved.Set("phases", std::move(kept));
  for (Phase& phase : graph.phases) phase.graph.fixed = graph.fixed;
}

}  // namespace flowtrain::config
