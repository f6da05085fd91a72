#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "model/metrics/image_scores.h"
#include "tests/model_metrics/images.h"
#include "tests/model_metrics/naive.h"

namespace flowtrain::model::metrics {
namespace {

bool Near(double a, double b) { return std::abs(a - b) <= 1e-10 * std::max(1.0, std::abs(b)); }

Image Turned(const Image& image, bool rows, bool columns) {
  return MakeImage(image.height, image.width, [&](size_t y, size_t x) {
    return image.at(rows ? image.height - 1 - y : y, columns ? image.width - 1 - x : x);
  });
}

}  // namespace

TEST_CASE("random pairs have the values of a pixel by pixel evaluation") {
  std::mt19937 random(7);
  ImageScratch scratch;
  for (int i = 0; i < 300; ++i) {
    const Pair pair = RandomPair(random);
    CAPTURE(i);
    INFO(pair.text());
    const ImageScores s = ScoreImage(pair.prediction.map(), pair.mask.map(), scratch);
    CHECK(Near(s.mae, NaiveMae(pair.prediction, pair.mask)));
    CHECK(Near(s.s_measure, NaiveS(pair.prediction, pair.mask)));
    CHECK(Near(s.weighted_f, NaiveWeightedF(pair.prediction, pair.mask)));
    const Curve f = NaiveF(pair.prediction, pair.mask);
    const Curve e = NaiveE(pair.prediction, pair.mask);
    CHECK(std::equal(f.begin(), f.end(), s.f.begin(), Near));
    CHECK(std::equal(e.begin(), e.end(), s.e.begin(), Near));
  }
}

TEST_CASE("every score is from 0 to 1, the E-measure up to pixels / (pixels - 1)") {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    const Pair pair = RandomPair(random);
    INFO(pair.text());
    const DatasetResult r = Score(pair.prediction, pair.mask);
    for (const double v : {r.mae, r.s_measure, r.weighted_f, r.adaptive_f, r.mean_f, r.max_f, r.iou,
                           r.dice, r.pooled_iou, r.pooled_dice}) {
      CHECK(v >= 0);
      CHECK(v <= 1 + 1e-12);
    }
    const double pixels = static_cast<double>(pair.mask.pixels.size());
    const double most = pixels / std::max(pixels - 1, 2.220446049250313e-16);
    for (const double v : {r.adaptive_e, r.mean_e, r.max_e}) {
      CHECK(v >= 0);
      CHECK(v <= most * (1 + 1e-12));
    }
    CHECK(r.mean_f <= r.max_f + 1e-12);
    CHECK(Near(r.dice, 2 * r.iou / (1 + r.iou)));
    CHECK(r.iou == doctest::Approx(r.pooled_iou).epsilon(1e-15));
  }
}

// The range of a prediction is stretched before anything is measured.
TEST_CASE("brightness and contrast of a prediction don't matter") {
  std::mt19937 random(13);
  for (int i = 0; i < 100; ++i) {
    Pair pair = RandomPair(random);
    for (uint8_t& v : pair.prediction.pixels) v /= 4;
    const auto [low, high] =
        std::minmax_element(pair.prediction.pixels.begin(), pair.prediction.pixels.end());
    if (*low == *high) continue;
    Image brighter = pair.prediction;
    for (uint8_t& v : brighter.pixels) v = static_cast<uint8_t>(60 + 3 * v);
    INFO(pair.text());
    const DatasetResult a = Score(pair.prediction, pair.mask);
    const DatasetResult b = Score(brighter, pair.mask);
    CHECK(Near(a.mae, b.mae));
    CHECK(Near(a.s_measure, b.s_measure));
    CHECK(Near(a.weighted_f, b.weighted_f));
  }
}

// Neither S (its quadrants hold the centroid's row and column) nor weighted F (of equally near
// pixels one is taken) keeps its value in a mirror.
TEST_CASE("mirrored pairs have the same MAE, F, E and overlap") {
  std::mt19937 random(17);
  for (int i = 0; i < 100; ++i) {
    const Pair pair = RandomPair(random);
    INFO(pair.text());
    const DatasetResult a = Score(pair.prediction, pair.mask);
    const DatasetResult b =
        Score(Turned(pair.prediction, i % 2 == 0, true), Turned(pair.mask, i % 2 == 0, true));
    CHECK(a.mae == b.mae);
    CHECK(a.f == b.f);
    CHECK(a.e == b.e);
    CHECK(a.iou == b.iou);
  }
}

TEST_CASE("a used scratch changes no bit") {
  std::mt19937 random(19);
  ImageScratch used;
  for (int i = 0; i < 100; ++i) {
    const Pair pair = RandomPair(random);
    ImageScratch fresh;
    const ImageScores a = ScoreImage(pair.prediction.map(), pair.mask.map(), used);
    const ImageScores b = ScoreImage(pair.prediction.map(), pair.mask.map(), fresh);
    CHECK(a.weighted_f == b.weighted_f);
    CHECK(a.s_measure == b.s_measure);
  }
}

}  // namespace flowtrain::model::metrics
