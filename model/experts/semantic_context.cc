// Semantic context expert: what surrounds a pixel, at four grids.
//   x + fusion(concat_g [up(GELU(LN(conv1x1(pool_g(x)))))], g = 8, 4, 2, 1)
// pool_g: adaptive average pooling to g x g,
// with d/4 channels a grid, up bilinear (align_corners false), fusion = 1x1, LN, GELU.
//
// Both pooling and upsampling are linear maps of the pixels, applied here as matrix products: on a
// GPU the backward passes of the operators themselves made this the slowest expert by far.
#include <array>

#include "model/experts/expert.h"
#include "model/layers/layout.h"
#include "model/layers/pointwise_norm_gelu.h"
#include "model/layers/up_matrix.h"

namespace flowtrain::model {
namespace {

constexpr std::array<int64_t, 4> kGrids = {8, 4, 2, 1};

// [g, length]: adaptive average pooling of one axis.
torch::Tensor PoolMatrix(int64_t length, int64_t g) {
  return at::adaptive_avg_pool1d(torch::eye(length, torch::kDouble).unsqueeze(0), {g})
      .squeeze(0)
      .t();
}

class SemanticContextExpert : public Expert {
 public:
  explicit SemanticContextExpert(int64_t channels) {
    for (size_t i = 0; i < kGrids.size(); ++i) {
      convs_[i] = register_module("conv_" + std::to_string(i + 1),
                                  std::make_shared<PointwiseNormGelu>(channels, channels / 4));
    }
    fusion_ =
        register_module("context_fusion", std::make_shared<PointwiseNormGelu>(channels, channels));
  }

  torch::Tensor Forward(const torch::Tensor& x) override {
    PrepareMatrices(x);
    const auto pixels = ChannelsToEnd(x);
    const auto tokens = pixels.flatten(1, 2);  // [B, HW, d]
    const auto pooled = TimesEach(pool_, tokens).split_with_sizes({64, 16, 4, 1}, 1);
    std::vector<torch::Tensor> context;
    for (size_t i = 0; i < kGrids.size(); ++i) {
      context.push_back(TimesEach(up_[i], convs_[i]->ForwardLast(pooled[i])));
    }
    const auto fused = fusion_->ForwardLast(at::cat(context, -1));
    return x + ChannelsToFront(fused.view(pixels.sizes()));
  }

 private:
  // The matrices of x's size, made anew only when size, device or type change.
  void PrepareMatrices(const torch::Tensor& x) {
    const auto height = x.size(2), width = x.size(3);
    if (pool_.defined() && height == height_ && width == width_ && pool_.device() == x.device() &&
        pool_.scalar_type() == x.scalar_type()) {
      return;
    }
    std::vector<torch::Tensor> pools;
    for (size_t i = 0; i < kGrids.size(); ++i) {
      const auto g = kGrids[i];
      pools.push_back(at::kron(PoolMatrix(height, g), PoolMatrix(width, g)));
      const auto rows = UpMatrix(height, g, torch::kDouble), columns = UpMatrix(width, g, torch::kDouble);
      up_[i] = at::kron(rows, columns).to(x.device(), x.scalar_type());
    }
    pool_ = at::cat(pools, 0).to(x.device(), x.scalar_type());
    height_ = height;
    width_ = width;
  }

  std::array<std::shared_ptr<PointwiseNormGelu>, 4> convs_;
  std::shared_ptr<PointwiseNormGelu> fusion_;
  int64_t height_ = 0;
  int64_t width_ = 0;
  torch::Tensor pool_;               // [64 + 16 + 4 + 1, HW]
  std::array<torch::Tensor, 4> up_;  // [HW, g * g]
};

std::shared_ptr<Expert> MakeSemanticContext(int64_t channels, AttentionKind) {
  return std::make_shared<SemanticContextExpert>(channels);
}

}  // namespace

constinit const ExpertKind kSemanticContextExpert = {
    "semantic_context",
    "x + fusion of means over grids of 8, 4, 2 and 1",
    "the public CamoXpert project; pyramid pooling: Zhao et al. 2017 (PSPNet)",
    &MakeSemanticContext};

}  // namespace flowtrain::model
