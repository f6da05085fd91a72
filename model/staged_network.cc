#include "model/staged_network.h"

namespace flowtrain::model {

torch::Tensor AuxiliaryLoss(const Encoded& encoded) {
  if (encoded.decisions.empty()) {
    return at::zeros({}, encoded.features.at(0).options().dtype(at::kFloat).requires_grad(false));
  }
  auto sum = encoded.decisions[0].auxiliary;
  for (size_t i = 1; i < encoded.decisions.size(); ++i) sum = sum + encoded.decisions[i].auxiliary;
  return sum;
}

std::vector<Routing> RoutingOf(const Encoded& encoded) {
  std::vector<Routing> routing;
  for (const auto& decision : encoded.decisions) {
    routing.push_back({decision.indices, decision.weights.detach(), decision.usage});
  }
  return routing;
}

SegmentationOutput StagedNetwork::Forward(const torch::Tensor& images) {
  const Encoded encoded = Encode(images);
  SegmentationOutput output = Decode(Mix(encoded), images.size(2), images.size(3));
  output.auxiliary = AuxiliaryLoss(encoded);
  output.routing = RoutingOf(encoded);
  return output;
}

}  // namespace flowtrain::model
