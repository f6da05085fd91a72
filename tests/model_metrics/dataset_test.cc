#include <doctest/doctest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>

#include "model/metrics/score_images.h"
#include "tests/model_metrics/images.h"

namespace flowtrain::model::metrics {
namespace {

// Each figure's bits.
std::vector<uint64_t> Bits(const DatasetResult& r) {
  std::vector<uint64_t> bits = {static_cast<uint64_t>(r.images)};
  for (const double v :
       {r.mae, r.s_measure, r.weighted_f, r.adaptive_f, r.mean_f, r.max_f, r.adaptive_e, r.mean_e,
        r.max_e, r.iou, r.dice, r.pooled_iou, r.pooled_dice}) {
    bits.push_back(std::bit_cast<uint64_t>(v));
  }
  for (const double v : r.f) bits.push_back(std::bit_cast<uint64_t>(v));
  for (const double v : r.e) bits.push_back(std::bit_cast<uint64_t>(v));
  return bits;
}

std::vector<Pair> RandomPairs(int count) {
  std::mt19937 random(23);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) pairs.push_back(RandomPair(random));
  return pairs;
}

std::vector<ImagePair> Views(const std::vector<Pair>& pairs) {
  std::vector<ImagePair> views;
  for (const Pair& pair : pairs) views.push_back({pair.prediction.map(), pair.mask.map()});
  return views;
}

}  // namespace

TEST_CASE("one thread or eight, in any order or parts: the same bits") {
  const std::vector<Pair> pairs = RandomPairs(300);
  std::vector<ImagePair> views = Views(pairs);
  DatasetScores in_order;
  ImageScratch scratch;
  for (const ImagePair& v : views) in_order.Add(ScoreImage(v.prediction, v.mask, scratch));
  const std::vector<uint64_t> expected = Bits(in_order.Result());

  for (const size_t threads : {1, 2, 8}) {
    CAPTURE(threads);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    CHECK(Bits(ScoreImages(views).Result()) == expected);
  }
  std::shuffle(views.begin(), views.end(), std::mt19937(1));
  DatasetScores parts;
  const std::span<const ImagePair> all(views);
  parts.Add(ScoreImages(all.subspan(250)));
  parts.Add(ScoreImages(all.first(100)));
  parts.Add(ScoreImages(all.subspan(100, 150)));
  CHECK(Bits(parts.Result()) == expected);
}

TEST_CASE("the mean over images is that of a float64 sum within 1e-15") {
  const std::vector<Pair> pairs = RandomPairs(200);
  double mae = 0;
  double f_100 = 0;
  for (const Pair& pair : pairs) {
    const DatasetResult one = Score(pair.prediction, pair.mask);
    mae += one.mae / 200;
    f_100 += one.f[100] / 200;
  }
  const DatasetResult all = ScoreImages(Views(pairs)).Result();
  CHECK(all.images == 200);
  CHECK(std::abs(all.mae - mae) < 1e-15);
  CHECK(std::abs(all.f[100] - f_100) < 1e-15);
}

// The first image is best at one threshold, the second at another: no threshold serves both.
TEST_CASE("max-F is the maximum of the averaged curve, not the average of the maxima") {
  const auto image = [](std::vector<uint8_t> pixels) { return Image{1, 4, std::move(pixels)}; };
  const Image mask = image({255, 0, 0, 0});
  const Image high = image({255, 200, 200, 0});
  const Image low = image({20, 0, 0, 255});
  const std::vector<Pair> pairs = {{high, mask}, {low, mask}};
  const DatasetResult a = Score(high, mask);
  const DatasetResult b = Score(low, mask);
  const DatasetResult both = ScoreImages(Views(pairs)).Result();
  CHECK(a.max_f == 1);
  CHECK(b.max_f == doctest::Approx(1.3 * .5 / (.3 * .5 + 1)));
  CHECK(both.max_f < (a.max_f + b.max_f) / 2 - .01);
  CHECK(both.max_f == *std::max_element(both.f.begin(), both.f.end()));
  CHECK(both.mean_f == doctest::Approx((a.mean_f + b.mean_f) / 2));
}

TEST_CASE("IoU is a mean over images, pooled IoU that of all pixels together") {
  const auto image = [](size_t width, std::vector<uint8_t> pixels) {
    return Image{1, width, std::move(pixels)};
  };
  const std::vector<Pair> pairs = {{image(2, {255, 0}), image(2, {255, 0})},  // 1 of 1
                                   {image(8, {255, 0, 0, 0, 0, 0, 0, 0}),
                                    image(8, {255, 255, 255, 255, 0, 0, 0, 0})}};  // 1 of 4
  const DatasetResult r = ScoreImages(Views(pairs)).Result();
  CHECK(r.iou == doctest::Approx((1 + .25) / 2).epsilon(1e-15));
  CHECK(r.pooled_iou == doctest::Approx(2. / 5).epsilon(1e-15));
  CHECK(r.dice == doctest::Approx((1 + .4) / 2).epsilon(1e-15));
  CHECK(r.pooled_dice == doctest::Approx(4. / 7).epsilon(1e-15));
}

TEST_CASE("each image is scored once, and a failing one is named") {
  std::vector<std::atomic<int>> calls(50);
  const Pair pair{Image{1, 1, {255}}, Image{1, 1, {255}}};
  const auto score = [&](size_t i, ImageScratch& scratch) {
    ++calls[i];
    return ScoreImage(pair.prediction.map(), pair.mask.map(), scratch);
  };
  CHECK(ScoreImages(calls.size(), score).images() == 50);
  CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& n) { return n == 1; }));

  std::vector<ImagePair> views(20, {pair.prediction.map(), pair.mask.map()});
  const Image other{1, 2, {0, 0}};
  views[13].mask = other.map();
  CHECK_THROWS_WITH_AS(
      ScoreImages(views),
      "image 13: prediction is 1 x 1, mask is 1 x 2: a prediction is scored at its mask's own size",
      std::runtime_error);
}

TEST_CASE("no images have no result") {
  CHECK(ScoreImages(std::span<const ImagePair>()).images() == 0);
  CHECK_THROWS_AS(DatasetScores().Result(), std::logic_error);
}

}  // namespace flowtrain::model::metrics
