// Reductions over any set of dimensions, in one pass or, where outputs are few and long, in two: parts, then the parts.
//
// A reducer has an accumulator `Acc`, trivially copyable, and: start(), take(acc, x, place), merge(acc, acc),
// result(acc, count). Sums are kept in float for the halves and float32, each thread's apart: errors grow with the
// logarithm of the length.
#pragma once

#include <algorithm>

#include "kernels/elementwise.h"
#include "kernels/team.h"

namespace torch_fl_dcu {

// How a block's threads share out its outputs. Both numbers are powers of two.
struct Teams {
  int lanes = 1, teams = kTeamThreads;
  bool across = false;

  FL_GPU int lane() const { return across ? thread_id() >> log2_of(teams) : thread_id() & (lanes - 1); }
  FL_GPU int team() const { return across ? thread_id() & (teams - 1) : thread_id() >> log2_of(lanes); }
  template <class T, class Combine>
  FL_GPU T combine(T x, const Combine& with) const {
    return across ? team_combine_across(x, lanes, teams, with) : team_combine(x, lanes, with);
  }
};

// The results of one output.
template <class R, class Out>
struct Results {
  char* value = nullptr;
  char* place = nullptr;  // of an extreme element
  bool wide = false;      // the result's dtype is the accumulator's, not the input's

  FL_GPU void store(int64_t value_at, int64_t place_at, const R& reducer, const typename R::Acc& acc,
                    int64_t count) const {
    const auto x = reducer.result(acc, count);
    if (value != nullptr) {
      if (wide)
        *reinterpret_cast<decltype(reducer.result(acc, count))*>(value + value_at) = x;
      else
        *reinterpret_cast<Out*>(value + value_at) = narrow<Out>(x);
    }
    if constexpr (R::kPlaced)
      if (place != nullptr) *reinterpret_cast<int64_t*>(place + place_at) = acc.place;
  }
};

template <class R, class T, class Out>
struct Reduce {
  static constexpr bool kCooperative = true;
  static constexpr int V = 16 / sizeof(T), U = 4;
  using Acc = typename R::Acc;

  R reducer;
  const char* in;
  Results<R, Out> results;
  int64_t outputs, length;
  int64_t part;  // elements of the length that one block looks at
  Teams teams;
  bool vectors;      // the reduced elements are dense, from aligned addresses
  int64_t step;      // bytes between them where they are one dimension, else -1
  Offsets<3> kept;   // input, value, place
  Offsets<1> along;  // input
  Acc* parts;        // null: the results are written

  FL_GPU const T* element(const char* base, int64_t i) const {
    if (step >= 0) return reinterpret_cast<const T*>(base + i * step);
    int64_t offset[1];
    along.at(static_cast<uint32_t>(i), offset);
    return reinterpret_cast<const T*>(base + offset[0]);
  }

  FL_GPU Acc gather(const char* base, int64_t first, int64_t last, int lane) const {
    Acc acc[U];
    FL_UNROLL
    for (int u = 0; u < U; u++) acc[u] = reducer.start();
    int64_t i = first + lane;
    if (vectors) {
      const auto* packs = reinterpret_cast<const Pack<T, V>*>(base);
      const int64_t end = last / V;
      int64_t p = first / V + lane;  // `part` is a multiple of V
      for (; p + (U - 1) * teams.lanes < end; p += U * teams.lanes) {
        Pack<T, V> pack[U];
        FL_UNROLL
        for (int u = 0; u < U; u++) pack[u] = packs[p + u * teams.lanes];
        FL_UNROLL
        for (int u = 0; u < U; u++) FL_UNROLL
        for (int v = 0; v < V; v++) acc[u] = reducer.take(acc[u], widen(pack[u].x[v]), (p + u * teams.lanes) * V + v);
      }
      for (; p < end; p += teams.lanes) {
        const Pack<T, V> pack = packs[p];
        FL_UNROLL
        for (int v = 0; v < V; v++) acc[0] = reducer.take(acc[0], widen(pack.x[v]), p * V + v);
      }
      i = end * V + lane;
    }
    for (; i + (U - 1) * teams.lanes < last; i += U * teams.lanes) {
      T x[U];
      FL_UNROLL
      for (int u = 0; u < U; u++) x[u] = *element(base, i + u * teams.lanes);
      FL_UNROLL
      for (int u = 0; u < U; u++) acc[u] = reducer.take(acc[u], widen(x[u]), i + u * teams.lanes);
    }
    for (; i < last; i += teams.lanes) acc[0] = reducer.take(acc[0], widen(*element(base, i)), i);
    FL_UNROLL
    for (int u = 1; u < U; u++) acc[0] = reducer.merge(acc[0], acc[u]);
    return acc[0];
  }

