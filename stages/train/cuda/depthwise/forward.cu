// out[n, y, x, c] = bias[c] +
//                   sum over dy, dx of weight[c, dy, dx] in[n, y + dy - k/2, x + dx - k/2, c]
// where that pixel is in the image. in, out: [N, H, W, C]; weight: [C, k, k]; bias: [C] or null.
// Summed in float, rounded once.
//
// With `flipped` the taps are taken from the last to the first, which makes of a gradient by out
// the gradient by in: in'[y, x] = sum of weight[dy, dx] out'[y - (dy - k/2), x - (dx - k/2)].
//
// Grid: (blocks of pixels, blocks of channels). Each block first brings its channels' taps to
// shared memory as [k k, channels], so that a thread reads those of its pack at once, and no kernel
// more has to be launched to turn the weights.
KERNEL void DepthwiseForward(const Number* __restrict__ in, const Number* __restrict__ weight,
                             const Number* __restrict__ bias, int flipped, Number* __restrict__ out,
                             flowtrain::train::depthwise::Shape shape) {
  using namespace flowtrain::train::depthwise;
  alignas(16) __shared__ float taps[kTaps * kMostChannels];
  const int block_channels = shape.vectors * kVector;
  const int first = blockIdx.y * block_channels;
  for (int i = threadIdx.x; i < kTaps * block_channels; i += kThreads) {
    const int tap = i / block_channels, channel = first + i % block_channels;
    if (channel < shape.channels)
      taps[i] = ToFloat(weight[channel * kTaps + (flipped ? kTaps - 1 - tap : tap)]);
  }
  __syncthreads();

  const int row = threadIdx.x / shape.vectors, rows = kThreads / shape.vectors;
  const int in_block = threadIdx.x % shape.vectors * kVector, channel = first + in_block;
  if (row >= rows || channel >= shape.channels) return;
  float start[kVector];
  for (int v = 0; v < kVector; ++v) start[v] = bias ? ToFloat(bias[channel + v]) : 0.0f;

  const int begin = blockIdx.x * shape.block_pixels;
  const int end = min(begin + shape.block_pixels, shape.pixels);
  for (int pixel = begin + row; pixel < end; pixel += rows) {
    const int x = pixel % shape.width, y = pixel / shape.width % shape.height;
    float sum[kVector];
    for (int v = 0; v < kVector; ++v) sum[v] = start[v];
#pragma unroll
    for (int dy = 0; dy < kSide; ++dy) {
      const int from_y = y + dy - kReach;
      if (from_y < 0 || from_y >= shape.height) continue;
      const int line = pixel - x + (dy - kReach) * shape.width;  // its first pixel
#pragma unroll
      for (int dx = 0; dx < kSide; ++dx) {
        const Pack near =
            ReadOrZero(in, line, x + dx - kReach, shape.width, shape.channels, channel);
        const Floats tap =
            *reinterpret_cast<const Floats*>(taps + (dy * kSide + dx) * block_channels + in_block);
        for (int v = 0; v < kVector; ++v) sum[v] += tap.of[v] * ToFloat(near.of[v]);
      }
    }
    Pack result;
    for (int v = 0; v < kVector; ++v) result.of[v] = FromFloat(sum[v]);
    const long long at = static_cast<long long>(pixel) * shape.channels + channel;
    *reinterpret_cast<Pack*>(out + at) = result;
  }
}
