// From a tensor's sizes to a kernel's launch. Free of CUDA and LibTorch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/train/cuda/depthwise/shape.h"

namespace flowtrain::train::depthwise {

struct Plan {
  Shape shape;
  int pixel_blocks, channel_blocks;
};

// For [images, height, width, channels]. `lines`: blocks that work on the same pixels and channels.
// Eight blocks are the 2048 threads that a multiprocessor holds; more would bring their taps, or
// leave their partial sums, for fewer pixels each.
inline Plan PlanFor(int64_t images, int64_t height, int64_t width, int64_t channels, int vector,
                    int lines, int processors) {
  const auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t pixels = images * height * width;
  const int64_t channel_blocks = up(channels, kMostChannels);
  const int64_t vectors = up(channels / vector, channel_blocks);
  const int64_t rows = kThreads / vectors;
  const int64_t fill = std::max<int64_t>(1, 8LL * processors / (channel_blocks * lines));
  const int64_t block_pixels = up(pixels, std::min(fill, up(pixels, rows)));
  Plan plan;
  plan.shape = {static_cast<int>(height),   static_cast<int>(width),
                static_cast<int>(channels), static_cast<int>(pixels),
                static_cast<int>(vectors),  static_cast<int>(block_pixels)};
  plan.pixel_blocks = static_cast<int>(up(pixels, block_pixels));
  plan.channel_blocks = static_cast<int>(up(channels / vector, vectors));
  return plan;
}

}  // namespace flowtrain::train::depthwise
