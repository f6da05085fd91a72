// What an augmentation drew for one sample: one turn, and colour changes in order. Turns and colour
// changes don't depend on each other, so they are kept apart. A value.
#pragma once

#include <flowtrain/context.h>

#include <vector>

#include "stages/image/orientation.h"

namespace flowtrain::image {

// Factors; 1 changes nothing. Brightness scales all values, contrast the distance from the image's
// mean gray, saturation the distance from each pixel's own gray, in this order (as in torchvision's
// functional adjust_*; here without rounding and clipping between the three).
struct ColourChange {
  double brightness = 1, contrast = 1, saturation = 1;
};

struct Recipe {
  Orientation turn;
  std::vector<ColourChange> colours;
};

// Changes an 8-bit RGB image in place; `scratch_block` is for copies of a few rows.
void Recolour(const Image& image, const ColourChange& change, Context& context, int scratch_block);

}  // namespace flowtrain::image
