// Reductions over any set of dimensions.
#pragma once

#include <cmath>
#include <cstring>

#include "kernels/loop.h"
#include "kernels/types.h"

namespace torch_fl_sim {

// The dimensions that a call reduces, as bits: absent means all of them, and so does an empty list, but for any and
// all, to which it means none (`empty_is_all` false).
inline uint32_t dim_bits(const fl_value* dim, int32_t ndim, bool empty_is_all = true) {
  const uint32_t all = ndim ? (1u << ndim) - 1 : 0;
  if (dim->kind == FL_NONE) return all;
  if (dim->kind == FL_INT) return ndim ? 1u << wrap_dim(dim->v.i, ndim) : 0;
  const fl_list& list = dim->v.list;
  if (list.count == 0) return empty_is_all ? all : 0;
  uint32_t bits = 0;
  for (size_t i = 0; i < list.count; ++i) bits |= 1u << wrap_dim(item<int64_t>(list, i), ndim);
  return ndim ? bits : 0;
}

// `kept` walks Outs outputs and the input together (the input is the last), `reduced` the input alone.
template <int Outs>
struct Reduction {
  Loop<Outs + 1> kept;
  Loop<1> reduced;
  int64_t count = 1;  // elements behind one output element

  // `in_order`: the reduced elements come in logical order, as an index among them needs.
  __attribute__((noinline)) Reduction(const fl_call* call, const fl_tensor& in, uint32_t bits, bool in_order) {
    for (int k = 0; k < Outs; ++k) kept.data[k] = bytes_of(tensor_out(call, k));
    kept.data[Outs] = bytes_of(in);
    reduced.data[0] = bytes_of(in);
    // An output either keeps a reduced dimension with size 1, or has lost it.
    const bool keepdim = tensor_out(call, 0).ndim == in.ndim;
    int32_t out_dim = 0;
    for (int32_t d = 0; d < in.ndim; ++d) {
      const int64_t stride = byte_stride(in, d);
      if (bits >> d & 1) {
        reduced.add_dim(in.sizes[d], {stride});
        count *= in.sizes[d];
        if (keepdim) ++out_dim;
      } else {
        int64_t strides[Outs + 1];
        for (int k = 0; k < Outs; ++k) strides[k] = byte_stride(tensor_out(call, k), out_dim);
        strides[Outs] = stride;
        kept.add_dim(in.sizes[d], strides);
        ++out_dim;
      }
    }
    kept.simplify();
    if (!in_order) reduced.simplify();
  }

  // One output element: starts an R, gives it all elements that begin at `in`.
  template <class T, class R>
  void gather(char* in, R& reducer) const {
    reduced.rows_from(&in, [&](char* const* p, const int64_t* s, int64_t n) {
      for (int64_t i = 0; i < n; ++i) reducer.add(load<T>(p[0] + i * s[0]));
    });
  }
};

// --- reducers: add() every element, then result(count)

template <class M>
struct SumOf {
  M total = M(0);
  template <class T>
  void add(T x) {
    total += static_cast<M>(x);
  }
  M result(int64_t) const { return total; }
};

template <class M>
struct MeanOf : SumOf<M> {
  M result(int64_t count) const { return this->total / static_cast<M>(count); }
};

template <class M>
struct ProductOf {
  M total = M(1);
  template <class T>
  void add(T x) {
    total *= static_cast<M>(x);
  }
  M result(int64_t) const { return total; }
};

struct AnyOf {
  bool found = false;
  template <class T>
  void add(T x) {
    found |= x != T(0);
  }
  bool result(int64_t) const { return found; }
};

struct AllOf {
  bool held = true;
  template <class T>
  void add(T x) {
    held &= x != T(0);
  }
  bool result(int64_t) const { return held; }
};

// The best element and its place: the first of equals, and a NaN beats everything.
template <class M, bool Largest>
struct Extreme {
  M best{};
  int64_t index = -1;
  int64_t next = 0;
  void add(M x) {
    if (index < 0 || better(x)) {
      best = x;
      index = next;
    }
    ++next;
  }
  M result(int64_t) const { return best; }

 private:
  bool better(M x) const {
    if (is_nan(best)) return false;
    return is_nan(x) || (Largest ? x > best : x < best);
  }
};
template <class M>
using MaxOf = Extreme<M, true>;
template <class M>
using MinOf = Extreme<M, false>;

// The vector norm of order p.
template <class M>
struct NormOf {
  double p;
  M total = M(0);
  bool any = false;
  void add(M x) {
    x = std::abs(x);
    if (p == 2) {
      total += x * x;
    } else if (p == 1) {
      total += x;
    } else if (p == 0) {
      total += x != M(0);
    } else if (std::isinf(p)) {
      if (!any || is_nan(x) || (p > 0 ? x > total : x < total)) total = is_nan(total) ? total : x;
    } else {
      total += std::pow(x, static_cast<M>(p));
    }
    any = true;
  }
  M result(int64_t) const {
    if (p == 2) return std::sqrt(total);
    if (p == 0 || p == 1 || std::isinf(p)) return total;
    return std::pow(total, static_cast<M>(1 / p));
  }
};

// The work of a reduction to one output. Compiled per reducer and dtype is `one` alone, for one output element.
struct ReductionWork {
  static constexpr size_t kReducerBytes = 32;
  using One = void (*)(const Reduction<1>& walk, char* const* p, const void* reducer);

