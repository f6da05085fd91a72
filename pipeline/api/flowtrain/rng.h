// Counter-based random numbers (Philox 4x32-10; Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011) with distributions of our own, because the standard library's differ between
// implementations. A stream is a pure function of (seed, stream, epoch, position): no state is saved,
// and threads and timing can't change what a sample draws. A value; each thread has its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <flowtrain/export.h>

namespace flowtrain {

class FLOWTRAIN_API Rng {
 public:
  // `stream` tells apart the users of one (seed, epoch, position): HashStream of a stage's rng_key.
  Rng(uint64_t seed, uint64_t stream, uint64_t epoch, uint64_t position);

  uint32_t NextU32();
  uint64_t NextU64();
  double Uniform();                          // [0, 1), 53 bits
  double Uniform(double low, double high);   // [low, high)
  uint64_t Below(uint64_t n);                // [0, n), unbiased; n >= 1
  bool Bernoulli(double p) { return Uniform() < p; }
  double Normal();                           // mean 0, deviation 1 (Box-Muller, one of the pair)

  // A 64-bit stream number from a name (FNV-1a).
  static uint64_t HashStream(std::string_view name);
  // One Philox 4x32-10 block, for tests against the published vectors.
  static std::array<uint32_t, 4> Block(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;  // words of block_ already given out
};

// The bijection i -> permuted index over [0, out.size()) that shuffles an epoch: a Fisher-Yates shuffle
// from the stream ("shuffle", epoch). O(n) to make, so callers keep it for the epoch.
FLOWTRAIN_API void Permutation(uint64_t seed, uint64_t epoch, std::span<uint32_t> out);

}  // namespace flowtrain
