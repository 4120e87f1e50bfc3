// softmax and log_softmax along a dimension, forward and backward: one kernel for rows of dense numbers, read once
// where they fit into the registers of a block, and one for every other layout.
#pragma once

#include "kernels/rows.h"

namespace torch_fl_dcu {

// The largest of some numbers, and the sum of e to the power of what each lacks to it.
template <class M>
struct Exponents {
  M largest = std::numeric_limits<M>::lowest(), sum = M(0);
  template <int N>
  FL_GPU void take(const M (&x)[N]) {
    M most = largest;
    FL_UNROLL
    for (int i = 0; i < N; i++) most = x[i] > most ? x[i] : most;
    if (most > largest) {
      sum *= std::exp(largest - most);
      largest = most;
    }
    FL_UNROLL
    for (int i = 0; i < N; i++) sum += std::exp(x[i] - largest);
  }
};
template <class M>
struct MergeExponents {
  FL_GPU Exponents<M> operator()(const Exponents<M>& a, const Exponents<M>& b) const {
    const M largest = b.largest > a.largest ? b.largest : a.largest;
    return {largest, a.sum * std::exp(a.largest - largest) + b.sum * std::exp(b.largest - largest)};
  }
};

template <class T, bool Log>
struct SoftmaxRows {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  using Share = RowShare<T, 4>;
  const T* in;
  void* out;
  bool wide;  // the result is M's
  int64_t rows;
  Share share;

  FL_GPU void operator()() const {
    if (share.held)
      once();
    else
      twice();
  }

  FL_GPU void once() const {
    const int64_t row = block_id() * share.teams.teams + share.teams.team();
    const M lowest = std::numeric_limits<M>::lowest();
    M x[Share::kHeld];
    if (row < rows)
      share.load(in + row * share.length, x, -std::numeric_limits<M>::infinity());
    else
      for (M& one : x) one = M(0);
    M largest = lowest;
    FL_UNROLL
    for (int i = 0; i < Share::kHeld; i++) largest = x[i] > largest ? x[i] : largest;
    largest = share.teams.combine(largest, Larger<M>{});
    M sum = M(0);
    FL_UNROLL
    for (int i = 0; i < Share::kHeld; i++) {
      const M e = std::exp(x[i] - largest);
      sum += e;
      x[i] = Log ? x[i] - largest : e;
    }
    sum = share.teams.combine(sum, Plus<M>{});
    if (row >= rows) return;
    const M last = Log ? std::log(sum) : M(1) / sum;
    FL_UNROLL
    for (int i = 0; i < Share::kHeld; i++) x[i] = Log ? x[i] - last : x[i] * last;
    if (!wide) {
      share.store(static_cast<T*>(out) + row * share.length, x);
    } else {
      for (int i = 0; i < Share::kHeld; i++)
        if (share.at(i) < share.length) static_cast<M*>(out)[row * share.length + share.at(i)] = x[i];
    }
  }

  // A block for each row.
  FL_GPU void twice() const {
    const T* from = in + block_id() * share.length;
    Exponents<M> acc;
    share.each([&](int64_t at, auto n) {
      const auto pack = load_pack<n.value>(from + at);
      M x[n.value];
      FL_UNROLL
      for (int i = 0; i < n.value; i++) x[i] = widen(pack.x[i]);
      acc.take(x);
    });
    acc = share.teams.combine(acc, MergeExponents<M>{});
    const M last = Log ? std::log(acc.sum) : M(1) / acc.sum;
    share.each([&](int64_t at, auto n) {
      const auto pack = load_pack<n.value>(from + at);
      Pack<T, n.value> to;
      FL_UNROLL
      for (int i = 0; i < n.value; i++) {
        const M x = widen(pack.x[i]) - acc.largest, y = Log ? x - last : std::exp(x) * last;
        to.x[i] = narrow<T>(y);
        if (wide) static_cast<M*>(out)[block_id() * share.length + at + i] = y;
      }
      if (!wide) store_pack(static_cast<T*>(out) + block_id() * share.length + at, to);
    });
  }
};

template <class T, bool Log>
struct SoftmaxAlong {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  const char* in;
  char* out;
  bool wide;
  int64_t lines, length, in_step, out_step;
  Teams teams;
  Offsets<2> kept;

