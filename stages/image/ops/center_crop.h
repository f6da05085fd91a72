// Shows the middle of the picture.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <algorithm>
#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct CenterCrop {
  static constexpr const char* kTag = "center_crop";
  static constexpr bool kMoves = true;
  static constexpr const char* kHelp =
      "Shows the middle of the picture in the output's shape, so that nothing is stretched.";
  double share = 1;

  static void Declare(Fields<CenterCrop>& f) {
    f.Param("share", &CenterCrop::share,
            "Side of the part by that of the largest one of its shape; 0.875 is what is left by "
            "scaling the shorter side to 256 and cutting out 224")
        .Range(0.01, 1);
  }
  std::string Fault() const { return {}; }
  void Draw(Rng&, Recipe& recipe) const {
    const double frame = recipe.geometry.width() / recipe.geometry.height();
    const double shape = recipe.output_aspect;
    const double width = share * std::min(1.0, shape / frame);
    const double height = share * std::min(1.0, frame / shape);
    recipe.geometry.Crop({(1 - width) / 2, (1 - height) / 2, width, height});
  }
};

}  // namespace flowtrain::image