  FL_GPU void operator()() const {
    const int64_t output = block_id() * teams.teams + teams.team();
    const int64_t first = block_id_y() * part, end = first + part;
    Acc acc = reducer.start();
    int64_t at[3] = {};
    if (output < outputs) {
      kept.at(static_cast<uint32_t>(output), at);
      acc = gather(in + at[0], first, end < length ? end : length, teams.lane());
    }
    acc = teams.combine(acc, [this](const Acc& a, const Acc& b) { return reducer.merge(a, b); });
    if (output >= outputs || teams.lane() != 0) return;
    if (parts != nullptr)
      parts[block_id_y() * outputs + output] = acc;
    else
      results.store(at[1], at[2], reducer, acc, length);
  }
};

template <class R, class Out>
struct ReduceParts {
  static constexpr bool kCooperative = true;
  using Acc = typename R::Acc;
  R reducer;
  Results<R, Out> results;
  int64_t outputs, length, splits;
  Teams teams;
  Offsets<3> kept;
  const Acc* parts;

  FL_GPU void operator()() const {
    const int64_t output = block_id() * teams.teams + teams.team();
    Acc acc = reducer.start();
    if (output < outputs)
      for (int64_t s = teams.lane(); s < splits; s += teams.lanes)
        acc = reducer.merge(acc, parts[s * outputs + output]);
    acc = teams.combine(acc, [this](const Acc& a, const Acc& b) { return reducer.merge(a, b); });
    if (output >= outputs || teams.lane() != 0) return;
    int64_t at[3];
    kept.at(static_cast<uint32_t>(output), at);
    results.store(at[1], at[2], reducer, acc, length);
  }
};

// The dimensions that a call reduces, as bits: all of them where the value is no dimension (absent, say), or an empty
// list, but for any and all, to which that means none (`empty_is_all` false).
uint32_t dim_bits(const fl_value* dim, int32_t ndim, bool empty_is_all = true);

// What of a reduction no reducer and no dtype changes.
struct ReducePlan {
  Layout kept, along;
  Teams teams;
  bool vectors = false;
  int64_t step = -1, part = 0, splits = 1;

