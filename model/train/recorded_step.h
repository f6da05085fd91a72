// Forward and backward of a staged network for batches of one shape, recorded in parts: encoding a layer,
// decoding, and each expert by the number of its rows. Launched one by one, a step's 5,000 kernels take the
// host longer than the GPU takes to work them off; recorded they are some 60 launches, and which experts
// run is all that waits for the routing. Owned by the trainer, on its thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/layers/low_precision.h"
#include "model/loss/camoxpert_loss.h"
#include "model/staged_network.h"
#include "model/train/expert_slots.h"
#include "model/train/recorded_expert.h"
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
               const MakeRecorder& make_recorder, const at::Tensor& images, const at::Tensor& masks);

  bool Fits(const at::Tensor& images, const at::Tensor& masks) const;
  // Leaves the gradients in the network's parameters, which must have none before.
  Result Run(const at::Tensor& images, const at::Tensor& masks);
  // Why some experts are no longer recorded; empty: none failed.
  std::string fault() const;

 private:
  // A mixture-of-experts layer between the recordings.
  struct Layer {
    Layer(const EncodedLayer& encoded, int64_t experts) : slots(encoded, experts) {}
    ExpertSlots slots;
    std::vector<RecordedExpert> experts;
  };

  void RecordEncode(const MakeRecorder& make_recorder);
  void RecordDecode(const LossWeights& loss);
  void RecordEncodeBackward();
  void KeepGradients();
  void RecordExperts();

  StagedNetwork& network_;
  LowPrecisionWeights* const low_;  // null: full precision
  const std::unique_ptr<Recorder> recorder_;
  at::Tensor images_, masks_;  // every recording reads and writes the memory it was made with

  std::vector<EncodedLayer> encoded_;  // with their gradients' graph until RecordEncodeBackward
  at::Tensor auxiliary_;
  std::vector<std::unique_ptr<Layer>> layers_;
  LossParts loss_;
  std::vector<std::pair<at::Tensor, at::Tensor>> gradients_;  // a parameter, and its gradient's memory

  std::vector<std::unique_ptr<Recording>> encode_;  // a layer each
  std::unique_ptr<Recording> decode_, encode_backward_;
};

}  // namespace flowtrain::model
