#include "stages/data/line_faults.h"

#include <algorithm>

namespace flowtrain::data {

std::string LineFaults::Text() const {
  std::vector<Fault> sorted = kept_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Fault& a, const Fault& b) { return a.line < b.line; });
  std::string text;
  const size_t shown = std::min(sorted.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) {
    text +=
        (i == 0 ? "" : "; ") + ("line " + std::to_string(sorted[i].line)) + ": " + sorted[i].why;
  }
  if (count_ > shown) text += "; and " + std::to_string(count_ - shown) + " more";
  return text;
}

}  // namespace flowtrain::data
