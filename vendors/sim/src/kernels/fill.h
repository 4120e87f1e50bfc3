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

// arange.start_out(start, end, step, out): the kernel decides the output's size (DYNAMIC_OUTPUT).
template <class Ts>
inline fl_status arange(const fl_call* call, const char* name, Ts types) {
  const fl_scalar& start = scalar_arg(call, 0);
  const fl_scalar& end = scalar_arg(call, 1);
  const fl_scalar& step = scalar_arg(call, 2);
  const fl_dtype dtype = tensor_arg(call, 3).dtype;
  return dispatch(types, dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using A = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    A first, last, by;
    if (!scalar_cast<A>(start, &first) || !scalar_cast<A>(end, &last) || !scalar_cast<A>(step, &by)) {
      return FL_UNSUPPORTED;
    }
    if (by == 0) return fail(FL_INVALID_VALUE, "step must be nonzero");
    if (!std::isfinite(scalar_double(start)) || !std::isfinite(scalar_double(end))) {
      return fail(FL_INVALID_VALUE, "unsupported range: %g -> %g", scalar_double(start), scalar_double(end));
    }
    if (by > 0 ? last < first : last > first) {
      return fail(FL_INVALID_VALUE, "upper bound and lower bound inconsistent with step sign");
    }
    // Integers that fit into a double exactly are counted without rounding.
    const bool integers = start.kind != FL_DOUBLE && end.kind != FL_DOUBLE && step.kind != FL_DOUBLE;
    const int64_t count =
        integers ? static_cast<int64_t>((last - first) / by) + (std::fmod(last - first, by) != 0 ? 1 : 0)
                 : static_cast<int64_t>(std::ceil((scalar_double(end) - scalar_double(start)) / scalar_double(step)));
    fl_tensor out;
    if (const fl_status s = core()->alloc_output(call, 0, dtype, 1, &count, &out)) return s;
    char* data = bytes_of(out);
    const int64_t stride = byte_stride(out, 0);
    return enqueue(call, name, [=] {
      for (int64_t i = 0; i < count; ++i) store<T>(data + i * stride, first + static_cast<A>(i) * by);
    });
  });
}

}  // namespace torch_fl_sim
