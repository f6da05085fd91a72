// Ops that change colours do what their help says, and leave the mask.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "image/augmenting.h"

using namespace flowtrain;
using namespace flowtrain::testing;

TEST_CASE("a hue that is turned keeps brightness and grays, and turns all colours alike") {
  const double luma[] = {0.299, 0.587, 0.114};
  Raster image = Gradient(30, 40);
  for (uint8_t& value : image.values) value = uint8_t(90 + value / 4);  // nothing is clipped
  const auto chroma = [&](const uint8_t* p) {
    const double y = luma[0] * p[0] + luma[1] * p[1] + luma[2] * p[2];
    return std::array<double, 3>{y, 0.492 * (p[2] - y), 0.877 * (p[0] - y)};
  };
  double least = 9, most = -9;
  for (uint64_t position = 0; position < 80; ++position) {
    const Value params = Params(30, 40, {Op("jitter", {{"hue", 0.2}})});
    const Raster out = Augment(params, image, BinaryNoise(30, 40), position).image;
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < image.values.size(); i += 3) {
      const auto before = chroma(&image.values[i]), after = chroma(&out.values[i]);
      REQUIRE(std::abs(before[0] - after[0]) < 1.5);
      REQUIRE(std::abs(std::hypot(before[1], before[2]) - std::hypot(after[1], after[2])) < 1.5);
      real += before[1] * after[1] + before[2] * after[2];
      imaginary += before[1] * after[2] - before[2] * after[1];
    }
    const double share = std::atan2(imaginary, real) / (2 * std::numbers::pi);
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
