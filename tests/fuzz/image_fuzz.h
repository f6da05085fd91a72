// What the image targets share: pixels of their own memory, of exactly the size asked for, and the
// refusal of what is no picture.
#pragma once

#include <flowtrain/error.h>

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "fuzz/fuzz_require.h"
#include "stages/image/picture.h"

namespace flowtrain::image {

// Larger pictures cost time and find nothing more.
inline constexpr uint64_t kFuzzPixels = 1 << 14;

class FuzzMemory {
 public:
  PixelMemory Pixels(int channels) {
    return [this, channels](int height, int width) {
      FUZZ_REQUIRE(height > 0 && width > 0);
      FUZZ_REQUIRE(static_cast<uint64_t>(height) * width <= 2 * kFuzzPixels);
      Image image{.height = height, .width = width, .channels = channels};
      image.stride = image.row_bytes();
      image.data = Bytes(image.bytes()).data();
      return image;
    };
  }
  std::span<uint8_t> Bytes(size_t bytes) { return blocks_.emplace_back(bytes, 0xCD); }

 private:
  std::list<std::vector<uint8_t>> blocks_;
};

// The part that an input's first four bytes ask for.
inline Wanted WantedPart(const uint8_t* data) {
  Wanted wanted;
  wanted.region = {data[0] / 512.0, data[1] / 512.0, 0.1 + data[2] / 700.0, 0.1 + data[3] / 700.0};
  return wanted;
}

// All of `image` may be read, and it covers a part of its picture.
inline void CheckPixels(const Image& image) {
  FUZZ_REQUIRE(image.height > 0 && image.width > 0);
  unsigned sum = 0;
  for (int y = 0; y < image.height; ++y) {
    for (size_t i = 0; i < image.row_bytes(); ++i) sum += image.row(y)[i];
  }
  FUZZ_REQUIRE(sum != 1 || image.height > 0);  // so that the sum is made
  FUZZ_REQUIRE(image.covers.x >= -1e-9 && image.covers.width > 0);
  FUZZ_REQUIRE(image.covers.y >= -1e-9 && image.covers.height > 0);
}

// `read` makes what it can of the picture, or throws BadSample with the path.
template <class Read>
void Try(std::span<const uint8_t> bytes, bool tolerate, const Read& read) {
  static const std::string path = "fuzz/picture";
  const EncodedPicture picture{bytes, path};
  DecodePolicy policy;
  policy.max_pixels = kFuzzPixels;
  policy.tolerate_truncated = tolerate;
  try {
    read(picture, policy);
  } catch (const BadSample& e) {
    FUZZ_REQUIRE(std::string(e.what()).find(path) == 0);
    FUZZ_REQUIRE(!e.reason().empty());
  }
}

}  // namespace flowtrain::image
