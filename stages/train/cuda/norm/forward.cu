// out = (in - mean) * scale * weight + bias, row by row, and its GELU where `gelu` is set; scale is
// 1 / sqrt(variance + eps), the variance of all n numbers. In float, rounded once. in, out: [rows, n];
// weight, bias: [n]; mean, scale: [rows]. Grid: `blocks`.
KERNEL void NormForward(const Number* __restrict__ in, const Number* __restrict__ weight,
                        const Number* __restrict__ bias, Number* __restrict__ out, float* __restrict__ means,
                        float* __restrict__ scales, int rows, int blocks, float eps, int gelu) {
  const int lane = threadIdx.x % kLanes;
  float factor[kOwn][kVector], offset[kOwn][kVector];
  ReadRow(weight, lane, factor);
  ReadRow(bias, lane, offset);
  for (int first = blockIdx.x * kRows; first < rows; first += blocks * kRows) {
    const int row = first + threadIdx.x / kLanes;
    // Threads past the last row take it too: all of a warp add up.
    const long long at = static_cast<long long>(min(row, rows - 1)) * kColumns;
    float x[kOwn][kVector];
    ReadRow(in + at, lane, x);
    float sum = 0;
    for (int i = 0; i < kOwn; ++i)
      for (int v = 0; v < kVector; ++v) sum += x[i][v];
    const float mean = RowSum(sum) / kColumns;
    float squares = 0;
    for (int i = 0; i < kOwn; ++i) {
      const bool inside = lane + i * kLanes < kPacks;
      for (int v = 0; v < kVector; ++v) {
        x[i][v] -= mean;
        squares += inside ? x[i][v] * x[i][v] : 0.0f;
      }
    }
    const float scale = rsqrtf(RowSum(squares) / kColumns + eps);
    if (row >= rows) continue;
    for (int i = 0; i < kOwn; ++i)
      for (int v = 0; v < kVector; ++v) {
        const float normed = x[i][v] * scale * factor[i][v] + offset[i][v];
        x[i][v] = gelu ? Gelu(normed) : normed;
      }
    WriteRow(out + at, lane, x);
    if (lane == 0) {
      means[row] = mean;
      scales[row] = scale;
    }
  }
}
