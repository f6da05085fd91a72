// Pairs of a least and a largest value, as ops have them.
#pragma once

#include <array>
#include <initializer_list>
#include <string>

namespace flowtrain::image {

// Empty: the first of the pair is not above the second.
inline std::string LimitsFault(const std::string& name, const std::array<double, 2>& limits) {
  if (limits[0] <= limits[1]) return {};
  return name + " is [least, largest], and here the least is above the largest";
}

inline std::string FirstFault(std::initializer_list<std::string> faults) {
  for (const std::string& fault : faults) {
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace flowtrain::image
