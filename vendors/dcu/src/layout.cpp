#include "kernels/layout.h"

#include <algorithm>

namespace torch_fl_dcu {

void Layout::push(int64_t size, const int64_t* stride_of_operand) {
  count *= size;
  if (size == 1) return;
  if (rank == kMaxRank) unsupported();
  // Kept innermost first.
  for (int d = rank; d > 0; d--) {
    sizes[d] = sizes[d - 1];
    for (int k = 0; k < operands; k++) strides[k][d] = strides[k][d - 1];
  }
  sizes[0] = size;
  for (int k = 0; k < operands; k++) strides[k][0] = stride_of_operand[k];
  rank++;
}

void Layout::simplify(bool keep_order) {
  const auto swap = [&](int a, int b) {
    std::swap(sizes[a], sizes[b]);
    for (int k = 0; k < operands; k++) std::swap(strides[k][a], strides[k][b]);
  };
  // A stride of 0 says nothing about the order: the next operand's then decides.
  const auto inner = [&](int a, int b) {
    for (int k = 0; k < operands; k++) {
      const int64_t x = strides[k][a], y = strides[k][b];
      if (x != y && x != 0 && y != 0) return x < y;
    }
    return false;
  };
  if (!keep_order)
    for (int i = 1; i < rank; i++)
      for (int j = i; j > 0 && inner(j, j - 1); j--) swap(j, j - 1);
  int kept = 0;
  for (int d = 1; d < rank; d++) {
    bool joins = true;
    for (int k = 0; k < operands; k++) joins &= strides[k][d] == sizes[kept] * strides[k][kept];
    if (joins) {
      sizes[kept] *= sizes[d];
      continue;
    }
    kept++;
    sizes[kept] = sizes[d];
    for (int k = 0; k < operands; k++) strides[k][kept] = strides[k][d];
  }
  rank = rank == 0 ? 0 : kept + 1;
}

Layout layout_of(const fl_tensor* const* tensors, int count) {
  Layout made;
  made.operands = count;
  for (int k = 0; k < count; k++)
    if (tensors[k] != nullptr) made.data[k] = static_cast<char*>(tensors[k]->data);
  const fl_tensor& first = *tensors[0];
  for (int32_t d = 0; d < first.ndim; d++) {
    int64_t strides[kMostOperands];
    for (int k = 0; k < count; k++)
      strides[k] = tensors[k] != nullptr && tensors[k]->ndim == first.ndim ? byte_stride(*tensors[k], d) : 0;
    made.push(first.sizes[d], strides);
  }
  made.simplify();
  return made;
}

}  // namespace torch_fl_dcu
