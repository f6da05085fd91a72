// What the trainer asks of a GPU beyond LibTorch's tensors: streams, events, copies. Implemented in
// libflowtrain_train_cuda.so, so that all else builds and runs without CUDA. Free of LibTorch and
// CUDA.
#pragma once

#include <flowtrain/batch.h>
#include <flowtrain/context.h>

#include <array>
#include <memory>

#include "model/train/recorder.h"

namespace flowtrain::train {

// out = scale x byte + bias, a channel at a time.
struct ByteScale {
  std::array<float, 3> scale, bias;
};

// Copies batches to one GPU on a stream of its own and turns them into numbers there.
class CudaUpload {
 public:
  virtual ~CudaUpload() = default;  // waits for the copies under way
  // On the stage's thread. The input's memory is released by a fence once it was copied; the
  // output's `ready` is a fence for CudaLink::WaitInStream.
  virtual Batch Process(const Batch& in, BatchContext& context) = 0;
};

struct CudaUploadOptions {
  int device = 0;
  bool bf16 = false;
  int residents = 2;
  ByteScale scale;
};

class CudaLink {
 public:
  virtual ~CudaLink() = default;
  // Throws Error for a card whose compute capability LibTorch has no code for.
  virtual void CheckCard(int device) const = 0;
  // Allocates the residents' memory for batches of these tensors.
  virtual std::unique_ptr<CudaUpload> MakeUpload(const CudaUploadOptions& options,
                                                 const std::vector<Tensor>& tensors) = 0;
  // What the calling thread launches on this GPU from now on begins after `fence`; the host goes
  // on.
  virtual void WaitInStream(const FencePtr& fence, int device) = 0;
  // Passes when what the calling thread launched on this GPU so far is done.
  virtual FencePtr RecordInStream(int device) = 0;
  virtual std::unique_ptr<model::Recorder> MakeRecorder(int device) = 0;
};

// What libflowtrain_train_cuda.so exports: its one link, for the life of the process.
using CudaLinkFactory = CudaLink* (*)();
inline constexpr char kCudaLinkFactory[] = "flowtrain_train_cuda_link";

}  // namespace flowtrain::train
