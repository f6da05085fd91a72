#include "stages/data/camouflage/generate.h"

#include <flowtrain/rng.h>

#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "stages/data/camouflage/blend.h"
#include "stages/data/camouflage/grain.h"
#include "stages/data/camouflage/paint.h"
#include "stages/data/camouflage/plane.h"
#include "stages/data/camouflage/shape.h"

namespace flowtrain::data::camouflage {
namespace {

// Each part draws from a stream of its own, so that a change to one leaves the others as they are.
Rng Stream(uint64_t seed, std::string_view part) { return Rng(0, Rng::HashStream(part), 0, seed); }

double Radians(double degrees) { return degrees * std::numbers::pi / 180; }

Plane Alpha(uint64_t seed) {
  Rng rng = Stream(seed, "camouflage shape");
  return ObjectAlpha(rng, kSize);
}

std::vector<uint8_t> Mask(const Plane& alpha) {
  std::vector<uint8_t> mask(alpha.values.size());
  for (size_t i = 0; i < mask.size(); ++i) mask[i] = alpha.values[i] >= 0.5f ? 255 : 0;
  return mask;
}

}  // namespace

Example Generate(uint64_t seed) {
  Rng draw = Stream(seed, "camouflage streaks");
  Streaks background;
  background.angle = Radians(draw.Uniform(-25, 25));
  background.across = draw.Uniform(2.2, 3.0);
  background.along = background.across * draw.Uniform(4, 6);
  Streaks object = background;
  object.angle += (draw.Bernoulli(0.5) ? 1 : -1) * Radians(draw.Uniform(65, 90));
  const double scale = std::pow(1.2, draw.Uniform(-1, 1));
  object.across *= scale;
  object.along *= scale;

  Rng background_rng = Stream(seed, "camouflage background"),
      object_rng = Stream(seed, "camouflage object");
  Rng paint_rng = Stream(seed, "camouflage paint");
  const Plane alpha = Alpha(seed);
  const Plane texture =
      Hidden(Grain(background_rng, kSize, background), Grain(object_rng, kSize, object), alpha);
  return {Painted(paint_rng, texture), Mask(alpha)};
}

std::vector<uint8_t> GenerateMask(uint64_t seed) { return Mask(Alpha(seed)); }

}  // namespace flowtrain::data::camouflage
