// Batches such as train.upload hands on, made by the test. For tests; one thread.
#pragma once

#include <flowtrain/batch.h>
#include <flowtrain/context.h>

#include <cstdint>

namespace flowtrain::train::test {

struct BatchShape {
  int rows = 2;
  int side = 64;
  uint64_t batches_per_epoch = 2;
};
inline constexpr BatchShape kShape;  // what will do for most tests

// What a trainer is told of an input with such batches.
InputInfo InfoOf(const BatchShape& shape);
// float32 image and mask; the same content for the same epoch and index.
BatchContent FitContent(const BatchShape& shape, uint64_t epoch, uint64_t index);
// uint8 image and mask, as they leave staging.
BatchContent ByteContent(const BatchShape& shape, uint64_t epoch, uint64_t index);

}  // namespace flowtrain::train::test
