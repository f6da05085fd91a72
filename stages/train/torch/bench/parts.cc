#include "stages/train/torch/bench/parts.h"

#include "model/edgenext.h"
#include "model/layers/autocast_scope.h"

namespace flowtrain::train::bench {
namespace {

constexpr auto kExperts = static_cast<int64_t>(model::kExpertNames.size());

at::Tensor EqualWeights(int64_t batch, int64_t top_k, const at::Tensor& like) {
  return at::full({batch, top_k}, 1.0 / static_cast<double>(top_k), like.options().dtype(at::kFloat));
}

}  // namespace

at::Tensor RandomImages(const BenchOptions& options, const Device& device) {
  return at::randn({options.batch, 3, options.size, options.size}, at::device(device.torch))
      .to(device.image_type())
      .contiguous(options.channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
}

model::CamoXpertOptions NetworkOptions(const BenchOptions& options) {
  model::CamoXpertOptions network;
  network.backbone = options.backbone;
  network.encoder = options.encoder;
  network.top_k = options.top_k;
  network.gradient_checkpointing = options.gradient_checkpointing;
  return network;
}

std::vector<at::Tensor> Features(const BenchOptions& options, const Device& device) {
  std::vector<at::Tensor> features;
  int64_t side = options.size / 4;
  for (const int64_t channels : model::FindEdgeNext(options.backbone).dims) {
    features.push_back(at::randn({options.batch, channels, side, side}, at::device(device.torch))
                           .to(device.image_type())
                           .contiguous(at::MemoryFormat::ChannelsLast)
                           .requires_grad_());
    side /= 2;
  }
  return features;
}

at::Tensor BalancedIndices(int64_t batch, int64_t top_k, int64_t experts, at::Device device) {
  return at::arange(batch * top_k, at::device(device).dtype(at::kLong)).remainder(experts).view({batch, top_k});
}

Layers MoeLayers(const std::vector<at::Tensor>& features, int64_t top_k) {
  Layers layers;
  for (const at::Tensor& x : features) {
    layers.push_back(std::make_shared<model::MoeLayer>(
        x.size(1), std::vector<std::string>(model::kExpertNames.begin(), model::kExpertNames.end()),
        model::AttentionKind::kLinear, model::RouterOptions{kExperts, top_k, 0.01, 0}));
    layers.back()->to(x.device());
  }
  return layers;
}

std::function<void()> Forward(std::vector<Part> parts, const Device& device) {
  return [parts = std::move(parts), device] {
    const torch::NoGradGuard no_grad;
    const model::Bf16Scope autocast(device.torch.type(), device.precision == model::Precision::kBf16);
    for (const Part& part : parts) part.forward(part.input);
  };
}

std::function<void()> ForwardBackward(std::vector<Part> parts, const Device& device) {
  return [parts = std::move(parts), device] {
    for (const Part& part : parts) {
      at::Tensor y;
      {
        const model::Bf16Scope autocast(device.torch.type(), device.precision == model::Precision::kBf16);
        y = part.forward(part.input);
      }
      y.backward(at::ones_like(y));
    }
  };
}

Part Grouped(const std::shared_ptr<model::MoeLayer>& layer, const at::Tensor& x, int64_t top_k) {
  const at::Tensor indices = BalancedIndices(x.size(0), top_k, kExperts);
  const at::Tensor weights = EqualWeights(x.size(0), top_k, x);
  return {[=](const at::Tensor& input) { return layer->Mix(input, weights, indices); }, x};
}

Part PerImage(const std::shared_ptr<model::MoeLayer>& layer, const at::Tensor& x, int64_t top_k) {
  const at::Tensor indices = BalancedIndices(x.size(0), top_k, kExperts);
  const auto experts = layer->named_children()["experts"]->children();
  return {[=](const at::Tensor& input) {
            std::vector<at::Tensor> images;
            for (int64_t b = 0; b < input.size(0); ++b) {
              const at::Tensor image = input.narrow(0, b, 1);
              at::Tensor sum;
              for (int64_t k = 0; k < top_k; ++k) {
                const auto& expert = experts[indices[b][k].item<int64_t>()];
                const at::Tensor y = expert->as<model::Expert>()->Forward(image) / static_cast<double>(top_k);
                sum = sum.defined() ? sum + y : y;
              }
              images.push_back(sum);
            }
            return at::cat(images, 0);
          },
          x};
}

}  // namespace flowtrain::train::bench
