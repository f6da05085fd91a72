// A part of a picture, in pixels. Any thread.
#pragma once

#include <flowtrain/image.h>

namespace flowtrain::image {

struct Window {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Window&) const = default;
};

// The smallest window of a picture of this size that covers `region`; at least one pixel. At a
// smaller DCT scale a picture's size is no integer: its last pixels lie in it only in part.
Window WindowOf(const Region& region, double picture_width, double picture_height);
// Which part of the picture a window is; a last pixel that lies in it in part reaches beyond 1.
Region RegionOf(const Window& window, double picture_width, double picture_height);
// `window` with up to `margin` pixels more on each side.
Window Grown(const Window& window, int margin, int picture_width, int picture_height);
// The pixels of `image` in `window` (relative to the image). Shares its memory.
Image Cut(const Image& image, const Window& window);

}  // namespace flowtrain::image
