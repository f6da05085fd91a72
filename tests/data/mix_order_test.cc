// Whose sample stands where in a mix.
#include "stages/data/mix_order.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace flowtrain::data {
namespace {

using Counts = std::vector<uint64_t>;

Counts CountsOf(const std::vector<MixOrder::Source>& sources, uint64_t epoch_samples) {
  return MixOrder(sources, epoch_samples).counts();
}

TEST_CASE("an epoch of given size is shared out by the weights, the remainder to the largest fractions") {
  CHECK(CountsOf({{"a", 50, 3}, {"b", 50, 1}}, 40) == Counts{30, 10});
  CHECK(CountsOf({{"a", 50, 1}, {"b", 50, 1}, {"c", 50, 1}}, 10) == Counts{4, 3, 3});
  CHECK(CountsOf({{"a", 9, 0.2}, {"b", 9, 0.5}, {"c", 9, 0.3}}, 7) == Counts{1, 4, 2});  // 1.4, 3.5, 2.1
  CHECK(CountsOf({{"a", 9, 1}, {"b", 9, 0}}, 7) == Counts{7, 0});
}

TEST_CASE("without a size, an epoch has the source that is exhausted first once, and the others beside it") {
  CHECK(CountsOf({{"a", 300, 3}, {"b", 1000, 1}}, 0) == Counts{300, 100});
  CHECK(CountsOf({{"a", 300, 3}, {"b", 40, 1}}, 0) == Counts{120, 40});
  CHECK(CountsOf({{"a", 10, 3}, {"b", 10, 2}}, 0) == Counts{10, 7});  // 6.67
  CHECK(CountsOf({{"a", 10, 1}, {"b", 3, 0}}, 0) == Counts{10, 0});
}

TEST_CASE("sources come in turn: at any point of an epoch each is within one of its share") {
  const MixOrder order({{"a", 50, 5}, {"b", 50, 3}, {"c", 50, 1}}, 90);
  Counts taken(3, 0);
  for (uint64_t i = 0; i < order.size(); ++i) {
    ++taken[order.At(i, 0).source];
    for (size_t s = 0; s < 3; ++s) {
      const double due = static_cast<double>((i + 1) * order.counts()[s]) / static_cast<double>(order.size());
      CHECK(std::abs(static_cast<double>(taken[s]) - due) <= 1);
    }
  }
  CHECK(taken == order.counts());
}

TEST_CASE("the draw that is due first comes first, of equal ones the earlier source's") {
  for (const auto& weights : std::vector<std::vector<double>>{{1, 1}, {3, 1}, {5, 3, 1}, {1, 0, 2}, {0.1, 7, 0.3, 7}, {1, 1, 1, 1, 1}}) {
    std::vector<MixOrder::Source> sources;
    for (const double weight : weights) sources.push_back({"s", 1000, weight});
    const MixOrder order(sources, 997);
    Counts taken(sources.size(), 0);
    for (uint64_t i = 0; i < order.size(); ++i) {
      size_t next = sources.size();
      for (size_t s = 0; s < sources.size(); ++s) {
        if (taken[s] == order.counts()[s]) continue;
        if (next == sources.size() || (2 * taken[s] + 1) * order.counts()[next] < (2 * taken[next] + 1) * order.counts()[s]) next = s;
      }
      ++taken[next];
      REQUIRE(order.At(i, 0).source == next);
    }
  }
}

TEST_CASE("an epoch of 2^31 samples takes no memory and no time to lay out") {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const MixOrder order({{"a", 1000, 3}, {"b", 1ull << 31, 1}, {"c", 5, 2}}, 1ull << 31);
  CHECK(order.size() == 1ull << 31);
  CHECK(order.At(0, 0).source == 0);
  CHECK(order.At(order.size() - 1, 0).source == 0);
  CHECK_THROWS_AS(order.At(order.size(), 0), std::out_of_range);
  getrusage(RUSAGE_SELF, &after);
  CHECK(after.ru_maxrss - before.ru_maxrss < 10240);  // KiB
  CHECK(after.ru_utime.tv_sec - before.ru_utime.tv_sec <= 1);
}

TEST_CASE("over the epochs each source is gone through completely before one of its samples returns") {
  const std::vector<MixOrder::Source> sources = {{"a", 23, 3}, {"b", 7, 1}, {"c", 1, 0.5}, {"d", 2, 1}};
  const MixOrder order(sources, 40);
  std::vector<std::vector<uint64_t>> drawn(sources.size());
  for (uint64_t epoch = 0; epoch < 12; ++epoch) {
    for (uint64_t i = 0; i < order.size(); ++i) {
      const MixOrder::Place place = order.At(i, epoch);
      CHECK(place.cycle == drawn[place.source].size() / sources[place.source].size);
      drawn[place.source].push_back(place.index);
    }
  }
  for (size_t s = 0; s < sources.size(); ++s) {
    CAPTURE(s);
    const uint64_t size = sources[s].size;
    REQUIRE(drawn[s].size() >= 2 * size);
    for (size_t from = 0; from + size <= drawn[s].size(); from += size) {
      const std::set<uint64_t> cycle(drawn[s].begin() + from, drawn[s].begin() + from + size);
      CHECK(cycle.size() == size);
      CHECK(*cycle.rbegin() == size - 1);
    }
  }
}

TEST_CASE("what an epoch takes of a large source lies evenly over it, not in a block of neighbours") {
  const MixOrder order({{"large", 1000, 1}, {"small", 50, 1}}, 0);
  for (uint64_t epoch = 0; epoch < 20; ++epoch) {
    std::set<uint64_t> indices;
    for (uint64_t i = 0; i < order.size(); ++i) {
      if (const MixOrder::Place place = order.At(i, epoch); place.source == 0) indices.insert(place.index);
    }
    REQUIRE(indices.size() == 50);
    uint64_t widest = *indices.begin() + 1000 - *indices.rbegin(), last = *indices.begin();
    for (const uint64_t index : indices) widest = std::max(widest, index - last), last = index;
    CHECK(widest <= 3 * 1000 / 50);
  }
}

TEST_CASE("weights and sizes that leave a source out are refused with the parameter's name") {
  const auto refused = [](const std::vector<MixOrder::Source>& sources, uint64_t epoch_samples) {
    try {
      MixOrder(sources, epoch_samples);
    } catch (const MixOrder::Refused& refused) {
      return refused.parameter + ": " + refused.what();
    }
    return std::string("not refused");
  };
  CHECK(refused({{"a", 5, 0}, {"b", 5, 0}}, 0) == "weights: at least one weight has to be above 0");
  CHECK(refused({{"a", 5, 100}, {"b", 5, 1}}, 10) ==
        "epoch_samples: an epoch would have no sample of \"b\"; give it more weight, or an epoch more samples (epoch_samples)");
  CHECK(refused({{"a", 5, 100}, {"b", 5, 1}}, 0) ==
        "weights/b: an epoch would have no sample of \"b\"; give it more weight, or an epoch more samples (epoch_samples)");
}

}  // namespace
}  // namespace flowtrain::data
