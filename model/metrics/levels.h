// What the 256 gray levels of one prediction stand for after the per-image min-max normalisation
// (MATLAB's mapminmax(im2double(...))). A value type, made per image.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace flowtrain::model::metrics {

struct Levels {
  // p = v / 255, then (p - min) / (max - min) where the image isn't constant. Operation by
  // operation as the reference, so that a level which equals a threshold falls on the same side.
  std::array<double, 256> p;
  // trunc(p * 255): the level among the 256 thresholds of a curve.
  std::array<uint8_t, 256> q;
  uint8_t lowest = 0;  // the smallest level that the image has
};

Levels NormalizedLevels(std::span<const uint8_t> prediction);

}  // namespace flowtrain::model::metrics
