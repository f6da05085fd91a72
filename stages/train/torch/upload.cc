#include "stages/train/torch/upload.h"

#include "stages/train/byte_scale.h"
#include "stages/train/torch/device.h"
#include "stages/train/torch/without_backtrace.h"
#include "stages/train/torch_half.h"

namespace flowtrain::train {

void Upload::Open(OpenContext& context) {
  WithoutBacktrace([&] {
    const std::vector<Tensor>& tensors = context.input("in").tensors;
    const ByteScale scale = ScaleOf(params_.mean);
    const Device device = OpenDevice(context, params_.device, params_.precision);
    if (device.cuda()) {
      const bool bf16 = device.precision == model::Precision::kBf16;
      cuda_ =
          device.link->MakeUpload({device.torch.index(), bf16, params_.residents, scale}, tensors);
    } else {
      host_.emplace(scale, params_.residents, tensors);
    }
  });
}

Batch Upload::Process(const Batch& in, BatchContext& context) {
  return WithoutBacktrace(
      [&] { return cuda_ ? cuda_->Process(in, context) : host_->Process(in, context); });
}

void Upload::Close() noexcept { cuda_.reset(); }

}  // namespace flowtrain::train

extern "C" FLOWTRAIN_API flowtrain::Stage* flowtrain_train_make_upload(
    const flowtrain::train::UploadParams* params) {
  return new flowtrain::train::Upload(*params);
}
