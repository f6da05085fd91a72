// The sum over blocks of what each left in partials [blocks, rows, columns], in its row `row`: a fixed order,
// and no atomic additions. Called by all of a block's threads, which are 32 columns by 8 rows that take every
// eighth partial each; holds in the first 32 threads, for their `column`.
__device__ inline float SumOverBlocks(const float* __restrict__ partials, int blocks, int rows, int row, int columns,
                                      int column) {
  __shared__ float sums[8][32];
  const int lane = threadIdx.x % 32, eighth = threadIdx.x / 32;
  float sum = 0;
  if (column < columns)
    for (int b = eighth; b < blocks; b += 8)
      sum += partials[(static_cast<long long>(b) * rows + row) * columns + column];
  sums[eighth][lane] = sum;
  __syncthreads();
  for (int r = 1; r < 8; ++r) sum += eighth == 0 ? sums[r][lane] : 0.0f;
  return sum;
}