  // `value` and `place`: the outputs, null where there is none. `placed`: elements are counted in their logical order.
  ReducePlan(const fl_call* call, const fl_tensor& in, const fl_tensor* value, const fl_tensor* place, uint32_t bits,
             bool placed);
};

// Reduces elements of T to `value` of Out, or of the accumulator's type, and `place`.
template <class T, class Out, class R>
fl_status reduce(const fl_call* call, const R& reducer, const fl_tensor& in, const fl_tensor* value,
                 const fl_tensor* place, uint32_t bits) {
  using Acc = typename R::Acc;
  using Wide = decltype(reducer.result(reducer.start(), 0));
  const ReducePlan plan(call, in, value, place, bits, R::kPlaced);
  if (plan.kept.count == 0) return FL_OK;
  Reduce<R, T, Out> body{};
  body.reducer = reducer;
  body.in = static_cast<const char*>(in.data);
  if (value != nullptr) {
    body.results.value = static_cast<char*>(value->data);
    const fl_dtype_id id = fl_dtype_to_id(value->dtype);
    body.results.wide = id != kId<Out>;
    if (body.results.wide && id != kId<Wide>) return FL_UNSUPPORTED;
  }
  if (place != nullptr) body.results.place = static_cast<char*>(place->data);
  body.outputs = plan.kept.count;
  body.length = plan.along.count;
  body.part = plan.part;
  body.teams = plan.teams;
  body.vectors = plan.vectors;
  body.step = plan.step;
  body.kept = Offsets<3>(plan.kept);
  if (plan.step < 0) body.along = Offsets<1>(plan.along);
  const int64_t blocks = blocks_for(body.outputs, plan.teams.teams);
  if (plan.splits == 1) return launch<kTeamThreads>(call, body, blocks);
  const Scratch scratch(call, static_cast<size_t>(plan.splits * body.outputs) * sizeof(Acc));
  body.parts = static_cast<Acc*>(scratch.data());
  if (const fl_status status = launch<kTeamThreads>(call, body, blocks, kTeamThreads, plan.splits)) return status;
  ReduceParts<R, Out> last{reducer, body.results, body.outputs, body.length, plan.splits, {}, body.kept, body.parts};
  last.teams.lanes = power_below(plan.splits, kTeamThreads);
  last.teams.teams = kTeamThreads / last.teams.lanes;
  return launch<kTeamThreads>(call, last, blocks_for(body.outputs, last.teams.teams));
}

// --- reducers

template <class M>
struct SumOf {
  using Acc = M;
  static constexpr bool kPlaced = false;
  FL_GPU Acc start() const { return M(0); }
  template <class T>
  FL_GPU Acc take(Acc acc, T x, int64_t) const {
    return acc + static_cast<M>(x);
  }
  FL_GPU Acc merge(Acc a, Acc b) const { return a + b; }
  FL_GPU M result(Acc acc, int64_t) const { return acc; }
};

template <class M>
struct MeanOf : SumOf<M> {
  FL_GPU M result(M acc, int64_t count) const { return acc / static_cast<M>(count); }
};

template <class M>
struct ProductOf {
  using Acc = M;
  static constexpr bool kPlaced = false;
  FL_GPU Acc start() const { return M(1); }
  template <class T>
  FL_GPU Acc take(Acc acc, T x, int64_t) const {
    return acc * static_cast<M>(x);
  }
  FL_GPU Acc merge(Acc a, Acc b) const { return a * b; }
  FL_GPU M result(Acc acc, int64_t) const { return acc; }
};

struct AnyOf {
  using Acc = bool;
  static constexpr bool kPlaced = false;
  FL_GPU Acc start() const { return false; }
  template <class T>
  FL_GPU Acc take(Acc acc, T x, int64_t) const {
    return acc || x != T(0);
  }
  FL_GPU Acc merge(Acc a, Acc b) const { return a || b; }
  FL_GPU bool result(Acc acc, int64_t) const { return acc; }
};

struct AllOf {
  using Acc = bool;
  static constexpr bool kPlaced = false;
  FL_GPU Acc start() const { return true; }
  template <class T>
  FL_GPU Acc take(Acc acc, T x, int64_t) const {
    return acc && x != T(0);
  }
  FL_GPU Acc merge(Acc a, Acc b) const { return a && b; }
  FL_GPU bool result(Acc acc, int64_t) const { return acc; }
};

// The best element and its place: the first of equals, and a NaN beats everything.
template <class M, bool Largest>
struct Extreme {
  struct Acc {
    M best;
    int64_t place;  // -1: none yet
  };
  static constexpr bool kPlaced = true;
  FL_GPU Acc start() const { return {M(0), -1}; }
  FL_GPU Acc merge(const Acc& a, const Acc& b) const {
    if (a.place < 0 || b.place < 0) return a.place < 0 ? b : a;
    if (is_nan(a.best) || is_nan(b.best)) {
      if (is_nan(a.best) && is_nan(b.best)) return a.place < b.place ? a : b;
      return is_nan(a.best) ? a : b;
    }
    if (a.best == b.best) return a.place < b.place ? a : b;
    return (Largest ? a.best > b.best : a.best < b.best) ? a : b;
  }
  FL_GPU Acc take(const Acc& acc, M x, int64_t place) const { return merge(acc, {x, place}); }
  FL_GPU M result(const Acc& acc, int64_t) const { return acc.best; }
};
template <class M>
using MaxPlaceOf = Extreme<M, true>;
template <class M>
using MinPlaceOf = Extreme<M, false>;

// The same without the place.
template <class M, bool Largest>
struct Bound {
  using Acc = M;
  static constexpr bool kPlaced = false;
  FL_GPU Acc start() const {
    using L = std::numeric_limits<M>;
    if constexpr (L::has_infinity)
      return Largest ? -L::infinity() : L::infinity();
    else
      return Largest ? L::lowest() : L::max();
  }
  FL_GPU Acc merge(Acc a, Acc b) const {
    if (is_nan(a)) return a;
    return is_nan(b) || (Largest ? b > a : b < a) ? b : a;
  }
  FL_GPU Acc take(Acc acc, M x, int64_t) const { return merge(acc, x); }
  FL_GPU M result(Acc acc, int64_t) const { return acc; }
};
template <class M>
using MaxOf = Bound<M, true>;
template <class M>
using MinOf = Bound<M, false>;

// The vector norm of order p.
template <class M>
struct NormOf {
  using Acc = M;
  static constexpr bool kPlaced = false;
  double p;
  FL_GPU bool largest() const { return p > std::numeric_limits<double>::max(); }
  FL_GPU bool smallest() const { return p < std::numeric_limits<double>::lowest(); }
  FL_GPU Acc start() const { return smallest() ? std::numeric_limits<M>::infinity() : M(0); }
  FL_GPU Acc merge(Acc a, Acc b) const {
    if (largest()) return MaxOf<M>{}.merge(a, b);
    if (smallest()) return MinOf<M>{}.merge(a, b);
    return a + b;
  }
  FL_GPU Acc take(Acc acc, M x, int64_t) const {
    x = std::fabs(x);
    if (p == 2)
      x = x * x;
    else if (p == 0)
      x = x != M(0) ? M(1) : M(0);
    else if (p != 1 && !largest() && !smallest())
      x = std::pow(x, static_cast<M>(p));
    return merge(acc, x);
  }
  FL_GPU M result(Acc acc, int64_t) const {
    if (p == 2) return std::sqrt(acc);
    return p == 0 || p == 1 || largest() || smallest() ? acc : std::pow(acc, static_cast<M>(1 / p));
  }
};

// Variance, or deviation: mean and squares grow together, so that nothing is lost where the mean is large.
template <class M>
struct SpreadOf {
  struct Acc {
    M mean, squares, count;
  };
  static constexpr bool kPlaced = false;
  double correction;
  bool root;
  FL_GPU Acc start() const { return {M(0), M(0), M(0)}; }
  FL_GPU Acc take(const Acc& acc, M x, int64_t) const {
    const M count = acc.count + M(1), off = x - acc.mean, mean = acc.mean + off / count;
    return {mean, acc.squares + off * (x - mean), count};
  }
  FL_GPU Acc merge(const Acc& a, const Acc& b) const {
    if (a.count == M(0) || b.count == M(0)) return a.count == M(0) ? b : a;
    const M count = a.count + b.count, off = b.mean - a.mean, share = b.count / count;
    return {a.mean + off * share, a.squares + b.squares + off * off * a.count * share, count};
  }
  FL_GPU M result(const Acc& acc, int64_t count) const {
    const double by = static_cast<double>(count) - correction;
    const M variance = acc.squares / static_cast<M>(by > 0 ? by : 0);
    return root ? std::sqrt(variance) : variance;
  }
};

// --- kernels; argument 1 is the dimension, or the dimensions

// Sums have the input's dtype, or float32 for the halves; those of integers and bool are int64.
template <template <class> class R, class Ts>
fl_status reduce_sum(const fl_call* call, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
    return reduce<T, Out>(call, R<Sum<T>>{}, in, &tensor_out(call, 0), nullptr, dim_bits(fl_arg(call, 1), in.ndim));
  });
}

