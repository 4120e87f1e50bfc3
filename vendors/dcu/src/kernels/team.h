// Threads of a block that work on one output together: a team of `lanes` threads, a power of two.
#pragma once

#include "kernels/device.h"

namespace torch_fl_dcu {

constexpr int kTeamThreads = 256;  // of a block whose teams stand across

FL_HD int power_below(int64_t n, int most) {
  int p = 1;
  while (p < most && static_cast<int64_t>(p) * 2 <= n) p *= 2;
  return p;
}

// Of a power of two.
FL_GPU int log2_of(int power) {
#ifdef FL_KERNELS_ON_HOST
  return __builtin_ctz(power);
#else
  return __ffs(power) - 1;
#endif
}

// Combines what the lanes of a team have; every lane gets the result. Lanes are neighbours: thread = team * lanes +
// lane. All threads of the block take part.
template <class T, class Combine>
FL_GPU T team_combine(T x, int lanes, const Combine& combine) {
  const int warp = warp_size(), near = lanes < warp ? lanes : warp;
  for (int mask = near / 2; mask > 0; mask /= 2) x = combine(x, shuffle(x, mask));
  if (lanes <= warp) return x;
  alignas(16) FL_SHARED char raw[kMostWarps * sizeof(T)];
  T* shared = reinterpret_cast<T*>(raw);
  const int mine = thread_id() / warp, warps = lanes / warp, first = mine & ~(warps - 1);
  if (thread_id() % warp == 0) shared[mine] = x;
  sync();
  x = shared[first];
  for (int i = 1; i < warps; i++) x = combine(x, shared[first + i]);
  sync();
  return x;
}

// The same where teams are neighbours: thread = lane * teams + team.
template <class T, class Combine>
FL_GPU T team_combine_across(T x, int lanes, int teams, const Combine& combine) {
  if (lanes == 1) return x;
  alignas(16) FL_SHARED char raw[kTeamThreads * sizeof(T)];
  T* shared = reinterpret_cast<T*>(raw);
  const int me = thread_id();
  shared[me] = x;
  sync();
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (me < half * teams) shared[me] = combine(shared[me], shared[me + half * teams]);
    sync();
  }
  x = shared[me & (teams - 1)];
  sync();
  return x;
}

// The sum of what the threads before this one in the block have, and that of all; every thread takes part.
struct Ranked {
  int before, total;
};
FL_GPU Ranked block_rank(int x) {
  FL_SHARED int shared[2][kMostThreads];
  const int me = thread_id(), threads = block_threads();
  int turn = 0;
  shared[0][me] = x;
  sync();
  for (int reach = 1; reach < threads; reach *= 2) {
    const int* from = shared[turn];
    turn ^= 1;
    shared[turn][me] = from[me] + (me >= reach ? from[me - reach] : 0);
    sync();
  }
  const Ranked found{shared[turn][me] - x, shared[turn][threads - 1]};
  sync();
  return found;
}

}  // namespace torch_fl_dcu
