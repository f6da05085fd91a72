// What a network counts on images that there is no time or memory to run it on, from what it counts on
// smaller ones. Free of state; the caller's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "model/describe/forward_counter.h"

namespace flowtrain::model {

using PartCounts = std::map<std::string, PartCount>;

// What run(height, width) counts. It is called with that size itself where an image has no more than
// `most_pixels`; else with ten of up to 287 px a side, or of 767 where the network halves images more
// than five times. Exact: where a side of the images grows by a step that the network's strides divide,
// each side of its tensors grows by a step too, so that counts are polynomials of the two sides, of the
// second degree in each (standard attention multiplies pixels by pixels). Nine sizes, three a side, say
// which; what they say of the tenth, the largest, is compared with what runs there. Throws
// std::invalid_argument where that differs, and where the network does not run on such images.
PartCounts CountsAt(int64_t height, int64_t width, int64_t most_pixels,
                    const std::function<PartCounts(int64_t height, int64_t width)>& run);

}  // namespace flowtrain::model
