// What jitter draws, and each of its steps against its formula.
#include "stages/image/ops/jitter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "image/raster.h"

using namespace flowtrain;
using namespace flowtrain::image;
using namespace flowtrain::testing;

namespace {

class Memory final : public Context {
 public:
  Rng& rng() override { return rng_; }
  std::span<uint8_t> Scratch(size_t bytes, int) override {
    block_.resize(bytes);
    return block_;
  }
  View Plan(const ImageInfo&) override { return {}; }
  void Warn(const std::string&) override {}

 private:
  std::vector<uint8_t> block_;
  Rng rng_{0, 0, 0, 0};
};

Raster Changed(Raster raster, const ColourChange& change) {
  Memory memory;
  Image image{
      .data = raster.values.data(), .height = raster.height, .width = raster.width, .channels = 3};
  image.stride = image.row_bytes();
  ChangeColours(change, image, memory, 0);
  return raster;
}

std::vector<ColourChange> Drawn(const Jitter& jitter, uint64_t position) {
  Recipe recipe(1, 1);
  Rng rng(42, 5, 0, position);
  jitter.Draw(rng, recipe);
  std::vector<ColourChange> changes;
  for (const PixelChange& change : recipe.changes)
    changes.push_back(std::get<ColourChange>(change));
  return changes;
}

uint8_t Level(double value) { return uint8_t(std::lround(std::clamp(value, 0.0, 255.0))); }

}  // namespace

TEST_CASE("jitter takes its steps in any order, each equally often, and leaves out what is 0") {
  const Jitter all{.brightness = 0.4, .contrast = 0.4, .saturation = 0.4, .hue = 0.1};
  std::map<std::string, int> orders;
  for (uint64_t position = 0; position < 2400; ++position) {
    std::string order;
    for (const ColourChange& change : Drawn(all, position)) order += char('0' + change.kind);
    ++orders[order];
  }
  CHECK(orders.size() == 24);
  for (const auto& [order, count] : orders) {
    CAPTURE(order);
    CHECK(order.size() == 4);
    CHECK(std::abs(count - 100) < 40);  // 4 sigma
  }
  const auto two = Drawn({.contrast = 0.1, .hue = 0.1}, 3);
  CHECK(two.size() == 2);
  for (const ColourChange& change : two)
    CHECK((change.kind == ColourChange::kContrast || change.kind == ColourChange::kHue));
}

TEST_CASE("factors are uniform in max(0, 1 - x) .. 1 + x, shares of the circle in -h .. h") {
  const Jitter jitter{.brightness = 0.3, .contrast = 2, .saturation = 1, .hue = 0.5};
  double least[4] = {9, 9, 9, 9}, most[4] = {-9, -9, -9, -9}, sum[4] = {};
  for (uint64_t position = 0; position < 2000; ++position) {
    for (const auto& [kind, amount] : Drawn(jitter, position)) {
      least[kind] = std::min(least[kind], amount), most[kind] = std::max(most[kind], amount);
      sum[kind] += amount;
    }
  }
  const double low[] = {0.7, 0, 0, -0.5}, high[] = {1.3, 3, 2, 0.5};
  for (int kind = 0; kind < 4; ++kind) {
    CAPTURE(kind);
    const double range = high[kind] - low[kind];
    CHECK(least[kind] >= low[kind]);
    CHECK(least[kind] < low[kind] + 0.01 * range);
    CHECK(most[kind] <= high[kind]);
    CHECK(most[kind] > high[kind] - 0.01 * range);
    CHECK(std::abs(sum[kind] / 2000 - (low[kind] + high[kind]) / 2) < 0.03 * range);  // 4 sigma
  }
}

TEST_CASE("brightness, contrast and saturation blend with black, mean gray and gray, and clip") {
  Raster image = Noise(37, 41, 3, 12);
  for (uint8_t& value : image.values) value /= 2;  // so that the mean is not 128
  double mean = 0;
  const auto gray = [&](size_t i) {
    const uint8_t* p = &image.values[i / 3 * 3];
    return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
  };
  for (size_t i = 0; i < image.values.size(); i += 3) mean += gray(i) / (37 * 41);
  for (const double factor : {0.0, 0.4, 1.0, 1.7, 3.0}) {
    CAPTURE(factor);
    const Raster bright = Changed(image, {ColourChange::kBrightness, factor});
    const Raster contrast = Changed(image, {ColourChange::kContrast, factor});
    const Raster saturated = Changed(image, {ColourChange::kSaturation, factor});
    for (size_t i = 0; i < image.values.size(); ++i) {
      const double v = image.values[i];
      REQUIRE(std::abs(bright.values[i] - Level(factor * v)) <= 1);
      REQUIRE(std::abs(contrast.values[i] - Level(factor * v + (1 - factor) * mean)) <= 1);
      REQUIRE(std::abs(saturated.values[i] - Level(factor * v + (1 - factor) * gray(i))) <= 1);
    }
  }
}

TEST_CASE(
    "a hue goes around the circle: through the corners of the cube, and back to where it was") {
  Raster corners(1, 6, 3);
  corners.values = {255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 255};
  for (int sixths = -3; sixths <= 3; ++sixths) {
    CAPTURE(sixths);
    const Raster turned = Changed(corners, {ColourChange::kHue, sixths / 6.0});
    for (int i = 0; i < 6; ++i) {
      for (int c = 0; c < 3; ++c)
        REQUIRE(turned.at(0, i, c) == corners.at(0, (i + sixths + 6) % 6, c));
    }
  }
  const Raster image = Noise(50, 33, 3, 4);
  CHECK(Changed(image, {ColourChange::kHue, 0}) == image);
  CHECK(MaxDifference(Changed(image, {ColourChange::kHue, 0.5}),
                      Changed(image, {ColourChange::kHue, -0.5})) <= 1);
  CHECK(MaxDifference(
            Changed(Changed(image, {ColourChange::kHue, 0.31}), {ColourChange::kHue, -0.31}),
            image) <= 2);
  // Orange by a sixth of the circle: (255, 128, 0) -> between yellow and green.
  Raster orange(1, 1, 3);
  orange.values = {255, 128, 0};
  CHECK(Changed(orange, {ColourChange::kHue, 1.0 / 6}).values == std::vector<uint8_t>{127, 255, 0});
}
