#include "stages/image/ops/affine.h"

#include <cmath>
#include <numbers>

#include "stages/image/ops/limits.h"

namespace flowtrain::image {

void Affine::Declare(Fields<Affine>& f) {
  f.Param("p", &Affine::p, "Share of samples that are changed").Range(0, 1);
  f.Param("degrees", &Affine::degrees, "d: the picture is rotated by an angle from -d .. d")
      .Range(0, 180)
      .Unit("degrees");
  f.Param("scale", &Affine::scale,
          "Least and largest factor of size; above 1 shows less of the picture")
      .Range(0.1, 10);
  f.Param("shear", &Affine::shear,
          "s: verticals lean by an angle from -s .. s, before the picture is rotated")
      .Range(0, 60)
      .Unit("degrees");
  f.Param("translate", &Affine::translate,
          "[x, y]: the picture is moved by shares of its width and height from -x .. x, -y .. y")
      .Range(0, 1);
}

std::string Affine::Fault() const {
  const bool scales = scale[0] != 1 || scale[1] != 1;
  if (degrees == 0 && shear == 0 && translate[0] == 0 && translate[1] == 0 && !scales) {
    return "affine changes nothing: set degrees, scale, shear or translate";
  }
  return LimitsFault("scale", scale);
}

void Affine::Draw(Rng& rng, Recipe& recipe) const {
  if (!rng.Bernoulli(p)) return;
  constexpr double kRadians = std::numbers::pi / 180;
  Geometry::Change change;
  change.turn_radians = kRadians * rng.Uniform(-degrees, degrees);
  // Half the size is as likely as twice the size.
  change.scale = std::exp(rng.Uniform(std::log(scale[0]), std::log(scale[1])));
  change.shear_radians = kRadians * rng.Uniform(-shear, shear);
  change.move_x = rng.Uniform(-translate[0], translate[0]);
  change.move_y = rng.Uniform(-translate[1], translate[1]);
  recipe.geometry.Apply(change);
}

}  // namespace flowtrain::image
