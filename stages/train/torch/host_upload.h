// train.upload on a CPU: bytes to float32, into memory of the stage's own. On the stage's thread.
#pragma once

#include <flowtrain/batch.h>
#include <flowtrain/context.h>
#include <flowtrain/sample.h>

#include <array>
#include <vector>

#include "stages/train/cuda_link.h"

namespace flowtrain::train {

class HostUpload {
 public:
  // Allocates the residents' memory for batches of these tensors.
  HostUpload(const ByteScale& scale, int residents, const std::vector<Tensor>& tensors);
  Batch Process(const Batch& in, BatchContext& context);

 private:
  std::array<std::array<float, 256>, 3> number_;  // [channel][byte]
  std::vector<std::vector<Buffer>> residents_;    // [resident][tensor]
};

}  // namespace flowtrain::train
