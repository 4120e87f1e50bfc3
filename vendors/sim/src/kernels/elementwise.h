// Elementwise kernels: a functor over numbers becomes a kernel over tensors.
//
// Compiled per functor and dtype is one loop over dense elements, and nothing else: elements that are not dense, and
// the halves, which are computed in float, go through a buffer of a few hundred.
#pragma once

#include <cstring>
#include <new>

#include "kernels/loop.h"
#include "kernels/types.h"

namespace torch_fl_sim {

// A run of dense elements: pointers, result first.
using RowFn = void (*)(char* const* p, int64_t n, const void* functor);

constexpr int kMaxOperands = 4;
constexpr size_t kFunctorBytes = 48;

// How the elements of an operand lie in memory, and whether its number has to be converted for the functor.
struct Operand {
  enum Form : uint8_t { plain, half, bfloat16 };
  fl_dtype_id dtype;
  Form form;
  uint8_t bytes;
};
template <class T>
constexpr Operand kOperand{kId<T>,
                           std::is_same_v<T, Half>       ? Operand::half
                           : std::is_same_v<T, BFloat16> ? Operand::bfloat16
                                                         : Operand::plain,
                           sizeof(T)};

// True for functors that take a number among half-precision tensors as it is, not rounded to their dtype, as
// PyTorch multiplies and divides.
template <class F>
constexpr bool kExactNumbers = false;

namespace detail {

template <class F, class R, class... A, size_t... I>
inline void dense(char* const* p, int64_t n, const F& f, std::index_sequence<I...>) {
  R* out = reinterpret_cast<R*>(p[0]);
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(reinterpret_cast<const A*>(p[I + 1])[i]...));
}

template <class F, class R, class... A>
void row_of(char* const* p, int64_t n, const void* functor) {
  dense<F, R, A...>(p, n, *static_cast<const F*>(functor), std::index_sequence_for<A...>{});
}

// Any element of `bytes` bytes.
template <size_t bytes>
struct alignas(bytes < 8 ? bytes : 8) Element {
  unsigned char data[bytes];
};

template <class T>
inline void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<T*>(to + i * to_step) = *reinterpret_cast<const T*>(from + i * from_step);
  }
}

__attribute__((noinline)) inline void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step,
                                                    int64_t n, size_t bytes) {
  switch (bytes) {
    case 1:
      return copy_elements<uint8_t>(to, to_step, from, from_step, n);
    case 2:
      return copy_elements<uint16_t>(to, to_step, from, from_step, n);
    case 4:
      return copy_elements<uint32_t>(to, to_step, from, from_step, n);
    case 8:
      return copy_elements<uint64_t>(to, to_step, from, from_step, n);
    default:
      return copy_elements<Element<16>>(to, to_step, from, from_step, n);
  }
}

template <class T>
inline void widen_elements(char* to, const char* from, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) reinterpret_cast<float*>(to)[i] = load<T>(from + i * step);
}
template <class T>
inline void narrow_elements(char* to, int64_t step, const char* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) store<T>(to + i * step, reinterpret_cast<const float*>(from)[i]);
}

// Elements of memory as the functor wants them, and back.
inline void read_elements(char* to, const char* from, int64_t step, int64_t n, Operand operand) {
  if (operand.form == Operand::half) return widen_elements<Half>(to, from, step, n);
  if (operand.form == Operand::bfloat16) return widen_elements<BFloat16>(to, from, step, n);
  copy_elements(to, operand.bytes, from, step, n, operand.bytes);
}
inline void write_elements(char* to, int64_t step, const char* from, int64_t n, Operand operand) {
  if (operand.form == Operand::half) return narrow_elements<Half>(to, step, from, n);
  if (operand.form == Operand::bfloat16) return narrow_elements<BFloat16>(to, step, from, n);
  copy_elements(to, step, from, operand.bytes, n, operand.bytes);
}

