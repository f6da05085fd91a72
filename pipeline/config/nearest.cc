#include "pipeline/config/nearest.h"

#include <algorithm>

namespace flowtrain::config {
namespace {

// A graph's names are as many and as long as its file has room for: each that is wrong would be
// compared with each that is right.
constexpr size_t kLongestCompared = 200, kMostCompared = 1000, kMostQuoted = 100;

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
  for (size_t i = 0; i < std::min(known.size(), kMostCompared); ++i) {
    const std::string& candidate = known[i];
    const size_t longer = std::max(name.size(), candidate.size()),
                 shorter = std::min(name.size(), candidate.size());
    const size_t most = std::max<size_t>(1, longer / 3);
    if (longer > kLongestCompared || longer - shorter > most) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance < best && distance <= most) {
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
  for (size_t i = 0; i < std::min(names.size(), kMostQuoted); ++i)
    text += (text.empty() ? "\"" : ", \"") + names[i] + "\"";
  if (names.size() > kMostQuoted)
    text += " and " + std::to_string(names.size() - kMostQuoted) + " more";
  return text.empty() ? "none" : text;
}

}  // namespace flowtrain::config
