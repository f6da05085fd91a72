// A row as the threads that share it hold it. Compiled for FLOWTRAIN_COLUMNS n.
constexpr int kColumns = FLOWTRAIN_COLUMNS;
constexpr int kLanes = flowtrain::train::norm::LanesFor(kColumns, kVector);
constexpr int kPacks = kColumns / kVector;
constexpr int kOwn = (kPacks + kLanes - 1) / kLanes;                 // packs a thread, some of them past the end
constexpr int kRows = flowtrain::train::norm::kThreads / kLanes;  // a block's at a time

// The sum over the threads of a row, the same in all of them.
__device__ inline float RowSum(float value) {
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

// This thread's packs of a row; zeros past the end. row: its first number.
__device__ inline void ReadRow(const Number* __restrict__ row, int lane, float (&values)[kOwn][kVector]) {
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int pack = lane + i * kLanes;
    const Pack read = *reinterpret_cast<const Pack*>(row + (pack < kPacks ? pack : 0) * kVector);
    for (int v = 0; v < kVector; ++v) values[i][v] = pack < kPacks ? ToFloat(read.of[v]) : 0.0f;
  }
}

__device__ inline void WriteRow(Number* __restrict__ row, int lane, const float (&values)[kOwn][kVector]) {
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int pack = lane + i * kLanes;
    Pack written;
    for (int v = 0; v < kVector; ++v) written.of[v] = FromFloat(values[i][v]);
    if (pack < kPacks) *reinterpret_cast<Pack*>(row + pack * kVector) = written;
  }
}

// x Phi(x), Phi the normal distribution's; and its derivative.
__device__ inline float Gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }
__device__ inline float GeluSlope(float x) {
  return 0.5f * (1.0f + erff(x * 0.70710678f)) + x * 0.39894228f * expf(-0.5f * x * x);
}
