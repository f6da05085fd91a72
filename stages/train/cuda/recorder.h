// Records launches as CUDA graphs. On the trainer's thread.
#pragma once

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>

#include "model/train/recorder.h"

namespace flowtrain::train {

class GraphRecorder final : public model::Recorder {
 public:
  explicit GraphRecorder(int device);
  void ReleaseCache() override;
  bool HasRoom() override;
  std::unique_ptr<model::Recording> Record(const std::function<void()>& work) override;

 private:
  void Abandon(at::cuda::CUDAGraph& graph) const;

  const c10::cuda::CUDAStream stream_;  // of recordings alone, which are made one after the other
  const at::cuda::MempoolId_t pool_;
};

}  // namespace flowtrain::train
