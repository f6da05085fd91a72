// "2 GiB" and "30 s" -> numbers. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace flowtrain::config {

// A number and one of B, KiB, MiB, GiB, TiB. Nothing where it is not that, or above 2^63 - 1 bytes.
std::optional<int64_t> ParseBytes(const std::string& text);
// A number and one of ms, s, min, h; in seconds.
std::optional<double> ParseDuration(const std::string& text);

}  // namespace flowtrain::config
