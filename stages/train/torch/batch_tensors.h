// A batch as the trainer's tensors: views, no copies. On the trainer's thread.
#pragma once

#include <ATen/ATen.h>
#include <flowtrain/batch.h>

#include "stages/train/torch/device.h"

namespace flowtrain::train {

struct BatchTensors {
  at::Tensor images;  // [rows, 3, H, W], channels last
  at::Tensor masks;   // [rows, 1, H, W]
  int64_t rows() const { return images.size(0); }
};

enum class Rows : uint8_t {
  kAllGood,     // but those that could not be decoded
  kNotPadding,  // nor those that repeat a sample to fill the batch
};

// The rows asked for; there may be none. What is computed with them begins when the batch is ready:
// on a GPU the stream waits, not the host. The tensors hold the batch. Throws Error, naming the
// tensor, where it isn't on the device or hasn't been through train.upload.
BatchTensors TensorsOf(const Batch& batch, const Device& device, Rows rows);

// Lets the batch's memory be reused once what was computed with it so far is done.
void ReleaseAfterWork(const Batch& batch, const Device& device);

}  // namespace flowtrain::train
