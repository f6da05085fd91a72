#include "stages/train/torch/bench/classification_step.h"

#include "model/loss/cross_entropy.h"
#include "model/layers/autocast_scope.h"

namespace flowtrain::train::bench {

ClassificationStep::ClassificationStep(std::shared_ptr<model::ClassificationNetwork> network,
                                       model::Precision precision,
                                       std::unique_ptr<model::Recorder> recorder)
    : network_(std::move(network)),
      precision_(precision),
      optimizer_(network_->parameters(), {.lr = 0.1, .momentum = 0.9, .weight_decay = 2e-5}),
      recorder_(std::move(recorder)) {}

void ClassificationStep::LaunchEach(const at::Tensor& images, const at::Tensor& classes) {
  network_->zero_grad();
  at::Tensor logits;
  {
    const model::Bf16Scope autocast(images.device().type(), precision_ == model::Precision::kBf16);
    logits = network_->Forward(images);
  }
  model::CrossEntropy(logits, classes, 0.1).backward();
  optimizer_.Step();
}

void ClassificationStep::Run(const at::Tensor& images, const at::Tensor& classes) {
  constexpr int64_t kSettled = 3;
  if (recording_ == nullptr && (recorder_ == nullptr || launched_ < kSettled)) {
    ++launched_;
    return LaunchEach(images, classes);
  }
  if (recording_ == nullptr) recording_ = recorder_->Record([&] { LaunchEach(images, classes); });
  recording_->Replay();
}

}  // namespace flowtrain::train::bench
