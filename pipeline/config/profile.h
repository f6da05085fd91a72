// Profiles: named sets of overrides in a graph file, applied by name or because a variable is
// unset.
#pragma once

#include <flowtrain/value.h>

#include <optional>
#include <string>
#include <vector>

#include "pipeline/config/faults.h"
#include "pipeline/config/overrides.h"
#include "pipeline/config/substitute.h"

namespace flowtrain::config {

// What applied by itself; empty: none.
struct AppliedProfile {
  std::string name, variable, why;
};

// Takes `profiles` out of the graph, applies what has to be, then `sets` over it. A when_unset
// profile fires where its variable is unset and still referenced once the sets are in.
AppliedProfile ApplyProfilesAndSets(const std::optional<std::string>& wanted,
                                    const std::vector<Override>& sets,
                                    const Environment& environment, Value& graph, Faults& faults);

}  // namespace flowtrain::config
