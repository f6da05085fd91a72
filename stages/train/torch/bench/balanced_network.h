// A staged network whose routing is taken out of its hands: every expert gets the same number of images.
// What the network computes is then the same work every step, whatever it has learnt.
#pragma once

#include <memory>

#include "model/staged_network.h"
#include "stages/train/torch/bench/parts.h"

namespace flowtrain::train::bench {

class BalancedNetwork final : public model::StagedNetwork {
 public:
  // `on_host`: the choice lies on the host, so that nobody waits for it.
  BalancedNetwork(std::shared_ptr<model::StagedNetwork> network, bool on_host)
      : network_(register_module("network", std::move(network))), on_host_(on_host) {}

  bool recordable() const override { return network_->recordable(); }
  size_t layers() const override { return network_->layers(); }
  model::EncodedLayer Encode(size_t layer, const torch::Tensor& from) override {
    model::EncodedLayer encoded = network_->Encode(layer, from);
    at::Tensor& chosen = encoded.decision.indices;
    const at::Device device = on_host_ ? at::Device(at::kCPU) : chosen.device();
    const auto count = static_cast<int64_t>(experts(layer).size());
    chosen = BalancedIndices(chosen.size(0), chosen.size(1), count, device);
    return encoded;
  }
  torch::Tensor Mix(size_t layer, const model::EncodedLayer& encoded, const torch::Tensor& chosen) override {
    return network_->Mix(layer, encoded, chosen);
  }
  const std::vector<std::shared_ptr<model::Expert>>& experts(size_t layer) const override {
    return network_->experts(layer);
  }
  model::SegmentationOutput Decode(const std::vector<torch::Tensor>& mixed, int64_t height,
                                   int64_t width) override {
    return network_->Decode(mixed, height, width);
  }

 private:
  const std::shared_ptr<model::StagedNetwork> network_;
  const bool on_host_;
};

}  // namespace flowtrain::train::bench
