// Elementwise kernels: a functor over numbers becomes a kernel over tensors.
#pragma once

#include <cstring>
#include <new>

#include "kernels/loop.h"
#include "kernels/types.h"

namespace torch_fl_sim {

// One run of elements: pointers and byte strides, result first. Only this is compiled per functor and dtype.
using RowFn = void (*)(char* const* p, const int64_t* s, int64_t n, const void* functor);

namespace detail {

template <class R, class... A, class F, size_t... I>
inline void row(char* const* p, const int64_t* s, int64_t n, const F& f, std::index_sequence<I...>) {
  // Dense runs have a loop of their own that the compiler can turn into vector code; the halves would not gain by it.
  if constexpr (!kIsHalf<R> && !(kIsHalf<A> || ...)) {
    if (s[0] == sizeof(R) && ((s[I + 1] == sizeof(A)) && ...)) {
      R* out = reinterpret_cast<R*>(p[0]);
      for (int64_t i = 0; i < n; ++i) out[i] = f(reinterpret_cast<const A*>(p[I + 1])[i]...);
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) store<R>(p[0] + i * s[0], f(load<A>(p[I + 1] + i * s[I + 1])...));
}

template <class F, class R, class... A>
void row_of(char* const* p, const int64_t* s, int64_t n, const void* functor) {
  row<R, A...>(p, s, n, *static_cast<const F*>(functor), std::index_sequence_for<A...>{});
}

}  // namespace detail

constexpr size_t kFunctorBytes = 48;

// The work that is launched; it owns all that it reads.
template <int N>
struct Elementwise {
  Loop<N> loop;
  RowFn row = nullptr;
  alignas(16) char functor[kFunctorBytes];
  alignas(16) char numbers[N][16];  // numbers in the place of tensors

  void operator()() const {
    // Null marks a number. This object may have been copied since it was made, so the address is taken only now.
    char* start[N];
    for (int k = 0; k < N; ++k) start[k] = loop.data[k] ? loop.data[k] : const_cast<char*>(numbers[k]);
    loop.rows_from(start, [this](char* const* p, const int64_t* s, int64_t n) { row(p, s, n, functor); });
  }
};

namespace detail {

// One operand: a tensor of the output's sizes (then *data is its), or a number (then *data is null).
template <class T>
__attribute__((noinline)) bool set_operand(const fl_value* v, const fl_tensor** tensor, char** data, char* number) {
  if (v->kind == FL_TENSOR) {
    *tensor = &v->v.tensor;
    *data = bytes_of(v->v.tensor);
    return fl_dtype_to_id(v->v.tensor.dtype) == kId<T>;
  }
  *tensor = nullptr;
  *data = nullptr;
  Math<T> x;
  if (v->kind != FL_SCALAR || !scalar_math<T>(v->v.scalar, &x)) return false;
  new (number) T(narrow<T>(x));
  return true;
}

template <int N>
__attribute__((noinline)) void set_dims(Loop<N>& loop, const fl_tensor* const* tensors) {
  const fl_tensor& out = *tensors[0];
  if (numel(out) == 1) return;
  for (int32_t d = 0; d < out.ndim; ++d) {
    int64_t stride[N];
    for (int k = 0; k < N; ++k) stride[k] = tensors[k] && tensors[k]->ndim ? byte_stride(*tensors[k], d) : 0;
    loop.add_dim(out.sizes[d], stride);
  }
  loop.simplify();
}

// Compiled per dtypes only; what the functor does is behind `row`.
template <class R, class... A, class... V>
fl_status elementwise(const fl_call* call, const char* name, RowFn row, const void* functor, size_t functor_bytes,
                      const fl_value* out, const V*... in) {
  constexpr int kOperands = 1 + sizeof...(A);
  Elementwise<kOperands> work;
  const fl_tensor* tensors[kOperands];
  int k = 0;
  const auto set = [&](auto tag, const fl_value* v) {
    const int i = k++;
    return set_operand<typename decltype(tag)::type>(v, &tensors[i], &work.loop.data[i], work.numbers[i]);
  };
  if (!set(Tag<R>{}, out) || !(set(Tag<A>{}, in) && ...)) return FL_UNSUPPORTED;
  set_dims(work.loop, tensors);
  work.row = row;
  std::memcpy(work.functor, functor, functor_bytes);
  return launch(call, name, work);
}

}  // namespace detail

// out = f(in...), element by element. R and A are the dtypes of the output and of the inputs; every input has the
// output's sizes (core has expanded it), or is a 0-d tensor, or a number.
template <class R, class... A, class F, class... V>
inline fl_status elementwise(const fl_call* call, const char* name, const F& f, const fl_value* out, const V*... in) {
  static_assert(sizeof...(A) == sizeof...(V) && sizeof(F) <= kFunctorBytes && std::is_trivially_copyable_v<F>);
  return detail::elementwise<R, A...>(call, name, detail::row_of<F, R, A...>, &f, sizeof f, out, in...);
}

}  // namespace torch_fl_sim
