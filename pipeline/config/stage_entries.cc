#include "pipeline/config/stage_entries.h"

#include <algorithm>
#include <cctype>

#include "pipeline/config/allowed.h"
#include "pipeline/config/check_params.h"
#include "pipeline/config/nearest.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {
namespace {

Role RoleOf(StageKind kind) {
  switch (kind) {
    case StageKind::kSource:
      return Role::kSource;
    case StageKind::kTransform:
      return Role::kTransform;
    case StageKind::kBatchTransform:
      return Role::kBatchTransform;
    case StageKind::kConsumer:
      return Role::kConsumer;
  }
  return Role::kUnknown;
}

// Names stand in edges ("a -> b.port") and in metrics' labels.
bool IsStageName(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

const Value* StagesOf(const Value& graph, Faults& faults) {
  const Value* stages = graph.Find("stages");
  if (stages == nullptr) {
    faults.Add("", "\"stages\" is missing: expected an object of stages by name");
  } else if (!stages->is_object()) {
    faults.Add("/stages", "expected an object of stages by name, found " + Found(*stages));
  } else if (stages->AsObject().empty()) {
    faults.Add("/stages", "there is no stage in it");
  } else {
    return stages;
  }
  return nullptr;
}

void FindType(StageEntry& entry, const Value& value, const Lookup& lookup, Faults& faults) {
  const Value* type = value.Find("type");
  if (type == nullptr || !type->is_string()) {
    faults.Add(type ? entry.pointer + "/type" : entry.pointer,
               type ? "expected a stage type such as \"data.segmentation\", found " + Found(*type)
                    : "\"type\" is missing: expected a stage type such as \"data.segmentation\", "
                      "or \"staging\"");
    return;
  }
  entry.type = type->AsString();
  if (entry.type == "staging") {
    entry.role = Role::kStaging;
    entry.framework_specs = binder::FieldsOf<StagingParams>();
    return;
  }
  std::vector<std::string> known;
  std::string why;
  entry.declaration = lookup.stage(entry.type, known, why);
  if (entry.declaration == nullptr) {
    known.push_back("staging");
    faults.Add(entry.pointer + "/type", "unknown stage type \"" + entry.type + "\"" +
                                            Hint(entry.type, known) +
                                            (why.empty() ? "" : "; " + why));
    return;
  }
  entry.role = RoleOf(entry.declaration->kind);
  entry.framework_specs = FrameworkSpecs(entry.declaration->kind);
}

void CheckStageParams(StageEntry& entry, const Value& value, const Lookup& lookup, Faults& faults) {
  std::vector<ParamSpec> specs;
  if (entry.declaration != nullptr) specs = entry.declaration->params;
  specs.insert(specs.end(), entry.framework_specs.begin(), entry.framework_specs.end());
  const size_t before = faults.size();
  const Value all =
      CheckParams(specs, value, entry.pointer, {"type"}, faults, lookup.why_not_provided);
  entry.params_good = faults.size() == before;
  entry.params = entry.framework = Value::Object{};
  const size_t own = specs.size() - entry.framework_specs.size();
  for (const ParamSpec& spec : entry.framework_specs) {
    if (value.Find(spec.name) != nullptr) entry.framework_written.push_back(spec.name);
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    (i < own ? entry.params : entry.framework).Set(specs[i].name, all.At(specs[i].name));
  }
}

}  // namespace

std::vector<ParamSpec> FrameworkSpecs(StageKind kind) {
  if (kind == StageKind::kSource) return binder::FieldsOf<SourceParams>();
  if (kind == StageKind::kTransform) return binder::FieldsOf<TransformParams>();
  return {};
}

std::vector<std::string> ReservedNames(StageKind kind) {
  std::vector<std::string> names = {"type"};
  for (const ParamSpec& spec : FrameworkSpecs(kind)) names.push_back(spec.name);
  return names;
}

std::vector<StageEntry> ReadStages(const Value& graph, const Lookup& lookup, Faults& faults) {
  std::vector<StageEntry> entries;
  const Value* stages = StagesOf(graph, faults);
  if (stages == nullptr) return entries;
  for (const auto& [name, value] : stages->AsObject()) {
    StageEntry entry;
    entry.name = name;
    entry.pointer = Join("/stages", name);
    if (!IsStageName(name))
      faults.Add(entry.pointer, "a stage's name has letters, digits, \"_\" and \"-\" only");
    if (value.is_object()) {
      FindType(entry, value, lookup, faults);
      if (entry.role != Role::kUnknown) CheckStageParams(entry, value, lookup, faults);
    } else {
      faults.Add(entry.pointer,
                 "expected an object with \"type\" and parameters, found " + Found(value));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace flowtrain::config
