// Amounts of bytes as people read them: "812 B", "4.0 GiB". Not for files: rounded.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace flowtrain::storage {

inline std::string RoundedBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

}  // namespace flowtrain::storage
