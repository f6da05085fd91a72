// Whether a text says something, for checks.
#pragma once

#include <string>

namespace flowtrain::testing {

inline bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace flowtrain::testing
