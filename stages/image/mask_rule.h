// How a stored mask becomes 0 (background) and 255 (foreground). Any thread.
#pragma once

#include <flowtrain/image.h>

namespace flowtrain::image {

enum class MaskRule : uint8_t {
  kThreshold,  // above 128 of 255 is foreground
  kLabels,     // its maximum is 1: above 0 is foreground
  kNone,       // has values, but none is above the threshold: all is background
};

// Rewrites `mask` (1 channel, 8 bit, samples of 0 .. levels) in place and tells which rule applied.
MaskRule Binarise(const Image& mask, int levels);

}  // namespace flowtrain::image
