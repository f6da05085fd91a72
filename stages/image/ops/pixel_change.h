// What is done to the pixels of an image that has its size already. Values; the images are 8-bit
// RGB and changed in place.
#pragma once

#include <flowtrain/context.h>

#include <array>
#include <variant>

namespace flowtrain::image {

// Factors; 1 changes nothing. Brightness scales all values, contrast the distance from the image's
// mean gray, saturation the distance from each pixel's own gray, in this order (as in torchvision's
// functional adjust_*; here without rounding and clipping between them). Hue turns the colours of
// each pixel around its gray, by a share of the circle, in the plane of U and V: its brightness
// stays, and all four together are one linear map.
struct ColourChange {
  double brightness = 1, contrast = 1, saturation = 1, hue = 0;
};

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
