#include <doctest/doctest.h>

#include "model/metrics/nearest_foreground.h"
#include "tests/model_metrics/images.h"
#include "tests/model_metrics/naive.h"

namespace flowtrain::model::metrics {
namespace {

void CheckAgainstSearch(const Image& mask, NearestForeground& nearest) {
  nearest.Build(mask.map());
  std::vector<int32_t> squared(mask.width), columns(mask.width);
  for (size_t y = 0; y < mask.height; ++y) {
    nearest.Row(y, squared, columns);
    for (size_t x = 0; x < mask.width; ++x) {
      const Nearest expected = NaiveNearest(mask, y, x);
      CAPTURE(y);
      CAPTURE(x);
      REQUIRE(squared[x] == expected.squared_distance);
      REQUIRE(columns[x] == static_cast<int32_t>(expected.column));
      REQUIRE(nearest.RowOf(y, expected.column) == expected.row);
    }
  }
}

}  // namespace

TEST_CASE("each pixel finds its nearest foreground pixel, of equal ones the leftmost topmost") {
  std::mt19937 random(3);
  NearestForeground nearest;
  for (int i = 0; i < 300; ++i) {
    const size_t height = 1 + random() % 30;
    const size_t width = 1 + random() % 30;
    const unsigned one_in = 1 + random() % 200;
    Image mask =
        MakeImage(height, width, [&](size_t, size_t) { return random() % one_in == 0 ? 255 : 0; });
    mask.at(random() % height, random() % width) = 129;
    CheckAgainstSearch(mask, nearest);
  }
}

TEST_CASE("a lattice, where most pixels have equally near foreground, is broken the same way") {
  NearestForeground nearest;
  for (const size_t step : {2, 3, 4, 6}) {
    const Image mask = MakeImage(
        25, 31, [step](size_t y, size_t x) { return y % step == 1 && x % step == 1 ? 255 : 0; });
    CheckAgainstSearch(mask, nearest);
  }
}

TEST_CASE("the longest sides keep distances exact") {
  const size_t side = 32767;
  Image mask{1, side, std::vector<uint8_t>(side, 0)};
  mask.at(0, 0) = 255;
  NearestForeground nearest;
  nearest.Build(mask.map());
  std::vector<int32_t> squared(side), columns(side);
  nearest.Row(0, squared, columns);
  CHECK(squared[side - 1] == 32766 * 32766);

  mask.at(0, side - 1) = 255;
  nearest.Build(mask.map());
  nearest.Row(0, squared, columns);
  CHECK(columns[16383] == 0);  // 16383 from either
  CHECK(columns[16384] == 32766);
}

}  // namespace flowtrain::model::metrics
