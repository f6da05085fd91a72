// Whether what a stage declares of its parameters can be meant: looked at once, as it is registered.
// Plain functions.
#pragma once

#include <flowtrain/parameter.h>

#include <string>
#include <string_view>
#include <vector>

namespace flowtrain::config {

// Names of stages, parameters and inputs: a letter a-z, then a-z, 0-9 and _.
bool IsLowerSnake(std::string_view name);
inline constexpr const char* kLowerSnakeRule = "is not lower_snake: a letter a-z first, then a-z, 0-9 and _";

// The first fault, with the parameter's name (of a field "outer/inner"): a name that is not lower_snake, a
// range whose ends are the wrong way round, an enum without choices, a default that a graph could not
// have. Empty: none.
std::string DeclarationFault(const std::vector<ParamSpec>& params);

}  // namespace flowtrain::config
