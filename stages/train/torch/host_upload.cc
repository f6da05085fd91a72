#include "stages/train/torch/host_upload.h"

#include <cstring>

#include "stages/train/check_upload_tensors.h"

namespace flowtrain::train {
namespace {

size_t OutputBytes(const Tensor& in) {
  const size_t element = FormOf(in) == UploadForm::kLabel ? sizeof(int64_t) : sizeof(float);
  return static_cast<size_t>(in.elements()) * element;
}

}  // namespace

HostUpload::HostUpload(const ByteScale& scale, int residents, const std::vector<Tensor>& tensors)
    : residents_(residents) {
  for (size_t c = 0; c < 3; ++c) {
    for (int byte = 0; byte < 256; ++byte)
      number_[c][byte] = static_cast<float>(byte) * scale.scale[c] + scale.bias[c];
  }
  for (std::vector<Buffer>& buffers : residents_) {
    for (const Tensor& tensor : tensors) buffers.push_back(Buffer::Allocate(OutputBytes(tensor)));
  }
}

Batch HostUpload::Process(const Batch& in, BatchContext& context) {
  if (in.ready() != nullptr) in.ready()->Wait();
  std::vector<Buffer>& buffers = residents_.at(context.resident());
  std::vector<Tensor> tensors;
  for (size_t t = 0; t < in.content().tensors.size(); ++t) {
    const Tensor& from = in.content().tensors[t];
    Tensor to{from.name, DType::kF32, from.shape, buffers.at(t).data.get(), -1, false};
    // Rows that aren't filled stay as an earlier batch left them: nobody reads them.
    const size_t elements = static_cast<size_t>(from.elements() / from.shape[0]) * in.rows();
    const auto* bytes = static_cast<const uint8_t*>(from.data);
    auto* numbers = static_cast<float*>(to.data);
    switch (FormOf(from)) {
      case UploadForm::kImage:
        for (size_t i = 0; i < elements; i += 3) {
          for (size_t c = 0; c < 3; ++c) numbers[i + c] = number_[c][bytes[i + c]];
        }
        break;
      case UploadForm::kMask:
        for (size_t i = 0; i < elements; ++i) numbers[i] = static_cast<float>(bytes[i]) / 255.0f;
        break;
      case UploadForm::kLabel:
        to.dtype = DType::kI64;
        std::memcpy(to.data, from.data, elements * sizeof(int64_t));
        break;
    }
    tensors.push_back(std::move(to));
  }
  return context.Derive(in, std::move(tensors), nullptr);
}

}  // namespace flowtrain::train
