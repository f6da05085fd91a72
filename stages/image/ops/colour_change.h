// What is done to the colours of an image, one step at a time, as torchvision's functional adjust_*
// do: each step is clipped to 0 .. 255 and rounded (to the nearest level; torchvision cuts off). A
// value; the images are 8-bit RGB and changed in place.
#pragma once

#include <flowtrain/context.h>

#include <cstdint>

namespace flowtrain::image {

struct ColourChange {
  enum Kind : uint8_t {
    kBrightness,  // v -> amount v
    kContrast,    // v -> amount v + (1 - amount) m; m: the mean of the image's gray (BT.601)
    kSaturation,  // the same; m: the pixel's own gray
    kHue,         // turns the hue of HSV by this share of the circle; saturation and value stay
  };
  Kind kind = kBrightness;
  double amount = 1;  // a factor, where 1 changes nothing; of kHue -0.5 .. 0.5, and 0
};

void ChangeColours(const ColourChange& change, const Image& image, Context& context,
                   int scratch_block);

}  // namespace flowtrain::image
