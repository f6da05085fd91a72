// The stages of a graph as they are checked: each with its role, declaration and parameters.
// Owned by Load; main thread.
#pragma once

#include <string>
#include <vector>

#include "pipeline/config/faults.h"

namespace flowtrain::config {

enum class Role : uint8_t { kUnknown, kSource, kTransform, kStaging, kBatchTransform, kConsumer };

struct StageEntry {
  std::string name;
  std::string pointer;
  std::string type;
  Role role = Role::kUnknown;  // kUnknown: its type is at fault; nothing else is said about it
  const StageDeclaration* declaration = nullptr;  // null for staging and kUnknown
  std::vector<ParamSpec> framework_specs;
  Value params;     // its own, complete
  Value framework;  // what the framework adds to its kind, complete
  std::vector<std::string> framework_written;  // which of those the file gives
  bool params_good = true;

  // What it takes and gives: samples flow up to staging, batches from there on.
  bool takes_samples() const { return role == Role::kTransform || role == Role::kStaging; }
  bool gives_samples() const { return role == Role::kSource || role == Role::kTransform; }
  bool gives_batches() const { return role == Role::kStaging || role == Role::kBatchTransform; }
  // A source that draws from other ones.
  bool takes_sources() const { return declaration != nullptr && declaration->takes_sources; }
  bool takes_batches() const { return role == Role::kBatchTransform || role == Role::kConsumer; }
};

// Parameter names that the framework has on every stage of a kind, "type" included: a plugin's
// stage may not declare one of them.
std::vector<std::string> ReservedNames(StageKind kind);
// Parameters that the framework adds to a plugin's stage of this kind.
std::vector<ParamSpec> FrameworkSpecs(StageKind kind);

// In the order of the file.
std::vector<StageEntry> ReadStages(const Value& graph, const Lookup& lookup, Faults& faults);

}  // namespace flowtrain::config
