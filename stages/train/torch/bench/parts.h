// Parts of CamoXpert as they stand in a network of some backbone and image size, with made-up inputs and
// routing: what comparisons are made of.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <vector>

#include "model/camoxpert_options.h"
#include "model/moe_layer.h"
#include "stages/train/bench/options.h"
#include "stages/train/torch/device.h"

namespace flowtrain::train::bench {

// A batch of images of noise, in the type that the device computes in and the layout of the options.
at::Tensor RandomImages(const BenchOptions& options, const Device& device);

// As the options have it, all else as it is by default.
model::CamoXpertOptions NetworkOptions(const BenchOptions& options);

// The four feature maps of a batch, channels-last, in the type that the device computes in.
std::vector<at::Tensor> Features(const BenchOptions& options, const Device& device);

// Choice j of image b: expert (b k + j) mod E.
at::Tensor BalancedIndices(int64_t batch, int64_t top_k, int64_t experts, at::Device device = at::kCPU);

using Layers = std::vector<std::shared_ptr<model::MoeLayer>>;
Layers MoeLayers(const std::vector<at::Tensor>& features, int64_t top_k);

// What is timed: a function of inputs that need gradients, and what it is called with.
struct Part {
  std::function<at::Tensor(const at::Tensor&)> forward;
  at::Tensor input;
};

// All parts one behind the other, forward or forward and backward.
std::function<void()> Forward(std::vector<Part> parts, const Device& device);
std::function<void()> ForwardBackward(std::vector<Part> parts, const Device& device);

// The experts' weighted sum as grouped dispatch computes it, and image by image.
Part Grouped(const std::shared_ptr<model::MoeLayer>& layer, const at::Tensor& x, int64_t top_k);
Part PerImage(const std::shared_ptr<model::MoeLayer>& layer, const at::Tensor& x, int64_t top_k);

}  // namespace flowtrain::train::bench
