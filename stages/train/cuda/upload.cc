#include "stages/train/cuda/upload.h"

#include <c10/cuda/CUDAGuard.h>

namespace flowtrain::train {

StreamUpload::StreamUpload(const CudaUploadOptions& options, std::shared_ptr<EventPool> events,
                           const std::vector<Tensor>& tensors)
    : device_(options.device),
      stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true,
                                           static_cast<c10::DeviceIndex>(options.device))),
      events_(std::move(events)),
      residents_(options.residents) {
  const c10::cuda::CUDAStreamGuard guard(stream_);
  const auto on = [&](at::ScalarType type) {
    return at::TensorOptions(at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device_)))
        .dtype(type);
  };
  scale_ =
      at::tensor(at::ArrayRef<float>(options.scale.scale.data(), 3)).to(on(at::kFloat).device());
  bias_ = at::tensor(at::ArrayRef<float>(options.scale.bias.data(), 3)).to(on(at::kFloat).device());
  of_mask_ = at::full({}, 1.0 / 255, on(at::kFloat));
  for (std::vector<Place>& places : residents_) {
    for (const Tensor& tensor : tensors) {
      Place place{FormOf(tensor), {}, {}};
      if (place.form != UploadForm::kLabel) place.bytes = at::empty(tensor.shape, on(at::kByte));
      const at::ScalarType type = place.form == UploadForm::kLabel                   ? at::kLong
                                  : place.form == UploadForm::kImage && options.bf16 ? at::kBFloat16
                                                                                     : at::kFloat;
      place.numbers = at::empty(tensor.shape, on(type));
      places.push_back(std::move(place));
    }
  }
}

StreamUpload::~StreamUpload() {
  if (cudaStreamSynchronize(stream_.stream()) != cudaSuccess) (void)cudaGetLastError();
}

// One kernel each: computed in float32, rounded once where the output is bf16.
void StreamUpload::Convert(const Place& place, int64_t rows) const {
  at::Tensor numbers = place.numbers.narrow(0, 0, rows);
  if (place.form == UploadForm::kImage) {
    at::addcmul_out(numbers, bias_, place.bytes.narrow(0, 0, rows), scale_);
  } else if (place.form == UploadForm::kMask) {
    at::mul_out(numbers, place.bytes.narrow(0, 0, rows), of_mask_);
  }
}

Batch StreamUpload::Process(const Batch& in, BatchContext& context) {
  const c10::InferenceMode no_gradients;
  const c10::cuda::CUDAStreamGuard guard(stream_);
  const std::vector<Place>& places = residents_.at(context.resident());
  const int64_t rows = in.rows();
  if (in.ready() != nullptr) in.ready()->Wait();
  for (size_t t = 0; t < places.size(); ++t) {
    const Tensor& from = in.content().tensors.at(t);
    const at::Tensor& to =
        places[t].form == UploadForm::kLabel ? places[t].numbers : places[t].bytes;
    const size_t bytes =
        from.bytes() / static_cast<size_t>(from.shape[0]) * static_cast<size_t>(rows);
    CheckCuda(
        cudaMemcpyAsync(to.data_ptr(), from.data, bytes, cudaMemcpyHostToDevice, stream_.stream()),
        "copying a batch to the GPU");
  }
  in.ReleaseAfter(events_->Record(stream_.stream()));
  std::vector<Tensor> tensors;
  for (size_t t = 0; t < places.size(); ++t) {
    Convert(places[t], rows);
    const Tensor& from = in.content().tensors[t];
    const at::Tensor& numbers = places[t].numbers;
    const DType type = numbers.scalar_type() == at::kLong    ? DType::kI64
                       : numbers.scalar_type() == at::kFloat ? DType::kF32
                                                             : DType::kBF16;
    tensors.push_back({from.name, type, from.shape, numbers.data_ptr(), device_, false});
  }
  return context.Derive(in, std::move(tensors), events_->Record(stream_.stream()));
}

}  // namespace flowtrain::train
