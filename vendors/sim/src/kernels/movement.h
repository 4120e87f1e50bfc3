// Kernels that only move elements: cat, flip, tril, triu; and nonzero.
#pragma once

#include "kernels/index.h"

namespace torch_fl_sim {

// cat(tensors, dim): one piece of work per tensor, each into its part of the output.
inline fl_status cat(const fl_call* call, const char* name) {
  const fl_tensor& out = tensor_out(call, 0);
  const fl_list& tensors = list_arg(call, 0);
  const int32_t dim = wrap_dim(int_arg(call, 1), out.ndim);
  // Checked before anything is enqueued. A 1-d tensor without elements is skipped whatever the others' rank is.
  for (size_t i = 0; i < tensors.count; ++i) {
    const fl_tensor& t = item<fl_tensor>(tensors, i);
    if (numel(t) != 0 && (t.ndim != out.ndim || !same_dtype(t, out))) return FL_UNSUPPORTED;
  }
  const size_t bytes = fl_dtype_size(out.dtype);
  char* to = bytes_of(out);
  for (size_t i = 0; i < tensors.count; ++i) {
    const fl_tensor& t = item<fl_tensor>(tensors, i);
    if (numel(t) == 0) continue;
    Loop<2> loop;
    loop.data[0] = to;
    loop.data[1] = bytes_of(t);
    for (int32_t d = 0; d < t.ndim; ++d) loop.add_dim(t.sizes[d], {byte_stride(out, d), byte_stride(t, d)});
    loop.simplify();
    to += t.sizes[dim] * byte_stride(out, dim);
    const fl_status status = enqueue(call, name, [loop, bytes] {
      loop.rows([bytes](char* const* p, const int64_t* s, int64_t n) { copy_run(p[0], s[0], p[1], s[1], n, bytes); });
    });
    if (status) return status;
  }
  return FL_OK;
}

// flip(self, dims)
inline fl_status flip(const fl_call* call, const char* name) {
  const fl_tensor& in = tensor_arg(call, 0);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(in, out)) return FL_UNSUPPORTED;
  const fl_list& dims = list_arg(call, 1);
  uint32_t flipped = 0;
  for (size_t i = 0; i < dims.count; ++i) flipped |= 1u << wrap_dim(item<int64_t>(dims, i), in.ndim);
  Loop<2> loop;
  loop.data[0] = bytes_of(out);
  loop.data[1] = bytes_of(in);
  for (int32_t d = 0; d < in.ndim; ++d) {
    int64_t step = byte_stride(in, d);
    if (flipped >> d & 1) {
      loop.data[1] += (in.sizes[d] - 1) * step;
      step = -step;
    }
    loop.add_dim(in.sizes[d], {byte_stride(out, d), step});
  }
  loop.simplify();
  const size_t bytes = fl_dtype_size(in.dtype);
  return enqueue(call, name, [loop, bytes] {
    loop.rows([bytes](char* const* p, const int64_t* s, int64_t n) { copy_run(p[0], s[0], p[1], s[1], n, bytes); });
  });
}

// tril and triu (self, diagonal): an element stays where column - row is on the diagonal or on the kept side of it.
template <bool Upper>
inline fl_status triangle(const fl_call* call, const char* name) {
  const fl_tensor& in = tensor_arg(call, 0);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(in, out)) return FL_UNSUPPORTED;
  const int64_t diagonal = int_arg(call, 1);
  Loop<2> batches;
  batches.data[0] = bytes_of(out);
  batches.data[1] = bytes_of(in);
  for (int32_t d = 0; d + 2 < in.ndim; ++d) batches.add_dim(in.sizes[d], {byte_stride(out, d), byte_stride(in, d)});
  batches.simplify();
  const int32_t row = in.ndim - 2, column = in.ndim - 1;
  const int64_t rows = in.sizes[row], columns = in.sizes[column];
  const int64_t out_row = byte_stride(out, row), out_column = byte_stride(out, column);
  const int64_t in_row = byte_stride(in, row), in_column = byte_stride(in, column);
  const size_t bytes = fl_dtype_size(in.dtype);
  return enqueue(call, name, [=] {
    batches.elements([&](char* const* p) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          char* to = p[0] + i * out_row + j * out_column;
          if (Upper ? j - i >= diagonal : j - i <= diagonal) {
            copy_element(to, p[1] + i * in_row + j * in_column, bytes);
          } else {
            std::memset(to, 0, bytes);
          }
        }
      }
    });
  });
}

// What is compiled per dtype of nonzero: whether an element is one to find.
using IsSet = bool (*)(const char* element);
template <class T>
bool is_set(const char* element) {
  return load<T>(element) != Math<T>(0);
}

// nonzero(self): the output's size depends on data, so the kernel waits for its input, counts, and asks for the output.
__attribute__((noinline)) inline fl_status nonzero_by(const fl_call* call, const char* name, IsSet is_set) {
  const fl_tensor& in = tensor_arg(call, 0);
  Loop<1> loop;
  loop.data[0] = bytes_of(in);
  for (int32_t d = 0; d < in.ndim; ++d) loop.add_dim(in.sizes[d], {byte_stride(in, d)});
  const bool empty = numel(in) == 0;
  int64_t count = 0;
  if (!empty) {
    if (const fl_status s = drain(call->stream)) return s;
    const DeviceOpen open(call->device);
    loop.elements([&](char* const* p) { count += is_set(p[0]); });
  }
  const int32_t ndim = in.ndim;
  const int64_t sizes[2] = {count, ndim};
  fl_tensor out;
  if (const fl_status s = core()->alloc_output(call, 0, fl_dtype{FL_CODE_INT, 64, 1}, 2, sizes, &out)) return s;
  if (count == 0 || ndim == 0) return FL_OK;
  char* to = bytes_of(out);
  const int64_t row_step = byte_stride(out, 0), column_step = byte_stride(out, 1);
  return enqueue(call, name, [=] {
    int64_t at[kMaxRank] = {};
    char* row = to;
    loop.elements([&](char* const* p) {
      if (is_set(p[0])) {
        for (int32_t d = 0; d < ndim; ++d) store<int64_t>(row + d * column_step, at[d]);
        row += row_step;
      }
      for (int32_t d = ndim - 1; d >= 0; --d) {
        if (++at[d] < loop.sizes[d]) break;
        at[d] = 0;
      }
    });
  });
}

template <class... Ts>
inline fl_status nonzero(const fl_call* call, const char* name, Types<Ts...>) {
  const fl_dtype_id id = fl_dtype_to_id(tensor_arg(call, 0).dtype);
  IsSet found = nullptr;
  (void)((id == kId<Ts> && ((found = is_set<Ts>), true)) || ...);
  return found ? nonzero_by(call, name, found) : FL_UNSUPPORTED;
}

}  // namespace torch_fl_sim