// A run of elements of any strides.
__attribute__((noinline)) inline void run(const Operand* operands, int count, char* const* p, const int64_t* s,
                                          int64_t n, RowFn row, const void* functor) {
  constexpr int64_t kChunk = 256;
  bool direct[kMaxOperands];
  bool all_direct = true;
  for (int k = 0; k < count; ++k) {
    direct[k] = operands[k].form == Operand::plain && (s[k] == operands[k].bytes || n == 1);
    all_direct &= direct[k];
  }
  if (all_direct) return row(p, n, functor);
  alignas(16) char buffers[kMaxOperands][kChunk * 16];
  for (int64_t at = 0; at < n; at += kChunk) {
    const int64_t part = n - at < kChunk ? n - at : kChunk;
    char* q[kMaxOperands];
    for (int k = 0; k < count; ++k) {
      char* here = p[k] + at * s[k];
      q[k] = direct[k] ? here : buffers[k];
      // What does not move along the run is in its buffer since the first part.
      if (k > 0 && !direct[k] && (s[k] != 0 || at == 0)) read_elements(buffers[k], here, s[k], part, operands[k]);
    }
    row(q, part, functor);
    if (!direct[0]) write_elements(p[0] + at * s[0], s[0], buffers[0], part, operands[0]);
  }
}

// The work that is launched; it owns all that it reads.
template <int N>
struct Elementwise {
  Loop<N> loop;
  RowFn row = nullptr;
  Operand operands[N];
  alignas(16) char functor[kFunctorBytes];
  alignas(16) char numbers[N][16];  // numbers in the place of tensors

  void operator()() const {
    // Null marks a number. This object may have been copied since it was made, so the address is taken only now.
    char* start[N];
    for (int k = 0; k < N; ++k) start[k] = loop.data[k] ? loop.data[k] : const_cast<char*>(numbers[k]);
    loop.rows_from(start,
                   [this](char* const* p, const int64_t* s, int64_t n) { run(operands, N, p, s, n, row, functor); });
  }
};

// The number of a call as an element of the dtype. False where it cannot be one.
template <class... Ts>
__attribute__((noinline)) bool set_number(Types<Ts...>, const fl_scalar& scalar, fl_dtype_id dtype, char* number) {
  const auto set = [&](auto tag) {
    using T = typename decltype(tag)::type;
    Math<T> x;
    if (!scalar_math<T>(scalar, &x)) return false;
    new (number) T(narrow<T>(x));
    return true;
  };
  bool done = false;
  (void)((dtype == kId<Ts> && ((done = set(Tag<Ts>{})), true)) || ...);
  return done;
}

