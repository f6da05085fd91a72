// What a forward pass computes under. A local variable on the trainer's thread.
#pragma once

#include <ATen/ATen.h>

#include "model/layers/low_precision.h"
#include "model/layers/autocast_scope.h"

namespace flowtrain::model {

class ForwardScope {
 public:
  // low: the half-type weights, under autocast to their type; null: full precision.
  ForwardScope(at::Device device, const LowPrecisionWeights* low)
      : autocast_(device.type(), low != nullptr), weights_(low) {}

 private:
  const Bf16Scope autocast_;
  const LowPrecisionWeights::Scope weights_;
};

}  // namespace flowtrain::model
