#include "stages/data/repeated_rows.h"

#include <string_view>

#include "stages/data/names.h"
#include "stages/data/same_names.h"

namespace flowtrain::data {
namespace {

// In the order of rows.
void Add(const NamedAgain& again, RepeatedRows& repeated) {
  if (repeated.count++ > 0) return;
  repeated.row = again.index;
  repeated.earlier = again.first;
}

std::string Line(const ManifestRow& row) { return "line " + std::to_string(row.line); }

std::string Ending(size_t count) {
  return count == 1 ? ", and counts as a sample of its own: "
                    : ", and count as samples of their own, the first one: ";
}

}  // namespace

Repetitions FindRepetitions(const std::vector<ManifestRow>& rows,
                            const std::vector<int64_t>& labels) {
  Repetitions found;
  for (const NamedAgain& again :
       NamedAsBefore(rows.size(), [&](uint64_t i) -> std::string_view { return rows[i].image; })) {
    const bool same = labels.empty() ? rows[again.index].target == rows[again.first].target
                                     : labels[again.index] == labels[again.first];
    Add(again, same ? found.same : found.contradicting);
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
