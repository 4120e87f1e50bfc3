// Matrix products: mm, bmm, addmm, baddbmm.
//
// A product of some size is computed in tiles of 4 x 8 from packed panels: A in panels of 4 rows, B in panels of 8
// columns, both along K and in the computing type, padded with zeros. Then the inner loop reads memory in order
// whatever the tensors' strides are. prepare() decides once per plan whether that pays.
#pragma once

#include <new>

#include "kernels/args.h"
#include "kernels/loop.h"
#include "kernels/types.h"

namespace torch_fl_sim {

struct MatmulPlan {
  bool packed = false;
};

// One matrix operand of each batch: [batch, rows, columns], strides in bytes.
struct Matrix {
  char* data = nullptr;
  int64_t batch_step = 0, row_step = 0, column_step = 0;

  Matrix() = default;
  __attribute__((noinline)) explicit Matrix(const fl_tensor& t) : data(bytes_of(t)) {
    if (t.ndim == 3) batch_step = byte_stride(t, 0);
    if (t.ndim >= 2) row_step = t.sizes[t.ndim - 2] == 1 ? 0 : byte_stride(t, t.ndim - 2);
    if (t.ndim >= 1) column_step = t.sizes[t.ndim - 1] == 1 ? 0 : byte_stride(t, t.ndim - 1);
  }
  char* at(int64_t b, int64_t i, int64_t j) const { return data + b * batch_step + i * row_step + j * column_step; }
};

template <class T>
struct Matmul {
  using M = Math<T>;
  static constexpr int64_t kRows = 4, kColumns = 8, kBlock = 64;

  Matrix out, a, b, bias;
  bool has_bias = false;  // beta * bias is added; beta 0 means that bias is not read
  M alpha = M(1), beta = M(1);
  int64_t batches = 1, rows = 0, columns = 0, depth = 0;
  M* packed_a = nullptr;  // device memory for one batch: null = not packed
  M* packed_b = nullptr;

  static int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
  size_t bytes_a() const { return static_cast<size_t>(round_up(rows, kRows) * depth) * sizeof(M); }
  size_t bytes_b() const { return static_cast<size_t>(kColumns * depth) * sizeof(M); }

  void operator()() const {
    for (int64_t i = 0; i < batches; ++i) {
      if (packed_a) {
        packed(i);
      } else {
        direct(i);
      }
    }
  }

 private:
  void put(int64_t batch, int64_t i, int64_t j, M sum) const {
    sum = alpha * sum;
    if (has_bias) sum += beta * load<T>(bias.at(batch, i, j));
    store<T>(out.at(batch, i, j), sum);
  }

  void direct(int64_t batch) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const char* x = a.at(batch, i, 0);
        const char* y = b.at(batch, 0, j);
        M sum = M(0);
        for (int64_t k = 0; k < depth; ++k) sum += load<T>(x + k * a.column_step) * load<T>(y + k * b.row_step);
        put(batch, i, j, sum);
      }
    }
  }

  void packed(int64_t batch) const {
    for (int64_t i = 0; i < rows; i += kRows) {
      M* panel = packed_a + i * depth;
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t r = 0; r < kRows; ++r) {
          panel[k * kRows + r] = i + r < rows ? load<T>(a.at(batch, i + r, k)) : M(0);
        }
      }
    }
    for (int64_t j = 0; j < columns; j += kColumns) {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t c = 0; c < kColumns; ++c) {
          packed_b[k * kColumns + c] = j + c < columns ? load<T>(b.at(batch, k, j + c)) : M(0);
        }
      }
      for (int64_t i = 0; i < rows; i += kRows) tile(batch, i, j);
    }
  }

  void tile(int64_t batch, int64_t i, int64_t j) const {
    const M* x = packed_a + i * depth;
    const M* y = packed_b;
    M sum[kRows][kColumns] = {};
    // Sums of sums: rounding errors grow with the length of a block, not with the depth.
    for (int64_t from = 0; from < depth; from += kBlock) {
      const int64_t to = from + kBlock < depth ? from + kBlock : depth;
      M part[kRows][kColumns] = {};
      for (int64_t k = from; k < to; ++k, x += kRows, y += kColumns) {
        for (int64_t r = 0; r < kRows; ++r) {
          for (int64_t c = 0; c < kColumns; ++c) part[r][c] += x[r] * y[c];
        }
      }
      for (int64_t r = 0; r < kRows; ++r) {
        for (int64_t c = 0; c < kColumns; ++c) sum[r][c] += part[r][c];
      }
    }
    for (int64_t r = 0; r < kRows && i + r < rows; ++r) {
      for (int64_t c = 0; c < kColumns && j + c < columns; ++c) put(batch, i + r, j + c, sum[r][c]);
    }
  }
};

// `first` is the argument that is the left matrix: 0 for (self, mat2), 1 for (self, mat1, mat2, beta, alpha).
inline fl_status prepare_matmul(const fl_call* call, void** state, int first) {
  const fl_tensor& a = tensor_arg(call, first);
  const fl_tensor& out = tensor_out(call, 0);
  const int64_t depth = a.sizes[a.ndim - 1];
  auto* plan = new (std::nothrow) MatmulPlan;
  if (!plan) return fail(FL_FAILED, "no host memory for the plan of a matrix product");
  const int64_t rows = out.sizes[out.ndim - 2], columns = out.sizes[out.ndim - 1];
  plan->packed = depth > 0 && rows >= 4 && columns >= 8 && numel(out) * depth >= 4096;
  *state = plan;
  return FL_OK;
}

inline void release_matmul(void* state) { delete static_cast<MatmulPlan*>(state); }

template <class Ts>
inline fl_status matmul(const fl_call* call, const char* name, Ts types, void* state, int first) {
  const fl_tensor& out = tensor_out(call, 0);
  const fl_tensor& a = tensor_arg(call, first);
  const fl_tensor& b = tensor_arg(call, first + 1);
  if (!same_dtype(a, b) || !same_dtype(a, out)) return FL_UNSUPPORTED;
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    Matmul<T> work;
    work.out = Matrix(out);
    work.a = Matrix(a);
    work.b = Matrix(b);
    if (out.ndim == 3) work.batches = out.sizes[0];
    work.rows = out.sizes[out.ndim - 2];
    work.columns = out.sizes[out.ndim - 1];
    work.depth = a.sizes[a.ndim - 1];
    if (first == 1) {
      // The bias is expanded to the output's sizes by its strides, as the schema allows it to be smaller.
      const fl_tensor& bias = tensor_arg(call, 0);
      if (!same_dtype(bias, out)) return FL_UNSUPPORTED;
      if (!scalar_math<T>(scalar_arg(call, 3), &work.beta) || !scalar_math<T>(scalar_arg(call, 4), &work.alpha)) {
        return FL_UNSUPPORTED;
      }
      work.bias = Matrix(bias);
      if (bias.ndim == 3 && bias.sizes[0] == 1) work.bias.batch_step = 0;
      work.has_bias = work.beta != M(0);
    }
    const bool packed = static_cast<const MatmulPlan*>(state)->packed;
    void* scratch = nullptr;
    if (packed) {
      if (const fl_status s = core()->alloc(call->device, call->stream, work.bytes_a() + work.bytes_b(), &scratch)) {
        return s;
      }
      work.packed_a = static_cast<M*>(scratch);
      work.packed_b = work.packed_a + work.bytes_a() / sizeof(M);
    }
    const fl_status status = enqueue(call, name, work);
    // Work that is still queued keeps using it: the allocator is ordered by stream.
    if (scratch) core()->free(call->device, scratch);
    return status;
  });
}

}  // namespace torch_fl_sim
