#include "model/staged_network.h"

#include "model/host_copy.h"

namespace flowtrain::model {

torch::Tensor AuxiliaryLoss(const std::vector<EncodedLayer>& layers) {
  auto sum = layers.at(0).decision.auxiliary;
  for (size_t i = 1; i < layers.size(); ++i) sum = sum + layers[i].decision.auxiliary;
  return sum;
}

SegmentationOutput StagedNetwork::Forward(const torch::Tensor& images) {
  std::vector<EncodedLayer> encoded;
  std::vector<HostCopy> chosen;
  for (size_t i = 0; i < layers(); ++i) {
    encoded.push_back(Encode(i, i == 0 ? images : encoded.back().next_from));
    chosen.emplace_back(encoded.back().decision.indices);
  }
  std::vector<torch::Tensor> mixed;
  for (size_t i = 0; i < layers(); ++i) mixed.push_back(Mix(i, encoded[i], chosen[i].Wait()));
  SegmentationOutput output = Decode(mixed, images.size(2), images.size(3));
  output.auxiliary = AuxiliaryLoss(encoded);
  for (const EncodedLayer& layer : encoded) output.routing.push_back(RoutingOf(layer.decision));
  return output;
}

}  // namespace flowtrain::model