  FL_GPU void operator()() const {
    const int64_t line = block_id() * teams.teams + teams.team();
    Exponents<M> acc;
    int64_t at[2] = {};
    if (line < lines) {
      kept.at(static_cast<uint32_t>(line), at);
      for (int64_t i = teams.lane(); i < length; i += teams.lanes) {
        const M x[1] = {widen(*reinterpret_cast<const T*>(in + at[0] + i * in_step))};
        acc.take(x);
      }
    }
    acc = teams.combine(acc, MergeExponents<M>{});
    if (line >= lines) return;
    const M log_sum = std::log(acc.sum), scale = M(1) / acc.sum;
    for (int64_t i = teams.lane(); i < length; i += teams.lanes) {
      const M x = widen(*reinterpret_cast<const T*>(in + at[0] + i * in_step)) - acc.largest;
      const M y = Log ? x - log_sum : std::exp(x) * scale;
      char* to = out + at[1] + i * out_step;
      if (wide)
        *reinterpret_cast<M*>(to) = y;
      else
        *reinterpret_cast<T*>(to) = narrow<T>(y);
    }
  }
};

template <class T, bool Log>
struct SoftmaxBackwardRows {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  using Share = RowShare<T, 2>;
  const T *grad, *output;
  T* out;
  int64_t rows;
  Share share;

  FL_GPU void operator()() const {
    if (share.held)
      once();
    else
      twice();
  }

  FL_GPU void once() const {
    const int64_t row = block_id() * share.teams.teams + share.teams.team();
    const int64_t first = row * share.length;
    M g[Share::kHeld] = {}, y[Share::kHeld] = {};
    if (row < rows) {
      share.load(grad + first, g, M(0));
      share.load(output + first, y, M(0));
    }
    M sum = M(0);
    FL_UNROLL
    for (int i = 0; i < Share::kHeld; i++) sum += Log ? g[i] : g[i] * y[i];
    sum = share.teams.combine(sum, Plus<M>{});
    if (row >= rows) return;
    FL_UNROLL
    for (int i = 0; i < Share::kHeld; i++) g[i] = Log ? g[i] - std::exp(y[i]) * sum : (g[i] - sum) * y[i];
    share.store(out + first, g);
  }

  // A block for each row.
  FL_GPU void twice() const {
    const int64_t first = block_id() * share.length;
    M sum = M(0);
    share.each([&](int64_t at, auto n) {
      const auto g = load_pack<n.value>(grad + first + at), y = load_pack<n.value>(output + first + at);
      FL_UNROLL
      for (int i = 0; i < n.value; i++) sum += Log ? widen(g.x[i]) : widen(g.x[i]) * widen(y.x[i]);
    });
    sum = share.teams.combine(sum, Plus<M>{});
    share.each([&](int64_t at, auto n) {
      const auto g = load_pack<n.value>(grad + first + at), y = load_pack<n.value>(output + first + at);
      Pack<T, n.value> to;
      FL_UNROLL
      for (int i = 0; i < n.value; i++) {
        const M a = widen(g.x[i]), b = widen(y.x[i]);
        to.x[i] = narrow<T>(Log ? a - std::exp(b) * sum : (a - sum) * b);
      }
      store_pack(out + first + at, to);
    });
  }
};

template <class T, bool Log>
struct SoftmaxBackwardAlong {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  const char *grad, *output;
  char* out;
  int64_t lines, length, grad_step, output_step, out_step;
  Teams teams;
  Offsets<3> kept;

