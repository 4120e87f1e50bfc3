// What a kernel is written with: one vocabulary over HIP's, CUDA's and the host's.
//
// A kernel is a struct whose members are its arguments and whose operator() is the work of one thread. Those with
// `static constexpr bool kCooperative = true` may call sync() and shuffle(), every thread of a block equally often.
// No kernel knows how wide a warp is (64 lanes on DCU, 32 on NVIDIA): it asks warp_size().
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "hip.h"

#ifdef FL_KERNELS_ON_HOST
#include "kernels/host.h"
#define FL_HD inline
#define FL_GPU inline
#define FL_SHARED static thread_local
#define FL_UNROLL
#else
#define FL_HD __host__ __device__ __forceinline__
#define FL_GPU __device__ __forceinline__
#define FL_SHARED __shared__
#define FL_UNROLL _Pragma("unroll")
#endif

namespace torch_fl_dcu {

constexpr int kMostThreads = 1024;  // of a block
constexpr int kMostWarps = 32;      // of such a block, where a warp is narrowest

#ifndef FL_KERNELS_ON_HOST
FL_GPU int thread_id() { return static_cast<int>(threadIdx.x); }
FL_GPU int block_threads() { return static_cast<int>(blockDim.x); }
FL_GPU int64_t block_id() { return static_cast<int64_t>(blockIdx.x); }
FL_GPU int64_t block_id_y() { return static_cast<int64_t>(blockIdx.y); }
FL_GPU int64_t block_count() { return static_cast<int64_t>(gridDim.x); }
FL_GPU int warp_size() { return warpSize; }
FL_GPU void sync() { __syncthreads(); }
FL_GPU uint32_t shuffle_word(uint32_t word, int lane_mask) {
#ifdef __HIP_PLATFORM_NVIDIA__
  return __shfl_xor_sync(0xFFFFFFFFu, word, lane_mask);
#else
  return static_cast<uint32_t>(__shfl_xor(static_cast<int>(word), lane_mask));
#endif
}
#endif

// Of this thread among all of the grid's first dimension.
FL_GPU int64_t thread_index() { return block_id() * block_threads() + thread_id(); }

// The value of the lane whose number differs by the bits of `lane_mask`; a warp's threads all take part.
template <class T>
FL_GPU T shuffle(const T& x, int lane_mask) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  uint32_t words[kWords] = {};
  T out;
  memcpy(words, &x, sizeof(T));
  FL_UNROLL
  for (int i = 0; i < kWords; i++) words[i] = shuffle_word(words[i], lane_mask);
  memcpy(&out, words, sizeof(T));
  return out;
}

// ---- atomics: the value before

template <class T>
FL_GPU T atomic_add(T* to, T x) {
#ifdef FL_KERNELS_ON_HOST
  return host::atomic_update(to, [x](T old) { return static_cast<T>(old + x); });
#else
  return atomicAdd(to, x);
#endif
}
FL_GPU uint32_t atomic_exchange(uint32_t* to, uint32_t x) {
#ifdef FL_KERNELS_ON_HOST
  return host::atomic_update(to, [x](uint32_t) { return x; });
#else
  return atomicExch(to, x);
#endif
}
FL_GPU uint32_t atomic_swap(uint32_t* to, uint32_t expected, uint32_t x) {
#ifdef FL_KERNELS_ON_HOST
  return host::atomic_update(to, [=](uint32_t old) { return old == expected ? x : old; });
#else
  return atomicCAS(to, expected, x);
#endif
}
FL_GPU unsigned long long atomic_swap(unsigned long long* to, unsigned long long expected, unsigned long long x) {
#ifdef FL_KERNELS_ON_HOST
  return host::atomic_update(to, [=](unsigned long long old) { return old == expected ? x : old; });
#else
  return atomicCAS(to, expected, x);
#endif
}
FL_GPU void fence_to_host() {
#ifndef FL_KERNELS_ON_HOST
  __threadfence_system();
#endif
}

}  // namespace torch_fl_dcu
