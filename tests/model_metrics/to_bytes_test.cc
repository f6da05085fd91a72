#include "model/metrics/to_bytes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/metrics/image_scores.h"
#include "tests/model_metrics/images.h"

namespace flowtrain::model::metrics {
namespace {

std::vector<uint8_t> Bytes(const std::vector<float>& p) {
  std::vector<uint8_t> bytes;
  ToBytes({p, 1, p.size()}, 1, p.size(), bytes);
  return bytes;
}

std::string Refusal(const std::vector<float>& p, size_t height, size_t width) {
  std::vector<uint8_t> bytes;
  try {
    ToBytes({p, height, width}, height, width, bytes);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("probabilities are stretched to 0..255 and rounded") {
  CHECK(Bytes({.25f, .5f, .75f}) == std::vector<uint8_t>{0, 128, 255});  // 127.5 to even
  CHECK(Bytes({0, .001f, 1}) == std::vector<uint8_t>{0, 0, 255});
  CHECK(Bytes({0, .003f, 1}) == std::vector<uint8_t>{0, 1, 255});
}

TEST_CASE("a constant map keeps its level") {
  CHECK(Bytes({.4f, .4f}) == std::vector<uint8_t>{102, 102});
  CHECK(Bytes({1, 1}) == std::vector<uint8_t>{255, 255});
}

TEST_CASE("NaN and values that are no probability are refused, with their place") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(Refusal({0, 0, 0, 0, 0, nan}, 2, 3) ==
        "prediction holds nan at row 1, column 2: a probability is from 0 to 1");
  CHECK(Refusal({0, -.5f}, 1, 2) ==
        "prediction holds -0.500000 at row 0, column 1: a probability is from 0 to 1");
  CHECK(Refusal({4, 0}, 1, 2).find("holds 4.0") != std::string::npos);
  CHECK(Refusal({0, 1}, 1, 3) == "prediction is 1 x 3 but holds 2 pixels");
}

// PyTorch's interpolate(mode="bilinear", align_corners=False) of the same map.
TEST_CASE("resizing is bilinear between pixel centres, the border repeated") {
  const std::vector<float> map = {0, 1, .5f, .25f};
  const std::vector<float> expected = {0,     .25f,     .75f,     1,       //
                                       .125f, .296875f, .640625f, .8125f,  //
                                       .375f, .390625f, .421875f, .4375f,  //
                                       .5f,   .4375f,   .3125f,   .25f};
  CHECK(ResizeBilinear({map, 2, 2}, 4, 4) == expected);
  CHECK(ResizeBilinear({map, 2, 2}, 2, 2) == map);
  CHECK(ResizeBilinear({map, 1, 4}, 1, 2) == std::vector<float>{.5f, .375f});  // 0.5 and 2.5
  CHECK(ResizeBilinear({map, 1, 1}, 3, 2) == std::vector<float>(6, 0));
}

TEST_CASE("probabilities are scored at the mask's own size") {
  const std::vector<float> map = {.9f, .1f, .1f, .1f};
  const Image mask = MakeImage(6, 10, [](size_t y, size_t x) { return y < 3 && x < 5 ? 255 : 0; });
  std::vector<uint8_t> bytes;
  ToBytes({map, 2, 2}, 6, 10, bytes);
  REQUIRE(bytes.size() == 60);
  ImageScratch scratch;
  const ImageScores a = ScoreProbabilities({map, 2, 2}, mask.map(), scratch);
  const ImageScores b = ScoreImage({bytes, 6, 10}, mask.map(), scratch);
  CHECK(a.mae == b.mae);
  CHECK(a.weighted_f == b.weighted_f);
  CHECK(a.overlap.true_positives > 0);
  CHECK_THROWS_AS(ScoreProbabilities({map, 2, 2}, {mask.pixels, 0, 0}, scratch),
                  std::invalid_argument);
}

}  // namespace flowtrain::model::metrics
