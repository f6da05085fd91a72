// One variant of the norm's kernels for the host: included once for each, inside a namespace, with
// FLOWTRAIN_COLUMNS, FLOWTRAIN_VECTOR and the type defined, which go afterwards. No include guard.
// clang-format off: in the order in which they are compiled
#include "stages/train/cuda/jit/number.cu"
#include "stages/train/cuda/jit/sum.cu"
#include "train/emulated_numbers.h"
#include "stages/train/cuda/norm/row.cu"
#include "stages/train/cuda/norm/forward.cu"
#include "stages/train/cuda/norm/backward.cu"
// clang-format on

struct Variant {
  static constexpr int kOfRow = kColumns;
  std::vector<float> out, of_in, of_weight, of_bias;

  template <class Operands>
  Variant(const Operands& given, int rows, int blocks, bool gelu) {
    const auto in = ToNumbers(given.in), gradient = ToNumbers(given.gradient), weight = ToNumbers(given.weight),
               bias = ToNumbers(given.bias);
    Numbers y(in.size(), FromFloat(NAN)), x(in.size(), FromFloat(NAN));
    Numbers w(weight.size(), FromFloat(NAN)), b(weight.size(), FromFloat(NAN));
    std::vector<float> means(static_cast<size_t>(rows), NAN), scales(static_cast<size_t>(rows), NAN);
    std::vector<float> partials(static_cast<size_t>(blocks * 2 * kColumns), NAN);
    emulated::Launch({blocks, 1, 1}, [&] {
      NormForward(in.data(), weight.data(), bias.data(), y.data(), means.data(), scales.data(), rows, blocks, 1e-6f, gelu);
    });
    emulated::Launch({blocks, 1, 1}, [&] {
      NormBackward(gradient.data(), in.data(), weight.data(), bias.data(), means.data(), scales.data(), x.data(),
                   partials.data(), rows, blocks, gelu);
    });
    emulated::Launch({(kColumns + 31) / 32, 2, 1}, [&] { NormSum(partials.data(), blocks, w.data(), b.data()); });
    out = ToFloats(y);
    of_in = ToFloats(x);
    of_weight = ToFloats(w);
    of_bias = ToFloats(b);
  }
};

#undef FLOWTRAIN_COLUMNS
#undef FLOWTRAIN_VECTOR
