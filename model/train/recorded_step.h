// Forward and backward of a staged network for batches of one shape, its first and last part recorded:
// the host launches what depends on the routing, and a few recordings. Of a step's 5,000 launches two
// thirds are the same every time; launched one by one they take longer than the GPU does to work them
// off. Owned by the trainer, on its thread.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "model/layers/low_precision.h"
#include "model/loss/camoxpert_loss.h"
#include "model/staged_network.h"
#include "model/train/recorder.h"

namespace flowtrain::model {

class RecordedStep {
 public:
  struct Result {
    LossParts loss;
    std::vector<at::Tensor> usage;  // per mixture-of-experts layer
  };

  // Records for batches like this one. The network is in training mode, and has been through a step
  // like this before, so that plans and handles are made. Throws what the device throws.
  RecordedStep(StagedNetwork& network, const LossWeights& loss, LowPrecisionWeights* low,
               std::unique_ptr<Recorder> recorder, const at::Tensor& images,
               const at::Tensor& masks);

  bool Fits(const at::Tensor& images, const at::Tensor& masks) const;
  // Leaves the gradients in the network's parameters, which must have none before.
  Result Run(const at::Tensor& images, const at::Tensor& masks);

 private:
  void RecordEncode();
  void RecordDecode(const LossWeights& loss);
  void RecordEncodeBackward();
  void KeepGradients();

  StagedNetwork& network_;
  LowPrecisionWeights* const low_;  // null: full precision
  const std::unique_ptr<Recorder> recorder_;
  at::Tensor images_, masks_;  // every recording reads and writes the memory it was made with

  std::vector<EncodedLayer> encoded_;  // with their gradients' graph until RecordEncodeBackward
  at::Tensor auxiliary_;
  std::vector<at::Tensor> mixed_;  // leaves
  LossParts loss_;
  std::vector<at::Tensor> feature_gradients_, weight_gradients_;
  std::vector<std::pair<at::Tensor, at::Tensor>> gradients_;  // a parameter, and its recorded gradient

  std::vector<std::unique_ptr<Recording>> encode_;  // a layer each
  std::unique_ptr<Recording> decode_, encode_backward_;
};

}  // namespace flowtrain::model
