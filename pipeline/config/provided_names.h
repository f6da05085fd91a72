// Parameters that name what a plugin provides, as far as can be known without opening that plugin. Main
// thread.
#pragma once

#include <string>
#include <vector>

#include "pipeline/config/faults.h"

namespace flowtrain::config {

// In `params`, which are complete, and in structs in them: a name whose plugin is not there, is refused, or
// is open and does not provide it.
void CheckProvided(const std::vector<ParamSpec>& specs, const Value& params, const std::string& pointer,
                   const Lookup& lookup, Faults& faults);

}  // namespace flowtrain::config
