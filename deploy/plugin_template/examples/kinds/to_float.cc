#include "to_float.h"

namespace kinds {

void ToFloat::Declare(flowtrain::Declaration<Params>& d) {
  d.Type("kinds.to_float", "Turns the images of a batch into numbers from 0 to 1.");
  d.Input("in", {"image"});
  d.Param("residents", &Params::residents, "How many of its batches there may be at once.")
      .Range(1, 16)
      .Affects(flowtrain::Effect::kRuntime);
  d.Residents(&Params::residents);
}

// The shapes are known before the first batch comes.
void ToFloat::Open(flowtrain::OpenContext& context) {
  for (const flowtrain::Tensor& tensor : context.input("in").tensors) {
    if (tensor.name != "image") continue;
    for (std::vector<float>& memory : memory_) memory.resize(static_cast<size_t>(tensor.elements()));
  }
}

flowtrain::Batch ToFloat::Process(const flowtrain::Batch& batch, flowtrain::BatchContext& context) {
  const flowtrain::Tensor& bytes = batch.tensor("image");
  std::vector<float>& memory = memory_.at(static_cast<size_t>(context.resident()));
  size_t i = 0;
  for (const uint8_t byte : bytes.as<uint8_t>()) memory[i++] = static_cast<float>(byte) / 255.0F;
  return context.Derive(batch, {{"image", flowtrain::DType::kF32, bytes.shape, memory.data()}},
                        nullptr);  // ready now: no device is at work on it
}

}  // namespace kinds
