#include "model/edgenext_position.h"

#include <cmath>

namespace flowtrain::model {
namespace {

constexpr int64_t kFeatures = 32;  // an axis

// [length, kFeatures]: positions 1..length over (length + 1e-6), times 2 pi, at wavelengths
// 10000^(2 floor(i/2)/32).
torch::Tensor AxisFeatures(int64_t length) {
  const auto position = torch::arange(1, length + 1, torch::kDouble) * (2 * M_PI / (length + 1e-6));
  const auto index = torch::arange(kFeatures, torch::kDouble);
  const auto exponent = 2 * at::floor(index / 2) / static_cast<double>(kFeatures);
  const auto angle = position.unsqueeze(1) / at::pow(10000.0, exponent);
  return at::where(index.remainder(2) == 0, angle.sin(), angle.cos());
}

torch::Tensor GridFeatures(int64_t height, int64_t width) {
  const auto y = AxisFeatures(height).view({1, height, 1, kFeatures});
  const auto x = AxisFeatures(width).view({1, 1, width, kFeatures});
  const std::vector<int64_t> shape = {1, height, width, kFeatures};
  return at::cat({y.expand(shape), x.expand(shape)}, -1);
}

}  // namespace

PositionEncoding::PositionEncoding(int64_t channels) {
  projection_ =
      register_module("token_projection", std::make_shared<Pointwise>(2 * kFeatures, channels));
}

torch::Tensor PositionEncoding::Forward(int64_t height, int64_t width) {
  const auto like = projection_->parameters().front();
  auto& features = features_[{height, width}];
  if (!features.defined() || features.device() != like.device() || features.scalar_type() != like.scalar_type()) {
    features = GridFeatures(height, width).to(like.device(), like.scalar_type());
  }
  return projection_->ForwardLast(features).flatten(1, 2);
}

}  // namespace flowtrain::model
