// CSV and its like, as RFC 4180 has it: fields may stand in quotes, and hold the delimiter, line
// ends and doubled quotes there. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace flowtrain::data {

// The field as it is written, in quotes where it needs them.
std::string DelimitedField(std::string_view field, char delimiter);

}  // namespace flowtrain::data
