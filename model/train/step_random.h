// Random numbers of a training step: a function of (seed, step), so that a resumed run draws what the
// undisturbed one would have drawn. On the trainer's thread; the generators are LibTorch's own.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace flowtrain::model {

// Reseeds the CPU's default generator and, for a GPU, that one's.
void SeedStep(at::Device device, uint64_t seed, int64_t step);

}  // namespace flowtrain::model
