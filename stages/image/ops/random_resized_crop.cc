#include "stages/image/ops/random_resized_crop.h"

#include <algorithm>
#include <cmath>

#include "stages/image/ops/limits.h"

namespace flowtrain::image {

void RandomResizedCrop::Declare(Fields<RandomResizedCrop>& f) {
  f.Param("scale", &RandomResizedCrop::scale, "Least and largest share of the picture's area")
      .Range(1e-4, 1);
  f.Param("ratio", &RandomResizedCrop::ratio,
          "Least and largest width of the part by its height, in the picture's pixels; drawn so "
          "that wide and high are equally likely")
      .Range(0.01, 100);
}

std::string RandomResizedCrop::Fault() const {
  return FirstFault({LimitsFault("scale", scale), LimitsFault("ratio", ratio)});
}

void RandomResizedCrop::Draw(Rng& rng, Recipe& recipe) const {
  // torchvision's get_params: ten attempts, then the largest middle part that `ratio` allows. Sizes
  // are relative to the frame and not rounded to pixels: the resampler takes parts of them.
  const double frame = recipe.geometry.width() / recipe.geometry.height();
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = rng.Uniform(scale[0], scale[1]);
    const double shape = std::exp(rng.Uniform(std::log(ratio[0]), std::log(ratio[1])));
    const double width = std::sqrt(area * shape / frame), height = std::sqrt(area * frame / shape);
    if (width > 1 || height > 1) continue;
    const double x = rng.Uniform(0, 1 - width), y = rng.Uniform(0, 1 - height);
    return recipe.geometry.Crop({x, y, width, height});
  }
  const double shape = std::clamp(frame, ratio[0], ratio[1]);
  const double width = std::min(1.0, shape / frame), height = std::min(1.0, frame / shape);
  recipe.geometry.Crop({(1 - width) / 2, (1 - height) / 2, width, height});
}

}  // namespace flowtrain::image
