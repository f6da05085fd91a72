// The norm's kernels on the host: which numbers a thread holds, and what it writes.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "stages/train/cuda/norm/shape.h"
#include "train/emulated_gpu.h"

// Each variant is the whole text, in a namespace of its own: rows of one thread, of some, of a whole warp.
namespace bf16_80 {
#define FLOWTRAIN_BF16
#define FLOWTRAIN_COLUMNS 80
#define FLOWTRAIN_VECTOR 8
#include "train/emulated_norm.h"
#undef FLOWTRAIN_BF16
}  // namespace bf16_80
namespace float_6 {
#define FLOWTRAIN_FLOAT
#define FLOWTRAIN_COLUMNS 6
#define FLOWTRAIN_VECTOR 2
#include "train/emulated_norm.h"
}  // namespace float_6
namespace float_146 {
#define FLOWTRAIN_COLUMNS 146
#define FLOWTRAIN_VECTOR 2
#include "train/emulated_norm.h"
}  // namespace float_146
namespace float_584 {
#define FLOWTRAIN_COLUMNS 584
#define FLOWTRAIN_VECTOR 4
#include "train/emulated_norm.h"
}  // namespace float_584
namespace float_37 {
#define FLOWTRAIN_COLUMNS 37
#define FLOWTRAIN_VECTOR 1
#include "train/emulated_norm.h"
#undef FLOWTRAIN_FLOAT
}  // namespace float_37

namespace flowtrain::train::norm {
namespace {

struct Operands {
  std::vector<float> in, gradient, weight, bias;
};

double Phi(double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }
double Slope(double x) { return Phi(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }

struct Results {
  std::vector<double> out, of_in, of_weight, of_bias;
};

Results ByFormula(const Operands& given, int rows, int n, bool gelu) {
  const auto zeros = [](int size) { return std::vector<double>(static_cast<size_t>(size)); };
  Results r{zeros(rows * n), zeros(rows * n), zeros(n), zeros(n)};
  for (int row = 0; row < rows; ++row) {
    const float* const x = given.in.data() + row * n;
    double mean = 0, variance = 0;
    for (int c = 0; c < n; ++c) mean += x[c] / static_cast<double>(n);
    for (int c = 0; c < n; ++c) variance += (x[c] - mean) * (x[c] - mean) / n;
    const double scale = 1 / std::sqrt(variance + 1e-6);
    std::vector<double> h(n), g(n);
    double sum = 0, along = 0;
    for (int c = 0; c < n; ++c) {
      h[c] = (x[c] - mean) * scale;
      const double y = h[c] * given.weight[c] + given.bias[c];
      r.out[row * n + c] = gelu ? y * Phi(y) : y;
      g[c] = given.gradient[row * n + c] * (gelu ? Slope(y) : 1);
      r.of_weight[c] += g[c] * h[c];
      r.of_bias[c] += g[c];
      sum += g[c] * given.weight[c] / n;
      along += g[c] * given.weight[c] * h[c] / n;
    }
    for (int c = 0; c < n; ++c) r.of_in[row * n + c] = scale * (g[c] * given.weight[c] - sum - h[c] * along);
  }
  return r;
}

// The largest difference, over the largest number.
double Worst(const std::vector<double>& expected, const std::vector<float>& got) {
  REQUIRE(expected.size() == got.size());
  double worst = 0, largest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    const double difference = std::abs(static_cast<double>(got[i]) - expected[i]);
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
  }
  return worst / largest;
}

template <class Variant>
void Compare(int rows, double allowed) {
  constexpr int n = Variant::kOfRow;
  CAPTURE(n);
  CAPTURE(rows);
  const Operands given{emulated::Eighths(rows * n, 1), emulated::Eighths(rows * n, 2), emulated::Eighths(n, 3),
                       emulated::Eighths(n, 4)};
  for (const bool gelu : {false, true}) {
    CAPTURE(gelu);
    const Results expected = ByFormula(given, rows, n, gelu);
    // Fewer blocks than rows want, so that they go on to others, and more.
    for (const int blocks : {2, 9}) {
      const Variant got(given, rows, blocks, gelu);
      CHECK(Worst(expected.out, got.out) <= allowed);
      CHECK(Worst(expected.of_in, got.of_in) <= allowed);
      CHECK(Worst(expected.of_weight, got.of_weight) <= allowed);
      CHECK(Worst(expected.of_bias, got.of_bias) <= allowed);
    }
  }
}

TEST_CASE("norm kernels on the host: every thread's row and columns are the formula's") {
  Compare<bf16_80::Variant>(301, 1.0 / 256);
  Compare<float_6::Variant>(700, 1e-5);
  Compare<float_146::Variant>(45, 1e-5);
  Compare<float_584::Variant>(33, 1e-5);
  Compare<float_37::Variant>(1, 1e-5);
}

TEST_CASE("a row is shared by as few threads as hold it by three reads each, up to a warp") {
  CHECK(LanesFor(80, 8) == 4);
  CHECK(LanesFor(6, 2) == 1);
  CHECK(LanesFor(584, 8) == 32);
  CHECK(LanesFor(1024, 1) == 32);
  // Their sums fit in 48 KB of shared memory.
  for (int columns = 1; columns <= kMostColumns; ++columns)
    for (int vector = 8; vector >= 1; vector /= 2)
      if (columns % vector == 0) CHECK(kThreads / LanesFor(columns, vector) * columns * 4 <= 48 * 1024);
}

}  // namespace
}  // namespace flowtrain::train::norm
