// The gradients of NormForward. With y' the gradient by the norm's output (behind a GELU times its slope),
// h = (in - mean) * scale and w = weight:
//   in' = scale * (w y' - mean over the row of w y' - h * mean over the row of w y' h)
//   weight' = sum over rows of y' h, bias' = sum over rows of y'
// The latter first over the rows of a block, in float, into partials [blocks, 2, n]; NormSum adds these up.
// No atomic additions, so that the same batch gives the same gradient. Grid: `blocks`.
KERNEL void NormBackward(const Number* __restrict__ gradient, const Number* __restrict__ in,
                         const Number* __restrict__ weight, const Number* __restrict__ bias,
                         const float* __restrict__ means, const float* __restrict__ scales,
                         Number* __restrict__ of_in, float* __restrict__ partials, int rows, int blocks, int gelu) {
  using namespace flowtrain::train::norm;
  __shared__ float sums[kRows * kColumns];
  const int lane = threadIdx.x % kLanes, own_row = threadIdx.x / kLanes;
  float of_weight[kOwn][kVector] = {}, of_bias[kOwn][kVector] = {};
  for (int first = blockIdx.x * kRows; first < rows; first += blocks * kRows) {
    const int row = first + own_row, read = min(row, rows - 1);
    const long long at = static_cast<long long>(read) * kColumns;
    float h[kOwn][kVector], g[kOwn][kVector], w[kOwn][kVector];
    ReadRow(in + at, lane, h);
    ReadRow(gradient + at, lane, g);
    ReadRow(weight, lane, w);  // of the nearest cache: registers would not do for all
    const float mean = means[read], scale = scales[read];
    if (gelu) {
      float b[kOwn][kVector];
      ReadRow(bias, lane, b);
      for (int i = 0; i < kOwn; ++i)
        for (int v = 0; v < kVector; ++v) g[i][v] *= GeluSlope((h[i][v] - mean) * scale * w[i][v] + b[i][v]);
    }
    float sum = 0, along = 0;
    for (int i = 0; i < kOwn; ++i)
      for (int v = 0; v < kVector; ++v) {
        h[i][v] = (h[i][v] - mean) * scale;
        if (row < rows) {
          of_weight[i][v] += g[i][v] * h[i][v];
          of_bias[i][v] += g[i][v];
        }
        g[i][v] *= w[i][v];  // zero past the end, as w is
        sum += g[i][v];
        along += g[i][v] * h[i][v];
      }
    sum = RowSum(sum) / kColumns;
    along = RowSum(along) / kColumns;
    if (row >= rows) continue;
    for (int i = 0; i < kOwn; ++i)
      for (int v = 0; v < kVector; ++v) h[i][v] = scale * (g[i][v] - sum - h[i][v] * along);
    WriteRow(of_in + at, lane, h);
  }
#pragma unroll
  for (int which = 0; which < 2; ++which) {
    __syncthreads();
    for (int i = 0; i < kOwn; ++i) {
      const int pack = lane + i * kLanes;
      if (pack >= kPacks) continue;
      for (int v = 0; v < kVector; ++v)
        sums[own_row * kColumns + pack * kVector + v] = which == 0 ? of_weight[i][v] : of_bias[i][v];
    }
    __syncthreads();
    for (int column = threadIdx.x; column < kColumns; column += kThreads) {
      float total = 0;
      for (int r = 0; r < kRows; ++r) total += sums[r * kColumns + column];
      partials[(static_cast<long long>(blockIdx.x) * 2 + which) * kColumns + column] = total;
    }
  }
}

// Sums partials over their blocks. Grid: (n / 32 rounded up, 2), by SumOverBlocks.
KERNEL void NormSum(const float* __restrict__ partials, int blocks, Number* __restrict__ of_weight,
                    Number* __restrict__ of_bias) {
  const int column = blockIdx.x * 32 + threadIdx.x % 32, which = blockIdx.y;
  const float sum = SumOverBlocks(partials, blocks, 2, which, kColumns, column);
  if (threadIdx.x < 32 && column < kColumns) (which == 0 ? of_weight : of_bias)[column] = FromFloat(sum);
}
