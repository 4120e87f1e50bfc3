// Comparisons: functors of two numbers to true or false, and their kernels.
#pragma once

#include "kernels/elementwise.h"

namespace torch_fl_dcu {

#define FL_COMPARISON(Name, expression)     \
  struct Name {                             \
    template <class T>                      \
    FL_HD bool operator()(T a, T b) const { \
      return expression;                    \
    }                                       \
  };

FL_COMPARISON(Eq, a == b)
FL_COMPARISON(Ne, a != b)
FL_COMPARISON(Lt, a < b)
FL_COMPARISON(Le, a <= b)
FL_COMPARISON(Gt, a > b)
FL_COMPARISON(Ge, a >= b)
FL_COMPARISON(LogicalAnd, a != T(0) && b != T(0))
FL_COMPARISON(LogicalOr, a != T(0) || b != T(0))
FL_COMPARISON(LogicalXor, (a != T(0)) != (b != T(0)))
#undef FL_COMPARISON

// A bool result: one of the two may be a number, so the dtype is that of the one that is a tensor.
template <class F, class Ts>
fl_status compare(const fl_call* call, Ts types) {
  const fl_value* tensor = fl_arg(call, is_tensor(fl_arg(call, 0)) ? 0 : 1);
  if (!is_tensor(tensor)) return FL_UNSUPPORTED;
  return dispatch(types, tensor->v.tensor.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return elementwise<bool, T, T>(call, F{}, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1));
  });
}

}  // namespace torch_fl_dcu
