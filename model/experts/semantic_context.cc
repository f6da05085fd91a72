// Semantic context expert: what surrounds a pixel, at four grids.
//   x + fusion(concat_g [up(GELU(LN(conv1x1(pool_g(x)))))], g = 8, 4, 2, 1)
// pool_g: adaptive average pooling to g x g,
// with d/4 channels a grid, up bilinear (align_corners false), fusion = 1x1, LN, GELU.
//
// Both pooling and upsampling are linear maps of the pixels, applied here as matrix products: on a
// GPU the backward passes of the operators themselves made this the slowest expert by far.
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "model/experts/expert.h"
#include "model/layers/layout.h"
#include "model/layers/pointwise_norm_gelu.h"
#include "model/layers/up_matrix.h"

namespace flowtrain::model {
namespace {

constexpr std::array<int64_t, 4> kGrids = {8, 4, 2, 1};

// The Kronecker product. at::kron of LibTorch 2.11 fails where one side of an image is a single pixel.
torch::Tensor Kron(const torch::Tensor& a, const torch::Tensor& b) {
  const auto products = a.unsqueeze(1).unsqueeze(3) * b.unsqueeze(1).unsqueeze(0);
  return products.reshape({a.size(0) * b.size(0), a.size(1) * b.size(1)});
}

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
    const Matrices& matrices = MatricesFor(x);
    const auto pixels = ChannelsToEnd(x);
    const auto tokens = pixels.flatten(1, 2);  // [B, HW, d]
    const auto pooled = TimesEach(matrices.pool, tokens).split_with_sizes({64, 16, 4, 1}, 1);
    std::vector<torch::Tensor> context;
    for (size_t i = 0; i < kGrids.size(); ++i) {
      context.push_back(TimesEach(matrices.up[i], convs_[i]->ForwardLast(pooled[i])));
    }
    const auto fused = fusion_->ForwardLast(at::cat(context, -1));
    return x + ChannelsToFront(fused.view(pixels.sizes()));
  }

 private:
  struct Matrices {
    torch::Tensor pool;               // [64 + 16 + 4 + 1, HW]
    std::array<torch::Tensor, 4> up;  // [HW, g * g]
  };

  // Those of x's size, device and type. Kept: recorded CUDA graphs read them where they are.
  const Matrices& MatricesFor(const torch::Tensor& x) {
    const auto height = x.size(2), width = x.size(3);
    Matrices& matrices = matrices_[{height, width, x.is_cuda() ? x.get_device() : -1, x.scalar_type()}];
    if (matrices.pool.defined()) return matrices;
    std::vector<torch::Tensor> pools;
    for (size_t i = 0; i < kGrids.size(); ++i) {
      const auto g = kGrids[i];
      pools.push_back(Kron(PoolMatrix(height, g), PoolMatrix(width, g)));
      const auto rows = UpMatrix(height, g, torch::kDouble), columns = UpMatrix(width, g, torch::kDouble);
      matrices.up[i] = Kron(rows, columns).to(x.device(), x.scalar_type());
    }
    matrices.pool = at::cat(pools, 0).to(x.device(), x.scalar_type());
    return matrices;
  }

  std::array<std::shared_ptr<PointwiseNormGelu>, 4> convs_;
  std::shared_ptr<PointwiseNormGelu> fusion_;
  std::map<std::tuple<int64_t, int64_t, int64_t, torch::ScalarType>, Matrices> matrices_;
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
