#include "pipeline/config/nearest.h"

#include <algorithm>

namespace flowtrain::config {
namespace {

// Optimal string alignment distance (Damerau 1964, restricted to adjacent swaps).
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string Nearest(const std::string& name, const std::vector<std::string>& known) {
  std::string nearest;
  size_t best = SIZE_MAX;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(name, candidate);
    if (distance < best &&
        distance <= std::max<size_t>(1, std::max(name.size(), candidate.size()) / 3)) {
      best = distance;
      nearest = candidate;
    }
  }
  return best == 1 && nearest.size() < 2 ? "" : nearest;
}

std::string Hint(const std::string& name, const std::vector<std::string>& known) {
  const std::string nearest = Nearest(name, known);
  return (nearest.empty() ? "; allowed: " : ", did you mean \"" + nearest + "\"? Allowed: ") +
         Quoted(known);
}

std::string Quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text.empty() ? "none" : text;
}

}  // namespace flowtrain::config
