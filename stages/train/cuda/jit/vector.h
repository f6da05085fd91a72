// How much of a tensor a thread reads at once. Free of CUDA and LibTorch.
#pragma once

#include <cstdint>

namespace flowtrain::train {

// The channels a thread works on: as many as 16 bytes hold, where the channels divide by them and
// `address`, the bitwise or of the tensors' addresses, is theirs to read at once.
inline int VectorFor(int64_t channels, int64_t number_bytes, uintptr_t address) {
  int64_t vector = 16 / number_bytes;
  while (channels % vector != 0 || address % static_cast<uintptr_t>(vector * number_bytes) != 0)
    vector /= 2;
  return static_cast<int>(vector);
}

}  // namespace flowtrain::train
