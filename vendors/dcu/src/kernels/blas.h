// Matrix products by the BLAS that the machine has, found when the first one is asked for: hipBLAS on DCU, cuBLAS where
// the library is built for NVIDIA. Nothing is linked; without one the vendor's own tiles compute (kernels/matmul.h).
#pragma once

#include "runtime.h"

namespace torch_fl_dcu {

// out = alpha * a b + beta * out, column by column as BLAS has it: out is [rows, columns] with `out_step` elements from
// one column to the next. A factor that is `transposed` lies in memory row by row.
struct BlasFactor {
  const void* data;
  bool transposed;
  int64_t step;   // elements from one column (one row, where it is transposed) to the next
  int64_t batch;  // elements from one matrix to the next
};
struct BlasProduct {
  fl_dtype_id dtype;  // of all three: FL_F16, FL_BF16, FL_F32, FL_F64
  int64_t rows, columns, depth, batches;
  BlasFactor a, b;
  void* out;
  int64_t out_step, out_batch;
  double alpha, beta;
};

// FL_UNSUPPORTED where there is no BLAS, or it does not take this; then nothing was enqueued or written.
fl_status blas_product(const fl_call* call, const BlasProduct& product);

// out = alpha * a b + beta * bias for matrices or batches of them; bias null, or expanded to out's sizes.
// FL_UNSUPPORTED: as above, or an operand is dense along neither of its dimensions; `out` may hold the bias by then.
fl_status blas_matmul(const fl_call* call, const fl_tensor& out, const fl_tensor& a, const fl_tensor& b,
                      const fl_tensor* bias, double alpha, double beta);

}  // namespace torch_fl_dcu
