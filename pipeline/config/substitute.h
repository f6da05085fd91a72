// ${NAME} and ${NAME:-default} in the strings of a graph. Pure functions but for the environment,
// which is passed in.
#pragma once

#include <flowtrain/value.h>

#include <functional>
#include <optional>
#include <string>

#include "pipeline/config/faults.h"

namespace flowtrain::config {

// The variable's value; nothing where it is unset or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// `value` with every reference replaced; a reference that can't be is a fault.
Value Substitute(const Value& value, const std::string& pointer, const Environment& environment,
                 Faults& faults);

// Whether a string in `value` refers to the variable.
bool RefersTo(const Value& value, const std::string& variable);

}  // namespace flowtrain::config
