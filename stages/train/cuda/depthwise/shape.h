// How a depthwise convolution is shared out among threads: what each kernel is told, and what their
// text says of them. Read by the compiler of the host and by that of the GPU: nothing is included.
#ifndef FLOWTRAIN_TRAIN_DEPTHWISE_SHAPE
#define FLOWTRAIN_TRAIN_DEPTHWISE_SHAPE

namespace flowtrain::train::depthwise {

constexpr int kThreads = 256;       // a block's
constexpr int kMostChannels = 128;  // a block's: 9 x 9 taps of these are 41 KB of shared memory

// A block works on `vectors` vectors of channels (blockIdx.y says which) of `block_pixels` pixels
// (blockIdx.x). Its threads are `vectors` lanes by kThreads / vectors rows; a row takes a pixel at
// a time. The threads left over idle.
struct Shape {
  int height, width, channels;
  int pixels;  // images x height x width, at most 2^30
  int vectors;
  int block_pixels;
};

}  // namespace flowtrain::train::depthwise

#endif
