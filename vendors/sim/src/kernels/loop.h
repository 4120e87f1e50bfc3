// Walking N tensors of one shape and any strides together.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/args.h"

namespace torch_fl_sim {

constexpr int kMaxRank = 8;  // of every row in ops.yaml

// A reference to something callable as row(pointers, strides, count). The walk below is compiled once per N, not once
// per kernel, and that is what keeps the library small.
class RowRef {
 public:
  template <class F>
  RowRef(const F& f)  // NOLINT: a callable is passed as if it were one
      : call_([](const void* g, char* const* p, const int64_t* s, int64_t n) { (*static_cast<const F*>(g))(p, s, n); }),
        callable_(&f) {}
  void operator()(char* const* p, const int64_t* s, int64_t n) const { call_(callable_, p, s, n); }

 private:
  void (*call_)(const void* callable, char* const* p, const int64_t* s, int64_t n);
  const void* callable_;
};

template <int N>
struct Loop {
  // Dimensions from the outermost to the innermost; strides in bytes.
  int32_t ndim = 0;
  char* data[N];
  int64_t sizes[kMaxRank];
  int64_t strides[kMaxRank][N];

  void add_dim(int64_t size, const int64_t (&stride)[N]) {
    sizes[ndim] = size;
    for (int i = 0; i < N; ++i) strides[ndim][i] = stride[i];
    ++ndim;
  }

  // Sorts the dimensions by the first tensor's strides and joins those that every tensor steps through evenly: tensors
  // that are dense in the same order become one dimension. The order of the walk is then no longer the logical one.
  __attribute__((noinline)) void simplify() {
    for (int32_t i = 1; i < ndim; ++i) {
      for (int32_t j = i; j > 0 && before(j, j - 1); --j) swap_dims(j, j - 1);
    }
    int32_t kept = -1;
    for (int32_t i = 0; i < ndim; ++i) {
      if (sizes[i] == 1) continue;
      if (kept >= 0 && joins(kept, i)) {
        sizes[kept] *= sizes[i];
        for (int k = 0; k < N; ++k) strides[kept][k] = strides[i][k];
      } else {
        ++kept;
        sizes[kept] = sizes[i];
        for (int k = 0; k < N; ++k) strides[kept][k] = strides[i][k];
      }
    }
    ndim = kept + 1;
  }

  // Calls row(pointers, strides, count) for every run along the innermost dimension.
  void rows(RowRef row) const { rows_from(data, row); }

  // The same from other starting points.
  __attribute__((noinline)) void rows_from(char* const* start, RowRef row) const {
    static constexpr int64_t kNoStrides[N] = {};
    if (ndim == 0) {
      row(start, kNoStrides, int64_t{1});
      return;
    }
    const int32_t inner = ndim - 1;
    if (inner == 0) {
      row(start, strides[0], sizes[0]);
      return;
    }
    for (int32_t d = 0; d < ndim; ++d) {
      if (sizes[d] == 0) return;
    }
    char* p[N];
    for (int k = 0; k < N; ++k) p[k] = start[k];
    int64_t at[kMaxRank] = {};
    while (true) {
      row(p, strides[inner], sizes[inner]);
      int32_t d = inner - 1;
      for (; d >= 0; --d) {
        for (int k = 0; k < N; ++k) p[k] += strides[d][k];
        if (++at[d] < sizes[d]) break;
        for (int k = 0; k < N; ++k) p[k] -= strides[d][k] * sizes[d];
        at[d] = 0;
      }
      if (d < 0) return;
    }
  }

  // Calls each(pointers) for every element; in logical order where simplify() was not called.
  template <class Each>
  void elements(const Each& each) const {
    rows([&](char* const* start, const int64_t* step, int64_t n) {
      char* p[N];
      for (int k = 0; k < N; ++k) p[k] = start[k];
      for (int64_t i = 0; i < n; ++i) {
        each(p);
        for (int k = 0; k < N; ++k) p[k] += step[k];
      }
    });
  }

 private:
  static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

  bool before(int32_t a, int32_t b) const {
    for (int k = 0; k < N; ++k) {
      const int64_t x = magnitude(strides[a][k]);
      const int64_t y = magnitude(strides[b][k]);
      if (x != y && x != 0 && y != 0) return x > y;
    }
    return false;
  }

  bool joins(int32_t outer, int32_t inner) const {
    for (int k = 0; k < N; ++k) {
      if (strides[outer][k] != strides[inner][k] * sizes[inner]) return false;
    }
    return true;
  }

  void swap_dims(int32_t a, int32_t b) {
    std::swap(sizes[a], sizes[b]);
    for (int k = 0; k < N; ++k) std::swap(strides[a][k], strides[b][k]);
  }
};

inline int64_t byte_stride(const fl_tensor& t, int32_t d) {
  return t.strides[d] * static_cast<int64_t>(fl_dtype_size(t.dtype));
}

inline char* bytes_of(const fl_tensor& t) { return static_cast<char*>(t.data); }

// One tensor, copied out of a call.
struct View {
  char* data = nullptr;
  int32_t ndim = 0;
  int64_t sizes[kMaxRank];
  int64_t strides[kMaxRank];  // bytes

  View() = default;
  __attribute__((noinline)) explicit View(const fl_tensor& t) : data(bytes_of(t)), ndim(t.ndim) {
    for (int32_t d = 0; d < ndim; ++d) {
      sizes[d] = t.sizes[d];
      strides[d] = byte_stride(t, d);
    }
  }
};

}  // namespace torch_fl_sim
