// Checks parameters against their declaration and fills in defaults. Main thread.
#pragma once

#include <flowtrain/parameter.h>

#include <string>
#include <vector>

#include "pipeline/config/faults.h"

namespace flowtrain::config {

// Every parameter of `specs`, in their order, from `object` (at `pointer`) or its default, in the
// form a stage gets it: bytes as an integer, durations as seconds. What is wrong becomes a fault,
// and its default stands in. `beside`: keys that are allowed and not looked at. `why_not_provided`:
// as Lookup has it. `defaults`: values that go before the fields' own defaults, where a whole struct
// has one.
Value CheckParams(const std::vector<ParamSpec>& specs, const Value& object,
                  const std::string& pointer, const std::vector<std::string>& beside,
                  Faults& faults, const ProvidedCheck& why_not_provided = nullptr,
                  const Value* defaults = nullptr);

}  // namespace flowtrain::config
