// Mirrors the picture.
#pragma once

#include <flowtrain/declaration.h>
#include <flowtrain/rng.h>

#include <string>

#include "stages/image/ops/recipe.h"

namespace flowtrain::image {

struct Flip {
  static constexpr const char* kTagKey = "op";
  static constexpr const char* kTag = "flip";
  static constexpr bool kMoves = true;  // made with the scaling; else: of the pixels made by it
  static constexpr const char* kHelp = "Mirrors the picture.";
  double p = 0.5;
  std::string axis = "horizontal";

  static void Declare(Fields<Flip>& f) {
    f.Param("p", &Flip::p, "Share of samples that are mirrored").Range(0, 1);
    f.Param("axis", &Flip::axis,
            "horizontal: left and right change places; vertical: top and bottom.")
        .Choices({"horizontal", "vertical"});
  }
  // Why these parameters make no sense together; empty: they do.
  std::string Fault() const { return {}; }
  void Draw(Rng& rng, Recipe& recipe) const {
    if (!rng.Bernoulli(p)) return;
    const bool vertical = axis == "vertical";
    recipe.geometry.Turn({.mirror_x = !vertical, .mirror_y = vertical});
  }
};

}  // namespace flowtrain::image
