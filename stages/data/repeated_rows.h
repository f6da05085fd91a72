// Lines of a list whose image stands in an earlier line too. Used in Open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stages/data/manifest.h"

namespace flowtrain::data {

struct RepeatedRows {
  size_t count = 0;
  size_t row = 0, earlier = 0;  // of the first of them: its row, and the first one with its image
};

struct Repetitions {
  RepeatedRows same, contradicting;  // by whether the target is that of the first row, too
};

// Images are the same where their paths are written the same. `labels`: one a row where labels are
// the target, else empty: then targets are compared as they are written. Rows keep their order.
Repetitions FindRepetitions(const std::vector<ManifestRow>& rows,
                            const std::vector<int64_t>& labels);

// What to say of either, `target` being "label" or "mask". Where there is some.
std::string SameText(const RepeatedRows& same, const std::vector<ManifestRow>& rows,
                     const std::string& target);
std::string ContradictingText(const RepeatedRows& contradicting,
                              const std::vector<ManifestRow>& rows, const std::string& target);

}  // namespace flowtrain::data
