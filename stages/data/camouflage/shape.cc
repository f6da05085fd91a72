#include "stages/data/camouflage/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace flowtrain::data::camouflage {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kLeastVisible = 0.06, kMostVisible = 0.25;
constexpr double kEdgeSigma = 1.5;

struct Blob {
  double x, y, radius, stretch, turn;
  std::array<double, 4> amplitudes, phases;  // of 2 to 5 lobes

  Blob(Rng& rng, int size) {
    x = size * rng.Uniform(0.08, 0.92);
    y = size * rng.Uniform(0.08, 0.92);
    radius = size * rng.Uniform(0.17, 0.38);
    stretch = rng.Uniform(0.7, 1);
    turn = rng.Uniform(0, kTurn);
    for (int k = 2; k <= 5; ++k) {
      amplitudes[k - 2] = rng.Uniform(0.3, 1) * 0.28 / std::pow(k, 0.9);
      phases[k - 2] = rng.Uniform(0, kTurn);
    }
  }

  bool Covers(double px, double py) const {
    const double u = std::cos(turn) * (px - x) + std::sin(turn) * (py - y);
    const double v = (std::cos(turn) * (py - y) - std::sin(turn) * (px - x)) / stretch;
    const double phi = std::atan2(v, u);
    double edge = 1;
    for (int k = 2; k <= 5; ++k) edge += amplitudes[k - 2] * std::cos(k * phi + phases[k - 2]);
    return u * u + v * v < radius * radius * edge * edge;
  }
};

// The alpha is made on a frame with a margin, because a blur wraps.
constexpr int kMargin = 8;

}  // namespace

Plane ObjectAlpha(Rng& rng, int size) {
  Plane wide(size + 2 * kMargin, size + 2 * kMargin);
  double visible = 0;
  do {
    const Blob blob(rng, size);
    size_t inside = 0;
    for (int y = 0; y < wide.height; ++y) {
      for (int x = 0; x < wide.width; ++x) {
        const int px = x - kMargin, py = y - kMargin;
        const bool covered = blob.Covers(px + 0.5, py + 0.5);
        wide.row(y)[x] = covered ? 1.0f : 0.0f;
        inside += covered && px >= 0 && px < size && py >= 0 && py < size;
      }
    }
    visible = static_cast<double>(inside) / (static_cast<double>(size) * size);
  } while (visible < kLeastVisible || visible > kMostVisible);

  wide = Blurred(wide, kEdgeSigma, kEdgeSigma);
  Plane alpha(size, size);
  for (int y = 0; y < size; ++y) std::copy_n(wide.row(y + kMargin) + kMargin, size, alpha.row(y));
  return alpha;
}

}  // namespace flowtrain::data::camouflage
