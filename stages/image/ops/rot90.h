// Turns the picture by quarter turns.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct Rot90 {
  static constexpr const char* kTag = "rot90";
  static constexpr bool kMoves = true;
  static constexpr const char* kHelp =
      "Turns the picture by 90, 180 or 270 degrees, each equally often.";
  double p = 0.5;

  static void Declare(Fields<Rot90>& f) {
    f.Param("p", &Rot90::p, "Share of samples that are turned").Range(0, 1);
  }
  std::string Fault() const { return {}; }
  void Draw(Rng& rng, Recipe& recipe) const {
    if (!rng.Bernoulli(p)) return;
    recipe.geometry.Turn(Orientation::QuarterTurns(1 + static_cast<int>(rng.Below(3))));
  }
};

}  // namespace flowtrain::image
