// Changes the colours of the image; a mask stays as it is.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct Jitter {
  static constexpr const char* kTag = "jitter";
  static constexpr bool kMoves = false;
  static constexpr const char* kHelp =
      "Changes brightness, contrast, saturation and hue of the image, in an order drawn anew for "
      "each "
      "image (torchvision's ColorJitter).";
  double p = 1;
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;

  static void Declare(Fields<Jitter>& f);
  std::string Fault() const;
  void Draw(Rng& rng, Recipe& recipe) const;
};

}  // namespace flowtrain::image
