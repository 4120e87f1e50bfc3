// Rows of dense numbers that a team looks at more than once: what softmax and the norms need. A row that fits into the
// team's registers is read once; a longer one is a block's, which goes along it again for each look.
#pragma once

#include <initializer_list>

#include "kernels/reduce.h"

namespace torch_fl_dcu {

// How a row of `length` elements is shared out: thread `lane` holds K packs of V elements, or as many single elements
// where rows do not begin at aligned addresses.
template <class T, int K>
struct RowShare {
  static constexpr int V = 16 / sizeof(T), kHeld = K * V;
  int64_t length = 0;
  Teams teams;
  bool vectors = false;  // packs lie at aligned addresses
  bool held = true;      // load() and store() take the whole row; else each() goes along it

  static constexpr int64_t most() { return int64_t{kMostThreads} * kHeld; }
  RowShare() = default;
  RowShare(int64_t n, bool aligned) : length(n), vectors(aligned && n % V == 0), held(n <= most()) {
    teams.lanes = 1;
    while (teams.lanes * int64_t{kHeld} < n && teams.lanes < kMostThreads) teams.lanes *= 2;
    // Short rows are better looked at by neighbours than by one thread, which would load far from the next one.
    while (teams.lanes < 32 && teams.lanes * int64_t{V} < n) teams.lanes *= 2;
    teams.teams = teams.lanes >= 256 ? 1 : 256 / teams.lanes;
  }
  int threads() const { return teams.lanes * teams.teams; }

  FL_GPU int64_t at(int held) const {
    return vectors ? (teams.lane() + static_cast<int64_t>(held / V) * teams.lanes) * V + held % V
                   : teams.lane() + static_cast<int64_t>(held) * teams.lanes;
  }
  FL_GPU void load(const T* row, Math<T> (&x)[kHeld], Math<T> otherwise) const {
    if (vectors) {
      FL_UNROLL
      for (int k = 0; k < K; k++) {
        const int64_t first = at(k * V);
        Pack<T, V> pack;
        if (first < length) pack = *reinterpret_cast<const Pack<T, V>*>(row + first);
        FL_UNROLL
        for (int v = 0; v < V; v++) x[k * V + v] = first < length ? widen(pack.x[v]) : otherwise;
      }
    } else {
      FL_UNROLL
      for (int i = 0; i < kHeld; i++) x[i] = at(i) < length ? widen(row[at(i)]) : otherwise;
    }
  }
  FL_GPU void store(T* row, const Math<T> (&x)[kHeld]) const {
    if (vectors) {
      FL_UNROLL
      for (int k = 0; k < K; k++) {
        const int64_t first = at(k * V);
        Pack<T, V> pack;
        FL_UNROLL
        for (int v = 0; v < V; v++) pack.x[v] = narrow<T>(x[k * V + v]);
        if (first < length) *reinterpret_cast<Pack<T, V>*>(row + first) = pack;
      }
    } else {
      FL_UNROLL
      for (int i = 0; i < kHeld; i++)
        if (at(i) < length) row[at(i)] = narrow<T>(x[i]);
    }
  }
  // Calls f(i, at, n) for what this thread holds: n elements from register i are those at `at`.
  template <class F>
  FL_GPU void each_held(F&& f) const {
    if (vectors) {
      FL_UNROLL
      for (int i = 0; i < kHeld; i += V)
        if (at(i) < length) f(i, at(i), std::integral_constant<int, V>{});
    } else {
      FL_UNROLL
      for (int i = 0; i < kHeld; i++)
        if (at(i) < length) f(i, at(i), std::integral_constant<int, 1>{});
    }
  }
  // Calls f(at, n) for the places of this thread, n elements at a time: V of them, or one.
  template <class F>
  FL_GPU void each(F&& f) const {
    if (vectors)
      for (int64_t first = static_cast<int64_t>(teams.lane()) * V; first < length; first += int64_t{V} * teams.lanes)
        f(first, std::integral_constant<int, V>{});
    else
      for (int64_t first = teams.lane(); first < length; first += teams.lanes)
        f(first, std::integral_constant<int, 1>{});
  }
};

// N neighbours at an address that is aligned to all of them.
template <int N, class T>
FL_GPU Pack<T, N> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <int N, class T>
FL_GPU void store_pack(T* to, const Pack<T, N>& pack) {
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

template <class M>
struct Plus {
  FL_GPU M operator()(M a, M b) const { return a + b; }
};
template <class M>
struct Larger {
  FL_GPU M operator()(M a, M b) const { return b > a || is_nan(b) ? b : a; }
};

inline bool is_aligned(const void* ptr) { return reinterpret_cast<uintptr_t>(ptr) % 16 == 0; }
inline bool are_aligned(std::initializer_list<const void*> addresses) {
  for (const void* ptr : addresses)
    if (!is_aligned(ptr)) return false;
  return true;
}
inline bool is_contiguous(const fl_tensor& t) {
  int64_t step = 1;
  for (int32_t d = t.ndim; d-- > 0; step *= t.sizes[d])
    if (t.sizes[d] != 1 && t.strides[d] != step) return false;
  return true;
}

}  // namespace torch_fl_dcu
