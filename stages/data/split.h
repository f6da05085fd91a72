// Which pairs a source gives: COD10K's camouflaged ones, the share kept for validation, a few for a
// quick run. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stages/data/pairs.h"

namespace flowtrain::data {

// COD10K-CAM-... and COD10K-NonCAM-...: the prefix tells, the number of fields varies.
bool IsCam(std::string_view file_name);
bool IsNonCam(std::string_view file_name);

// Marks the pairs that validation gets: ValCount of them, drawn by their stems.
std::vector<bool> ValShare(const std::vector<Pair>& pairs, double share, uint64_t seed);

// `limit` pairs evenly from all (classes stand together in the order of names); 0: all.
std::vector<Pair> Limited(std::vector<Pair> pairs, uint64_t limit);

}  // namespace flowtrain::data
