#include "pipeline/run/summary.h"

#include <algorithm>

namespace flowtrain::run {

std::string FormatSummary(const SummaryLines& lines, const std::vector<std::string>& try_next) {
  size_t widest = 0;
  for (const auto& [name, value] : lines) widest = std::max(widest, name.size());
  std::string out;
  for (const auto& [name, value] : lines)
    out += name + std::string(widest - name.size() + 2, ' ') + value + "\n";
  if (!try_next.empty()) out += "\ntry next:\n";
  for (const std::string& command : try_next) out += "  " + command + "\n";
  return out;
}

}  // namespace flowtrain::run
