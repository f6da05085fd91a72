// Names of many files written as one: "train-{0000..0146}.tar", "{a,b}/x.tar". Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flowtrain::data {

// The names in the order they are written, as a shell expands them: {a,b} is a choice, {08..11} a
// range (of the width of a bound that begins with 0; downwards too), both may be nested; patterns
// stand one after the other, parted by "::". Throws std::runtime_error for braces that don't match,
// a range of what is no number, or more than `most` names.
std::vector<std::string> ExpandBraces(std::string_view text, size_t most);

}  // namespace flowtrain::data