  FL_GPU void operator()() const {
    const int64_t line = block_id() * teams.teams + teams.team();
    M sum = M(0);
    int64_t at[3] = {};
    if (line < lines) {
      kept.at(static_cast<uint32_t>(line), at);
      for (int64_t i = teams.lane(); i < length; i += teams.lanes) {
        const M g = widen(*reinterpret_cast<const T*>(grad + at[0] + i * grad_step));
        sum += Log ? g : g * widen(*reinterpret_cast<const T*>(output + at[1] + i * output_step));
      }
    }
    sum = teams.combine(sum, Plus<M>{});
    if (line >= lines) return;
    for (int64_t i = teams.lane(); i < length; i += teams.lanes) {
      const M g = widen(*reinterpret_cast<const T*>(grad + at[0] + i * grad_step));
      const M y = widen(*reinterpret_cast<const T*>(output + at[1] + i * output_step));
      *reinterpret_cast<T*>(out + at[2] + i * out_step) = narrow<T>(Log ? g - std::exp(y) * sum : (g - sum) * y);
    }
  }
};

// Lines along one dimension of tensors that have one shape: the walk over the other dimensions, and the way along it.
struct Lines {
  Layout kept;
  int64_t length = 1, step[3] = {};
  Teams teams;
  Lines(const fl_tensor* const* tensors, int count, int32_t dim);
};

// _softmax(self, dim, half_to_float)
template <bool Log, class Ts>
fl_status softmax(const fl_call* call, Ts types) {
  const fl_tensor &in = tensor_arg(call, 0), &out = tensor_out(call, 0);
  const int32_t dim = wrap_dim(int_arg(call, 1), in.ndim);
  return dispatch(types, in.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using Rows = SoftmaxRows<T, Log>;
    const bool wide = !same_dtype(in, out);
    if (wide && fl_dtype_to_id(out.dtype) != kId<Math<T>>) return FL_UNSUPPORTED;
    const int64_t length = in.ndim > 0 ? in.sizes[dim] : 1, count = numel(in);
    if (dim + 1 >= in.ndim && is_contiguous(in) && is_contiguous(out)) {
      const typename Rows::Share share(length, is_aligned(in.data) && is_aligned(out.data));
      const int64_t rows = count / length;
      return launch<kMostThreads>(call, Rows{static_cast<const T*>(in.data), out.data, wide, rows, share},
                                  blocks_for(rows, share.teams.teams), share.threads());
    }
    const fl_tensor* tensors[] = {&in, &out};
    const Lines lines(tensors, 2, dim);
    const SoftmaxAlong<T, Log> body{static_cast<const char*>(in.data),
                                    static_cast<char*>(out.data),
                                    wide,
                                    lines.kept.count,
                                    lines.length,
                                    lines.step[0],
                                    lines.step[1],
                                    lines.teams,
                                    Offsets<2>(lines.kept)};
    return launch<kTeamThreads>(call, body, blocks_for(body.lines, body.teams.teams));
  });
}

// _softmax_backward_data(grad_output, output, dim, input_dtype)
template <bool Log, class Ts>
fl_status softmax_backward(const fl_call* call, Ts types) {
  const fl_tensor &grad = tensor_arg(call, 0), &output = tensor_arg(call, 1), &out = tensor_out(call, 0);
  if (!same_dtype(grad, out) || !same_dtype(grad, output)) return FL_UNSUPPORTED;
  const int32_t dim = wrap_dim(int_arg(call, 2), grad.ndim);
  return dispatch(types, grad.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Rows = SoftmaxBackwardRows<T, Log>;
    const int64_t length = grad.ndim > 0 ? grad.sizes[dim] : 1, count = numel(grad);
    if (dim + 1 >= grad.ndim && is_contiguous(grad) && is_contiguous(output) && is_contiguous(out)) {
      const typename Rows::Share share(length,
                                       is_aligned(grad.data) && is_aligned(output.data) && is_aligned(out.data));
      const int64_t rows = count / length;
      return launch<kMostThreads>(call,
                                  Rows{static_cast<const T*>(grad.data), static_cast<const T*>(output.data),
                                       static_cast<T*>(out.data), rows, share},
                                  blocks_for(rows, share.teams.teams), share.threads());
    }
    const fl_tensor* tensors[] = {&grad, &output, &out};
    const Lines lines(tensors, 3, dim);
    const SoftmaxBackwardAlong<T, Log> body{static_cast<const char*>(grad.data),
                                            static_cast<const char*>(output.data),
                                            static_cast<char*>(out.data),
                                            lines.kept.count,
                                            lines.length,
                                            lines.step[0],
                                            lines.step[1],
                                            lines.step[2],
                                            lines.teams,
                                            Offsets<3>(lines.kept)};
    return launch<kTeamThreads>(call, body, blocks_for(body.lines, body.teams.teams));
  });
}

}  // namespace torch_fl_dcu
