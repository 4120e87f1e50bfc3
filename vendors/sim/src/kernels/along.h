// Kernels that work along one dimension: each call of the work sees one line of every tensor.
#pragma once

#include "kernels/loop.h"
#include "kernels/types.h"

namespace torch_fl_sim {

// The walk over all dimensions but `dim`, and the way along it.
template <int N>
struct Along {
  Loop<N> lines;
  int64_t size = 1;
  int64_t step[N] = {};  // bytes

  // Tensors of one shape; the sizes are those of the first, except along `dim`, where the work must know better.
  __attribute__((noinline)) Along(const fl_tensor* const (&tensors)[N], int32_t dim) {
    const fl_tensor& first = *tensors[0];
    for (int k = 0; k < N; ++k) lines.data[k] = bytes_of(*tensors[k]);
    for (int32_t d = 0; d < first.ndim; ++d) {
      int64_t stride[N];
      for (int k = 0; k < N; ++k) stride[k] = byte_stride(*tensors[k], d);
      if (d == dim) {
        size = first.sizes[d];
        for (int k = 0; k < N; ++k) step[k] = stride[k];
      } else {
        lines.add_dim(first.sizes[d], stride);
      }
    }
    lines.simplify();
  }
};

}  // namespace torch_fl_sim
