// One channel of float values with wrapped edges, and the noise fields made on it. Plain C++ in a
// fixed order of operations: the set must come out the same on every machine, and an image
// library's filters differ in the last bit between processors. Values; any thread.
#pragma once

#include <flowtrain/rng.h>

#include <cstdint>
#include <vector>

namespace flowtrain::data::camouflage {

struct Plane {
  int width = 0, height = 0;
  std::vector<float> values;  // row-major

  Plane(int w, int h) : width(w), height(h), values(static_cast<size_t>(w) * h) {}
  float* row(int y) { return values.data() + static_cast<size_t>(y) * width; }
  const float* row(int y) const { return values.data() + static_cast<size_t>(y) * width; }
};

// Near-normal, mean 0 and deviation 1, from one draw: the sum of its four bytes. No library
// function is in it, and a blur's sum over hundreds of them is normal.
float Noise(Rng& rng);
Plane WhiteNoise(Rng& rng, int width, int height);

// Gaussian of `sigma_x`, `sigma_y` pixels, cut at 3 sigma, which must be less than the plane's
// size; edges wrap, so that a field has the same statistics everywhere.
Plane Blurred(const Plane& plane, double sigma_x, double sigma_y);

// Shifts and scales to mean 0 and deviation 1.
void Normalize(Plane& plane);

// The plane's value at a point, bilinear; coordinates wrap.
float Sample(const Plane& plane, double x, double y);

// White noise under a Gaussian of `sigma` pixels, mean 0 and deviation 1.
Plane SmoothNoise(Rng& rng, int size, double sigma);

}  // namespace flowtrain::data::camouflage
