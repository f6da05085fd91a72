#include "image/raster.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace flowtrain::testing {

Raster Copy(const Image& image) {
  Raster raster(image.height, image.width, image.channels);
  for (int y = 0; y < image.height; ++y) {
    std::memcpy(raster.values.data() + image.row_bytes() * y, image.row(y), image.row_bytes());
  }
  return raster;
}

Raster Gradient(int height, int width, int channels) {
  Raster raster(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = width > 1 ? double(x) / (width - 1) : 0,
                   v = height > 1 ? double(y) / (height - 1) : 0;
      const double value[] = {40 + 180 * u, 30 + 200 * v,
                              60 + 120 * u * (1 - v) + 30 * std::sin(6 * (u + v))};
      for (int c = 0; c < channels; ++c) raster.at(y, x, c) = uint8_t(value[c % 3]);
    }
  }
  return raster;
}

Raster Noise(int height, int width, int channels, uint32_t seed) {
  Raster raster(height, width, channels);
  for (uint8_t& value : raster.values) {
    seed = seed * 1664525u + 1013904223u;
    value = uint8_t(seed >> 24);
  }
  return raster;
}

Raster Shown(const Raster& stored, int exif_tag) {
  const bool swaps = exif_tag >= 5;
  Raster shown(swaps ? stored.width : stored.height, swaps ? stored.height : stored.width,
               stored.channels);
  const int last_y = stored.height - 1, last_x = stored.width - 1;
  for (int y = 0; y < shown.height; ++y) {
    for (int x = 0; x < shown.width; ++x) {
      int sy = y, sx = x;
      switch (exif_tag) {
        case 2:
          sx = last_x - x;
          break;
        case 3:
          sx = last_x - x;
          sy = last_y - y;
          break;
        case 4:
          sy = last_y - y;
          break;
        case 5:
          sy = x;
          sx = y;
          break;
        case 6:
          sy = last_y - x;
          sx = y;
          break;
        case 7:
          sy = last_y - x;
          sx = last_x - y;
          break;
        case 8:
          sy = x;
          sx = last_x - y;
          break;
      }
      for (int c = 0; c < stored.channels; ++c) shown.at(y, x, c) = stored.at(sy, sx, c);
    }
  }
  return shown;
}

Raster Cropped(const Raster& from, int x0, int y0, int width, int height) {
  Raster part(height, width, from.channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < from.channels; ++c) part.at(y, x, c) = from.at(y0 + y, x0 + x, c);
    }
  }
  return part;
}

double Psnr(const Raster& a, const Raster& b) {
  double sum = 0;
  for (size_t i = 0; i < a.values.size(); ++i)
    sum += std::pow(double(a.values[i]) - b.values[i], 2);
  return sum == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * a.values.size() / sum);
}

int MaxDifference(const Raster& a, const Raster& b) {
  if (a.height != b.height || a.width != b.width || a.channels != b.channels) return 256;
  int largest = 0;
  for (size_t i = 0; i < a.values.size(); ++i)
    largest = std::max(largest, std::abs(int(a.values[i]) - b.values[i]));
  return largest;
}

double Mean(const Raster& raster, int channel) {
  double sum = 0;
  for (size_t i = channel; i < raster.values.size(); i += raster.channels) sum += raster.values[i];
  return sum / (double(raster.height) * raster.width);
}

}  // namespace flowtrain::testing
