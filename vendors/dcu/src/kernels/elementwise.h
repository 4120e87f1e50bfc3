// Elementwise kernels: a functor over numbers becomes a kernel over tensors. Two are compiled per functor and dtypes:
// one for dense tensors, whose threads load and store 16 bytes at a time, and one for any strides. Arithmetic of narrow
// integers has the second alone.
#pragma once

#include <new>
#include <utility>

#include "kernels/layout.h"

namespace torch_fl_dcu {

// An input of a kernel: an address, or, where that is null, a number.
struct Input {
  const char* data = nullptr;
  bool single = false;  // one element at the address, for every element of the output
  alignas(16) char number[16] = {};
};

// True for functors that take a number among half-precision tensors as it is, not rounded to their dtype, as PyTorch
// multiplies and divides.
template <class F>
constexpr bool kExactNumbers = false;

// True for functors that say so: a thread has enough to do with one pack of elements.
template <class F, class = void>
constexpr bool kIsSlow = false;
template <class F>
constexpr bool kIsSlow<F, std::enable_if_t<F::kSlow>> = true;

// True for functors that move elements of so many bytes, whatever they mean.
template <class F, class = void>
constexpr bool kIsMove = false;
template <class F>
constexpr bool kIsMove<F, std::enable_if_t<F::kMove>> = true;

// Integers that are computed with too seldom for a kernel over dense tensors of their own.
template <class T>
constexpr bool kIsNarrow = kIsInt<T> && sizeof(T) < 4;

constexpr int most_of(int a) { return a; }
template <class... Rest>
constexpr int most_of(int a, int b, Rest... rest) {
  return most_of(a > b ? a : b, rest...);
}

template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T x[V];
};

// The inputs of one thread, in its registers before any of them is used: so many loads are on their way at once.
template <size_t I, class A, int U, int V>
struct Stage {
  Math<A> x[U][V];
};
template <class Sequence, int U, int V, class... A>
struct Stages;
template <size_t... I, int U, int V, class... A>
struct Stages<std::index_sequence<I...>, U, V, A...> : Stage<I, A, U, V>... {};

template <class F, class R, class... A>
struct Dense {
  static constexpr int V = 16 / most_of(sizeof(R), sizeof(A)...);
  static constexpr int U = kIsSlow<F> || V > 8 ? 1 : 2;
  using Sequence = std::index_sequence_for<A...>;

  F f;
  R* out;
  int64_t count;
  Input in[sizeof...(A) > 0 ? sizeof...(A) : 1];

