#include "stages/image/ops/jitter.h"

namespace flowtrain::image {

void Jitter::Declare(Fields<Jitter>& f) {
  f.Param("p", &Jitter::p, "Share of samples that are changed").Range(0, 1);
  f.Param("brightness", &Jitter::brightness, "b: the factor is drawn from 1 - b .. 1 + b")
      .Range(0, 1);
  f.Param("contrast", &Jitter::contrast, "c: the factor is drawn from 1 - c .. 1 + c").Range(0, 1);
  f.Param("saturation", &Jitter::saturation, "s: the factor is drawn from 1 - s .. 1 + s")
      .Range(0, 1);
  f.Param("hue", &Jitter::hue,
          "h: colours are turned by a share of the circle drawn from -h .. h; each pixel keeps its "
          "brightness")
      .Range(0, 0.5);
}

std::string Jitter::Fault() const {
  if (brightness > 0 || contrast > 0 || saturation > 0 || hue > 0) return {};
  return "jitter changes nothing: set brightness, contrast, saturation or hue above 0";
}

void Jitter::Draw(Rng& rng, Recipe& recipe) const {
  if (!rng.Bernoulli(p)) return;
  ColourChange change;
  change.brightness = rng.Uniform(1 - brightness, 1 + brightness);
  change.contrast = rng.Uniform(1 - contrast, 1 + contrast);
  change.saturation = rng.Uniform(1 - saturation, 1 + saturation);
  change.hue = rng.Uniform(-hue, hue);
  recipe.changes.push_back(change);
}

}  // namespace flowtrain::image
