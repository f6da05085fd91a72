// Pixels that own themselves, and plain loops to compare the stages with. For tests.
#pragma once

#include <flowtrain/image.h>

#include <cstdint>
#include <vector>

namespace flowtrain::testing {

struct Raster {
  int height = 0, width = 0, channels = 1;
  std::vector<uint8_t> values;

  Raster(int h, int w, int c, uint8_t fill = 0)
      : height(h), width(w), channels(c), values(size_t(h) * w * c, fill) {}
  uint8_t& at(int y, int x, int c = 0) { return values[(size_t(y) * width + x) * channels + c]; }
  uint8_t at(int y, int x, int c = 0) const {
    return values[(size_t(y) * width + x) * channels + c];
  }
  bool operator==(const Raster&) const = default;
};

Raster Copy(const Image& image);
// Smooth colours that differ in every corner, as photographs compress.
Raster Gradient(int height, int width, int channels = 3);
// Every pixel and channel another value, as far as 8 bits go.
Raster Noise(int height, int width, int channels, uint32_t seed);
// The picture as EXIF tag 1..8 says it is shown: EXIF 2.32, written out pixel by pixel.
Raster Shown(const Raster& stored, int exif_tag);
Raster Cropped(const Raster& from, int x, int y, int width, int height);
double Psnr(const Raster& a, const Raster& b);        // of pictures of one size
int MaxDifference(const Raster& a, const Raster& b);  // 256 where sizes differ
double Mean(const Raster& raster, int channel);

}  // namespace flowtrain::testing
