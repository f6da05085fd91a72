// A view of pixels: it does not own them. Rows are `stride` bytes apart, channels are interleaved.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flowtrain {

// A part of an image in relative coordinates, [0, 1] x [0, 1], after EXIF rotation, so that a mask of
// another size follows its image.
struct Region {
  double x = 0, y = 0, width = 1, height = 1;
  bool operator==(const Region&) const = default;
};

struct Image {
  uint8_t* data = nullptr;
  int height = 0;    // pixels
  int width = 0;     // pixels
  int channels = 0;  // 1 (gray, mask) or 3 (RGB)
  int depth = 8;     // bits a channel: 8 or 16
  size_t stride = 0; // bytes from one row to the next, >= row_bytes()
  Region covers;     // which part of the stored picture these pixels are

  size_t row_bytes() const { return static_cast<size_t>(width) * channels * (depth / 8); }
  size_t bytes() const { return stride * static_cast<size_t>(height); }
  uint8_t* row(int y) const { return data + stride * static_cast<size_t>(y); }
};

// What a decoder knows of an image before it decodes: size in pixels after EXIF rotation.
struct ImageInfo {
  int height = 0, width = 0, channels = 0;
};

// What the stages after the decoder want of it. A stage narrows `region` (relative to the whole
// picture) and sets the size it will make of it; 0 x 0 means "every pixel".
struct View {
  Region region;
  int height = 0, width = 0;
};

}  // namespace flowtrain
