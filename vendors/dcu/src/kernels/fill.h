// Kernels that write numbers, and copies: fill_, zero_, masked_fill_, arange, copy_.
#pragma once

#include "kernels/unary.h"

namespace torch_fl_dcu {

template <class T>
struct Constant {
  static constexpr bool kMove = true;
  T value;
  FL_HD T operator()() const { return value; }
};

// Keeps the element where the mask is false.
template <class T>
struct MaskedConstant {
  static constexpr bool kMove = true;
  T value;
  FL_HD T operator()(T x, bool mask) const { return mask ? value : x; }
};

template <class T>
struct Arange {
  using A = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
  T* out;
  int64_t count;
  A first, by;
  FL_GPU void operator()() const {
    const int64_t step = block_count() * block_threads();
    for (int64_t i = thread_index(); i < count; i += step) out[i] = narrow<T>(first + static_cast<A>(i) * by);
  }
};

template <class Ts>
fl_status fill_with(const fl_call* call, Ts types, const fl_scalar& value) {
  const fl_tensor& out = tensor_out(call, 0);
  alignas(16) char element[16];
  if (!stored_number(types, value, out.dtype, element)) return FL_UNSUPPORTED;
  const fl_tensor* tensors[] = {&out};
  const Layout walk = layout_of(tensors, 1);
  return dispatch_size(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Constant<T> f;
    std::memcpy(&f, element, sizeof f);
    return elementwise_over<T>(call, f, walk, nullptr);
  });
}

template <class Ts>
fl_status fill(const fl_call* call, Ts types) {
  return fill_with(call, types, scalar_arg(call, 1));
}

template <class Ts>
fl_status zero(const fl_call* call, Ts types) {
  fl_scalar zero{};
  zero.kind = FL_INT;
  return fill_with(call, types, zero);
}

// masked_fill_(self, mask, value)
template <class Ts>
fl_status masked_fill(const fl_call* call, Ts types) {
  const fl_tensor &out = tensor_out(call, 0), &mask = tensor_arg(call, 1);
  alignas(16) char element[16];
  if (!stored_number(types, scalar_arg(call, 2), out.dtype, element)) return FL_UNSUPPORTED;
  const fl_tensor* tensors[] = {&out, &out, &mask};
  Input in[2];
  in[0].data = static_cast<const char*>(out.data);
  in[1].data = static_cast<const char*>(mask.data);
  const Layout walk = layout_of(tensors, 3);
  return dispatch_size(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    MaskedConstant<T> f;
    std::memcpy(&f, element, sizeof f);
    return elementwise_over<T, T, bool>(call, f, walk, in);
  });
}

// arange.start_out(start, end, step, out): core has checked the range and sized the output.
template <class Ts>
fl_status arange(const fl_call* call, Ts types) {
  const fl_tensor& out = tensor_out(call, 0);
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    Arange<T> body{static_cast<T*>(out.data), numel(out), {}, {}};
    if (!scalar_cast(scalar_arg(call, 0), &body.first) || !scalar_cast(scalar_arg(call, 2), &body.by))
      return FL_UNSUPPORTED;
    return body.count == 0 ? FL_OK : launch(call, body, blocks_for(body.count, 256));
  });
}

// copy_(self, src, non_blocking)
fl_status copy_into(const fl_call* call);

}  // namespace torch_fl_dcu
