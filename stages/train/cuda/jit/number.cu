// Numbers of the tensors' type, and packs of neighbouring channels. Compiled at run time, before
// kernels, with FLOWTRAIN_VECTOR (channels that a thread reads at once) and one of FLOWTRAIN_BF16,
// FLOWTRAIN_HALF, FLOWTRAIN_FLOAT. Without cuda_bf16.h and cuda_fp16.h: machines
// that train need have no headers of CUDA.
#if defined(FLOWTRAIN_BF16)
typedef unsigned short Number;
__device__ inline float ToFloat(Number bits) {
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
}
// To the nearest, ties to even; a NaN stays one.
__device__ inline Number FromFloat(float value) {
  const unsigned bits = __float_as_uint(value);
  if (value != value) return static_cast<Number>(bits >> 16 | 0x40);
  return static_cast<Number>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
#elif defined(FLOWTRAIN_HALF)
typedef unsigned short Number;
__device__ inline float ToFloat(Number bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
__device__ inline Number FromFloat(float value) {
  Number bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
#elif defined(FLOWTRAIN_FLOAT)
typedef float Number;
__device__ inline float ToFloat(Number value) { return value; }
__device__ inline Number FromFloat(float value) { return value; }
#endif

constexpr int kVector = FLOWTRAIN_VECTOR;

// Read and written at once: at most 16 bytes.
struct alignas(kVector * sizeof(Number)) Pack {
  Number of[kVector];
};
struct alignas(kVector >= 4 ? 16 : kVector * sizeof(float)) Floats {
  float of[kVector];
};
