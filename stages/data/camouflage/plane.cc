#include "stages/data/camouflage/plane.h"

#include <algorithm>
#include <cmath>

namespace flowtrain::data::camouflage {
namespace {

// Weights 0..radius of a symmetric kernel whose sum is 1.
std::vector<float> Kernel(double sigma) {
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> weights(radius + 1);
  double sum = 0;
  for (int i = 0; i <= radius; ++i) {
    weights[i] = std::exp(-0.5 * i * i / (sigma * sigma));
    sum += i == 0 ? weights[i] : 2 * weights[i];
  }
  std::vector<float> kernel(radius + 1);
  for (int i = 0; i <= radius; ++i) kernel[i] = static_cast<float>(weights[i] / sum);
  return kernel;
}

void BlurRows(Plane& plane, const std::vector<float>& kernel) {
  const int radius = static_cast<int>(kernel.size()) - 1, width = plane.width;
  std::vector<float> padded(width + 2 * radius);
  for (int y = 0; y < plane.height; ++y) {
    float* row = plane.row(y);
    std::copy(row, row + width, padded.begin() + radius);
    std::copy(row + width - radius, row + width, padded.begin());
    std::copy(row, row + radius, padded.begin() + radius + width);
    const float* centre = padded.data() + radius;
    for (int x = 0; x < width; ++x) row[x] = kernel[0] * centre[x];
    for (int i = 1; i <= radius; ++i) {
      for (int x = 0; x < width; ++x) row[x] += kernel[i] * (centre[x - i] + centre[x + i]);
    }
  }
}

Plane BlurColumns(const Plane& plane, const std::vector<float>& kernel) {
  const int radius = static_cast<int>(kernel.size()) - 1, width = plane.width,
            height = plane.height;
  Plane out(width, height);
  for (int y = 0; y < height; ++y) {
    float* to = out.row(y);
    const float* centre = plane.row(y);
    for (int x = 0; x < width; ++x) to[x] = kernel[0] * centre[x];
    for (int i = 1; i <= radius; ++i) {
      const float* above = plane.row((y - i + height) % height);
      const float* below = plane.row((y + i) % height);
      for (int x = 0; x < width; ++x) to[x] += kernel[i] * (above[x] + below[x]);
    }
  }
  return out;
}

}  // namespace

float Noise(Rng& rng) {
  const uint32_t word = rng.NextU32();
  const int sum =
      static_cast<int>((word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24));
  // Four uniform bytes: mean 510, variance 4 (256^2 - 1) / 12.
  return static_cast<float>(sum - 510) * (1.0f / 147.7994f);
}

Plane WhiteNoise(Rng& rng, int width, int height) {
  Plane plane(width, height);
  for (float& value : plane.values) value = Noise(rng);
  return plane;
}

Plane Blurred(const Plane& plane, double sigma_x, double sigma_y) {
  Plane out = BlurColumns(plane, Kernel(sigma_y));
  BlurRows(out, Kernel(sigma_x));
  return out;
}

void Normalize(Plane& plane) {
  double sum = 0, squares = 0;
  for (const float value : plane.values) sum += value;
  const double mean = sum / static_cast<double>(plane.values.size());
  for (const float value : plane.values) squares += (value - mean) * (value - mean);
  const double scale = 1 / std::sqrt(squares / static_cast<double>(plane.values.size()));
  for (float& value : plane.values) value = static_cast<float>((value - mean) * scale);
}

float Sample(const Plane& plane, double x, double y) {
  const double left = std::floor(x), top = std::floor(y);
  const float fx = static_cast<float>(x - left), fy = static_cast<float>(y - top);
  const auto wrap = [](int i, int n) { return (i % n + n) % n; };
  const int x0 = wrap(static_cast<int>(left), plane.width), x1 = x0 + 1 == plane.width ? 0 : x0 + 1;
  const int y0 = wrap(static_cast<int>(top), plane.height),
            y1 = y0 + 1 == plane.height ? 0 : y0 + 1;
  const float* upper = plane.row(y0);
  const float* lower = plane.row(y1);
  const float a = upper[x0] + (upper[x1] - upper[x0]) * fx;
  const float b = lower[x0] + (lower[x1] - lower[x0]) * fx;
  return a + (b - a) * fy;
}

Plane SmoothNoise(Rng& rng, int size, double sigma) {
  // A wide Gaussian leaves nothing that a grid of a quarter of the points would miss.
  const int step = sigma >= 12 ? 4 : 1;
  const Plane coarse =
      Blurred(WhiteNoise(rng, size / step, size / step), sigma / step, sigma / step);
  Plane plane(size, size);
  for (int y = 0; y < size; ++y) {
    float* row = plane.row(y);
    for (int x = 0; x < size; ++x) {
      row[x] = Sample(coarse, static_cast<double>(x) / step, static_cast<double>(y) / step);
    }
  }
  Normalize(plane);
  return plane;
}

}  // namespace flowtrain::data::camouflage
