// Random numbers are a pure function of (seed, stream, epoch, position), the same on every machine.
#include <doctest/doctest.h>
#include <flowtrain/rng.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

using flowtrain::Permutation;
using flowtrain::Rng;

namespace {

using Words = std::array<uint32_t, 4>;

std::vector<uint64_t> Draw(Rng rng, int count) {
  std::vector<uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(rng.NextU64());
  return numbers;
}

}  // namespace

// kat_vectors of Random123 1.14, lines "philox4x32 10".
TEST_CASE("Philox gives the published known answers") {
  CHECK(Rng::Block({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr uint32_t kOnes = 0xffffffff;
  CHECK(Rng::Block({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(Rng::Block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the same key gives the same numbers, any other key others") {
  const auto numbers = Draw(Rng(1, 2, 3, 4), 10);
  CHECK(numbers == Draw(Rng(1, 2, 3, 4), 10));
  CHECK(numbers != Draw(Rng(2, 2, 3, 4), 10));
  CHECK(numbers != Draw(Rng(1, 3, 3, 4), 10));
  CHECK(numbers != Draw(Rng(1, 2, 4, 4), 10));
  CHECK(numbers != Draw(Rng(1, 2, 3, 5), 10));
  CHECK(numbers != Draw(Rng(1, 2, 3, 4 + (1ULL << 32)), 10));
}

TEST_CASE("a stream's number is FNV-1a of its name") {
  CHECK(Rng::HashStream("") == 0xcbf29ce484222325ULL);
  CHECK(Rng::HashStream("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(Rng::HashStream("foobar") == 0x85944171f73967e8ULL);
}

TEST_CASE("neighbouring positions draw uncorrelated numbers") {
  constexpr int kCount = 20000;
  double product = 0;
  for (int i = 0; i < kCount; ++i) {
    product += (Rng(7, 1, 0, i).Uniform() - 0.5) * (Rng(7, 1, 0, i + 1).Uniform() - 0.5);
  }
  // The standard error of the correlation is 1 / sqrt(n).
  CHECK(std::abs(12 * product / kCount) < 4 / std::sqrt(kCount));
}

TEST_CASE("Uniform fills [0, 1) evenly") {
  Rng rng(42, 0, 0, 0);
  constexpr int kBins = 20, kCount = 200000;
  std::vector<int> bins(kBins);
  for (int i = 0; i < kCount; ++i) {
    const double u = rng.Uniform();
    REQUIRE(u >= 0);
    REQUIRE(u < 1);
    ++bins[static_cast<size_t>(u * kBins)];
  }
  double chi2 = 0;
  for (const int n : bins) chi2 += std::pow(n - kCount / kBins, 2) / (kCount / kBins);
  CHECK(chi2 < 43.8);  // 19 degrees of freedom, p = 0.001
  for (int i = 0; i < 1000; ++i) {
    const double u = rng.Uniform(-3, 5);
    REQUIRE(u >= -3);
    REQUIRE(u < 5);
  }
}

TEST_CASE("Below is in range and unbiased where n divides no power of two") {
  Rng rng(1, 0, 0, 0);
  CHECK(rng.Below(1) == 0);
  constexpr int kCount = 120000;
  std::vector<int> bins(6);
  for (int i = 0; i < kCount; ++i) {
    const uint64_t k = rng.Below(6);
    REQUIRE(k < 6);
    ++bins[k];
  }
  double chi2 = 0;
  for (const int n : bins) chi2 += std::pow(n - kCount / 6, 2) / (kCount / 6.0);
  CHECK(chi2 < 20.5);  // 5 degrees of freedom, p = 0.001
  // Taking the remainder would give the lower half of this range twice as often.
  constexpr uint64_t kWide = 3ULL << 62;
  int low = 0;
  for (int i = 0; i < 30000; ++i) low += rng.Below(kWide) < kWide / 3;
  CHECK(std::abs(low - 10000) < 330);  // 4 standard deviations
}

TEST_CASE("Bernoulli keeps its share, and 0 and 1 are certain") {
  Rng rng(3, 0, 0, 0);
  int hits = 0;
  for (int i = 0; i < 40000; ++i) {
    hits += rng.Bernoulli(0.25);
    REQUIRE_FALSE(rng.Bernoulli(0));
    REQUIRE(rng.Bernoulli(1));
  }
  CHECK(std::abs(hits - 10000) < 350);  // 4 standard deviations
}

TEST_CASE("Normal has mean 0, deviation 1 and thin tails") {
  Rng rng(5, 0, 0, 0);
  constexpr int kCount = 100000;
  double sum = 0, squares = 0;
  int beyond = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.Normal();
    REQUIRE(std::isfinite(x));
    sum += x;
    squares += x * x;
    beyond += std::abs(x) > 2;
  }
  CHECK(std::abs(sum / kCount) < 0.013);
  CHECK(std::abs(squares / kCount - 1) < 0.018);
  CHECK(std::abs(beyond / double{kCount} - 0.0455) < 0.003);
}

TEST_CASE("a permutation is a bijection, its own for each seed and epoch") {
  for (const uint64_t n : {1ULL, 2ULL, 7ULL, 1000ULL}) {
    std::vector<uint32_t> order(n);
    Permutation(9, 0, order);
    const std::set<uint32_t> all(order.begin(), order.end());
    CHECK(all.size() == n);
    CHECK(*all.rbegin() == n - 1);
  }
  std::vector<uint32_t> a(1000), b(1000), c(1000), again(1000);
  Permutation(9, 0, a);
  Permutation(9, 1, b);
  Permutation(10, 0, c);
  Permutation(9, 0, again);
  CHECK(a == again);
  CHECK(a != b);
  CHECK(a != c);
  CHECK_FALSE(std::is_sorted(a.begin(), a.end()));
}

TEST_CASE("a permutation prefers no order") {
  // All 6 orders of 3, each about as often.
  std::map<std::vector<uint32_t>, int> seen;
  for (uint64_t epoch = 0; epoch < 6000; ++epoch) {
    std::vector<uint32_t> order(3);
    Permutation(1, epoch, order);
    ++seen[order];
  }
  REQUIRE(seen.size() == 6);
  for (const auto& [order, count] : seen) CHECK(std::abs(count - 1000) < 130);
}
