// Which source pixels make each output pixel of one axis, and with what weights. A value; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flowtrain::image {

// Weights are integers of this many bits after the point: those of an output pixel sum up to 1
// exactly, so that a plain area keeps its value, and 255 of them fit into 32 bits.
inline constexpr int kWeightBits = 14;

struct Taps {
  int width = 0;                 // weights kept per output, even: what is not used is 0
  std::vector<int> first;        // of each output: its first source pixel
  std::vector<int> counts;       // ... and how many count, at least 1
  std::vector<int16_t> weights;  // first.size() x width

  int outputs() const { return static_cast<int>(first.size()); }
  const int16_t* of(int output) const {
    return weights.data() + static_cast<size_t>(output) * width;
  }
};

// One side of the part of a picture that is scaled, in source pixels (their edges are integers),
// and the pixels that may be looked at: `begin` .. `end`-1.
struct Side {
  double start = 0, length = 0;
  int begin = 0, end = 0;
};

// The triangle filter, centred on output pixels. Antialiased, it is as wide as the output pixels
// where these are larger than the source's (Pillow's `precompute_coeffs`, libImaging/Resample.c);
// otherwise always one source pixel wide, which is bilinear interpolation. `mirror`: in reverse.
Taps TriangleTaps(const Side& side, int outputs, bool antialias, bool mirror);

// The source pixel at the centre of each output pixel.
std::vector<int> NearestPixels(const Side& side, int outputs, bool mirror);

}  // namespace flowtrain::image
