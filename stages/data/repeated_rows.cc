#include "stages/data/repeated_rows.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "stages/data/names.h"

namespace flowtrain::data {
namespace {

void Add(size_t row, size_t earlier, RepeatedRows& repeated) {
  if (repeated.count++ == 0 || row < repeated.row) {
    repeated.row = row;
    repeated.earlier = earlier;
  }
}

std::string Line(const ManifestRow& row) { return "line " + std::to_string(row.line); }

std::string Ending(size_t count) {
  return count == 1 ? ", and counts as a sample of its own: "
                    : ", and count as samples of their own, the first one: ";
}

}  // namespace

Repetitions FindRepetitions(const std::vector<ManifestRow>& rows,
                            const std::vector<int64_t>& labels) {
  // Sorted hashes: a map of ten million paths would take half a gigabyte.
  std::vector<std::pair<uint64_t, uint32_t>> order;
  order.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    order.emplace_back(std::hash<std::string_view>()(rows[i].image), static_cast<uint32_t>(i));
  }
  std::sort(order.begin(), order.end());
  Repetitions found;
  std::vector<size_t> firsts;  // of one hash: the first row of each image, one but for collisions
  for (size_t at = 0; at < order.size(); ++at) {
    if (at == 0 || order[at].first != order[at - 1].first) firsts.clear();
    const size_t row = order[at].second;
    const auto earlier = std::find_if(firsts.begin(), firsts.end(), [&](size_t first) {
      return rows[first].image == rows[row].image;
    });
    if (earlier == firsts.end()) {
      firsts.push_back(row);
      continue;
    }
    const bool same = labels.empty() ? rows[row].target == rows[*earlier].target
                                     : labels[row] == labels[*earlier];
    Add(row, *earlier, same ? found.same : found.contradicting);
  }
  return found;
}

std::string SameText(const RepeatedRows& same, const std::vector<ManifestRow>& rows,
                     const std::string& target) {
  return Count(same.count, "line repeats", "lines repeat") + " the image and " + target +
         " of an earlier one" + Ending(same.count) + Line(rows[same.row]) + " is " +
         Line(rows[same.earlier]) + " again, " + Clipped(rows[same.row].image);
}

std::string ContradictingText(const RepeatedRows& contradicting,
                              const std::vector<ManifestRow>& rows, const std::string& target) {
  const ManifestRow &row = rows[contradicting.row], &earlier = rows[contradicting.earlier];
  return Count(contradicting.count, "line gives", "lines give") + " an image another " + target +
         " than an earlier one" + Ending(contradicting.count) + Line(row) + " gives " +
         Clipped(row.image) + " " + Quoted(row.target) + ", " + Line(earlier) + " " +
         Quoted(earlier.target);
}

}  // namespace flowtrain::data
