#include "stages/image/resample/rows.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#endif

namespace flowtrain::image {

#if defined(__x86_64__)
namespace {

#define FLOWTRAIN_AVX2 __attribute__((target("avx2")))

constexpr size_t kBlock = 32;  // bytes

FLOWTRAIN_AVX2 inline __m256i Half() { return _mm256_set1_epi32(1 << (kWeightBits - 1)); }

// 32 bytes of a blend. Two rows at a time: their bytes by turns are what madd multiplies and adds.
FLOWTRAIN_AVX2 inline void BlendBlock(const uint8_t* const* rows, const int16_t* weights, int count,
                                      size_t at, uint8_t* out) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i sums[4] = {Half(), Half(), Half(), Half()};
  for (int t = 0; t < count; t += 2) {
    const bool pair = t + 1 < count;
    const __m256i both = _mm256_set1_epi32(static_cast<uint16_t>(weights[t]) |
                                           (pair ? static_cast<int>(weights[t + 1]) << 16 : 0));
    const __m256i one = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[t] + at));
    const __m256i other =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[pair ? t + 1 : t] + at));
    const __m256i low = _mm256_unpacklo_epi8(one, other);
    const __m256i high = _mm256_unpackhi_epi8(one, other);
    const __m256i parts[4] = {_mm256_unpacklo_epi8(low, zero), _mm256_unpackhi_epi8(low, zero),
                              _mm256_unpacklo_epi8(high, zero), _mm256_unpackhi_epi8(high, zero)};
    for (int k = 0; k < 4; ++k) {
      sums[k] = _mm256_add_epi32(sums[k], _mm256_madd_epi16(parts[k], both));
    }
  }
  for (__m256i& sum : sums) sum = _mm256_srai_epi32(sum, kWeightBits);
  const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(sums[0], sums[1]),
                                            _mm256_packs_epi32(sums[2], sums[3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + at), bytes);
}

FLOWTRAIN_AVX2 void BlendAvx2(const uint8_t* const* rows, const int16_t* weights, int count,
                              size_t bytes, uint8_t* out) {
  if (bytes < kBlock) return PlainRowLoops().blend(rows, weights, count, bytes, out);
  for (size_t at = 0; at + kBlock <= bytes; at += kBlock) BlendBlock(rows, weights, count, at, out);
  if (bytes % kBlock != 0) BlendBlock(rows, weights, count, bytes - kBlock, out);
}

// Two pixels from each address, their channels by turns: a lane each.
FLOWTRAIN_AVX2 inline __m256i TwoPixels(const uint8_t* one, const uint8_t* other) {
  const __m256i by_turns = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1));
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(one));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(other));
  return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1),
                             by_turns);
}

// Four outputs: the first two in the low lane's first six bytes, the others in the high lane's.
FLOWTRAIN_AVX2 inline __m256i FourPixels(const uint8_t* const* from, int width,
                                         const __m256i* weights) {
  __m256i even = Half(), odd = Half();
  for (int t = 0; t < width; t += 2, weights += 2) {
    const __m256i first = TwoPixels(from[0] + 3 * t, from[2] + 3 * t);
    const __m256i second = TwoPixels(from[1] + 3 * t, from[3] + 3 * t);
    even = _mm256_add_epi32(even, _mm256_madd_epi16(first, _mm256_load_si256(weights)));
    odd = _mm256_add_epi32(odd, _mm256_madd_epi16(second, _mm256_load_si256(weights + 1)));
  }
  const __m256i words =
      _mm256_packs_epi32(_mm256_srai_epi32(even, kWeightBits), _mm256_srai_epi32(odd, kWeightBits));
  // r g b 0 of each; the 0 is squeezed out.
  return _mm256_shuffle_epi8(_mm256_packus_epi16(words, words),
                             _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                 0, 1, 2, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)));
}

FLOWTRAIN_AVX2 void RgbAvx2(const uint8_t* row, const Taps& taps, const int16_t* paired,
                            uint8_t* out) {
  const int outputs = taps.outputs();
  const auto* weights = reinterpret_cast<const __m256i*>(paired);
  for (int i = 0; i < outputs; i += 4, out += 12, weights += taps.width) {
    const uint8_t* from[4];
    for (int k = 0; k < 4; ++k) from[k] = row + 3 * taps.first[std::min(i + k, outputs - 1)];
    const __m256i pixels = FourPixels(from, taps.width, weights);
    const __m128i low = _mm256_castsi256_si128(pixels), high = _mm256_extracti128_si256(pixels, 1);
    if (i + 4 < outputs) {
      // 8 bytes each: the outputs that follow overwrite what is too much.
      _mm_storel_epi64(reinterpret_cast<__m128i*>(out), low);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 6), high);
    } else {
      uint8_t last[16];
      _mm_storel_epi64(reinterpret_cast<__m128i*>(last), low);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(last + 6), high);
      std::memcpy(out, last, 3 * static_cast<size_t>(outputs - i));
    }
  }
}

}  // namespace

const RowLoops& FastRowLoops() {
  static constexpr RowLoops kLoops{BlendAvx2, RgbAvx2};
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  return has_avx2 ? kLoops : PlainRowLoops();
}

#else

const RowLoops& FastRowLoops() { return PlainRowLoops(); }

#endif

}  // namespace flowtrain::image
