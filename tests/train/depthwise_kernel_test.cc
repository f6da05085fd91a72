// The depthwise kernels' arithmetic, on the host: which pixel, tap and channel a thread reads, and
// what it writes. Every shape is planned for a GPU of 2 multiprocessors, whose blocks take several
// pixels a row, and for one of 32, with more blocks than rows that sum over them.
#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "stages/train/cuda/depthwise/plan.h"
#include "train/emulated_gpu.h"

// Each variant is the whole text, in a namespace of its own.
namespace bf16_3_8 {
#define FLOWTRAIN_BF16
#define FLOWTRAIN_SIDE 3
#define FLOWTRAIN_VECTOR 8
#include "train/emulated_depthwise.h"
#undef FLOWTRAIN_BF16
}  // namespace bf16_3_8
namespace float_5_4 {
#define FLOWTRAIN_FLOAT
#define FLOWTRAIN_SIDE 5
#define FLOWTRAIN_VECTOR 4
#include "train/emulated_depthwise.h"
}  // namespace float_5_4
namespace float_7_2 {
#define FLOWTRAIN_SIDE 7
#define FLOWTRAIN_VECTOR 2
#include "train/emulated_depthwise.h"
}  // namespace float_7_2
namespace float_9_1 {
#define FLOWTRAIN_SIDE 9
#define FLOWTRAIN_VECTOR 1
#include "train/emulated_depthwise.h"
#undef FLOWTRAIN_FLOAT
}  // namespace float_9_1

namespace flowtrain::train::depthwise {
namespace {

struct Sizes {
  int images, height, width, channels;
  int count() const { return images * height * width * channels; }
};

struct Results {
  std::vector<double> out, of_in, of_weight, of_bias;
};

struct Operands {
  std::vector<float> in, gradient, weight, bias;
};

// The formulas, one product at a time.
Results ByFormula(const Sizes& s, int side, const Operands& given) {
  const int taps = side * side, reach = side / 2;
  const auto of = [](int size) { return std::vector<double>(static_cast<size_t>(size)); };
  Results r{of(s.count()), of(s.count()), of(s.channels * taps), of(s.channels)};
  for (int n = 0; n < s.images; ++n)
    for (int y = 0; y < s.height; ++y)
      for (int x = 0; x < s.width; ++x)
        for (int c = 0; c < s.channels; ++c) {
          const int here = ((n * s.height + y) * s.width + x) * s.channels + c;
          r.out[here] += given.bias[c];
          r.of_bias[c] += given.gradient[here];
          for (int dy = 0; dy < side; ++dy)
            for (int dx = 0; dx < side; ++dx) {
              const int fy = y + dy - reach, fx = x + dx - reach, tap = c * taps + dy * side + dx;
              if (fy < 0 || fy >= s.height || fx < 0 || fx >= s.width) continue;
              const int there = ((n * s.height + fy) * s.width + fx) * s.channels + c;
              r.out[here] += given.weight[tap] * given.in[there];
              r.of_in[there] += given.weight[tap] * given.gradient[here];
              r.of_weight[tap] += given.gradient[here] * given.in[there];
            }
        }
  return r;
}

// The largest difference as a share of the number.
double Worst(const std::vector<double>& expected, const std::vector<float>& got) {
  REQUIRE(expected.size() == got.size());
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double number = static_cast<double>(got[i]);
    if (number == expected[i]) continue;
    const double share = std::abs((number - expected[i]) / expected[i]);
    worst = share > worst ? share : std::isnan(share) ? INFINITY : worst;
  }
  return worst;
}

// Of float, nothing may be lost; bfloat16 rounds the result to eight bits, by at most 2^-8 of it.
template <class Variant>
void Compare(const Sizes& s, double allowed) {
  CAPTURE(s.channels);
  constexpr int kSide = Variant::kSide, kTaps = kSide * kSide;
  Operands given{emulated::Eighths(s.count(), 1), emulated::Eighths(s.count(), 2),
                 emulated::Eighths(s.channels * kTaps, 3), emulated::Eighths(s.channels, 4)};
  const Results expected = ByFormula(s, kSide, given);
  for (const int processors : {2, 32}) {
    const Variant variant(s, given, processors);
    CHECK(Worst(expected.out, variant.Forward()) <= allowed);
    CHECK(Worst(expected.of_in, variant.InputGradient()) <= allowed);
    const auto [of_weight, of_bias] = variant.WeightGradient();
    CHECK(Worst(expected.of_weight, of_weight) <= allowed);
    CHECK(Worst(expected.of_bias, of_bias) <= allowed);
  }
}

TEST_CASE(
    "depthwise kernels on the host: every thread's pixel, tap and channel are the formula's") {
  Compare<bf16_3_8::Variant<Operands>>({2, 5, 7, 80}, 1.0 / 256);
  Compare<bf16_3_8::Variant<Operands>>({1, 3, 4, 136}, 1.0 / 256);  // two blocks of channels
  Compare<float_5_4::Variant<Operands>>({2, 11, 11, 20}, 0);
  Compare<float_7_2::Variant<Operands>>({1, 7, 13, 146}, 0);
  Compare<float_9_1::Variant<Operands>>({3, 6, 3, 5}, 0);  // narrower than the kernel
}

}  // namespace
}  // namespace flowtrain::train::depthwise
