// weight'[c, dy, dx] = sum over n, y, x of out'[n, y, x, c] in[n, y + dy - k/2, x + dx - k/2, c]
// where that pixel is in the image, bias'[c] = sum of out'[n, y, x, c]. Without atomic additions,
// so that the same batch gives the same gradient: first each block's sums, in float, then the sum
// over blocks.
//
// partials: [blocks of pixels, k k + 1, C], the last row the bias's. Grid: (blocks of pixels,
// blocks of channels, k): a block works on one line of taps, dy = blockIdx.z, whose k sums for each
// channel of its pack a thread holds in registers, at most 10 x 8 with the bias's. All k x k would
// be 648 for k = 9. The price is to read out' k times instead of once, beside in, which is read
// k x k times in any case.
KERNEL void DepthwiseWeightPartials(const Number* __restrict__ gradient,
                                    const Number* __restrict__ in, float* __restrict__ partials,
                                    flowtrain::train::depthwise::Shape shape) {
  using namespace flowtrain::train::depthwise;
  __shared__ float sums[kThreads * kVector];  // [rows, channels of the block]
  const int block_channels = shape.vectors * kVector;
  const int first = blockIdx.y * block_channels, dy = blockIdx.z;
  const int row = threadIdx.x / shape.vectors, rows = kThreads / shape.vectors;
  const int in_block = threadIdx.x % shape.vectors * kVector, channel = first + in_block;
  float sum[kSide + 1][kVector] = {};  // a line of taps, then the bias
  if (row < rows && channel < shape.channels) {
    const int begin = blockIdx.x * shape.block_pixels;
    const int end = min(begin + shape.block_pixels, shape.pixels);
    for (int pixel = begin + row; pixel < end; pixel += rows) {
      const int x = pixel % shape.width, from_y = pixel / shape.width % shape.height + dy - kReach;
      const Pack given = *reinterpret_cast<const Pack*>(
          gradient + static_cast<long long>(pixel) * shape.channels + channel);
      for (int v = 0; v < kVector; ++v) sum[kSide][v] += ToFloat(given.of[v]);
      if (from_y < 0 || from_y >= shape.height) continue;
      const int line = pixel - x + (dy - kReach) * shape.width;  // its first pixel
#pragma unroll
      for (int dx = 0; dx < kSide; ++dx) {
        const Pack near =
            ReadOrZero(in, line, x + dx - kReach, shape.width, shape.channels, channel);
        for (int v = 0; v < kVector; ++v) sum[dx][v] += ToFloat(given.of[v]) * ToFloat(near.of[v]);
      }
    }
  }
#pragma unroll
  for (int dx = 0; dx <= kSide; ++dx) {
    if (dx == kSide && dy != 0) break;  // the bias's sums are written once
    __syncthreads();
    if (row < rows)
      for (int v = 0; v < kVector; ++v) sums[row * block_channels + in_block + v] = sum[dx][v];
    __syncthreads();
    const int mine = threadIdx.x;
    if (mine < block_channels && first + mine < shape.channels) {
      float total = 0;
      for (int r = 0; r < rows; ++r) total += sums[r * block_channels + mine];
      const int tap = dx < kSide ? dy * kSide + dx : kTaps;
      const long long place = static_cast<long long>(blockIdx.x) * (kTaps + 1) + tap;
      partials[place * shape.channels + first + mine] = total;
    }
  }
}

// Sums partials over their blocks. Grid: (channels / 32 rounded up, k k + 1), by SumOverBlocks.
// weight_gradient: [C, k, k].
KERNEL void DepthwiseWeightSum(const float* __restrict__ partials, int blocks, int channels,
                               Number* __restrict__ weight_gradient,
                               Number* __restrict__ bias_gradient) {
  const int channel = blockIdx.x * 32 + threadIdx.x % 32, tap = blockIdx.y;
  const float sum = SumOverBlocks(partials, blocks, kTaps + 1, tap, channels, channel);
  if (threadIdx.x >= 32 || channel >= channels) return;
  if (tap < kTaps) {
    weight_gradient[channel * kTaps + tap] = FromFloat(sum);
  } else {
    bias_gradient[channel] = FromFloat(sum);
  }
}
