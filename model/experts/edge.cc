// Edge expert: strengths of first and second derivatives.
//   sobel = sqrt(sx^2 + sy^2 + 1e-8), lap = |L * x|, grad = sqrt(sobel^2 + lap^2 + 1e-8)
//   x + fusion(concat(GELU(LN(conv1x1(s))) for s = sobel, lap, grad, x)), d/4 channels each
// sx, sy: Sobel's kernels on each channel, L = [0 1 0; 1 -4 1; 0 1 0], zero padding;
// fusion = 1x1, LN, GELU.
#include <initializer_list>
#include <vector>

#include "model/experts/expert.h"
#include "model/layers/depthwise.h"
#include "model/layers/pointwise_norm_gelu.h"
#include "model/layers/precision.h"

namespace flowtrain::model {
namespace {

torch::Tensor Kernel(std::initializer_list<float> values) {
  return torch::tensor(std::vector<float>(values), torch::kFloat).view({1, 1, 3, 3});
}

torch::Tensor FilterChannels(const torch::Tensor& x, const torch::Tensor& kernel) {
  const auto channels = x.size(1);
  return DepthwiseConv2d(x, kernel.expand({channels, 1, 3, 3}), /*bias=*/{});
}

class EdgeExpert : public Expert {
 public:
  explicit EdgeExpert(int64_t channels) {
    sobel_x_ = register_buffer("sobel_x_base", Kernel({-1, 0, 1, -2, 0, 2, -1, 0, 1}));
    sobel_y_ = register_buffer("sobel_y_base", Kernel({-1, -2, -1, 0, 0, 0, 1, 2, 1}));
    laplacian_ = register_buffer("laplacian_base", Kernel({0, 1, 0, 1, -4, 1, 0, 1, 0}));
    const auto branch = [&](const char* name) {
      return register_module(name, std::make_shared<PointwiseNormGelu>(channels, channels / 4));
    };
    sobel_branch_ = branch("sobel_branch");
    laplacian_branch_ = branch("laplacian_branch");
    gradient_branch_ = branch("gradient_branch");
    spatial_branch_ = branch("spatial_branch");
    fusion_ = register_module("fusion", std::make_shared<PointwiseNormGelu>(channels, channels));
  }

  torch::Tensor Forward(const torch::Tensor& x) override {
    // At least float: 1e-8 is 0 in half, and the square root's gradient there is infinite.
    const auto sx = AtLeastFloat(FilterChannels(x, sobel_x_));
    const auto sy = AtLeastFloat(FilterChannels(x, sobel_y_));
    const auto laplacian = AtLeastFloat(FilterChannels(x, laplacian_)).abs();
    const auto sobel_squared = sx * sx + sy * sy + 1e-8;
    const auto sobel = at::sqrt(sobel_squared);
    const auto gradient = at::sqrt(sobel_squared + laplacian * laplacian + 1e-8);
    const auto edges =
        at::cat({sobel_branch_->Forward(sobel), laplacian_branch_->Forward(laplacian),
                 gradient_branch_->Forward(gradient), spatial_branch_->Forward(x)},
                1);
    return x + fusion_->Forward(edges);
  }

 private:
  torch::Tensor sobel_x_;
  torch::Tensor sobel_y_;
  torch::Tensor laplacian_;
  std::shared_ptr<PointwiseNormGelu> sobel_branch_;
  std::shared_ptr<PointwiseNormGelu> laplacian_branch_;
  std::shared_ptr<PointwiseNormGelu> gradient_branch_;
  std::shared_ptr<PointwiseNormGelu> spatial_branch_;
  std::shared_ptr<PointwiseNormGelu> fusion_;
};

std::shared_ptr<Expert> MakeEdge(int64_t channels, AttentionKind) {
  return std::make_shared<EdgeExpert>(channels);
}

}  // namespace

constinit const ExpertKind kEdgeExpert = {
    "edge",
    "x + fusion of Sobel, Laplacian and gradient strengths, and of x",
    "the public CamoXpert project; Sobel & Feldman 1968",
    &MakeEdge};

}  // namespace flowtrain::model
