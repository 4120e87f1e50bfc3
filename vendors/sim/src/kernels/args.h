// Reading the arguments of a call. Everything that work needs later must be copied out of them before it is launched:
// the call's pointers die when the kernel returns.
#pragma once

#include "kernels/work.h"
#include "torch_fl/vendor.h"

namespace torch_fl_sim {

inline bool is_none(const fl_value* v) { return v->kind == FL_NONE; }
inline bool is_tensor(const fl_value* v) { return v->kind == FL_TENSOR; }
inline const fl_tensor& tensor_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.tensor; }
inline const fl_tensor& tensor_out(const fl_call* call, int32_t i) { return fl_out(call, i)->v.tensor; }
inline int64_t int_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.i; }
inline bool bool_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.i != 0; }
inline double double_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.d; }
inline const fl_scalar& scalar_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.scalar; }
inline const fl_list& list_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.list; }

inline const fl_tensor& tensor_at(const fl_list& list, size_t i) {
  return *reinterpret_cast<const fl_tensor*>(static_cast<const char*>(list.data) + i * list.element_size);
}
inline int64_t int_at(const fl_list& list, size_t i) {
  return *reinterpret_cast<const int64_t*>(static_cast<const char*>(list.data) + i * list.element_size);
}
inline bool bool_at(const fl_list& list, size_t i) {
  return static_cast<const char*>(list.data)[i * list.element_size] != 0;
}

// A number as double, whatever kind it has.
inline double scalar_double(const fl_scalar& s) {
  return s.kind == FL_DOUBLE ? s.v.d : s.kind == FL_COMPLEX ? s.v.c[0] : static_cast<double>(s.v.i);
}

inline int64_t numel(const fl_tensor& t) {
  int64_t n = 1;
  for (int32_t d = 0; d < t.ndim; ++d) n *= t.sizes[d];
  return n;
}

inline bool same_dtype(const fl_tensor& a, const fl_tensor& b) {
  return a.dtype.code == b.dtype.code && a.dtype.bits == b.dtype.bits;
}

inline bool same_sizes(const fl_tensor& a, const fl_tensor& b) {
  if (a.ndim != b.ndim) return false;
  for (int32_t d = 0; d < a.ndim; ++d) {
    if (a.sizes[d] != b.sizes[d]) return false;
  }
  return true;
}

// A dimension counted from the end becomes one counted from the start. A 0-d tensor takes 0 and -1.
inline int32_t wrap_dim(int64_t dim, int32_t ndim) {
  return static_cast<int32_t>(dim < 0 ? dim + (ndim ? ndim : 1) : dim);
}

}  // namespace torch_fl_sim
