// JPEG files of all kinds become upright RGB, and only the part that is wanted is decoded.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "image/decoding.h"

using namespace flowtrain;
using namespace flowtrain::testing;

TEST_CASE("a JPEG decodes to its size and its colours, whatever its chroma sampling") {
  const Raster raster = Gradient(97, 131);
  for (const auto& [h, v] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {4, 2}}) {
    CAPTURE(h);
    CAPTURE(v);
    const Raster decoded = DecodeImage(MakeJpeg(raster, {.h_sampling = h, .v_sampling = v}));
    REQUIRE(decoded.height == 97);
    REQUIRE(decoded.width == 131);
    CHECK(Psnr(decoded, raster) > 38);
  }
}

TEST_CASE("a gray JPEG becomes RGB with three equal channels") {
  const Raster gray = Gradient(40, 50, 1);
  const Raster decoded = DecodeImage(MakeJpeg(gray));
  REQUIRE(decoded.channels == 3);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 50; ++x) {
      REQUIRE(std::abs(decoded.at(y, x, 0) - gray.at(y, x)) <= 4);
      REQUIRE(decoded.at(y, x, 0) == decoded.at(y, x, 1));
      REQUIRE(decoded.at(y, x, 0) == decoded.at(y, x, 2));
    }
  }
}

TEST_CASE("CMYK becomes RGB, with Adobe's complement and without") {
  Raster inks(32, 32, 4);
  for (int i = 0; i < 32 * 32; ++i) {
    const uint8_t ink[] = {20, 60, 100, 50};
    std::copy_n(ink, 4, inks.values.begin() + 4 * i);
  }
  const Raster adobe = DecodeImage(MakeJpeg(inks, {.quality = 100}));
  const Raster plain = DecodeImage(MakeJpeg(inks, {.quality = 100, .adobe = false}));
  for (int c = 0; c < 3; ++c) {
    const double stored = inks.values[c];
    CHECK(std::abs(adobe.at(16, 16, c) - stored * 50 / 255) <= 2);
    CHECK(std::abs(plain.at(16, 16, c) - (255 - stored) * (255 - 50) / 255) <= 2);
  }
}

TEST_CASE("a progressive JPEG has the pixels of the baseline one") {
  const Raster raster = Gradient(90, 70);
  CHECK(DecodeImage(MakeJpeg(raster, {.progressive = true})) == DecodeImage(MakeJpeg(raster)));
}

TEST_CASE("EXIF orientations 1 to 8 are shown upright, pixel by pixel") {
  const Raster raster = Gradient(37, 53);
  const Raster stored = DecodeImage(MakeJpeg(raster));
  for (int tag = 1; tag <= 8; ++tag) {
    for (const bool big : {false, true}) {
      CAPTURE(tag);
      CHECK(DecodeImage(MakeJpeg(raster, {.exif = tag, .big_endian_exif = big})) ==
            Shown(stored, tag));
    }
  }
  CHECK(DecodeImage(MakeJpeg(raster, {.exif = 9})) == stored);
  Value off;
  off.Set("exif", false);
  CHECK(DecodeImage(MakeJpeg(raster, {.exif = 6}), {}, off) == stored);
}

TEST_CASE("the stages after the decoder are asked about the picture as it is shown") {
  StageRunner runner;
  runner.Add(ImagePlugin().Find("image.decode"));
  Sample sample = MakeSample(MakeJpeg(Gradient(30, 80), {.exif = 6}));
  runner.Process(sample);
  CHECK(runner.planned_for()->height == 80);
  CHECK(runner.planned_for()->width == 30);
}

