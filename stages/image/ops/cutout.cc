#include "stages/image/ops/cutout.h"

#include <algorithm>
#include <cmath>

#include "stages/image/ops/limits.h"

namespace flowtrain::image {

void Cutout::Declare(Fields<Cutout>& f) {
  f.Param("p", &Cutout::p, "Share of samples that are covered in part").Range(0, 1);
  f.Param("count", &Cutout::count, "How many rectangles; they may overlap").Range(1, 100);
  f.Param("scale", &Cutout::scale, "Least and largest share of the image's area, of each")
      .Range(1e-4, 1);
  f.Param("ratio", &Cutout::ratio, "Least and largest width of a rectangle by its height")
      .Range(0.01, 100);
}

std::string Cutout::Fault() const {
  return FirstFault({LimitsFault("scale", scale), LimitsFault("ratio", ratio)});
}

void Cutout::Draw(Rng& rng, Recipe& recipe) const {
  if (!rng.Bernoulli(p)) return;
  for (int i = 0; i < count; ++i) {
    const double area = rng.Uniform(scale[0], scale[1]);
    const double shape = std::exp(rng.Uniform(std::log(ratio[0]), std::log(ratio[1])));
    // A side that would not fit is cut to the image's.
    const double width = std::min(1.0, std::sqrt(area * shape / recipe.output_aspect));
    const double height = std::min(1.0, std::sqrt(area * recipe.output_aspect / shape));
    const double x = rng.Uniform(0, 1 - width), y = rng.Uniform(0, 1 - height);
    recipe.changes.push_back(EraseChange{{x, y, width, height}});
  }
}

}  // namespace flowtrain::image
