// Philox4x32-10, the counter-based generator whose seed and offset core hands out.
#pragma once

#include <cmath>
#include <cstdint>

namespace torch_fl_sim {

struct Random4 {
  uint32_t word[4];
};

// The four numbers of one subsequence at one offset, as CUDA's: the counter is {offset / 4, subsequence}.
inline Random4 philox(uint64_t seed, uint64_t subsequence, uint64_t offset) {
  const uint64_t position = offset / 4;
  uint32_t counter[4] = {static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32),
                         static_cast<uint32_t>(subsequence), static_cast<uint32_t>(subsequence >> 32)};
  uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    const uint32_t mixed[4] = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
                               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    for (int i = 0; i < 4; ++i) counter[i] = mixed[i];
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return {{counter[0], counter[1], counter[2], counter[3]}};
}

// A seed and an offset for one call. Element i of a tensor takes its numbers from subsequence i / 2.
struct RandomSource {
  uint64_t seed = 0;
  uint64_t offset = 0;

  // 64 random bits of element i; each element has its own.
  uint64_t bits(int64_t i) const {
    const Random4 r = philox(seed, static_cast<uint64_t>(i) / 2, offset);
    const int at = i & 1 ? 2 : 0;
    return static_cast<uint64_t>(r.word[at]) << 32 | r.word[at + 1];
  }
  // In [0, 1), with `digits` random bits: as many as the type it is for can hold exactly.
  double uniform(int64_t i, int digits) const {
    return std::ldexp(static_cast<double>(bits(i) >> (64 - digits)), -digits);
  }
  // Standard normal, by Box and Muller from 32 random bits each for the radius and the angle.
  double normal(int64_t i) const {
    const uint64_t b = bits(i);
    const double u = (static_cast<double>(b >> 32) + 1) * 0x1p-32;  // in (0, 1]
    const double angle = static_cast<double>(b & 0xffffffff) * 0x1p-32 * 6.283185307179586;
    return std::sqrt(-2 * std::log(u)) * std::cos(angle);
  }
};

}  // namespace torch_fl_sim