template <template <class> class R, class Ts>
fl_status reduce_extreme(const fl_call* call, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  fl_value everything{};
  const fl_value* dim = call->arg_count > 1 ? fl_arg(call, 1) : &everything;
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, T>(call, R<Math<T>>{}, in, &tensor_out(call, 0), nullptr, dim_bits(dim, in.ndim));
  });
}

// any and all: with no dimension argument at all, over everything.
template <class R, class Ts>
fl_status reduce_bool(const fl_call* call, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  fl_value everything{};
  const fl_value* dim = call->arg_count > 1 ? fl_arg(call, 1) : &everything;
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, bool>(call, R{}, in, &tensor_out(call, 0), nullptr, dim_bits(dim, in.ndim, false));
  });
}

// linalg_vector_norm(self, ord, dim, keepdim, dtype)
template <class Ts>
fl_status vector_norm(const fl_call* call, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  const double p = to_double(scalar_arg(call, 1));
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, T>(call, NormOf<Math<T>>{p}, in, &tensor_out(call, 0), nullptr,
                        dim_bits(fl_arg(call, 2), in.ndim));
  });
}

// var.correction, std.correction (self, dim, correction, keepdim)
template <class Ts>
fl_status spread(const fl_call* call, Ts types, bool root) {
  const fl_tensor& in = tensor_arg(call, 0);
  const fl_value* given = fl_arg(call, 2);
  const double correction = given->kind == FL_SCALAR ? to_double(given->v.scalar) : 1;
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, T>(call, SpreadOf<Math<T>>{correction, root}, in, &tensor_out(call, 0), nullptr,
                        dim_bits(fl_arg(call, 1), in.ndim));
  });
}

