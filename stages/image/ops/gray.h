// Takes the colours out of the image; a mask stays as it is.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct Gray {
  static constexpr const char* kTag = "gray";
  static constexpr bool kMoves = false;
  static constexpr const char* kHelp = "Takes the colours out of the image: three equal channels.";
  double p = 0.1;

  static void Declare(Fields<Gray>& f) {
    f.Param("p", &Gray::p, "Share of samples that become gray").Range(0, 1);
  }
  std::string Fault() const { return {}; }
  void Draw(Rng& rng, Recipe& recipe) const {
    if (rng.Bernoulli(p)) recipe.changes.push_back(ColourChange{ColourChange::kSaturation, 0});
  }
};

}  // namespace flowtrain::image
