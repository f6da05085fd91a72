// How a depthwise convolution is shared out among a GPU's threads.
#include <doctest/doctest.h>

#include "stages/train/cuda/depthwise/plan.h"
#include "stages/train/cuda/jit/vector.h"

namespace flowtrain::train::depthwise {
namespace {

TEST_CASE("a depthwise plan covers all pixels and channels, with a block's within its limits") {
  for (const int64_t channels : {1, 20, 80, 129, 146, 584, 1160})
    for (const int64_t bytes : {2, 4})
      for (const int64_t images : {1, 5, 32})
        for (const int64_t side : {1, 7, 88})
          for (const int lines : {1, 3, 9}) {
            const int vector = VectorFor(channels, bytes, 512);
            const Plan plan = PlanFor(images, side, side, channels, vector, lines, 132);
            const int64_t block = int64_t{plan.shape.vectors} * vector;
            CHECK(channels % vector == 0);
            CHECK(block <= kMostChannels);
            CHECK(block * plan.channel_blocks >= channels);
            CHECK(block * (plan.channel_blocks - 1) < channels);
            const int64_t pixels = images * side * side;
            CHECK(int64_t{plan.shape.block_pixels} * plan.pixel_blocks >= pixels);
            CHECK(int64_t{plan.shape.block_pixels} * (plan.pixel_blocks - 1) < pixels);
            CHECK(int64_t{plan.pixel_blocks} * plan.channel_blocks * lines <= 8 * 132);
          }
}

TEST_CASE("a depthwise vector is as wide as channels and addresses allow") {
  CHECK(VectorFor(80, 2, 512) == 8);
  CHECK(VectorFor(20, 2, 512) == 4);
  CHECK(VectorFor(146, 2, 512) == 2);
  CHECK(VectorFor(5, 2, 512) == 1);
  CHECK(VectorFor(80, 4, 512) == 4);
  CHECK(VectorFor(80, 2, 512 + 8) == 4);
  CHECK(VectorFor(80, 2, 512 + 2) == 1);
}

}  // namespace
}  // namespace flowtrain::train::depthwise
