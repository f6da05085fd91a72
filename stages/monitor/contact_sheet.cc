#include "stages/monitor/contact_sheet.h"

#include <algorithm>
#include <cstring>

namespace flowtrain::monitor {
namespace {

constexpr int kGap = 2;  // pixels between samples
constexpr uint8_t kGapGray = 32;
constexpr uint8_t kOutline[3] = {255, 0, 255};  // magenta: rare in photographs

// Foreground pixels that touch background are the outline.
bool OnOutline(const uint8_t* mask, int height, int width, int y, int x) {
  const auto inside = [&](int v, int u) { return mask[v * width + u] > 127; };
  if (!inside(y, x)) return false;
  return (y > 0 && !inside(y - 1, x)) || (y + 1 < height && !inside(y + 1, x)) ||
         (x > 0 && !inside(y, x - 1)) || (x + 1 < width && !inside(y, x + 1));
}

}  // namespace

ContactSheet MakeContactSheet(const Tensor& images, const Tensor* masks, int filled, int columns,
                              int rows) {
  const auto height = static_cast<int>(images.shape.at(1)),
             width = static_cast<int>(images.shape.at(2));
  const int count = std::min(filled, columns * rows);
  const int across = std::min(count, columns), down = (count + columns - 1) / columns;
  ContactSheet sheet{down * (height + kGap) - kGap, across * (width + kGap) - kGap, {}};
  const size_t stride = static_cast<size_t>(sheet.width) * 3;
  sheet.rgb.assign(stride * sheet.height, kGapGray);
  const size_t pixels = static_cast<size_t>(height) * width;
  for (int i = 0; i < count; ++i) {
    const auto* image = static_cast<const uint8_t*>(images.data) + pixels * 3 * i;
    const uint8_t* mask = masks ? static_cast<const uint8_t*>(masks->data) + pixels * i : nullptr;
    uint8_t* corner = sheet.rgb.data() + stride * (i / columns * (height + kGap)) +
                      i % columns * (width + kGap) * 3;
    for (int y = 0; y < height; ++y) {
      uint8_t* to = corner + stride * y;
      std::memcpy(to, image + static_cast<size_t>(y) * width * 3, static_cast<size_t>(width) * 3);
      for (int x = 0; mask && x < width; ++x) {
        if (OnOutline(mask, height, width, y, x)) std::copy_n(kOutline, 3, to + x * 3);
      }
    }
  }
  return sheet;
}

}  // namespace flowtrain::monitor
