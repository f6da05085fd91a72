// Runs a CUDA kernel's text on the host: one block after the other, a thread for each of its
// threads, which meet at a barrier where the kernel says __syncthreads. Shared memory is a static
// variable, so it holds the last block's values when the next begins, as on a GPU.
#pragma once

#include <algorithm>
#include <barrier>
#include <bit>
#include <cstddef>
#include <thread>
#include <vector>

#include "stages/train/cuda/depthwise/shape.h"

namespace emulated {

struct Index {
  int x = 0, y = 0, z = 0;
};

inline thread_local Index thread_index, block_index;
inline std::barrier<>* meeting = nullptr;

template <class Kernel>
void Launch(Index grid, const Kernel& kernel) {
  constexpr int kThreads = flowtrain::train::depthwise::kThreads;
  std::barrier<> inside(kThreads), between(kThreads);
  meeting = &inside;
  const auto run = [&](int t) {
    thread_index = {t, 0, 0};
    for (int z = 0; z < grid.z; ++z)
      for (int y = 0; y < grid.y; ++y)
        for (int x = 0; x < grid.x; ++x) {
          block_index = {x, y, z};
          kernel();
          between.arrive_and_wait();  // the next block takes the same shared memory
        }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(run, t);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace emulated

#define KERNEL inline
#define __device__
#define __shared__ static
#define threadIdx emulated::thread_index
#define blockIdx emulated::block_index
#define __syncthreads() emulated::meeting->arrive_and_wait()
#define __uint_as_float(bits) std::bit_cast<float>(static_cast<unsigned>(bits))
#define __float_as_uint(value) std::bit_cast<unsigned>(static_cast<float>(value))
using std::min;
