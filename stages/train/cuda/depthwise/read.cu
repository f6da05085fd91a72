// What the kernels are compiled for: FLOWTRAIN_SIDE is k.
constexpr int kSide = FLOWTRAIN_SIDE;
constexpr int kTaps = kSide * kSide;
constexpr int kReach = kSide / 2;

// One line of an image as a convolution reads it: zero left and right of the image. Read in any
// case, at the image's edge where that is nearer, and put away afterwards: with a branch for each
// tap the reads would wait for each other.
__device__ inline Pack ReadOrZero(const Number* __restrict__ images, int line, int x, int width,
                                  int channels, int channel) {
  const bool inside = x >= 0 && x < width;
  const int at = x < 0 ? 0 : x < width ? x : width - 1;
  Pack read = *reinterpret_cast<const Pack*>(images + static_cast<long long>(line + at) * channels +
                                             channel);
  for (int v = 0; v < kVector; ++v) read.of[v] = inside ? read.of[v] : Number(0);
  return read;
}
