// Runs a CUDA kernel's text on the host: one block after the other, a thread for each of its
// threads, which meet at a barrier where the kernel says __syncthreads. Shared memory is a static
// variable, so it holds the last block's values when the next begins, as on a GPU.
#pragma once

#include <algorithm>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

namespace emulated {

constexpr int kThreads = 256;  // of a block: the bounds in stages/train/cuda/jit/source.cc.in

struct Index {
  int x = 0, y = 0, z = 0;
};

inline thread_local Index thread_index, block_index;
inline std::barrier<>* meeting = nullptr;

template <class Kernel>
void Launch(Index grid, const Kernel& kernel) {
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

// What the thread `distance` away in its warp hands over, as all threads of the block do at once.
inline float Exchange(float value, int distance) {
  static float handed[kThreads];
  handed[thread_index.x] = value;
  meeting->arrive_and_wait();
  const float other = handed[thread_index.x ^ distance];
  meeting->arrive_and_wait();
  return other;
}

// Small integers over 8: bfloat16 holds them, float holds every sum of them without rounding.
inline std::vector<float> Eighths(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 17) - 8) / 8;
  return values;
}

}  // namespace emulated

#define KERNEL inline
#define __device__
#define __shared__ static
#define threadIdx emulated::thread_index
#define blockIdx emulated::block_index
#define __syncthreads() emulated::meeting->arrive_and_wait()
#define __shfl_xor_sync(mask, value, distance) emulated::Exchange(value, distance)
#define rsqrtf(value) (1.0f / std::sqrt(value))
#define __uint_as_float(bits) std::bit_cast<float>(static_cast<unsigned>(bits))
#define __float_as_uint(value) std::bit_cast<unsigned>(static_cast<float>(value))
using std::min;
