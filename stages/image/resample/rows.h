// The two loops that a separable resampler spends its time in, on rows of 8-bit samples: in plain
// C++, and for CPUs with AVX2. Both compute in integers, so that they give the same bytes. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stages/image/resample/taps.h"

namespace flowtrain::image {

// A row of RGB pixels is read up to this many bytes behind its last one that is weighed.
inline constexpr size_t kRowSlack = 16;

// Taps as RowLoops::rgb reads them: for each four outputs and each two of their taps eight weights
// of the first output, the two taps by turns, then of the third, of the second and of the fourth
// one. `memory`: PairedBytes, 32-byte aligned.
size_t PairedBytes(const Taps& taps);
void PairWeights(const Taps& taps, int16_t* memory);

struct RowLoops {
  // out[i] = the sum of weights[t] * rows[t][i].
  void (*blend)(const uint8_t* const* rows, const int16_t* weights, int count, size_t bytes,
                uint8_t* out);
  // One row of RGB pixels to taps.outputs() ones. `paired`: of PairWeights.
  void (*rgb)(const uint8_t* row, const Taps& taps, const int16_t* paired, uint8_t* out);
};

const RowLoops& PlainRowLoops();
// Those that this CPU is best at.
const RowLoops& FastRowLoops();

}  // namespace flowtrain::image
