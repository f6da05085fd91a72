// PNG files of all kinds become RGB.
#include <doctest/doctest.h>

#include <algorithm>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

TEST_CASE("an RGB PNG keeps every value, interlaced or not, whatever its name says") {
  const Raster raster = Noise(45, 67, 3, 1);
  for (const bool interlaced : {false, true}) {
    CHECK(DecodeWith({}, MakeSample(MakePng(raster, {.interlaced = interlaced}), {}, "named.jpg"))
              .image == raster);
  }
}

TEST_CASE("a gray PNG becomes RGB, levels below 8 bits are spread over 0 to 255") {
  for (const int depth : {1, 2, 4, 8}) {
    CAPTURE(depth);
    const int levels = (1 << depth) - 1;
    Raster gray = Noise(9, 21, 1, 5);
    for (uint8_t& value : gray.values) value &= levels;
    const Raster decoded = DecodeImage(MakePng(gray, {.depth = depth}));
    REQUIRE(decoded.channels == 3);
    for (int i = 0; i < 9 * 21; ++i)
      REQUIRE(decoded.values[3 * i + 1] == gray.values[i] * 255 / levels);
  }
}

TEST_CASE("a palette PNG becomes its colours") {
  Raster indices(2, 3, 1);
  indices.values = {0, 1, 2, 3, 2, 1};
  const std::vector<uint8_t> palette = {1, 2, 3, 40, 50, 60, 255, 0, 9, 7, 8, 255};
  for (const int depth : {2, 4, 8}) {
    const Raster decoded =
        DecodeImage(MakePng(indices, {.color_type = 3, .depth = depth, .palette = palette}));
    for (int i = 0; i < 6; ++i) {
      for (int c = 0; c < 3; ++c)
        CHECK(decoded.values[3 * i + c] == palette[3 * indices.values[i] + c]);
    }
  }
}

TEST_CASE("alpha is dropped, and of 16 bits the upper 8 stay") {
  const Raster rgba = Noise(11, 13, 4, 9);
  const Raster decoded = DecodeImage(MakePng(rgba, {.color_type = 6}));
  for (int i = 0; i < 11 * 13; ++i)
    REQUIRE(std::equal(&rgba.values[4 * i], &rgba.values[4 * i] + 3, &decoded.values[3 * i]));

  Raster wide(4, 4, 3);
  PngOptions options{.color_type = 2, .depth = 16};
  for (int i = 0; i < 48; ++i) options.wide.push_back(uint16_t(i * 1365));
  const Raster narrow = DecodeImage(MakePng(wide, options));
  for (int i = 0; i < 48; ++i) CHECK(narrow.values[i] == i * 1365 >> 8);
}

TEST_CASE("a part of a PNG is the part of the whole") {
  const Raster raster = Noise(60, 80, 3, 2);
  for (const bool interlaced : {false, true}) {
    const Decoded part = DecodeWith({}, MakeSample(MakePng(raster, {.interlaced = interlaced})),
                                    {.region = {0.25, 0.5, 0.25, 0.25}});
    CHECK(part.image == Cropped(raster, 20, 30, 20, 15));
    CHECK(part.image_covers == Region{0.25, 0.5, 0.25, 0.25});
  }
}
