// Elementwise kernels: a functor over numbers becomes a kernel over tensors.
#pragma once

#include <new>

#include "kernels/loop.h"
#include "kernels/types.h"

namespace torch_fl_sim {

// One run of elements: pointers and byte strides, result first. Only this is compiled per functor and dtype.
using RowFn = void (*)(char* const* p, const int64_t* s, int64_t n, const void* functor);

namespace detail {

template <class R, class... A, class F, size_t... I>
inline void row(char* const* p, const int64_t* s, int64_t n, const F& f, std::index_sequence<I...>) {
  if (s[0] == sizeof(R) && ((s[I + 1] == sizeof(A)) && ...)) {
    R* out = reinterpret_cast<R*>(p[0]);
    for (int64_t i = 0; i < n; ++i) out[i] = narrow<R>(f(widen(reinterpret_cast<const A*>(p[I + 1])[i])...));
    return;
  }
  for (int64_t i = 0; i < n; ++i) store<R>(p[0] + i * s[0], f(load<A>(p[I + 1] + i * s[I + 1])...));
}

template <class F, class R, class... A>
void row_of(char* const* p, const int64_t* s, int64_t n, const void* functor) {
  row<R, A...>(p, s, n, *static_cast<const F*>(functor), std::index_sequence_for<A...>{});
}

}  // namespace detail

// The work that is launched; it owns all that it reads.
template <int N>
struct Elementwise {
  Loop<N> loop;
  RowFn row = nullptr;
  alignas(16) char functor[48];
  alignas(16) char scalars[N][16];  // numbers in the place of tensors

  void operator()() const {
    // Null marks a number. This object may have been copied since it was made, so the address is taken only now.
    char* start[N];
    for (int k = 0; k < N; ++k) start[k] = loop.data[k] ? loop.data[k] : const_cast<char*>(scalars[k]);
    loop.rows_from(start, [this](char* const* p, const int64_t* s, int64_t n) { row(p, s, n, functor); });
  }
};

namespace detail {

// Operand k of `work`: a tensor of the output's sizes, or a number.
template <class T, int N>
inline bool set_operand(Elementwise<N>& work, const fl_tensor** tensors, int k, const fl_value* v) {
  if (v->kind == FL_TENSOR) {
    tensors[k] = &v->v.tensor;
    work.loop.data[k] = bytes_of(v->v.tensor);
    return fl_dtype_to_id(v->v.tensor.dtype) == kId<T>;
  }
  tensors[k] = nullptr;
  work.loop.data[k] = nullptr;
  Math<T> number;
  if (v->kind != FL_SCALAR || !scalar_math<T>(v->v.scalar, &number)) return false;
  new (work.scalars[k]) T(narrow<T>(number));
  return true;
}

template <int N>
inline void set_dims(Loop<N>& loop, const fl_tensor* const* tensors) {
  const fl_tensor& out = *tensors[0];
  int64_t count = 1;
  for (int32_t d = 0; d < out.ndim; ++d) count *= out.sizes[d];
  if (count == 1) return;
  for (int32_t d = 0; d < out.ndim; ++d) {
    int64_t stride[N];
    for (int k = 0; k < N; ++k) stride[k] = tensors[k] ? byte_stride(*tensors[k], d) : 0;
    loop.add_dim(out.sizes[d], stride);
  }
  loop.simplify();
}

}  // namespace detail

// out = f(in...), element by element. R and A are the dtypes of the output and of the inputs; every input has the
// output's sizes (core has expanded it) or is a number.
template <class R, class... A, class F, class... V>
inline fl_status elementwise(const fl_call* call, const char* name, const F& f, const fl_value* out, const V*... in) {
  constexpr int kOperands = 1 + sizeof...(A);
  static_assert(sizeof...(A) == sizeof...(V) && sizeof(F) <= sizeof(Elementwise<kOperands>::functor));
  Elementwise<kOperands> work;
  const fl_tensor* tensors[kOperands];
  int k = 0;
  if (!detail::set_operand<R>(work, tensors, 0, out)) return FL_UNSUPPORTED;
  if (!(detail::set_operand<A>(work, tensors, ++k, in) && ...)) return FL_UNSUPPORTED;
  detail::set_dims(work.loop, tensors);
  work.row = detail::row_of<F, R, A...>;
  new (work.functor) F(f);
  return launch(call, name, work);
}

}  // namespace torch_fl_sim
