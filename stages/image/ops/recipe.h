// What an augmentation drew for one sample: what part of the picture is shown and how it lies, then
// changes of the pixels made from it, in order. The two don't depend on each other, so they are
// kept apart. A value.
#pragma once

#include <vector>

#include "stages/image/geometry.h"
#include "stages/image/ops/pixel_change.h"

namespace flowtrain::image {

struct Recipe {
  Recipe(float picture_aspect, double made_aspect)
      : geometry(picture_aspect), output_aspect(made_aspect) {}

  Geometry geometry;
  const double output_aspect;  // width / height of what is made
  std::vector<PixelChange> changes;
  std::vector<const char*> changed_by;  // the tags of the ops that drew them
};

}  // namespace flowtrain::image
