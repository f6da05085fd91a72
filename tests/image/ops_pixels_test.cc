// Ops that change colours do what their help says, and leave the mask.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "image/augmenting.h"

using namespace flowtrain;
using namespace flowtrain::testing;

TEST_CASE("a hue that is turned keeps saturation and value, and turns all colours alike") {
  // Hue in shares of the circle, saturation and value of 1 (Smith, SIGGRAPH 1978).
  struct Hsv {
    double hue, saturation, value;
  };
  const auto hsv = [](const uint8_t* p) {
    const double r = p[0], g = p[1], b = p[2];
    const double value = std::max({r, g, b}), chroma = value - std::min({r, g, b});
    if (chroma == 0) return Hsv{0, 0, value / 255};
    const double sixths = value == r   ? (g - b) / chroma
                          : value == g ? 2 + (b - r) / chroma
                                       : 4 + (r - g) / chroma;
    return Hsv{sixths / 6, chroma / value, value / 255};
  };
  const Raster image = Noise(30, 40, 3, 8);
  double least = 9, most = -9;
  for (uint64_t position = 0; position < 80; ++position) {
    const Value params = Params(30, 40, {Op("jitter", {{"hue", 0.2}})});
    const Raster out = Augment(params, image, BinaryNoise(30, 40), position).image;
    double real = 0, imaginary = 0;  // of the mean turn
    for (size_t i = 0; i < image.values.size(); i += 3) {
      const Hsv before = hsv(&image.values[i]), after = hsv(&out.values[i]);
      REQUIRE(before.value == after.value);
      REQUIRE(std::abs(before.saturation - after.saturation) * before.value * 255 < 1);
      if (before.saturation * before.value < 0.3) continue;
      real += std::cos(2 * std::numbers::pi * (after.hue - before.hue));
      imaginary += std::sin(2 * std::numbers::pi * (after.hue - before.hue));
    }
    const double share = std::atan2(imaginary, real) / (2 * std::numbers::pi);
    for (size_t i = 0; i < image.values.size(); i += 3) {
      const Hsv before = hsv(&image.values[i]), after = hsv(&out.values[i]);
      const double off = after.hue - before.hue - share;
      // A level is a sixth by the chroma.
      REQUIRE(std::abs(off - std::round(off)) * 6 * before.saturation * before.value * 255 < 2);
    }
    least = std::min(least, share), most = std::max(most, share);
    CHECK(Augment(params, Raster(8, 8, 3, 77), BinaryNoise(8, 8), position).image ==
          Raster(30, 40, 3, 77));
  }
  CHECK(least > -0.21);
  CHECK(least < -0.17);
  CHECK(most > 0.17);
  CHECK(most < 0.21);
}

TEST_CASE("gray makes three equal channels of the luma, as often as p says") {
  const Raster image = Noise(16, 16, 3, 6);
  int gray = 0;
  for (uint64_t position = 0; position < 200; ++position) {
    const Raster out =
        Augment(Params(16, 16, {Op("gray", {{"p", 0.3}})}), image, BinaryNoise(16, 16), position)
            .image;
    if (out == image) continue;
    ++gray;
    for (size_t i = 0; i < out.values.size(); i += 3) {
      const uint8_t* p = &image.values[i];
      const double expected = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
      for (int c = 0; c < 3; ++c) REQUIRE(std::abs(out.values[i + c] - expected) <= 1);
    }
  }
  CHECK(std::abs(gray - 60) < 26);  // 4 sigma
}

TEST_CASE("blur spreads a point as a Gaussian of a deviation from its range") {
  Raster image(61, 61, 3, 0);
  for (int y = 28; y <= 32; ++y) {
    for (int x = 28; x <= 32; ++x) {
      for (int c = 0; c < 3; ++c) image.at(y, x, c) = 255;
    }
  }
  const Raster mask = BinaryNoise(61, 61);
  double least = 99, most = 0;
  for (uint64_t position = 0; position < 40; ++position) {
    const Augmented out =
        Augment(Params(61, 61, {Op("blur", {{"p", 1}, {"sigma", Value::List{1, 4}}})}), image, mask,
                position);
    CHECK(out.mask == mask);
    double sum = 0, square = 0;
    for (int y = 0; y < 61; ++y) {
      for (int x = 0; x < 61; ++x)
        sum += out.image.at(y, x, 1), square += out.image.at(y, x, 1) * std::pow(x - 30, 2);
    }
    CHECK(sum == doctest::Approx(25 * 255).epsilon(0.05));
    const double sigma = std::sqrt(square / sum - 2);  // a square of 5 has a variance of 2
    least = std::min(least, sigma), most = std::max(most, sigma);
  }
  CHECK(least > 0.9);
  CHECK(least < 1.5);
  CHECK(most > 3.3);
  CHECK(most < 4.1);
}

TEST_CASE("cutout covers a rectangle of an area and shape from their ranges, of the image only") {
  const Raster image(80, 100, 3, 200), mask = BinaryNoise(80, 100);
  int covered = 0;
  for (uint64_t position = 0; position < 200; ++position) {
    Value params =
        Params(80, 100,
               {Op("cutout", {{"scale", Value::List{0.05, 0.2}}, {"ratio", Value::List{0.5, 2}}})});
    params.Set("fill", Value::List{1, 2, 3});
    const Augmented out = Augment(params, image, mask, position);
    REQUIRE(out.mask == mask);
    int left = 100, right = 0, top = 80, bottom = 0, count = 0;
    for (int y = 0; y < 80; ++y) {
      for (int x = 0; x < 100; ++x) {
        if (out.image.at(y, x, 1) != 2) continue;
        ++count;
        left = std::min(left, x), right = std::max(right, x + 1);
        top = std::min(top, y), bottom = std::max(bottom, y + 1);
      }
    }
    if (count == 0) continue;
    ++covered;
    CHECK(count == (right - left) * (bottom - top));
    CHECK(count > 8000 * 0.045);
    CHECK(count < 8000 * 0.21);
    CHECK(double(right - left) / (bottom - top) < 2.2);
    CHECK(double(right - left) / (bottom - top) > 0.45);
  }
  CHECK(std::abs(covered - 100) < 29);  // 4 sigma
}
