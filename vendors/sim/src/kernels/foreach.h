// The _foreach_ ops: one elementwise kernel per member of the lists.
#pragma once

#include "kernels/binary.h"
#include "kernels/unary.h"

namespace torch_fl_sim {

inline fl_value member(const fl_list& list, size_t i) {
  fl_value v{};
  v.kind = FL_TENSOR;
  v.v.tensor = item<fl_tensor>(list, i);
  return v;
}

// Every member of `list` has the sizes and the dtype of the same member of the results. Asked of all lists before the
// first member is enqueued: after that a refusal would be too late.
inline bool matches_results(const fl_call* call, const fl_list& list) {
  const fl_list& outs = fl_out(call, 0)->v.list;
  if (list.count != outs.count) return false;
  for (size_t i = 0; i < list.count; ++i) {
    const fl_tensor& a = item<fl_tensor>(list, i);
    const fl_tensor& b = item<fl_tensor>(outs, i);
    if (!same_dtype(a, b) || !same_sizes(a, b)) return false;
  }
  return true;
}

// Calls one(tag, i, out) for each result, where numel is not 0.
template <class Ts, class One>
inline fl_status for_each_result(const fl_call* call, Ts types, One&& one) {
  const fl_list& outs = fl_out(call, 0)->v.list;
  for (size_t i = 0; i < outs.count; ++i) {
    const fl_value out = member(outs, i);
    if (numel(out.v.tensor) == 0) continue;
    const fl_status status = dispatch(types, out.v.tensor.dtype, [&](auto tag) { return one(tag, i, out); });
    if (status) return status;
  }
  return FL_OK;
}

// The number of argument `at` fits every member's dtype.
template <class Ts>
inline bool number_fits(const fl_call* call, Ts types, int at) {
  return for_each_result(call, types, [&](auto tag, size_t, const fl_value&) {
           using T = typename decltype(tag)::type;
           Math<T> number;
           return scalar_math<T>(scalar_arg(call, at), &number) ? FL_OK : FL_UNSUPPORTED;
         }) == FL_OK;
}

// _foreach_sqrt(self)
template <class F, class Ts>
inline fl_status foreach_unary(const fl_call* call, const char* name, Ts types, F f = {}) {
  const fl_list& self = list_arg(call, 0);
  if (!matches_results(call, self)) return FL_UNSUPPORTED;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) {
    using T = typename decltype(tag)::type;
    const fl_value in = member(self, i);
    return elementwise<T, T>(call, name, f, &out, &in);
  });
}

// _foreach_mul.Scalar(self, scalar)
template <class F, class Ts>
inline fl_status foreach_scalar(const fl_call* call, const char* name, Ts types, F f = {}) {
  const fl_list& self = list_arg(call, 0);
  if (!matches_results(call, self) || !number_fits(call, types, 1)) return FL_UNSUPPORTED;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) {
    using T = typename decltype(tag)::type;
    const fl_value in = member(self, i);
    return elementwise<T, T, T>(call, name, f, &out, &in, fl_arg(call, 1));
  });
}

// _foreach_mul.List(self, other)
template <class F, class Ts>
inline fl_status foreach_list(const fl_call* call, const char* name, Ts types, F f = {}) {
  const fl_list& self = list_arg(call, 0);
  const fl_list& other = list_arg(call, 1);
  if (!matches_results(call, self) || !matches_results(call, other)) return FL_UNSUPPORTED;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) {
    using T = typename decltype(tag)::type;
    const fl_value a = member(self, i), b = member(other, i);
    return elementwise<T, T, T>(call, name, f, &out, &a, &b);
  });
}

// _foreach_add.List(self, other, alpha), _foreach_lerp.Scalar(self, tensors1, weight)
template <template <class> class F, class Ts>
inline fl_status foreach_list_number(const fl_call* call, const char* name, Ts types) {
  const fl_list& self = list_arg(call, 0);
  const fl_list& other = list_arg(call, 1);
  if (!matches_results(call, self) || !matches_results(call, other) || !number_fits(call, types, 2)) {
    return FL_UNSUPPORTED;
  }
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) -> fl_status {
    using T = typename decltype(tag)::type;
    F<Math<T>> f;
    if (!scalar_math<T>(scalar_arg(call, 2), reinterpret_cast<Math<T>*>(&f))) return FL_UNSUPPORTED;
    const fl_value a = member(self, i), b = member(other, i);
    return elementwise<T, T, T>(call, name, f, &out, &a, &b);
  });
}

// _foreach_addcdiv.Scalar(self, tensor1, tensor2, value)
template <template <class> class F, class Ts>
inline fl_status foreach_ternary(const fl_call* call, const char* name, Ts types) {
  const fl_list& self = list_arg(call, 0);
  const fl_list& first = list_arg(call, 1);
  const fl_list& second = list_arg(call, 2);
  if (!matches_results(call, self) || !matches_results(call, first) || !matches_results(call, second) ||
      !number_fits(call, types, 3)) {
    return FL_UNSUPPORTED;
  }
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) -> fl_status {
    using T = typename decltype(tag)::type;
    F<Math<T>> f;
    if (!scalar_math<T>(scalar_arg(call, 3), reinterpret_cast<Math<T>*>(&f))) return FL_UNSUPPORTED;
    const fl_value a = member(self, i), b = member(first, i), c = member(second, i);
    return elementwise<T, T, T, T>(call, name, f, &out, &a, &b, &c);
  });
}

}  // namespace torch_fl_sim
