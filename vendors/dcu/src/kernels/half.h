// float16 and bfloat16 as storage. Kernels compute in float: loads widen, stores round to the nearest, ties to even.
#pragma once

#include "kernels/device.h"

#if defined(__HIP_PLATFORM_NVIDIA__) && !defined(FL_KERNELS_ON_HOST)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace torch_fl_dcu {

struct float16 {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};

FL_HD uint32_t float_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}
FL_HD float bits_float(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

FL_HD float to_float(bfloat16 x) { return bits_float(static_cast<uint32_t>(x.bits) << 16); }

FL_HD bfloat16 to_bfloat16(float f) {
#if defined(__CUDA_ARCH__)
  return {__bfloat16_as_ushort(__float2bfloat16_rn(f))};
#else
  const uint32_t u = float_bits(f);
  if ((u & 0x7fffffff) > 0x7f800000) return {0x7fc0};  // rounding could carry a NaN into an infinity
  return {static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16)};
#endif
}

FL_HD float to_float(float16 x) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(x.bits));
#elif defined(__HIP_DEVICE_COMPILE__)
  _Float16 h;
  memcpy(&h, &x, sizeof h);
  return static_cast<float>(h);
#else
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000) << 16;
  const uint32_t rest = x.bits & 0x7fff;
  if (rest >= 0x7c00) return bits_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);  // infinity, NaN
  // Read as a float, the bits are the number times 2^-112, subnormals included.
  return bits_float(sign | float_bits(bits_float(rest << 13) * 0x1p112f));
#endif
}

FL_HD float16 to_float16(float f) {
#if defined(__CUDA_ARCH__)
  return {__half_as_ushort(__float2half_rn(f))};
#elif defined(__HIP_DEVICE_COMPILE__)
  const _Float16 h = static_cast<_Float16>(f);
  float16 x;
  memcpy(&x, &h, sizeof x);
  return x;
#else
  const uint32_t u = float_bits(f);
  const uint32_t sign = (u >> 16) & 0x8000, rest = u & 0x7fffffff;
  if (rest > 0x7f800000) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (rest >= 0x47800000) return {static_cast<uint16_t>(sign | 0x7c00)};  // 65536 and above
  if (rest < 0x38800000)  // subnormal: adding 0.5 makes the float unit round to multiples of 2^-24 in the low bits
    return {static_cast<uint16_t>(sign | (float_bits(bits_float(rest) + 0.5f) - float_bits(0.5f)))};
  // A carry out of the mantissa raises the exponent, up to infinity, as it should.
  return {static_cast<uint16_t>(sign | ((rest - 0x38000000 + 0xfff + ((rest >> 13) & 1)) >> 13))};
#endif
}

}  // namespace torch_fl_dcu
