// What train.upload takes: said at the start, before any memory is taken. Used by both its forms.
#pragma once

#include <flowtrain/batch.h>
#include <flowtrain/error.h>

#include <vector>

namespace flowtrain::train {

enum class UploadForm : uint8_t { kImage, kMask, kLabel };

// Throws Error naming the tensor, its type and what is allowed.
inline UploadForm FormOf(const Tensor& tensor) {
  const auto bytes_of = [&](int64_t channels) {
    return tensor.dtype == DType::kU8 && tensor.shape.size() == 4 && tensor.shape[3] == channels;
  };
  if (tensor.name == "image" && bytes_of(3)) return UploadForm::kImage;
  if (tensor.name == "mask" && bytes_of(1)) return UploadForm::kMask;
  if (tensor.dtype == DType::kI64) return UploadForm::kLabel;
  std::string shape;
  for (const int64_t side : tensor.shape)
    shape += (shape.empty() ? "" : ", ") + std::to_string(side);
  throw Error(
      "tensor \"" + tensor.name + "\" is " + DTypeName(tensor.dtype) + " [" + shape +
      "]; allowed: uint8 \"image\" [B, H, W, 3], uint8 \"mask\" [B, H, W, 1], int64 labels");
}

}  // namespace flowtrain::train
