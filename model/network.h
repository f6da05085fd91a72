// What a trainer needs of a network: one forward call. Segmentation: model/camoxpert, and what plugins
// provide (model/network_provider.h); classification: model/resnet, model/edgenext_classifier. Called on
// the trainer's thread only.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace flowtrain::model {

// Of an image's height and width, in pixels: backbones halve them five times.
inline constexpr int64_t kSmallestSide = 32;

// Routing of one mixture-of-experts layer for the batch just forwarded (no gradients).
struct Routing {
  torch::Tensor indices;  // [B, top_k] int64, device of the input
  torch::Tensor weights;  // [B, top_k] float, softmax over the chosen logits
  torch::Tensor usage;    // [experts] float, count of images routed to each expert
};

struct SegmentationOutput {
  torch::Tensor logits;                // [B, 1, H, W] at the input's size
  std::vector<torch::Tensor> deep;     // side logits, [B, 1, h, w], only while training with deep supervision
  torch::Tensor auxiliary;             // scalar float32: the routers' loss, already weighted; zero or undefined if none
  std::vector<Routing> routing;        // one per mixture-of-experts layer
};

class SegmentationNetwork : public torch::nn::Module {
 public:
  // images: [B, 3, H, W] float, bfloat16 or half, normalised; sides of kSmallestSide and more.
  virtual SegmentationOutput Forward(const torch::Tensor& images) = 0;
};

class ClassificationNetwork : public torch::nn::Module {
 public:
  // images: [B, 3, H, W] float, bfloat16 or half, normalised; sides as above -> logits [B, classes].
  virtual torch::Tensor Forward(const torch::Tensor& images) = 0;
};

}  // namespace flowtrain::model
