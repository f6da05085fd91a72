// A training step of a classification network: forward, cross entropy, backward, SGD.
#pragma once

#include <memory>

#include "model/network.h"
#include "model/optim/sgd.h"
#include "model/train/device.h"
#include "model/train/recorder.h"

namespace flowtrain::train::bench {

class ClassificationStep {
 public:
  // The network is on the device already. recorder: where given, the step is recorded after three.
  ClassificationStep(std::shared_ptr<model::ClassificationNetwork> network, model::Precision precision,
                     std::unique_ptr<model::Recorder> recorder);
  void Run(const at::Tensor& images, const at::Tensor& classes);

 private:
  void LaunchEach(const at::Tensor& images, const at::Tensor& classes);

  const std::shared_ptr<model::ClassificationNetwork> network_;
  const model::Precision precision_;
  model::Sgd optimizer_;
  const std::unique_ptr<model::Recorder> recorder_;
  std::unique_ptr<model::Recording> recording_;  // of the images and classes it was made with
  int64_t launched_ = 0;
};

}  // namespace flowtrain::train::bench
