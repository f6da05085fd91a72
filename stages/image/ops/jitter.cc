#include "stages/image/ops/jitter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace flowtrain::image {

void Jitter::Declare(Fields<Jitter>& f) {
  f.Param("p", &Jitter::p, "Share of samples that are changed").Range(0, 1);
  f.Param("brightness", &Jitter::brightness,
          "b: the factor is drawn from 1 - b (or 0) .. 1 + b; 0 leaves it out")
      .Range(0, 2);
  f.Param(
       "contrast", &Jitter::contrast,
       "c: the factor, of the distance from the image's mean gray, is drawn from 1 - c (or 0) .. "
       "1 + c; 0 leaves it out")
      .Range(0, 2);
  f.Param(
       "saturation", &Jitter::saturation,
       "s: the factor, of the distance from each pixel's gray, is drawn from 1 - s (or 0) .. 1 + "
       "s; 0 leaves it out")
      .Range(0, 2);
  f.Param(
       "hue", &Jitter::hue,
       "h: the hue of HSV is turned by a share of the circle drawn from -h .. h; 0 leaves it out")
      .Range(0, 0.5);
}

std::string Jitter::Fault() const {
  if (brightness > 0 || contrast > 0 || saturation > 0 || hue > 0) return {};
  return "jitter changes nothing: set brightness, contrast, saturation or hue above 0";
}

void Jitter::Draw(Rng& rng, Recipe& recipe) const {
  if (!rng.Bernoulli(p)) return;
  // torchvision's get_params: the order, then the amounts in an order of their own.
  std::array<ColourChange::Kind, 4> order{ColourChange::kBrightness, ColourChange::kContrast,
                                          ColourChange::kSaturation, ColourChange::kHue};
  for (size_t i = order.size(); --i > 0;) std::swap(order[i], order[rng.Below(i + 1)]);
  const auto factor = [&](double range) {
    return rng.Uniform(std::max(0.0, 1 - range), 1 + range);
  };
  double amounts[4];
  amounts[ColourChange::kBrightness] = factor(brightness);
  amounts[ColourChange::kContrast] = factor(contrast);
  amounts[ColourChange::kSaturation] = factor(saturation);
  amounts[ColourChange::kHue] = rng.Uniform(-hue, hue);
  const double ranges[] = {brightness, contrast, saturation, hue};
  for (const ColourChange::Kind kind : order) {
    if (ranges[kind] > 0) recipe.changes.push_back(ColourChange{kind, amounts[kind]});
  }
}

}  // namespace flowtrain::image