// One operand: a tensor of the output's sizes (then *data is its), or a number (then *data is null).
inline bool set_operand(const fl_value* v, fl_dtype_id dtype, const fl_tensor** tensor, char** data, char* number) {
  if (v->kind == FL_TENSOR) {
    *tensor = &v->v.tensor;
    *data = bytes_of(v->v.tensor);
    return fl_dtype_to_id(v->v.tensor.dtype) == dtype;
  }
  *tensor = nullptr;
  *data = nullptr;
  return v->kind == FL_SCALAR && set_number(AllTypes{}, v->v.scalar, dtype, number);
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

// Compiled per number of operands only; what the functor does is behind `row`.
template <int N>
__attribute__((noinline)) fl_status start(const fl_call* call, const char* name, RowFn row, const void* functor,
                                          size_t functor_bytes, const Operand (&wanted)[N],
                                          const fl_value* const (&values)[N], bool exact_numbers = false) {
  static_assert(N <= kMaxOperands);
  Elementwise<N> work;
  const fl_tensor* tensors[N];
  for (int k = 0; k < N; ++k) {
    const bool exact = exact_numbers && values[k]->kind == FL_SCALAR && wanted[k].form != Operand::plain;
    const Operand& operand = exact ? kOperand<float> : wanted[k];
    if (!set_operand(values[k], operand.dtype, &tensors[k], &work.loop.data[k], work.numbers[k])) return FL_UNSUPPORTED;
    work.operands[k] = operand;
  }
  set_dims(work.loop, tensors);
  work.row = row;
  std::memcpy(work.functor, functor, functor_bytes);
  return launch(call, name, work);
}

// For functors that move elements without a look at them: f(Tag<T>, operand) with a T of the dtype's size, and how an
// operand of the dtype lies in memory. FL_UNSUPPORTED where the list does not have the dtype.
template <class... Ts, class F>
inline fl_status by_bytes(Types<Ts...>, fl_dtype dtype, F&& f) {
  const Operand operand{fl_dtype_to_id(dtype), Operand::plain, static_cast<uint8_t>(fl_dtype_size(dtype))};
  if (!((operand.dtype == kId<Ts>) || ...)) return FL_UNSUPPORTED;
  switch (operand.bytes) {
    case 1:
      return f(Tag<uint8_t>{}, operand);
    case 2:
      return f(Tag<uint16_t>{}, operand);
    case 4:
      return f(Tag<uint32_t>{}, operand);
    case 8:
      return f(Tag<uint64_t>{}, operand);
    default:
      return f(Tag<Element<16>>{}, operand);
  }
}

// start() for a functor without members, of which there is a row per dtype.
template <int N>
__attribute__((noinline)) fl_status start_one_of(const fl_call* call, const char* name, const RowFn* rows,
                                                 const Operand* choices, size_t count, fl_dtype dtype, bool to_bool,
                                                 const fl_value* const (&values)[N], bool exact_numbers) {
  const fl_dtype_id id = fl_dtype_to_id(dtype);
  for (size_t i = 0; i < count; ++i) {
    if (choices[i].dtype != id) continue;
    Operand operands[N];
    for (Operand& operand : operands) operand = choices[i];
    if (to_bool) operands[0] = kOperand<bool>;
    const char no_members = 0;
    return start<N>(call, name, rows[i], &no_members, 1, operands, values, exact_numbers);
  }
  return FL_UNSUPPORTED;
}

template <class F, class R, class A, size_t... I>
constexpr RowFn row_of_same(std::index_sequence<I...>) {
  return row_of<F, R, std::enable_if_t<(I >= 0), A>...>;
}

}  // namespace detail

// out = f(in...), element by element. R and A are the dtypes of the output and of the inputs; every input has the
// output's sizes (core has expanded it), or is a 0-d tensor, or a number.
template <class R, class... A, class F, class... V>
inline fl_status elementwise(const fl_call* call, const char* name, const F& f, const fl_value* out, const V*... in) {
  static_assert(sizeof...(A) == sizeof...(V) && sizeof(F) <= kFunctorBytes && std::is_trivially_copyable_v<F>);
  return detail::start<1 + sizeof...(A)>(call, name, detail::row_of<F, Math<R>, Math<A>...>, &f, sizeof f,
                                         {kOperand<R>, kOperand<A>...}, {out, in...});
}

// The same for an F without members, and inputs of one dtype: that of `types` that `dtype` names. The result has it
// too, or is bool.
template <class F, bool ToBool = false, class... Ts, int N>
inline fl_status elementwise_of(const fl_call* call, const char* name, Types<Ts...>, fl_dtype dtype,
                                const fl_value* const (&values)[N]) {
  static_assert(std::is_empty_v<F>);
  static constexpr RowFn rows[] = {detail::row_of_same<F, std::conditional_t<ToBool, bool, Math<Ts>>, Math<Ts>>(
      std::make_index_sequence<N - 1>{})...};
  static constexpr Operand choices[] = {kOperand<Ts>...};
  return detail::start_one_of<N>(call, name, rows, choices, sizeof...(Ts), dtype, ToBool, values, kExactNumbers<F>);
}

}  // namespace torch_fl_sim
