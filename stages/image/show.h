// Makes the pixels of an output from those of a picture, or of a part of it, as a geometry says.
// One sample, one thread.
#pragma once

#include <flowtrain/context.h>

#include "stages/image/geometry.h"
#include "stages/image/ops/pixel_change.h"

namespace flowtrain::image {

// Width by height of the picture that `image` is all or a part of.
float AspectOf(const Image& image);

// What of the picture has to be there for an output of this size, and in what size.
View ViewOf(const Geometry& geometry, int height, int width);

struct ShowOptions {
  bool antialias = true;
  Colour fill{};  // what lies beyond the picture
};

// RGB. A frame whose sides are parallel to the picture's is one pass of the resampler; another one
// is scaled to about the output's resolution, then warped. Uses blocks `scratch_block` and the next
// one.
void ShowImage(const Image& from, const Geometry& geometry, const ShowOptions& options,
               Context& context, int scratch_block, const Image& to);

// One channel: the nearest pixel; 0 beyond the picture.
void ShowMask(const Image& from, const Geometry& geometry, const Image& to);

}  // namespace flowtrain::image
