// Covers parts of the image; a mask stays as it is.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <array>
#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct Cutout {
  static constexpr const char* kTag = "cutout";
  static constexpr bool kMoves = false;
  static constexpr const char* kHelp =
      "Covers rectangles of the image with `fill` (random erasing); a mask still says what was "
      "there.";
  double p = 0.5;
  int count = 1;
  std::array<double, 2> scale{0.02, 0.33};
  std::array<double, 2> ratio{0.3, 3.3};

  static void Declare(Fields<Cutout>& f);
  std::string Fault() const;
  void Draw(Rng& rng, Recipe& recipe) const;
};

}  // namespace flowtrain::image
