#include "model/metrics/top_k.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace flowtrain::model::metrics {

TEST_CASE("a label is a hit where fewer than k classes score higher") {
  const std::vector<float> scores = {6, 5, 4, 3, 2, 1, 0};
  const int64_t classes = 7;
  for (int64_t label = 0; label < classes; ++label) {
    TopK k;
    k.Add(scores, std::vector<int64_t>{label}, classes);
    CHECK(k.Top1() == (label == 0 ? 1 : 0));
    CHECK(k.Top5() == (label < 5 ? 1 : 0));
  }
}

TEST_CASE("of equal scores the first class is the prediction") {
  TopK k;
  k.Add(std::vector<float>{1, 3, 3, 1, 3, 3}, std::vector<int64_t>{1, 2}, 3);
  CHECK(k.top1_hits == 1);
  TopK constant;  // a network that says nothing is no better than chance
  constant.Add(std::vector<float>(100, 0), std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10);
  CHECK(constant.Top1() == .1);
  CHECK(constant.Top5() == .5);
}

TEST_CASE("batches and other processes' counts add up") {
  TopK a, b;
  a.Add(std::vector<float>{0, 1, 1, 0}, std::vector<int64_t>{1, 1}, 2);
  b.Add(std::vector<float>{0, 1}, std::vector<int64_t>{1}, 2);
  a.Add(b);
  CHECK(a.images == 3);
  CHECK(a.Top1() == doctest::Approx(2. / 3));
  CHECK(a.Top5() == 1);  // two classes
}

TEST_CASE("what is no batch of scores is refused, and nothing added") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  TopK k;
  CHECK_THROWS_WITH_AS(k.Add(std::vector<float>{1, 2, 3}, std::vector<int64_t>{0}, 2),
                       "top-k: 3 scores for 1 labels of 2 classes", std::invalid_argument);
  CHECK_THROWS_WITH_AS(k.Add(std::vector<float>{1, 2, 1, 2}, std::vector<int64_t>{0, 2}, 2),
                       "top-k: image 1 of the batch has label 2, there are 2 classes",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(k.Add(std::vector<float>{1, 2, nan, 2}, std::vector<int64_t>{0, 1}, 2),
                       "top-k: image 1 of the batch has a score that is NaN",
                       std::invalid_argument);
  CHECK(k.images == 0);
  CHECK_THROWS_AS(k.Top1(), std::logic_error);
}

}  // namespace flowtrain::model::metrics
