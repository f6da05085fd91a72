// Frequency expert: bands of spatial frequency, split by box filters.
//   low = pool3(x), mid = pool3(x) - pool5(x), high = x - pool3(x)
//   x + fusion(concat(GELU(LN(conv1x1(band))) for low, mid, high, x)), d/4 channels a band
// Pools: average, stride 1, same size, padding counted; fusion = 1x1, LN, GELU.
#include "model/experts/expert.h"
#include "model/layers/pointwise_norm_gelu.h"

namespace flowtrain::model {
namespace {

torch::Tensor BoxFilter(const torch::Tensor& x, int64_t size) {
  return at::avg_pool2d(x, {size, size}, {1, 1}, {size / 2, size / 2}, /*ceil_mode=*/false,
                        /*count_include_pad=*/true);
}

class FrequencyExpert : public Expert {
 public:
  explicit FrequencyExpert(int64_t channels) {
    const auto band = [&](const char* name) {
      return register_module(name, std::make_shared<PointwiseNormGelu>(channels, channels / 4));
    };
    low_ = band("low_freq_conv");
    mid_ = band("mid_freq_conv");
    high_ = band("high_freq_conv");
    spatial_ = band("spatial_conv");
    fusion_ = register_module("fusion", std::make_shared<PointwiseNormGelu>(channels, channels));
  }

  torch::Tensor Forward(const torch::Tensor& x) override {
    const auto pool3 = BoxFilter(x, 3);
    const auto bands = at::cat({low_->Forward(pool3), mid_->Forward(pool3 - BoxFilter(x, 5)),
                                high_->Forward(x - pool3), spatial_->Forward(x)},
                               1);
    return x + fusion_->Forward(bands);
  }

 private:
  std::shared_ptr<PointwiseNormGelu> low_;
  std::shared_ptr<PointwiseNormGelu> mid_;
  std::shared_ptr<PointwiseNormGelu> high_;
  std::shared_ptr<PointwiseNormGelu> spatial_;
  std::shared_ptr<PointwiseNormGelu> fusion_;
};

std::shared_ptr<Expert> MakeFrequency(int64_t channels, AttentionKind) {
  return std::make_shared<FrequencyExpert>(channels);
}

}  // namespace

constinit const ExpertKind kFrequencyExpert = {
    "frequency",
    "x + fusion of the bands between box filters, and of x",
    "the public CamoXpert project (a difference-of-boxes pyramid)",
    &MakeFrequency};

}  // namespace flowtrain::model
