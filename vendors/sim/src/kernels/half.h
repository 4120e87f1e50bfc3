// float16 and bfloat16 as storage types. Kernels compute in float: load widens, store rounds to nearest even. The
// longer conversions are functions of their own: inlined into hundreds of loops they would double the library.
#pragma once

#include <cstdint>
#include <cstring>

namespace torch_fl_sim {

struct Half {
  uint16_t bits;
};

struct BFloat16 {
  uint16_t bits;
};

inline uint32_t float_bits(float f) {
  uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return u;
}

inline float bits_float(uint32_t u) {
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

inline float to_float(BFloat16 x) { return bits_float(static_cast<uint32_t>(x.bits) << 16); }

__attribute__((noinline)) inline BFloat16 to_bfloat16(float f) {
  const uint32_t u = float_bits(f);
  if ((u & 0x7fffffff) > 0x7f800000) return {0x7fc0};  // rounding could carry a NaN into an infinity
  return {static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16)};
}

__attribute__((noinline)) inline float to_float(Half x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000) << 16;
  const uint32_t rest = x.bits & 0x7fff;
  if (rest >= 0x7c00) return bits_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);  // infinity, NaN
  // Read as a float, the bits are the number times 2^-112, subnormals included.
  const float scaled = bits_float(rest << 13) * 0x1p112f;
  return bits_float(sign | float_bits(scaled));
}

__attribute__((noinline)) inline Half to_half(float f) {
  const uint32_t u = float_bits(f);
  const uint16_t sign = static_cast<uint16_t>((u >> 16) & 0x8000);
  const uint32_t rest = u & 0x7fffffff;
  if (rest > 0x7f800000) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (rest >= 0x47800000) return {static_cast<uint16_t>(sign | 0x7c00)};  // 65536 and above
  if (rest < 0x38800000) {
    // Subnormal: adding 0.5 makes the float unit round to multiples of 2^-24 in the low bits.
    const uint32_t rounded = float_bits(bits_float(rest) + 0.5f) - float_bits(0.5f);
    return {static_cast<uint16_t>(sign | rounded)};
  }
  // A carry out of the mantissa raises the exponent, up to infinity, as it should.
  return {static_cast<uint16_t>(sign | ((rest - 0x38000000 + 0xfff + ((rest >> 13) & 1)) >> 13))};
}

}  // namespace torch_fl_sim
