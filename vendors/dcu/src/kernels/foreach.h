// The _foreach_ ops: one elementwise kernel per member of the lists.
#pragma once

#include "kernels/binary.h"
#include "kernels/unary.h"

namespace torch_fl_dcu {

inline fl_value member(const fl_list& list, size_t i) {
  fl_value v{};
  v.kind = FL_TENSOR;
  v.v.tensor = item<fl_tensor>(list, i);
  return v;
}

// Every member of `list` has the sizes and the dtype of the same member of the results. Asked of all lists before the
// first member is enqueued: after that a refusal would be too late.
bool matches_results(const fl_call* call, const fl_list& list);

// What stands beside the members of list 0: nothing, one number for all, a number for each, or a list.
enum class Beside { kNothing, kNumber, kNumbers, kList };

inline const fl_scalar& number_of(const fl_call* call, int at, Beside beside, size_t i) {
  return beside == Beside::kNumbers ? item<fl_scalar>(list_arg(call, at), i) : scalar_arg(call, at);
}

// Calls one(tag, i, out) for each result that has elements.
template <class Ts, class One>
fl_status for_each_result(const fl_call* call, Ts types, One&& one) {
  const fl_list& outs = fl_out(call, 0)->v.list;
  for (size_t i = 0; i < outs.count; i++) {
    const fl_value out = member(outs, i);
    if (numel(out.v.tensor) == 0) continue;
    const fl_status status = dispatch(types, out.v.tensor.dtype, [&](auto tag) { return one(tag, i, out); });
    if (status != FL_OK) return status;
  }
  return FL_OK;
}

// The numbers of argument `at` fit every member's dtype.
template <class Ts>
bool numbers_fit(const fl_call* call, Ts types, int at, Beside beside) {
  if (beside == Beside::kNumbers && list_arg(call, at).count != fl_out(call, 0)->v.list.count) return false;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value&) {
           using T = typename decltype(tag)::type;
           Math<T> number;
           return scalar_math<T>(number_of(call, at, beside, i), &number) ? FL_OK : FL_UNSUPPORTED;
         }) == FL_OK;
}

// _foreach_sqrt(self)
template <class F, class Ts>
fl_status foreach_unary(const fl_call* call, Ts types) {
  const fl_list& self = list_arg(call, 0);
  if (!matches_results(call, self)) return FL_UNSUPPORTED;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) {
    using T = typename decltype(tag)::type;
    const fl_value in = member(self, i);
    return elementwise<T, T>(call, F{}, &out, &in);
  });
}

// f(self, other) of a functor made by make(tag): other is a list, a number, or a number for each member.
template <class Ts, class Make>
fl_status foreach_two(const fl_call* call, Ts types, Beside beside, Make&& make) {
  const fl_list& self = list_arg(call, 0);
  if (!matches_results(call, self)) return FL_UNSUPPORTED;
  const bool list = beside == Beside::kList;
  if (list ? !matches_results(call, list_arg(call, 1)) : !numbers_fit(call, types, 1, beside)) return FL_UNSUPPORTED;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) {
    using T = typename decltype(tag)::type;
    const fl_value a = member(self, i);
    fl_value b{};
    if (list) {
      b = member(list_arg(call, 1), i);
    } else {
      b.kind = FL_SCALAR;
      b.v.scalar = number_of(call, 1, beside, i);
    }
    return elementwise<T, T, T>(call, make(tag), &out, &a, &b);
  });
}

// _foreach_mul.List, .Scalar, .ScalarList(self, other)
template <class F, Beside beside, class Ts>
fl_status foreach_binary(const fl_call* call, Ts types) {
  return foreach_two(call, types, beside, [](auto) { return F{}; });
}

// _foreach_mul.Tensor(self, other): one number for all, which lies on the device.
template <class F, class Ts>
fl_status foreach_single(const fl_call* call, Ts types) {
  const fl_list& self = list_arg(call, 0);
  const fl_tensor& other = tensor_arg(call, 1);
  if (!matches_results(call, self) || other.ndim != 0) return FL_UNSUPPORTED;
  for (size_t i = 0; i < self.count; i++)
    if (!same_dtype(item<fl_tensor>(self, i), other)) return FL_UNSUPPORTED;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) {
    using T = typename decltype(tag)::type;
    const fl_value a = member(self, i);
    return elementwise<T, T, T>(call, F{}, &out, &a, fl_arg(call, 1));
  });
}

// _foreach_add.Scalar, .ScalarList(self, other): without a factor. PyTorch subtracts no bool, and says so on the next
// lane.
template <template <class> class F, Beside beside, class Ts>
fl_status foreach_plain(const fl_call* call, Ts types) {
  for (size_t i = 0; i < list_arg(call, 0).count && i < fl_out(call, 0)->v.list.count; i++) {
    if (beside == Beside::kNumbers && i >= list_arg(call, 1).count) return FL_UNSUPPORTED;
    if (number_of(call, 1, beside, i).kind == FL_BOOLEAN) return FL_UNSUPPORTED;
  }
  return foreach_two(call, types, beside, [](auto tag) {
    using M = Math<typename decltype(tag)::type>;
    return F<M>{M(1)};
  });
}

// _foreach_add.List(self, other, alpha)
template <template <class> class F, class Ts>
fl_status foreach_factor(const fl_call* call, Ts types) {
  if (!numbers_fit(call, types, 2, Beside::kNumber)) return FL_UNSUPPORTED;
  return foreach_two(call, types, Beside::kList, [&](auto tag) {
    using T = typename decltype(tag)::type;
    F<Math<T>> f{};
    Math<T> number{};
    (void)scalar_math<T>(scalar_arg(call, 2), &number);
    std::memcpy(&f, &number, sizeof f);
    return f;
  });
}

// _foreach_addcdiv.Scalar, .ScalarList(self, tensor1, tensor2, value)
template <template <class> class F, Beside beside, class Ts>
fl_status foreach_ternary(const fl_call* call, Ts types) {
  for (int k = 0; k < 3; k++)
    if (!matches_results(call, list_arg(call, k))) return FL_UNSUPPORTED;
  if (!numbers_fit(call, types, 3, beside)) return FL_UNSUPPORTED;
  return for_each_result(call, types, [&](auto tag, size_t i, const fl_value& out) {
    using T = typename decltype(tag)::type;
    F<Math<T>> f{};
    (void)scalar_math<T>(number_of(call, 3, beside, i), &f.value);
    const fl_value a = member(list_arg(call, 0), i), b = member(list_arg(call, 1), i), c = member(list_arg(call, 2), i);
    return elementwise<T, T, T, T>(call, f, &out, &a, &b, &c);
  });
}

}  // namespace torch_fl_dcu
