// What is said when a run has ended. Formats only; the program prints it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace flowtrain::run {

using SummaryLines = std::vector<std::pair<std::string, std::string>>;

// The pairs with their values aligned, then "try next:" and the commands, a line each.
std::string FormatSummary(const SummaryLines& lines, const std::vector<std::string>& try_next);

}  // namespace flowtrain::run
