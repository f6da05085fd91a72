// train.upload: the stage around its two forms, one for a GPU and one for the CPU.
#pragma once

#include <flowtrain/stage.h>

#include <memory>
#include <optional>

#include "stages/train/torch/host_upload.h"
#include "stages/train/upload_params.h"

namespace flowtrain::train {

class Upload final : public BatchTransform {
 public:
  explicit Upload(const UploadParams& params) : params_(params) {}
  void Open(OpenContext& context) override;
  Batch Process(const Batch& in, BatchContext& context) override;
  void Close() noexcept override;

 private:
  const UploadParams params_;
  std::optional<HostUpload> host_;
  std::unique_ptr<CudaUpload> cuda_;
};

}  // namespace flowtrain::train
