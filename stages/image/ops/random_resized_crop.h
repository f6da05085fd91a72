// Shows a random part of the picture.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <array>
#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct RandomResizedCrop {
  static constexpr const char* kTag = "random_resized_crop";
  static constexpr bool kMoves = true;
  static constexpr const char* kHelp =
      "Shows a part of the picture, of random area, shape and place, at the output's size "
      "(torchvision's RandomResizedCrop). The rest is not decoded.";
  std::array<double, 2> scale{0.08, 1};
  std::array<double, 2> ratio{3.0 / 4, 4.0 / 3};

  static void Declare(Fields<RandomResizedCrop>& f);
  std::string Fault() const;
  void Draw(Rng& rng, Recipe& recipe) const;
};

}  // namespace flowtrain::image
