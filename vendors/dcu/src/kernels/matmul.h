// Matrix products: mm, bmm, addmm, baddbmm, in tiles of 64 x 64 whose panels lie in shared memory.
#pragma once

#include "kernels/blas.h"
#include "kernels/elementwise.h"

namespace torch_fl_dcu {

// One matrix operand of each batch: [batch, rows, columns], strides in elements.
struct Matrix {
  void* data = nullptr;
  int64_t batch = 0, row = 0, column = 0;
  Matrix() = default;
  // A dimension of one element does not move, so that a smaller bias is expanded.
  explicit Matrix(const fl_tensor& t) : data(t.data) {
    if (t.ndim == 3) batch = t.sizes[0] == 1 ? 0 : t.strides[0];
    if (t.ndim >= 2) row = t.sizes[t.ndim - 2] == 1 ? 0 : t.strides[t.ndim - 2];
    if (t.ndim >= 1) column = t.sizes[t.ndim - 1] == 1 ? 0 : t.strides[t.ndim - 1];
  }
};

template <class T>
struct Matmul {
  static constexpr bool kCooperative = true;
  static constexpr int kTile = 64, kDepth = 16, kEach = 4;  // 256 threads, 4 x 4 results each
  using M = Math<T>;
  Matrix a, b, bias, out;
  int64_t rows, columns, depth, tiles_across;
  M alpha, beta;
  bool has_bias;

  FL_GPU void operator()() const {
    // One column more than the tile: neighbours of a column lie in different banks.
    FL_SHARED M left[kDepth][kTile + 1], right[kDepth][kTile + 1];
    const int64_t batch = block_id_y(), tile_row = block_id() / tiles_across * kTile,
                  tile_column = block_id() % tiles_across * kTile;
    const T* x = static_cast<const T*>(a.data) + batch * a.batch;
    const T* y = static_cast<const T*>(b.data) + batch * b.batch;
    const int me = thread_id(), own_row = me / 16, own_column = me % 16;
    // Whichever of its dimensions is dense is the one that neighbouring threads load.
    const bool a_rows = a.row == 1 && a.column != 1, b_rows = b.row == 1 && b.column != 1;
    M sums[kEach][kEach] = {};
    for (int64_t first = 0; first < depth; first += kDepth) {
      FL_UNROLL
      for (int n = 0; n < kTile * kDepth / 256; n++) {
        const int i = me + n * 256;
        const int ar = a_rows ? i % kTile : i / kDepth, ak = a_rows ? i / kTile : i % kDepth;
        const int64_t row = tile_row + ar, k = first + ak;
        left[ak][ar] = row < rows && k < depth ? widen(x[row * a.row + k * a.column]) : M(0);
        const int bc = b_rows ? i / kDepth : i % kTile, bk = b_rows ? i % kDepth : i / kTile;
        const int64_t column = tile_column + bc, j = first + bk;
        right[bk][bc] = column < columns && j < depth ? widen(y[j * b.row + column * b.column]) : M(0);
      }
      sync();
      M part[kEach][kEach] = {};
      FL_UNROLL
      for (int k = 0; k < kDepth; k++) {
        M p[kEach], q[kEach];
        FL_UNROLL
        for (int i = 0; i < kEach; i++) {
          p[i] = left[k][own_row + i * 16];
          q[i] = right[k][own_column + i * 16];
        }
        FL_UNROLL
        for (int i = 0; i < kEach; i++) FL_UNROLL
        for (int j = 0; j < kEach; j++) part[i][j] += p[i] * q[j];
      }
      // Sums of sums: rounding errors grow with the number of panels, not with the depth.
      FL_UNROLL
      for (int i = 0; i < kEach; i++) FL_UNROLL
      for (int j = 0; j < kEach; j++) sums[i][j] += part[i][j];
      sync();
    }
    FL_UNROLL
    for (int i = 0; i < kEach; i++) FL_UNROLL
    for (int j = 0; j < kEach; j++) {
      const int64_t row = tile_row + own_row + i * 16, column = tile_column + own_column + j * 16;
      if (row >= rows || column >= columns) continue;
      M sum = alpha * sums[i][j];
      if (has_bias)
        sum +=
            beta * widen(static_cast<const T*>(bias.data)[batch * bias.batch + row * bias.row + column * bias.column]);
      static_cast<T*>(out.data)[batch * out.batch + row * out.row + column * out.column] = narrow<T>(sum);
    }
  }
};

// `first` is the argument that is the left matrix: 0 for (self, mat2), 1 for (self, mat1, mat2, beta, alpha).
template <class Ts>
fl_status matmul(const fl_call* call, Ts types, int first) {
  const fl_tensor &out = tensor_out(call, 0), &a = tensor_arg(call, first), &b = tensor_arg(call, first + 1);
  if (!same_dtype(a, b) || !same_dtype(a, out)) return FL_UNSUPPORTED;
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    Matmul<T> body{};
    body.a = Matrix(a);
    body.b = Matrix(b);
    body.out = Matrix(out);
    body.rows = out.sizes[out.ndim - 2];
    body.columns = out.sizes[out.ndim - 1];
    body.depth = a.sizes[a.ndim - 1];
    body.alpha = body.beta = Math<T>(1);
    if (first == 1) {
      const fl_tensor& bias = tensor_arg(call, 0);
      if (!same_dtype(bias, out)) return FL_UNSUPPORTED;
      if (!scalar_math<T>(scalar_arg(call, 3), &body.beta) || !scalar_math<T>(scalar_arg(call, 4), &body.alpha))
        return FL_UNSUPPORTED;
      body.bias = Matrix(bias);
      body.has_bias = body.beta != Math<T>(0);  // then it is not read
    }
    if constexpr (kIsFloat<T>) {
      const fl_status status = blas_matmul(call, out, a, b, body.has_bias ? &tensor_arg(call, 0) : nullptr,
                                           static_cast<double>(body.alpha), static_cast<double>(body.beta));
      if (status != FL_UNSUPPORTED) return status;
    }
    body.tiles_across = blocks_for(body.columns, Matmul<T>::kTile);
    const int64_t tiles = blocks_for(body.rows, Matmul<T>::kTile) * body.tiles_across;
    const int64_t batches = out.ndim == 3 ? out.sizes[0] : 1;
    constexpr int64_t kMostBatches = 65535;  // blocks along y
    const auto move = [](Matrix& m, int64_t by) { m.data = static_cast<T*>(m.data) + by * m.batch; };
    for (int64_t done = 0; done < batches && tiles > 0; done += kMostBatches) {
      const int64_t now = batches - done < kMostBatches ? batches - done : kMostBatches;
      if (const fl_status status = launch<256>(call, body, tiles, 256, now)) return status;
      for (Matrix* m : {&body.a, &body.b, &body.out}) move(*m, now);
      if (body.has_bias) move(body.bias, now);
    }
    return FL_OK;
  });
}

}  // namespace torch_fl_dcu
