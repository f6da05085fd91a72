#include "train/fit_batch.h"

#include <flowtrain/rng.h>

#include <memory>
#include <vector>

namespace flowtrain::train::test {
namespace {

template <class T>
BatchContent Made(const BatchShape& shape, uint64_t epoch, uint64_t index, DType type, T one) {
  struct Memory {
    std::vector<T> image, mask;
  };
  auto memory = std::make_shared<Memory>();
  const size_t pixels = static_cast<size_t>(shape.rows) * shape.side * shape.side;
  Rng rng(1, Rng::HashStream("fit batch"), epoch, index);
  for (size_t i = 0; i < pixels; ++i) {
    const int x = static_cast<int>(i) % shape.side;
    const bool object = x / 16 == static_cast<int>((epoch + index) % 4);
    memory->mask.push_back(object ? one : T{});
    for (int c = 0; c < 3; ++c)
      memory->image.push_back(static_cast<T>(static_cast<double>(one) *
                                             rng.Uniform(object ? 0.5 : 0.0, object ? 1.0 : 0.5)));
  }
  BatchContent content;
  content.epoch = epoch;
  content.index = index;
  content.batches_per_epoch = shape.batches_per_epoch;
  content.rows = shape.rows;
  content.tensors = {{"image", type, {shape.rows, shape.side, shape.side, 3}, memory->image.data()},
                     {"mask", type, {shape.rows, shape.side, shape.side, 1}, memory->mask.data()}};
  content.ids.resize(shape.rows);
  content.on_release = [memory](const std::vector<FencePtr>&) {};
  return content;
}

}  // namespace

InputInfo InfoOf(const BatchShape& shape) {
  InputInfo info;
  info.batch = shape.rows;
  info.batches_per_epoch = shape.batches_per_epoch;
  info.samples_per_epoch = shape.batches_per_epoch * shape.rows;
  info.tensors = ByteContent({shape.rows, shape.side, 1}, 0, 0).tensors;
  for (Tensor& tensor : info.tensors) tensor.data = nullptr;
  info.connected = true;
  return info;
}

BatchContent FitContent(const BatchShape& shape, uint64_t epoch, uint64_t index) {
  return Made<float>(shape, epoch, index, DType::kF32, 1.0f);
}

BatchContent ByteContent(const BatchShape& shape, uint64_t epoch, uint64_t index) {
  return Made<uint8_t>(shape, epoch, index, DType::kU8, 255);
}

}  // namespace flowtrain::train::test