// _foreach_norm.Scalar(self, ord, dtype)
template <class Ts>
fl_status foreach_norm(const fl_call* call, Ts types) {
  const fl_list &self = list_arg(call, 0), &outs = fl_out(call, 0)->v.list;
  const double p = to_double(scalar_arg(call, 1));
  if (self.count != outs.count) return FL_UNSUPPORTED;
  // All are looked at before the first is enqueued. What the host says to norms of no elements is its own affair.
  for (size_t i = 0; i < self.count; i++)
    if (numel(item<fl_tensor>(self, i)) == 0 || !same_dtype(item<fl_tensor>(self, i), item<fl_tensor>(outs, i)))
      return FL_UNSUPPORTED;
  for (size_t i = 0; i < self.count; i++) {
    const fl_tensor& in = item<fl_tensor>(self, i);
    const fl_status status = dispatch(types, in.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const fl_value everything{};
      return reduce<T, T>(call, NormOf<Math<T>>{p}, in, &item<fl_tensor>(outs, i), nullptr,
                          dim_bits(&everything, in.ndim));
    });
    if (status != FL_OK) return status;
  }
  return FL_OK;
}

// argmax, argmin: the place within the dimension, or within the whole tensor where there is none.
template <template <class> class R, class Ts>
fl_status arg_extreme(const fl_call* call, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, T>(call, R<Math<T>>{}, in, nullptr, &tensor_out(call, 0), dim_bits(fl_arg(call, 1), in.ndim));
  });
}

// max.dim, min.dim: values and places.
template <template <class> class R, class Ts>
fl_status extreme_dim(const fl_call* call, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reduce<T, T>(call, R<Math<T>>{}, in, &tensor_out(call, 0), &tensor_out(call, 1),
                        dim_bits(fl_arg(call, 1), in.ndim));
  });
}

}  // namespace torch_fl_dcu
