// Runs a module forward as a trainer does, to count what it does.
#pragma once

#include <torch/torch.h>

#include <map>
#include <memory>
#include <string>

#include "model/describe/forward_counter.h"
#include "model/layers/layout.h"
#include "model/train/forward_scope.h"

namespace flowtrain::model {

// forward: one pass through `module`; what it returns is alive while memory is looked at.
template <class Forward>
std::map<std::string, PartCount> MeasureForward(torch::nn::Module& module, bool bf16,
                                                const Forward& forward) {
  const auto low = bf16 ? std::make_unique<LowPrecisionWeights>(module, at::kBFloat16) : nullptr;
  const auto run = [&] {
    const ForwardScope scope(at::kCPU, low.get());
    return forward();
  };
  {
    // Tables of an image's size are made once and kept: they are no batch's.
    const torch::NoGradGuard no_grad;
    run();
  }
  const torch::AutoGradMode with_gradients(true);
  const ForwardCounter counter;
  const auto alive = run();
  return counter.Parts();
}

}  // namespace flowtrain::model
