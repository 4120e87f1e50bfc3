// Kernels that only move elements: cat, flip, tril, triu.
#include "kernels/move.h"

namespace torch_fl_dcu {
namespace {

// An element stays where column - row is on the diagonal or on the kept side of it, else it is zero.
template <class T>
struct Triangle {
  const char* in;
  char* out;
  uint32_t count;
  Divider columns, rows;
  int64_t diagonal;
  bool upper;
  Offsets<2> offsets;  // in the logical order

  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    const uint32_t line = columns.divide(i), column = i - line * columns.size;
    const uint32_t row = line - rows.divide(line) * rows.size;
    const int64_t above = static_cast<int64_t>(column) - static_cast<int64_t>(row);
    int64_t at[2];
    offsets.at(i, at);
    T x;
    if (upper ? above >= diagonal : above <= diagonal)
      x = *reinterpret_cast<const T*>(in + at[1]);
    else
      memset(&x, 0, sizeof x);
    *reinterpret_cast<T*>(out + at[0]) = x;
  }
};

}  // namespace

fl_status cat(const fl_call* call) {
  const fl_tensor& out = tensor_out(call, 0);
  const fl_list& tensors = list_arg(call, 0);
  const int32_t dim = wrap_dim(int_arg(call, 1), out.ndim);
  // Checked before anything is enqueued. A 1-d tensor without elements is skipped whatever the others' rank is.
  for (size_t i = 0; i < tensors.count; i++) {
    const fl_tensor& t = item<fl_tensor>(tensors, i);
    if (numel(t) != 0 && (t.ndim != out.ndim || !same_dtype(t, out))) return FL_UNSUPPORTED;
  }
  fl_tensor part = out;
  for (size_t i = 0; i < tensors.count; i++) {
    const fl_tensor& t = item<fl_tensor>(tensors, i);
    if (numel(t) == 0) continue;
    part.sizes = t.sizes;
    if (const fl_status status = copy_elements(call, part, t)) return status;
    part.data = static_cast<char*>(part.data) + t.sizes[dim] * byte_stride(out, dim);
  }
  return FL_OK;
}

fl_status flip(const fl_call* call) {
  const fl_tensor &in = tensor_arg(call, 0), &out = tensor_out(call, 0);
  if (!same_dtype(in, out)) return FL_UNSUPPORTED;
  const fl_list& dims = list_arg(call, 1);
  fl_tensor turned = in;
  int64_t strides[kMaxRank] = {};
  std::copy_n(in.strides, in.ndim, strides);
  turned.strides = strides;
  for (size_t i = 0; i < dims.count && in.ndim > 0; i++) {
    const int32_t d = wrap_dim(item<int64_t>(dims, i), in.ndim);
    if (in.sizes[d] == 0) return FL_OK;
    turned.data = static_cast<char*>(turned.data) + (in.sizes[d] - 1) * byte_stride(in, d);
    strides[d] = -in.strides[d];
  }
  return copy_elements(call, out, turned);
}

fl_status triangle(const fl_call* call, bool upper) {
  const fl_tensor &in = tensor_arg(call, 0), &out = tensor_out(call, 0);
  if (!same_dtype(in, out) || in.ndim < 2 || numel(in) > (int64_t{1} << 31) - 1) return FL_UNSUPPORTED;
  Layout walk;
  walk.operands = 2;
  for (int32_t d = 0; d < in.ndim; d++) {
    const int64_t strides[2] = {byte_stride(out, d), byte_stride(in, d)};
    walk.push(in.sizes[d], strides);
  }
  if (walk.count == 0) return FL_OK;
  return dispatch_size(in.dtype, [&](auto tag) {
    const Triangle<typename decltype(tag)::type> body{static_cast<const char*>(in.data),
                                                      static_cast<char*>(out.data),
                                                      static_cast<uint32_t>(walk.count),
                                                      Divider(static_cast<uint32_t>(in.sizes[in.ndim - 1])),
                                                      Divider(static_cast<uint32_t>(in.sizes[in.ndim - 2])),
                                                      int_arg(call, 1),
                                                      upper,
                                                      Offsets<2>(walk)};
    return launch(call, body, blocks_for(walk.count, 256));
  });
}

}  // namespace torch_fl_dcu