  Reduction<1> walk;
  One one;
  alignas(8) char reducer[kReducerBytes];

  void operator()() const {
    walk.kept.elements([this](char* const* p) { one(walk, p, reducer); });
  }
};

__attribute__((noinline)) inline fl_status start_reduction(const fl_call* call, const char* name, uint32_t bits,
                                                           ReductionWork::One one, const void* reducer, size_t bytes) {
  ReductionWork work{Reduction<1>(call, tensor_arg(call, 0), bits, false), one, {}};
  std::memcpy(work.reducer, reducer, bytes);
  return enqueue(call, name, work);
}

// One output of type R, from elements of T, by `reducer`.
template <class T, class R, class Reducer>
inline fl_status reduce(const fl_call* call, const char* name, uint32_t bits, const Reducer& reducer) {
  static_assert(sizeof(Reducer) <= ReductionWork::kReducerBytes && std::is_trivially_copyable_v<Reducer>);
  const auto one = [](const Reduction<1>& walk, char* const* p, const void* start) {
    Reducer r = *static_cast<const Reducer*>(start);
    walk.gather<T>(p[1], r);
    store<R>(p[0], r.result(walk.count));
  };
  return start_reduction(call, name, bits, one, &reducer, sizeof reducer);
}

// --- kernels; argument 1 is the dimension, or the dimensions

// Sums stay in the input's dtype, but those of integers and bool are int64.
template <template <class> class Reducer, class Ts>
inline fl_status reduce_sum(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  const uint32_t bits = dim_bits(fl_arg(call, 1), in.ndim);
  return dispatch(types, in.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using R = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
    // Another dtype, asked by `dtype=`, is the next lane's.
    if (fl_dtype_to_id(tensor_out(call, 0).dtype) != kId<R>) return FL_UNSUPPORTED;
    return reduce<T, R>(call, name, bits, Reducer<Sum<T>>{});
  });
}

template <template <class> class Reducer, class Ts>
inline fl_status reduce_extreme(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  if (!same_dtype(in, tensor_out(call, 0))) return FL_UNSUPPORTED;
  const uint32_t bits = dim_bits(fl_arg(call, 1), in.ndim);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, T>(call, name, bits, Reducer<Math<T>>{});
  });
}

// any and all: with no dimension argument at all, over everything.
template <class Reducer, class Ts>
inline fl_status reduce_bool(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  fl_value everything{};
  const uint32_t bits = dim_bits(call->arg_count > 1 ? fl_arg(call, 1) : &everything, in.ndim, false);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, bool>(call, name, bits, Reducer{});
  });
}

// linalg_vector_norm(self, ord, dim, keepdim, dtype)
template <class Ts>
inline fl_status vector_norm(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  if (!same_dtype(in, tensor_out(call, 0))) return FL_UNSUPPORTED;
  const double p = to_double(scalar_arg(call, 1));
  const uint32_t bits = dim_bits(fl_arg(call, 2), in.ndim);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, T>(call, name, bits, NormOf<Sum<T>>{p});
  });
}

// argmax, argmin: the place within the dimension, or within the whole tensor where there is none.
template <template <class> class Reducer, class Ts>
inline fl_status arg_extreme(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  const Reduction<1> walk(call, in, dim_bits(fl_arg(call, 1), in.ndim), true);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [walk] {
      walk.kept.elements([&](char* const* p) {
        Reducer<Math<T>> r;
        walk.gather<T>(p[1], r);
        store<int64_t>(p[0], r.index);
      });
    });
  });
}

// max.dim, min.dim: values and places.
template <template <class> class Reducer, class Ts>
inline fl_status extreme_dim(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  if (!same_dtype(in, tensor_out(call, 0))) return FL_UNSUPPORTED;
  const Reduction<2> walk(call, in, dim_bits(fl_arg(call, 1), in.ndim), true);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [walk] {
      walk.kept.elements([&](char* const* p) {
        Reducer<Math<T>> r;
        walk.gather<T>(p[2], r);
        store<T>(p[0], r.best);
        store<int64_t>(p[1], r.index);
      });
    });
  });
}

}  // namespace torch_fl_sim
