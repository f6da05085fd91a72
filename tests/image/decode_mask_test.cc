// However a mask is stored, it becomes 0 and 255, and stays on its image.
#include <doctest/doctest.h>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

Decoded WithMask(const FileBytes& mask, const JpegOptions& jpeg = {}, int height = 20,
                 int width = 30) {
  return DecodeWith({}, MakeSample(MakeJpeg(Gradient(height, width), jpeg), mask));
}

// A 20 x 30 mask whose left half has one value and whose right half another.
Raster Halves(int left, int right, int channels = 1) {
  Raster raster(20, 30, channels, uint8_t(left));
  for (int y = 0; y < 20; ++y) {
    for (int x = 15; x < 30; ++x) {
      for (int c = 0; c < channels; ++c) raster.at(y, x, c) = uint8_t(right);
    }
  }
  return raster;
}

const Raster kRightHalf = Halves(0, 255);

}  // namespace

TEST_CASE("above 128 is foreground") {
  CHECK(WithMask(MakePng(Halves(0, 255))).mask == kRightHalf);
  CHECK(WithMask(MakePng(Halves(128, 129))).mask == kRightHalf);
  CHECK(WithMask(MakePng(Halves(0, 255))).warnings.empty());
}

TEST_CASE("a mask whose maximum is 1 is a label mask, which is said") {
  const Decoded decoded = WithMask(MakePng(Halves(0, 1)));
  CHECK(decoded.mask == kRightHalf);
  REQUIRE(decoded.warnings.size() == 1);
  CHECK(decoded.warnings[0].find("maximum is 1") != std::string::npos);
}

TEST_CASE("an empty mask stays empty, and one whose values are all low is said to count as empty") {
  CHECK(WithMask(MakePng(Halves(0, 0))).warnings.empty());
  const Decoded low = WithMask(MakePng(Halves(0, 5)));
  CHECK(low.mask == Halves(0, 0));
  REQUIRE(low.warnings.size() == 1);
  CHECK(low.warnings[0].find("none above 128") != std::string::npos);
}

TEST_CASE("gray masks of 1, 2 and 4 bits are judged by their share of white") {
  const Decoded one = WithMask(MakePng(Halves(0, 1), {.depth = 1}));
  CHECK(one.mask == kRightHalf);
  CHECK(one.warnings.empty());
  CHECK(WithMask(MakePng(Halves(1, 2), {.depth = 2})).mask == kRightHalf);
  CHECK(WithMask(MakePng(Halves(7, 8), {.depth = 4})).mask == kRightHalf);
  CHECK(WithMask(MakePng(Halves(0, 1), {.depth = 4})).mask == kRightHalf);  // labels
}

TEST_CASE("16-bit masks: labels, 8 bits in 16, and the full range") {
  for (const auto& [low, high] : {std::pair{0, 1}, {128, 255}, {0x8000, 0x8100}, {0, 65535}}) {
    CAPTURE(high);
    PngOptions options{.color_type = 0, .depth = 16};
    for (int i = 0; i < 20 * 30; ++i) options.wide.push_back(uint16_t(i % 30 < 15 ? low : high));
    CHECK(WithMask(MakePng(Raster(20, 30, 1), options)).mask == kRightHalf);
  }
}

TEST_CASE("a palette mask is judged by its indices, not by its colours") {
  const PngOptions labels{.color_type = 3, .depth = 1, .palette = {0, 0, 0, 128, 0, 0}};
  CHECK(WithMask(MakePng(Halves(0, 1), labels)).mask == kRightHalf);
  PngOptions full{.color_type = 3, .palette = {}};
  for (int i = 0; i < 256; ++i) full.palette.insert(full.palette.end(), {uint8_t(255 - i), 0, 0});
  CHECK(WithMask(MakePng(Halves(3, 250), full)).mask == kRightHalf);
}

TEST_CASE("of RGB, RGBA and gray with alpha the first channel counts") {
  CHECK(WithMask(MakePng(Halves(0, 255, 3))).mask == kRightHalf);
  Raster rgba = Halves(0, 255, 4);
  for (int i = 0; i < 20 * 30; ++i) rgba.values[4 * i + 3] = 255;
  CHECK(WithMask(MakePng(rgba, {.color_type = 6})).mask == kRightHalf);
  Raster gray_alpha = Halves(0, 255, 2);
  for (int i = 0; i < 20 * 30; ++i) gray_alpha.values[2 * i + 1] = 255;
  CHECK(WithMask(MakePng(gray_alpha, {.color_type = 4})).mask == kRightHalf);
}

TEST_CASE("an interlaced mask and one stored as a JPEG") {
  CHECK(WithMask(MakePng(Halves(0, 255), {.interlaced = true})).mask == kRightHalf);
  CHECK(WithMask(MakePng(Halves(0, 1), {.depth = 1, .interlaced = true})).mask == kRightHalf);
  CHECK(WithMask(MakeJpeg(Halves(10, 250), {.quality = 100})).mask == kRightHalf);
  CHECK(WithMask(MakeJpeg(Halves(10, 250, 3), {.quality = 100})).mask == kRightHalf);
}

TEST_CASE("a mask is turned by its image's EXIF tag") {
  Raster stored = Halves(0, 255);
  stored.at(0, 0) = 255;
  for (int tag = 1; tag <= 8; ++tag) {
    CAPTURE(tag);
    const Decoded decoded = WithMask(MakePng(stored), {.exif = tag});
    CHECK(decoded.mask == Shown(stored, tag));
    CHECK(decoded.warnings.empty());
  }
}

TEST_CASE("a mask that has the turned size already is left as it is, which is said") {
  const Raster upright = Shown(Halves(0, 255), 6);
  const Decoded decoded = WithMask(MakePng(upright), {.exif = 6});
  CHECK(decoded.mask == upright);
  REQUIRE(decoded.warnings.size() == 1);
  CHECK(decoded.warnings[0].find("not turned") != std::string::npos);
}

TEST_CASE("a mask of another size follows its image's region, which is said") {
  Sample sample = MakeSample(MakePng(Gradient(40, 60)), MakePng(Halves(0, 255)));
  const Decoded decoded = DecodeWith({}, std::move(sample), {.region = {0.25, 0.5, 0.5, 0.5}});
  CHECK(decoded.image.width == 30);
  CHECK(decoded.mask == Cropped(kRightHalf, 7, 10, 16, 10));
  CHECK(decoded.mask_covers.x == doctest::Approx(7.0 / 30));
  REQUIRE(decoded.warnings.size() == 1);
  CHECK(decoded.warnings[0].find("another size") != std::string::npos);
}
