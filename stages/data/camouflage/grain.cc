#include "stages/data/camouflage/grain.h"

#include <cmath>

namespace flowtrain::data::camouflage {
namespace {

// 192 x sqrt(2): an image turned by any angle finds no point twice.
constexpr int kCanvas = 288;
constexpr double kBendSigma = 28;  // pixels
constexpr float kBend = 6;         // pixels, standard deviation

}  // namespace

Plane Grain(Rng& rng, int size, const Streaks& streaks) {
  Plane canvas = Blurred(WhiteNoise(rng, kCanvas, kCanvas), streaks.along, streaks.across);
  Plane finer = Blurred(WhiteNoise(rng, kCanvas, kCanvas), streaks.along / 2, streaks.across / 2);
  Normalize(canvas);
  Normalize(finer);
  for (size_t i = 0; i < canvas.values.size(); ++i) canvas.values[i] += 0.5f * finer.values[i];

  const Plane bend_x = SmoothNoise(rng, size, kBendSigma),
              bend_y = SmoothNoise(rng, size, kBendSigma);
  const double c = std::cos(streaks.angle), s = std::sin(streaks.angle), middle = 0.5 * size;
  Plane grain(size, size);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const double px = x - middle + kBend * bend_x.row(y)[x];
      const double py = y - middle + kBend * bend_y.row(y)[x];
      grain.row(y)[x] = Sample(canvas, c * px + s * py, c * py - s * px);
    }
  }
  Normalize(grain);
  return grain;
}

}  // namespace flowtrain::data::camouflage
