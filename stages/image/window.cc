#include "stages/image/window.h"

#include <algorithm>
#include <cmath>

#include "stages/image/bounded.h"

namespace flowtrain::image {
namespace {

// A bound that was computed as k / n comes back as k, whatever the rounding.
constexpr double kSlack = 1e-6;

void Extent(double start, double length, double size, int& first, int& count) {
  const int pixels = static_cast<int>(std::ceil(size - kSlack));
  first = Bounded(std::floor(start * size + kSlack), 0, pixels - 1);
  count = Bounded(std::ceil((start + length) * size - kSlack), first + 1, pixels) - first;
}

}  // namespace

Window WindowOf(const Region& region, double picture_width, double picture_height) {
  Window window;
  Extent(region.x, region.width, picture_width, window.x, window.width);
  Extent(region.y, region.height, picture_height, window.y, window.height);
  return window;
}

Region RegionOf(const Window& window, double picture_width, double picture_height) {
  return {window.x / picture_width, window.y / picture_height, window.width / picture_width,
          window.height / picture_height};
}

Window Grown(const Window& window, int margin, int picture_width, int picture_height) {
  const int x = std::max(0, window.x - margin);
  const int y = std::max(0, window.y - margin);
  return {x, y, std::min(picture_width, window.x + window.width + margin) - x,
          std::min(picture_height, window.y + window.height + margin) - y};
}

Image Cut(const Image& image, const Window& window) {
  Image part = image;
  part.data = image.row(window.y) + static_cast<size_t>(window.x) * image.channels;
  part.width = window.width;
  part.height = window.height;
  return part;
}

}  // namespace flowtrain::image
