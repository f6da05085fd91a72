// Blurs the image; a mask stays as it is.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <array>
#include <string>

#include "stages/image/ops/limits.h"
#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct Blur {
  static constexpr const char* kTag = "blur";
  static constexpr bool kMoves = false;
  static constexpr const char* kHelp = "Blurs the image with a Gaussian.";
  double p = 0.5;
  std::array<double, 2> sigma{0.1, 2};

  static void Declare(Fields<Blur>& f) {
    f.Param("p", &Blur::p, "Share of samples that are blurred").Range(0, 1);
    f.Param("sigma", &Blur::sigma, "Least and largest deviation, in pixels of the output")
        .Range(0.01, 50)
        .Unit("px");
  }
  std::string Fault() const { return LimitsFault("sigma", sigma); }
  void Draw(Rng& rng, Recipe& recipe) const {
    if (rng.Bernoulli(p)) recipe.changes.push_back(BlurChange{rng.Uniform(sigma[0], sigma[1])});
  }
};

}  // namespace flowtrain::image
