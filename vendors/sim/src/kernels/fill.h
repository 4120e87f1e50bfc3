// Kernels that write numbers: fill_, zero_, masked_fill_, arange.
#pragma once

#include <cmath>

#include "kernels/elementwise.h"

namespace torch_fl_sim {

template <class T>
struct Constant {
  T value;
  T operator()() const { return value; }
};

// Keeps the element where the mask is false.
template <class T>
struct MaskedConstant {
  T value;
  T operator()(T x, bool mask) const { return mask ? value : x; }
};

template <class Ts>
inline fl_status fill(const fl_call* call, const char* name, Ts types, const fl_scalar& value) {
  const fl_dtype dtype = tensor_out(call, 0).dtype;
  alignas(16) char element[16];
  if (!stored_number(types, value, dtype, element)) return FL_UNSUPPORTED;
  return detail::by_bytes(types, dtype, [&](auto tag, const Operand& operand) {
    using T = typename decltype(tag)::type;
    return detail::start<1>(call, name, detail::row_of<Constant<T>, T>, element, sizeof(T), {operand},
                            {fl_out(call, 0)});
  });
}

template <class Ts>
inline fl_status zero(const fl_call* call, const char* name, Ts types) {
  fl_scalar zero{};
  zero.kind = FL_INT;
  return fill(call, name, types, zero);
}

// masked_fill_(self, mask, value)
template <class Ts>
inline fl_status masked_fill(const fl_call* call, const char* name, Ts types) {
  const fl_dtype dtype = tensor_out(call, 0).dtype;
  alignas(16) char element[16];
  if (!stored_number(types, scalar_arg(call, 2), dtype, element)) return FL_UNSUPPORTED;
  return detail::by_bytes(types, dtype, [&](auto tag, const Operand& operand) {
    using T = typename decltype(tag)::type;
    return detail::start<3>(call, name, detail::row_of<MaskedConstant<T>, T, T, bool>, element, sizeof(T),
                            {operand, operand, kOperand<bool>}, {fl_out(call, 0), fl_out(call, 0), fl_arg(call, 1)});
  });
}

// arange.start_out(start, end, step, out): core has checked the range and sized the output.
template <class Ts>
inline fl_status arange(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& out = tensor_out(call, 0);
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using A = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    A first, by;
    if (!scalar_cast<A>(scalar_arg(call, 0), &first) || !scalar_cast<A>(scalar_arg(call, 2), &by))
      return FL_UNSUPPORTED;
    char* data = bytes_of(out);
    const int64_t count = numel(out);
    return enqueue(call, name, [=] {
      for (int64_t i = 0; i < count; ++i) store<T>(data + i * sizeof(T), first + static_cast<A>(i) * by);
    });
  });
}

}  // namespace torch_fl_sim
