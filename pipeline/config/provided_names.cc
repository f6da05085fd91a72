#include "pipeline/config/provided_names.h"

#include <algorithm>

#include "pipeline/config/allowed.h"
#include "pipeline/config/pointer.h"

namespace flowtrain::config {

void CheckProvided(const std::vector<ParamSpec>& specs, const Value& params, const std::string& pointer,
                   const Lookup& lookup, Faults& faults) {
  if (!lookup.why_not_provided) return;
  for (const ParamSpec& spec : specs) {
    const Value* value = params.Find(spec.name);
    if (value == nullptr) continue;
    const std::string place = Join(pointer, spec.name);
    if (value->is_object()) CheckProvided(spec.type.fields, *value, place, lookup, faults);
    if (spec.provided_as.empty() || !value->is_string()) continue;
    const std::string& name = value->AsString();
    if (std::find(spec.choices.begin(), spec.choices.end(), name) != spec.choices.end()) continue;
    const std::string why = lookup.why_not_provided(spec.provided_as, name);
    if (!why.empty()) faults.Add(place, why + "; allowed: " + Allowed(spec));
  }
}

}  // namespace flowtrain::config
