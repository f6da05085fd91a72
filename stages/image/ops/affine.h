// Turns, scales, shears and moves the picture.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <array>
#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct Affine {
  static constexpr const char* kTag = "affine";
  static constexpr bool kMoves = true;
  static constexpr const char* kHelp =
      "Rotates the picture around its middle, scales, shears and moves it. What a crop before it "
      "left out comes in at the corners; beyond the picture is `fill`, and background in a mask.";
  double p = 1;
  double degrees = 0;
  std::array<double, 2> scale{1, 1};
  double shear = 0;
  std::array<double, 2> translate{0, 0};

  static void Declare(Fields<Affine>& f);
  std::string Fault() const;
  void Draw(Rng& rng, Recipe& recipe) const;
};

}  // namespace flowtrain::image
