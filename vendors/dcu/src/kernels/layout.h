// Walking several tensors of one shape together: their dimensions simplified on the host, and offsets on the device.
#pragma once

#include "kernels/args.h"

namespace torch_fl_dcu {

constexpr int kMostOperands = 5;

// Dimensions from the innermost out; strides in bytes. An operand without data is a number.
struct Layout {
  int operands = 0, rank = 0;
  int64_t count = 1;  // elements
  char* data[kMostOperands] = {};
  int64_t sizes[kMaxRank] = {};
  int64_t strides[kMostOperands][kMaxRank] = {};

  // Dimension by dimension, outermost first, then simplify().
  void push(int64_t size, const int64_t* stride_of_operand);
  // Sorts the dimensions by the first operand's strides and joins those that every operand steps through evenly.
  // `keep_order` only joins.
  void simplify(bool keep_order = false);
};

// The walk over tensors of the first one's sizes; one of fewer dimensions steps through none. Null: a number.
Layout layout_of(const fl_tensor* const* tensors, int count);

// n / size and n % size for n < 2^31 by a multiplication.
struct Divider {
  uint32_t size = 1, magic = 1, shift = 0;
  Divider() = default;
  explicit Divider(uint32_t by) : size(by) {
    while ((uint64_t{1} << shift) < by) shift++;
    magic = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - by)) / by + 1);
  }
  FL_HD uint32_t divide(uint32_t n) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    const uint32_t high = __umulhi(n, magic);
#else
    const uint32_t high = static_cast<uint32_t>((static_cast<uint64_t>(n) * magic) >> 32);
#endif
    return (high + n) >> shift;
  }
};

// The same of a kernel: byte offsets of element `index`, counted along the innermost dimension first.
template <int N>
struct Offsets {
  int rank = 0;
  Divider dividers[kMaxRank];
  int64_t strides[kMaxRank][N];

  Offsets() = default;
  // Of operands `first` and on.
  explicit Offsets(const Layout& layout, int first = 0) : rank(layout.rank) {
    for (int d = 0; d < rank; d++) {
      dividers[d] = Divider(static_cast<uint32_t>(layout.sizes[d]));
      for (int k = 0; k < N; k++) strides[d][k] = layout.strides[first + k][d];
    }
  }
  FL_GPU void at(uint32_t index, int64_t (&offset)[N]) const {
    FL_UNROLL
    for (int k = 0; k < N; k++) offset[k] = 0;
    FL_UNROLL
    for (int d = 0; d < kMaxRank; d++) {
      if (d == rank) break;
      const uint32_t next = dividers[d].divide(index);
      const auto here = static_cast<int64_t>(index - next * dividers[d].size);
      FL_UNROLL
      for (int k = 0; k < N; k++) offset[k] += here * strides[d][k];
      index = next;
    }
  }
};

// Calls f(part) for parts of a walk that have fewer than 2^31 elements; one after the other along the outermost
// dimension that has to be split.
template <class F>
fl_status in_parts(const Layout& whole, F&& f) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  if (whole.count <= kMost) return whole.count == 0 ? FL_OK : f(whole);
  int d = whole.rank - 1;
  while (whole.sizes[d] == 1) d--;
  const int64_t half = whole.sizes[d] / 2;
  for (const int64_t first : {int64_t{0}, half}) {
    Layout part = whole;
    part.sizes[d] = first == 0 ? half : whole.sizes[d] - half;
    part.count = whole.count / whole.sizes[d] * part.sizes[d];
    for (int k = 0; k < whole.operands; k++)
      if (part.data[k] != nullptr) part.data[k] += first * whole.strides[k][d];
    if (const fl_status status = in_parts(part, f)) return status;
  }
  return FL_OK;
}

}  // namespace torch_fl_dcu