  template <size_t I, class T>
  FL_GPU Math<T> one(int64_t at) const {
    if (in[I].data == nullptr) return *reinterpret_cast<const Math<T>*>(in[I].number);
    return widen(reinterpret_cast<const T*>(in[I].data)[in[I].single ? 0 : at]);
  }
  template <size_t I, class T>
  FL_GPU void load(Stage<I, T, U, V>& stage, int u, int64_t at) const {
    if (in[I].data == nullptr || in[I].single) {
      const Math<T> x = one<I, T>(0);
      FL_UNROLL
      for (int v = 0; v < V; v++) stage.x[u][v] = x;
    } else {
      const auto pack = *reinterpret_cast<const Pack<T, V>*>(reinterpret_cast<const T*>(in[I].data) + at);
      FL_UNROLL
      for (int v = 0; v < V; v++) stage.x[u][v] = widen(pack.x[v]);
    }
  }
  template <size_t... I>
  FL_GPU void load_all([[maybe_unused]] Stages<std::index_sequence<I...>, U, V, A...>& stages, [[maybe_unused]] int u,
                       [[maybe_unused]] int64_t at) const {
    (load<I, A>(stages, u, at), ...);
  }
  template <int N, size_t... I>
  FL_GPU void load_ones([[maybe_unused]] Stages<std::index_sequence<I...>, N, 1, A...>& stages, [[maybe_unused]] int n,
                        [[maybe_unused]] int64_t at) const {
    ((static_cast<Stage<I, A, N, 1>&>(stages).x[n][0] = one<I, A>(at)), ...);
  }
  template <int N, int M, size_t... I>
  FL_GPU R value([[maybe_unused]] const Stages<std::index_sequence<I...>, N, M, A...>& stages, [[maybe_unused]] int n,
                 [[maybe_unused]] int m) const {
    return narrow<R>(f(static_cast<const Stage<I, A, N, M>&>(stages).x[n][m]...));
  }
  FL_GPU void operator()() const {
    const int64_t step = static_cast<int64_t>(block_threads()) * V;
    const int64_t begin = block_id() * step * U, first = begin + thread_id() * V;
    if (begin + step * U <= count) {
      Stages<Sequence, U, V, A...> stages;
      FL_UNROLL
      for (int u = 0; u < U; u++) load_all(stages, u, first + u * step);
      FL_UNROLL
      for (int u = 0; u < U; u++) {
        Pack<R, V> pack;
        FL_UNROLL
        for (int v = 0; v < V; v++) pack.x[v] = value(stages, u, v);
        *reinterpret_cast<Pack<R, V>*>(out + first + u * step) = pack;
      }
    } else {  // The last block. No array is indexed by what a thread finds out: such do not live in registers.
      constexpr int kOnes = 4;
      const int64_t by = block_threads();
      for (int64_t at = begin + thread_id(); at < count; at += kOnes * by) {
        Stages<Sequence, kOnes, 1, A...> ones;
        FL_UNROLL
        for (int n = 0; n < kOnes; n++)
          if (at + n * by < count) load_ones(ones, n, at + n * by);
        FL_UNROLL
        for (int n = 0; n < kOnes; n++)
          if (at + n * by < count) out[at + n * by] = value(ones, n, 0);
      }
    }
  }
};

template <class F, class R, class... A>
struct Strided {
  static constexpr int U = 2, N = 1 + sizeof...(A);
  using Sequence = std::index_sequence_for<A...>;

  F f;
  char* out;
  uint32_t count;
  Offsets<N> offsets;
  Input in[sizeof...(A) > 0 ? sizeof...(A) : 1];

  template <size_t I, class T>
  FL_GPU void load(Stage<I, T, U, 1>& stage, int u, int64_t offset) const {
    stage.x[u][0] = in[I].data == nullptr ? *reinterpret_cast<const Math<T>*>(in[I].number)
                                          : widen(*reinterpret_cast<const T*>(in[I].data + offset));
  }
  template <size_t... I>
  FL_GPU void load_all([[maybe_unused]] Stages<std::index_sequence<I...>, U, 1, A...>& stages, [[maybe_unused]] int u,
                       [[maybe_unused]] const int64_t (&offset)[N]) const {
    (load<I, A>(stages, u, offset[I + 1]), ...);
  }
  template <size_t... I>
  FL_GPU R value([[maybe_unused]] const Stages<std::index_sequence<I...>, U, 1, A...>& stages,
                 [[maybe_unused]] int u) const {
    return narrow<R>(f(static_cast<const Stage<I, A, U, 1>&>(stages).x[u][0]...));
  }

  FL_GPU void operator()() const {
    const auto threads = static_cast<uint32_t>(block_threads());
    const uint32_t first = static_cast<uint32_t>(block_id()) * threads * U + static_cast<uint32_t>(thread_id());
    Stages<Sequence, U, 1, A...> stages;
    int64_t to[U];
    FL_UNROLL
    for (int u = 0; u < U; u++) {
      const uint32_t index = first + static_cast<uint32_t>(u) * threads;
      if (index >= count) break;
      int64_t offset[N];
      offsets.at(index, offset);
      to[u] = offset[0];
      load_all(stages, u, offset);
    }
    FL_UNROLL
    for (int u = 0; u < U; u++) {
      if (first + static_cast<uint32_t>(u) * threads >= count) break;
      *reinterpret_cast<R*>(out + to[u]) = value(stages, u);
    }
  }
};

