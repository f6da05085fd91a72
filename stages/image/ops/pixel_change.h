// What is done to the pixels of an image that has its size already. Values; the images are 8-bit
// RGB and changed in place.
#pragma once

#include <flowtrain/context.h>

#include <array>
#include <variant>

#include "stages/image/ops/colour_change.h"

namespace flowtrain::image {

// A Gaussian of this deviation, in pixels.
struct BlurChange {
  double sigma = 1;
};

// A rectangle, relative to the image, becomes plain.
struct EraseChange {
  Region part;
};

using PixelChange = std::variant<ColourChange, BlurChange, EraseChange>;
using Colour = std::array<int, 3>;

// `scratch_block` is for copies of pixels; `fill` is the colour of what is erased.
void Apply(const PixelChange& change, const Image& image, const Colour& fill, Context& context,
           int scratch_block);

}  // namespace flowtrain::image
