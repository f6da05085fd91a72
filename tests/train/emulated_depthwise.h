// One variant of the depthwise kernels for the host: included once for each, inside a namespace,
// with FLOWTRAIN_SIDE, FLOWTRAIN_VECTOR and the type defined, which go afterwards. No include
// guard.
// clang-format off: in the order in which they are compiled
#include "stages/train/cuda/jit/number.cu"
#include "stages/train/cuda/jit/sum.cu"
#include "train/emulated_numbers.h"
#include "stages/train/cuda/depthwise/read.cu"
#include "stages/train/cuda/depthwise/forward.cu"
#include "stages/train/cuda/depthwise/weight_gradient.cu"
// clang-format on

template <class Operands>
class Variant {
  using Plan = flowtrain::train::depthwise::Plan;

 public:
  static constexpr int kSide = FLOWTRAIN_SIDE;

  template <class Sizes>
  Variant(const Sizes& s, const Operands& given, int processors)
      : in_(ToNumbers(given.in)),
        gradient_(ToNumbers(given.gradient)),
        weight_(ToNumbers(given.weight)),
        bias_(ToNumbers(given.bias)) {
    using flowtrain::train::depthwise::PlanFor;
    whole_ = PlanFor(s.images, s.height, s.width, s.channels, kVector, 1, processors);
    by_line_ = PlanFor(s.images, s.height, s.width, s.channels, kVector, kSide, processors);
  }

  std::vector<float> Forward() const { return Convolve(in_, bias_.data(), 0); }
  std::vector<float> InputGradient() const { return Convolve(gradient_, nullptr, 1); }

  std::pair<std::vector<float>, std::vector<float>> WeightGradient() const {
    const int channels = by_line_.shape.channels, blocks = by_line_.pixel_blocks;
    std::vector<float> partials(static_cast<size_t>(blocks * (kTaps + 1) * channels), NAN);
    emulated::Launch({blocks, by_line_.channel_blocks, kSide}, [&] {
      DepthwiseWeightPartials(gradient_.data(), in_.data(), partials.data(), by_line_.shape);
    });
    Numbers of_weight(weight_.size(), FromFloat(NAN)), of_bias(bias_.size(), FromFloat(NAN));
    emulated::Launch({(channels + 31) / 32, kTaps + 1, 1}, [&] {
      DepthwiseWeightSum(partials.data(), blocks, channels, of_weight.data(), of_bias.data());
    });
    return {ToFloats(of_weight), ToFloats(of_bias)};
  }

 private:
  std::vector<float> Convolve(const Numbers& in, const Number* bias, int flipped) const {
    Numbers out(in.size(), FromFloat(NAN));
    emulated::Launch({whole_.pixel_blocks, whole_.channel_blocks, 1}, [&] {
      DepthwiseForward(in.data(), weight_.data(), bias, flipped, out.data(), whole_.shape);
    });
    return ToFloats(out);
  }

  Numbers in_, gradient_, weight_, bias_;
  Plan whole_, by_line_;
};

#undef FLOWTRAIN_SIDE
#undef FLOWTRAIN_VECTOR