namespace detail {

// An input that is one element.
inline bool is_single(const Layout& layout, int k) { return k > 0 && layout.rank == 1 && layout.strides[k][0] == 0; }

inline bool is_dense(const Layout& layout, const int* widths, int pack) {
  if (layout.rank > 1) return false;
  for (int k = 0; k < layout.operands; k++) {
    if (layout.data[k] == nullptr || is_single(layout, k)) continue;
    if (layout.rank == 1 && layout.strides[k][0] != widths[k]) return false;
    if (reinterpret_cast<uintptr_t>(layout.data[k]) % static_cast<uintptr_t>(widths[k] * pack) != 0) return false;
  }
  return true;
}

}  // namespace detail

// out = f(in...) for a walk whose first operand is the output; `in` has the numbers where the walk has none.
template <class R, class... A, class F>
fl_status elementwise_over(const fl_call* call, const F& f, const Layout& walk, const Input* in) {
  constexpr int kInputs = sizeof...(A);
  constexpr int widths[] = {sizeof(R), sizeof(A)...};
  if constexpr (kIsMove<F> || !(kIsNarrow<R> || (kIsNarrow<A> || ...))) {
    using Vectors = Dense<F, R, A...>;
    if (detail::is_dense(walk, widths, Vectors::V)) {
      if (walk.count == 0) return FL_OK;
      Vectors body{f, reinterpret_cast<R*>(walk.data[0]), walk.count, {}};
      for (int k = 0; k < kInputs; k++) {
        body.in[k] = in[k];
        body.in[k].single = detail::is_single(walk, k + 1);
      }
      constexpr int kThreads = 256;
      return launch<kThreads>(call, body, blocks_for(walk.count, kThreads * Vectors::V * Vectors::U));
    }
  }
  return in_parts(walk, [&](const Layout& part) {
    using Any = Strided<F, R, A...>;
    Any body{f, part.data[0], static_cast<uint32_t>(part.count), Offsets<1 + kInputs>(part), {}};
    for (int k = 0; k < kInputs; k++) {
      body.in[k] = in[k];
      body.in[k].data = part.data[k + 1];
    }
    constexpr int kThreads = 256;
    return launch<kThreads>(call, body, blocks_for(part.count, kThreads * Any::U));
  });
}

// One input of a call: a tensor of the output's sizes, or a number in its place. False where a dtype is not A, or the
// number cannot be one.
template <class A, bool Exact>
bool take_input(const fl_value* v, const fl_tensor** tensor, Input* in) {
  if (is_tensor(v)) {
    *tensor = &v->v.tensor;
    in->data = static_cast<const char*>(v->v.tensor.data);
    return fl_dtype_to_id(v->v.tensor.dtype) == kId<A>;
  }
  *tensor = nullptr;
  if (v->kind != FL_SCALAR) return false;
  Math<A> number;
  if (!scalar_math<A>(v->v.scalar, &number)) return false;
  if constexpr (kIsHalf<A> && !Exact) number = widen(narrow<A>(number));
  std::memcpy(in->number, &number, sizeof(number));
  return true;
}

// out = f(in...), element by element. R and A are the dtypes of the output and of the inputs; every input has the
// output's sizes (core has expanded it), or is a 0-d tensor, or a number.
template <class R, class... A, class F, class... V>
fl_status elementwise(const fl_call* call, const F& f, const fl_value* out, const V*... values) {
  static_assert(sizeof...(A) == sizeof...(V) && std::is_trivially_copyable_v<F>);
  constexpr int kInputs = sizeof...(A);
  const fl_tensor* tensors[1 + kInputs] = {&out->v.tensor};
  Input in[kInputs > 0 ? kInputs : 1];
  if (fl_dtype_to_id(out->v.tensor.dtype) != kId<R>) return FL_UNSUPPORTED;
  int k = 0;
  const bool fits = ((take_input<A, kExactNumbers<F>>(values, &tensors[k + 1], &in[k]) && ++k) && ...);
  if (!fits) return FL_UNSUPPORTED;
  return elementwise_over<R, A...>(call, f, layout_of(tensors, 1 + kInputs), in);
}

// Copies, and casts where the dtypes differ. `from` has the sizes of `to`, or expands to them.
fl_status copy_elements(const fl_call* call, const fl_tensor& to, const fl_tensor& from);

}  // namespace torch_fl_dcu
