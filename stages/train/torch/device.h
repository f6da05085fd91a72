// From a graph's words to the device a stage works on: opens the plugin's CUDA part, and with it
// LibTorch's, where the machine has a driver. In Open, on the main thread.
#pragma once

#include <ATen/ATen.h>
#include <flowtrain/context.h>

#include <string>

#include "model/train/device.h"
#include "stages/train/cuda_link.h"

namespace flowtrain::train {

struct Device {
  at::Device torch = at::kCPU;
  CudaLink* link = nullptr;  // null: the CPU
  model::Precision precision = model::Precision::kFloat32;
  bool cuda() const { return link != nullptr; }
  std::string name() const { return torch.str(); }
  at::ScalarType image_type() const {
    return precision == model::Precision::kBf16 ? at::kBFloat16 : at::kFloat;
  }
  // What makes recorders for it; null on the CPU.
  model::MakeRecorder make_recorder() const {
    if (!cuda()) return {};
    return [link = link, index = torch.index()] { return link->MakeRecorder(index); };
  }
  const char* precision_name() const {
    return precision == model::Precision::kBf16 ? "bf16" : "float32";
  }
};

// device: auto, cpu, cuda, cuda:N; precision: auto, float32, bf16. To be called before anything
// else asks LibTorch for GPUs: it looks for its CUDA half once, at the first question. Warns where
// auto passes over a GPU; refuses another word, a GPU that isn't there, and a card that is too old.
Device OpenDevice(OpenContext& context, const std::string& device, const std::string& precision);
// The same without a run around it: throws what it refuses, and warns on standard error.
Device OpenDevice(const std::string& device, const std::string& precision);

}  // namespace flowtrain::train
