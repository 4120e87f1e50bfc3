// Reading the arguments of a call. Everything that work needs later must be copied out of them before it is launched:
// the call's pointers die when the kernel returns.
#pragma once

#include "kernels/work.h"
#include "kit.h"

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

}  // namespace torch_fl_sim