TEST_CASE("the smallest DCT scale that covers the wanted size is used, close to a full decode") {
  const Raster raster = Gradient(400, 640);
  const FileBytes file = MakeJpeg(raster);
  const Raster full = DecodeImage(file);
  struct Expected {
    int height, width, out_height, out_width;
  };
  for (const auto& e : {Expected{50, 80, 50, 80},
                        {51, 80, 100, 160},
                        {100, 160, 100, 160},
                        {100, 161, 200, 320},
                        {200, 320, 200, 320},
                        {201, 10, 400, 640},
                        {0, 0, 400, 640},
                        {900, 900, 400, 640}}) {
    CAPTURE(e.height);
    CAPTURE(e.width);
    const Raster scaled = DecodeImage(file, {.height = e.height, .width = e.width});
    REQUIRE(scaled.height == e.out_height);
    REQUIRE(scaled.width == e.out_width);
    const int n = 400 / e.out_height;
    Raster averaged(e.out_height, e.out_width, 3);
    for (int y = 0; y < averaged.height; ++y) {
      for (int x = 0; x < averaged.width; ++x) {
        for (int c = 0; c < 3; ++c) {
          int sum = 0;
          for (int k = 0; k < n * n; ++k) sum += full.at(y * n + k / n, x * n + k % n, c);
          averaged.at(y, x, c) = uint8_t((sum + n * n / 2) / (n * n));
        }
      }
    }
    CHECK(Psnr(scaled, averaged) > 40);
  }
  Value off;
  off.Set("scale", false);
  CHECK(DecodeImage(file, {.height = 50, .width = 80}, off) == full);
}

TEST_CASE(
    "a part has exactly the pixels that a full decode has there, at every scale and sampling") {
  const int height = 211, width = 301;
  const Raster raster = Noise(height, width, 3, 7);
  for (const auto& [h, v] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}}) {
    for (const bool progressive : {false, true}) {
      const FileBytes file = MakeJpeg(
          raster, {.quality = 80, .progressive = progressive, .h_sampling = h, .v_sampling = v});
      for (const int eighths : {8, 4, 2}) {
        // Sizes that ask for this scale of the whole picture, and of the part.
        const auto want = [&](double w, double hh) {
          return View{.height = int(hh * eighths / 8), .width = int(w * eighths / 8)};
        };
        const Raster full = DecodeImage(file, want(width, height));
        for (const Region& region : {Region{0.25, 0.5, 0.5, 0.25},
                                     {0, 0, 0.3, 0.3},
                                     {0.7, 0.6, 0.3, 0.4},
                                     {0.333, 0.1, 0.4, 0.8}}) {
          View view = want(width * region.width, height * region.height);
          view.region = region;
          const Decoded part = DecodeWith({}, MakeSample(file), view);
          CAPTURE(h);
          CAPTURE(v);
          CAPTURE(progressive);
          CAPTURE(eighths);
          CAPTURE(region.x);
          const int x = int(std::lround(part.image_covers.x * width * eighths / 8)),
                    y = int(std::lround(part.image_covers.y * height * eighths / 8));
          CHECK(part.image_covers.x <= region.x + 1e-6);
          CHECK(part.image_covers.x + part.image_covers.width >= region.x + region.width - 1e-6);
          CHECK(part.image_covers.y + part.image_covers.height >= region.y + region.height - 1e-6);
          CHECK(part.image.width < full.width);
          CHECK(part.image == Cropped(full, x, y, part.image.width, part.image.height));
        }
      }
    }
  }
}

TEST_CASE("a part of a turned picture is the part of the picture as it is shown") {
  const Raster raster = Noise(96, 160, 3, 3);
  for (int tag = 1; tag <= 8; ++tag) {
    CAPTURE(tag);
    const FileBytes file = MakeJpeg(raster, {.exif = tag});
    const Raster full = DecodeImage(file);
    const Decoded part = DecodeWith({}, MakeSample(file, MakePng(Gradient(96, 160, 1))),
                                    {.region = {0.25, 0.5, 0.5, 0.25}});
    const int x = full.width / 4, y = full.height / 2, width = full.width / 2,
              height = full.height / 4;
    CHECK(part.image == Cropped(full, x, y, width, height));
    CHECK(part.image_covers == Region{0.25, 0.5, 0.5, 0.25});
    CHECK(part.mask_covers == Region{0.25, 0.5, 0.5, 0.25});
    const Decoded whole = DecodeWith({}, MakeSample(file, MakePng(Gradient(96, 160, 1))));
    CHECK(part.mask == Cropped(whole.mask, x, y, width, height));
  }
}
