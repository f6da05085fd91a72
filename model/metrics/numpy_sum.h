// The sum of a prediction's normalised levels, added in the order in which numpy adds a contiguous
// array. Needed only where a level meets the adaptive threshold, 2 * mean(p), up to rounding: there
// the reference's own rounding decides whether the pixel is foreground.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace flowtrain::model::metrics {

double NumpySum(std::span<const uint8_t> prediction, const std::array<double, 256>& levels);

}  // namespace flowtrain::model::metrics
