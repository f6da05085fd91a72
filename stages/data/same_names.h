// Names that stand several times among millions. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace flowtrain::data {

struct NamedAgain {
  uint64_t index = 0, first = 0;  // the first one of that name
  bool operator==(const NamedAgain&) const = default;
};

// Those of 0 .. count-1, ascending, whose name is that of a smaller one.
std::vector<NamedAgain> NamedAsBefore(uint64_t count,
                                      const std::function<std::string_view(uint64_t)>& name);

}  // namespace flowtrain::data
