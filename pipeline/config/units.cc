#include "pipeline/config/units.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace flowtrain::config {
namespace {

// "2.5 GiB" -> 2.5 and "GiB"; the space may be left out.
std::optional<std::pair<double, std::string>> SplitAmount(const std::string& text) {
  double amount = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), amount, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(amount) || amount < 0) return std::nullopt;
  std::string unit(end, text.data() + text.size());
  unit.erase(0, unit.find_first_not_of(' '));
  return std::pair(amount, unit);
}

}  // namespace

std::optional<int64_t> ParseBytes(const std::string& text) {
  const auto amount = SplitAmount(text);
  if (!amount) return std::nullopt;
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double factor = 1;
  for (const char* unit : units) {
    if (amount->second == unit) {
      const double bytes = std::round(amount->first * factor);
      if (bytes >= 0x1p63) return std::nullopt;
      return static_cast<int64_t>(bytes);
    }
    factor *= 1024;
  }
  return std::nullopt;
}

std::optional<double> ParseDuration(const std::string& text) {
  const auto amount = SplitAmount(text);
  if (!amount) return std::nullopt;
  if (amount->second == "ms") return amount->first / 1000;
  if (amount->second == "s") return amount->first;
  if (amount->second == "min") return amount->first * 60;
  if (amount->second == "h") return amount->first * 3600;
  return std::nullopt;
}

}  // namespace flowtrain::config
