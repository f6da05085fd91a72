// train.upload on a GPU: copies and conversions on a stream of high priority, beside the training
// stream's work. On the stage's thread.
#pragma once

#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>
#include <vector>

#include "stages/train/check_upload_tensors.h"
#include "stages/train/cuda/events.h"
#include "stages/train/cuda_link.h"

namespace flowtrain::train {

class StreamUpload final : public CudaUpload {
 public:
  StreamUpload(const CudaUploadOptions& options, std::shared_ptr<EventPool> events,
               const std::vector<Tensor>& tensors);
  ~StreamUpload() override;
  Batch Process(const Batch& in, BatchContext& context) override;

 private:
  struct Place {
    UploadForm form;
    at::Tensor bytes;    // as staged; none for labels, which are copied to `numbers`
    at::Tensor numbers;  // what the trainer reads
  };
  void Convert(const Place& place, int64_t rows) const;

  const int device_;
  const c10::cuda::CUDAStream stream_;
  const std::shared_ptr<EventPool> events_;
  at::Tensor scale_, bias_, of_mask_;
  std::vector<std::vector<Place>> residents_;  // [resident][tensor]
};

}  // namespace flowtrain::train
