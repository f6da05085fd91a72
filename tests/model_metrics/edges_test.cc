#include <doctest/doctest.h>

#include <stdexcept>

#include "model/metrics/image_scores.h"
#include "tests/model_metrics/images.h"

namespace flowtrain::model::metrics {
namespace {

Image Filled(size_t height, size_t width, int value) {
  return MakeImage(height, width, [value](size_t, size_t) { return value; });
}

std::string Refusal(const ByteMap& prediction, const ByteMap& mask) {
  ImageScratch scratch;
  try {
    ScoreImage(prediction, mask, scratch);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("maps of different sizes are refused, and both sizes named") {
  const Image prediction = Filled(352, 352, 0);
  const Image mask = Filled(768, 1024, 0);
  CHECK(
      Refusal(prediction.map(), mask.map()) ==
      "prediction is 352 x 352, mask is 768 x 1024: a prediction is scored at its mask's own size");
  CHECK(Refusal(Filled(2, 3, 0).map(), Filled(3, 2, 0).map()).find("2 x 3") != std::string::npos);
}

TEST_CASE("a map without pixels, or with another number than its size says, is refused") {
  const Image mask = Filled(2, 2, 255);
  CHECK(Refusal({{}, 0, 5}, {{}, 0, 5}) == "prediction is 0 x 5: it has no pixel");
  CHECK(Refusal({mask.pixels, 2, 3}, {mask.pixels, 2, 3}) ==
        "prediction is 2 x 3 but holds 4 pixels");
  CHECK(Refusal(mask.map(), {mask.pixels, 1, 2}) == "mask is 1 x 2 but holds 4 pixels");
  const Image wide = Filled(1, 40000, 0);
  CHECK(Refusal(wide.map(), wide.map()) ==
        "prediction is 1 x 40000: a side may have 32767 pixels at most");
}

TEST_CASE("a mask's foreground begins above 128") {
  CHECK(Score(Filled(3, 3, 0), Filled(3, 3, 128)).s_measure == 1);  // empty, and predicted empty
  CHECK(Score(Filled(3, 3, 0), Filled(3, 3, 129)).s_measure == 0);
}

TEST_CASE("an empty mask: S and E reward an empty prediction, F and the overlaps stay 0") {
  const DatasetResult r = Score(Filled(4, 5, 0), Filled(4, 5, 0));
  CHECK(r.mae == 0);
  CHECK(r.s_measure == 1);
  CHECK(r.max_e == doctest::Approx(20.0 / 19));
  CHECK(r.weighted_f == 0);
  CHECK(r.max_f == 0);
  CHECK(r.iou == 0);
  CHECK(r.dice == 0);
}

TEST_CASE("a full mask: the mean of a constant prediction is its S") {
  const DatasetResult r = Score(Filled(6, 4, 51), Filled(6, 4, 255));
  CHECK(r.s_measure == doctest::Approx(.2).epsilon(1e-12));
  CHECK(r.mae == doctest::Approx(.8).epsilon(1e-12));
  CHECK(r.adaptive_f == 0);  // nothing reaches twice the mean
  CHECK(r.max_f == 1);
}

TEST_CASE("a single pixel: E divides by EPS, as the reference does; the rest is plain") {
  const DatasetResult hit = Score(Filled(1, 1, 255), Filled(1, 1, 255));
  CHECK(hit.mae == 0);
  CHECK(hit.s_measure == 1);
  CHECK(hit.weighted_f == doctest::Approx(1).epsilon(1e-12));
  CHECK(hit.max_f == 1);
  CHECK(hit.iou == 1);
  CHECK(hit.max_e == doctest::Approx(4503599627370496.0));
  const DatasetResult miss = Score(Filled(1, 1, 0), Filled(1, 1, 255));
  CHECK(miss.mae == 1);
  CHECK(miss.s_measure == 0);
  CHECK(miss.adaptive_e == doctest::Approx(4503599627370496.0));  // 0 reaches the threshold 0
}

// PySODMetrics gives NaN here: its last quadrants have no pixels.
TEST_CASE("a centroid on the last row and column leaves S defined") {
  Image mask = Filled(8, 8, 0);
  mask.at(7, 7) = 255;
  const DatasetResult r = Score(mask, mask);
  CHECK(r.s_measure == doctest::Approx(1).epsilon(1e-9));
  const DatasetResult row =
      Score(MakeImage(1, 4, [](size_t, size_t x) { return x < 2 ? 255 : 0; }),
            MakeImage(1, 4, [](size_t, size_t x) { return x < 2 ? 255 : 0; }));
  CHECK(row.s_measure == doctest::Approx(1).epsilon(1e-12));
}

// PySODMetrics gives 1 or 0 here, by how the mean of equal numbers rounds.
TEST_CASE("a quadrant without foreground whose prediction is constant scores 1") {
  Image mask = Filled(20, 20, 0);
  mask.at(3, 3) = 255;
  for (int level = 1; level < 256; level += 14) {
    // Three quadrants lie wholly on the background; the first, of 4 x 4, holds the mask, which a
    // constant doesn't follow.
    const double region = 1 - 16.0 / 400;
    const double p = level / 255.0;
    const double y = 1.0 / 400;
    const double object = y * 2 * p / (p * p + 1) + (1 - y) * 2 * (1 - p) / ((1 - p) * (1 - p) + 1);
    const DatasetResult r = Score(Filled(20, 20, level), mask);
    CHECK(r.s_measure == doctest::Approx(.5 * object + .5 * region).epsilon(1e-9));
  }
}

// 2 mean(p) is the level of a pixel, up to rounding, and summing from left to right would put that
// pixel on the other side of it than numpy's eight interleaved sums do.
TEST_CASE("a level that equals the adaptive threshold falls where numpy's sum puts it") {
  struct Case {
    std::vector<uint8_t> levels;
    int64_t predicted;
  };
  const Case cases[] = {
      {{27, 24, 253, 57, 242, 230, 247, 83, 56, 161, 212, 22}, 2},
      {{67, 40, 106, 178, 252, 20, 211, 5, 192, 253, 118, 156, 144, 57}, 2},
      {{62, 220, 213, 51, 0, 0, 184, 91, 68, 153, 254, 255, 98, 129}, 2},
      {{70, 242, 23, 248, 32, 58, 176, 60, 111, 209, 255, 106}, 2},
      {{8, 163, 13, 148, 59, 191, 109, 174, 10, 105, 28, 45, 79, 65}, 2},
      {{84, 104, 31, 89, 254, 223, 53, 229, 96, 203, 11, 60, 11, 232}, 2},
  };
  for (const Case& c : cases) {
    const Image prediction{1, c.levels.size(), c.levels};
    const Image mask = Filled(1, c.levels.size(), 255);
    // With a full mask recall tells how many were predicted.
    const double recall = static_cast<double>(c.predicted) / static_cast<double>(c.levels.size());
    const double f = 1.3 * recall / (.3 + recall);
    CHECK(Score(prediction, mask).adaptive_f == doctest::Approx(f).epsilon(1e-9));
  }
}

}  // namespace flowtrain::model::metrics
