// The format in which kinds.stripes gives images to kinds.unpack: height and width in four bytes each,
// then one byte a pixel.
#pragma once

#include <cstdint>
#include <cstring>

namespace kinds {

struct RawImage {
  int height = 0, width = 0;
  uint8_t* pixels = nullptr;

  static constexpr size_t kHeader = 8;
  static size_t Bytes(int height, int width) {
    return kHeader + static_cast<size_t>(height) * static_cast<size_t>(width);
  }
  static RawImage Write(uint8_t* bytes, int height, int width) {
    const int32_t header[] = {height, width};
    std::memcpy(bytes, header, kHeader);
    return {height, width, bytes + kHeader};
  }
  // 0 x 0 where the bytes are no such image.
  static RawImage Read(uint8_t* bytes, size_t size) {
    int32_t header[2] = {};
    if (size < kHeader) return {};
    std::memcpy(header, bytes, kHeader);
    const auto [height, width] = header;
    const bool plausible = height >= 1 && width >= 1 && height <= 1 << 14 && width <= 1 << 14;
    if (!plausible || size != Bytes(height, width)) return {};
    return {height, width, bytes + kHeader};
  }

  uint8_t& at(int y, int x) const { return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)]; }
};

}  // namespace kinds
