// layer_norm and group_norm. All tensors are contiguous (core sees to it): a row is what one mean is taken of.
#pragma once

#include "kernels/rows.h"

namespace torch_fl_dcu {

// Statistics have the input's dtype, or float32 (mixed precision).
inline bool is_statistic(const fl_tensor& t, const fl_tensor& input) {
  return same_dtype(t, input) || fl_dtype_to_id(t.dtype) == FL_F32;
}
inline bool optional_dtype(const fl_value* v, const fl_tensor& like) {
  return !is_tensor(v) || same_dtype(v->v.tensor, like);
}
inline int64_t product(const fl_list& sizes) {
  int64_t n = 1;
  for (size_t i = 0; i < sizes.count; i++) n *= item<int64_t>(sizes, i);
  return n;
}

template <class T>
struct Statistic {
  void* data;
  bool wide;  // float32
  FL_GPU void store(int64_t i, Math<T> x) const {
    if (wide)
      static_cast<float*>(data)[i] = static_cast<float>(x);
    else
      static_cast<T*>(data)[i] = narrow<T>(x);
  }
  FL_GPU Math<T> load(int64_t i) const {
    return wide ? static_cast<Math<T>>(static_cast<const float*>(data)[i]) : widen(static_cast<const T*>(data)[i]);
  }
};

// Where an element of a row finds its weight: at its own place, or, of a group, at its channel's.
struct Channels {
  uint32_t groups = 0, per_group = 0;  // 0: no groups
  Divider area;
  FL_GPU int64_t of(int64_t row, int64_t at) const {
    if (groups == 0) return at;
    return static_cast<int64_t>(row % groups) * per_group + area.divide(static_cast<uint32_t>(at));
  }
  // N neighbours from `at` on have one weight.
  FL_HD bool shared(int n) const { return groups != 0 && area.size % static_cast<uint32_t>(n) == 0; }
};

template <class T>
struct NormRows {
  static constexpr bool kCooperative = true;
  static constexpr int K = 4, V = 16 / sizeof(T);
  using M = Math<T>;
  using Share = RowShare<T, K>;
  const T *in, *weight, *bias;
  T* out;
  Statistic<T> mean, rstd;
  int64_t rows;
  M eps;
  Channels channels;
  Share share;
  bool once;  // a row stays in registers, in packs whose weights lie beside each other or are one

  // N neighbours of a row, normalised, from `at` on: where weights lie in the order of the row.
  template <int N>
  FL_GPU void write(T* to, int64_t at, M (&x)[N]) const {
    Pack<T, N> w, b, pack;
    if (weight != nullptr) w = load_pack<N>(weight + at);
    if (bias != nullptr) b = load_pack<N>(bias + at);
    FL_UNROLL
    for (int i = 0; i < N; i++) {
      if (weight != nullptr) x[i] *= widen(w.x[i]);
      if (bias != nullptr) x[i] += widen(b.x[i]);
      pack.x[i] = narrow<T>(x[i]);
    }
    store_pack(to + at, pack);
  }
  // The same where they have one weight, that of a channel.
  template <int N>
  FL_GPU void write_channel(T* to, int64_t row, int64_t at, M (&x)[N]) const {
    const int64_t channel = channels.of(row, at);
    const M scale = weight != nullptr ? widen(weight[channel]) : M(1);
    const M shift = bias != nullptr ? widen(bias[channel]) : M(0);
    Pack<T, N> pack;
    FL_UNROLL
    for (int i = 0; i < N; i++) pack.x[i] = narrow<T>(x[i] * scale + shift);
    store_pack(to + at, pack);
  }

  FL_GPU M normalise(int64_t row, M average, M squares) const {
    const M factor = M(1) / std::sqrt(squares / static_cast<M>(share.length) + eps);
    if (share.teams.lane() == 0) {
      mean.store(row, average);
      rstd.store(row, factor);
    }
    return factor;
  }

  FL_GPU void operator()() const {
    if (once)
      from_registers();
    else
      from_memory();
  }

  FL_GPU void from_registers() const {
    const int64_t row = block_id() * share.teams.teams + share.teams.team();
    const int length = static_cast<int>(share.length), first = share.teams.lane() * V, step = share.teams.lanes * V;
    const int end = row < rows ? length : 0;
    const T* from = in + row * length;
    Pack<T, V> x[K];
    M sum = M(0), squares = M(0);
    FL_UNROLL
    for (int k = 0; k < K; k++)
      if (first + k * step < end) x[k] = load_pack<V>(from + first + k * step);
    FL_UNROLL
    for (int k = 0; k < K; k++) {
      if (first + k * step >= end) break;
      FL_UNROLL
      for (int v = 0; v < V; v++) sum += widen(x[k].x[v]);
    }
    const M average = share.teams.combine(sum, Plus<M>{}) / static_cast<M>(length);
    FL_UNROLL
    for (int k = 0; k < K; k++) {
      if (first + k * step >= end) break;
      FL_UNROLL
      for (int v = 0; v < V; v++) {
        const M d = widen(x[k].x[v]) - average;
        squares += d * d;
      }
    }
    squares = share.teams.combine(squares, Plus<M>{});
    if (end == 0) return;
    const M factor = normalise(row, average, squares);
    T* to = out + row * length;
    FL_UNROLL
    for (int k = 0; k < K; k++) {
      const int at = first + k * step;
      if (at >= length) return;
      M y[V];
      FL_UNROLL
      for (int v = 0; v < V; v++) y[v] = (widen(x[k].x[v]) - average) * factor;
      if (channels.groups == 0)
        write(to, at, y);
      else
        write_channel(to, row, at, y);
    }
  }

  // Goes along the row for each look.
  FL_GPU void from_memory() const {
    const int64_t row = block_id() * share.teams.teams + share.teams.team();
    const bool there = row < rows;
    const T* from = in + row * share.length;
    M sum = M(0), squares = M(0);
    if (there)
      share.each([&](int64_t at, auto count) {
        const auto pack = load_pack<count.value>(from + at);
        FL_UNROLL
        for (int i = 0; i < count.value; i++) sum += widen(pack.x[i]);
      });
    const M average = share.teams.combine(sum, Plus<M>{}) / static_cast<M>(share.length);
    if (there)
      share.each([&](int64_t at, auto count) {
        const auto pack = load_pack<count.value>(from + at);
        FL_UNROLL
        for (int i = 0; i < count.value; i++) {
          const M d = widen(pack.x[i]) - average;
          squares += d * d;
        }
      });
    squares = share.teams.combine(squares, Plus<M>{});
    if (!there) return;
    const M factor = normalise(row, average, squares);
    T* to = out + row * share.length;
    share.each([&](int64_t at, auto count) {
      const auto pack = load_pack<count.value>(from + at);
      M y[count.value];
      FL_UNROLL
      for (int i = 0; i < count.value; i++) y[i] = (widen(pack.x[i]) - average) * factor;
      if (channels.groups == 0) {
        write(to, at, y);
      } else if (channels.shared(count.value)) {
        write_channel(to, row, at, y);
      } else {
        for (int i = 0; i < count.value; i++) {
          M one[1] = {y[i]};
          write_channel(to, row, at + i, one);
        }
      }
    });
  }
};

// What the gradient of a normalised row needs of it: the sum of the weighted gradients, and of those times the normal
// numbers.
template <class M>
struct GradientSums {
  M plain = M(0), normal = M(0);
};
template <class M>
struct MergeGradientSums {
  FL_GPU GradientSums<M> operator()(const GradientSums<M>& a, const GradientSums<M>& b) const {
    return {a.plain + b.plain, a.normal + b.normal};
  }
};

// The gradient of the input of layer_norm.
template <class T>
struct LayerNormBackwardRows {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  using Share = RowShare<T, 2>;
  const T *grad, *in, *weight;
  T* out;
  Statistic<T> mean, rstd;
  int64_t rows;
  Share share;

  // The weighted gradients and the normal numbers of N neighbours.
  template <int N>
  FL_GPU void load(int64_t row, int64_t at, M average, M factor, M (&g)[N], M (&normal)[N]) const {
    const auto dy = load_pack<N>(grad + row * share.length + at), x = load_pack<N>(in + row * share.length + at);
    Pack<T, N> w;
    if (weight != nullptr) w = load_pack<N>(weight + at);
    FL_UNROLL
    for (int i = 0; i < N; i++) {
      g[i] = widen(dy.x[i]) * (weight != nullptr ? widen(w.x[i]) : M(1));
      normal[i] = (widen(x.x[i]) - average) * factor;
    }
  }
  template <int N>
  FL_GPU void write(int64_t row, int64_t at, const GradientSums<M>& sums, M factor, const M (&g)[N],
                    const M (&normal)[N]) const {
    const M n = static_cast<M>(share.length);
    Pack<T, N> to;
    FL_UNROLL
    for (int i = 0; i < N; i++) to.x[i] = narrow<T>((g[i] - (sums.plain + normal[i] * sums.normal) / n) * factor);
    store_pack(out + row * share.length + at, to);
  }

  FL_GPU void operator()() const {
    const int64_t row = block_id() * share.teams.teams + share.teams.team();
    const bool there = row < rows;
    const M average = there ? mean.load(row) : M(0), factor = there ? rstd.load(row) : M(0);
    M g[Share::kHeld] = {}, normal[Share::kHeld] = {};
    GradientSums<M> sums;
    const auto add = [&](M a, M b) {
      sums.plain += a;
      sums.normal += a * b;
    };
    if (share.held) {
      if (there)
        share.each_held([&](int held, int64_t at, auto count) {
          M a[count.value], b[count.value];
          load(row, at, average, factor, a, b);
          FL_UNROLL
          for (int i = 0; i < count.value; i++) {
            g[held + i] = a[i];
            normal[held + i] = b[i];
          }
        });
      FL_UNROLL
      for (int i = 0; i < Share::kHeld; i++) add(g[i], normal[i]);
    } else {  // a block for each row
      share.each([&](int64_t at, auto count) {
        M a[count.value], b[count.value];
        load(row, at, average, factor, a, b);
        FL_UNROLL
        for (int i = 0; i < count.value; i++) add(a[i], b[i]);
      });
    }
    sums = share.teams.combine(sums, MergeGradientSums<M>{});
    if (!there) return;
    if (share.held)
      share.each_held([&](int held, int64_t at, auto count) {
        M a[count.value], b[count.value];
        FL_UNROLL
        for (int i = 0; i < count.value; i++) {
          a[i] = g[held + i];
          b[i] = normal[held + i];
        }
        write(row, at, sums, factor, a, b);
      });
    else
      share.each([&](int64_t at, auto count) {
        M a[count.value], b[count.value];
        load(row, at, average, factor, a, b);
        write(row, at, sums, factor, a, b);
      });
  }
};

// Sums down the columns, for the gradients of weight and bias: parts of the rows, then the parts.
template <class M>
struct ColumnSums {
  M weight, bias;
};
template <class T>
struct LayerNormColumns {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  const T *grad, *in;
  Statistic<T> mean, rstd;
  int64_t rows, length, part;
  Teams teams;
  ColumnSums<M>* parts;

  FL_GPU void operator()() const {
    const int64_t column = block_id() * teams.teams + teams.team();
    const int64_t first = block_id_y() * part, end = first + part < rows ? first + part : rows;
    ColumnSums<M> sums{M(0), M(0)};
    if (column < length)
      for (int64_t row = first + teams.lane(); row < end; row += teams.lanes) {
        const M g = widen(grad[row * length + column]);
        sums.weight += g * (widen(in[row * length + column]) - mean.load(row)) * rstd.load(row);
        sums.bias += g;
      }
    sums = teams.combine(sums, [](const ColumnSums<M>& a, const ColumnSums<M>& b) {
      return ColumnSums<M>{a.weight + b.weight, a.bias + b.bias};
    });
    if (column < length && teams.lane() == 0) parts[block_id_y() * length + column] = sums;
  }
};
template <class T>
struct LayerNormColumnsLast {
  using M = Math<T>;
  const ColumnSums<M>* parts;
  T *weight, *bias;
  int64_t length, splits;

  FL_GPU void operator()() const {
    const int64_t column = thread_index();
    if (column >= length) return;
    ColumnSums<M> sums{M(0), M(0)};
    for (int64_t s = 0; s < splits; s++) {
      sums.weight += parts[s * length + column].weight;
      sums.bias += parts[s * length + column].bias;
    }
    if (weight != nullptr) weight[column] = narrow<T>(sums.weight);
    if (bias != nullptr) bias[column] = narrow<T>(sums.bias);
  }
};

template <class T>
fl_status norm_rows(const fl_call* call, const fl_tensor& input, const fl_value* weight, const fl_value* bias,
                    double eps, int64_t rows, int64_t length, const Channels& channels) {
  using Body = NormRows<T>;
  const fl_tensor &out = tensor_out(call, 0), &mean = tensor_out(call, 1), &rstd = tensor_out(call, 2);
  const bool wide = !same_dtype(mean, input);
  Body body{static_cast<const T*>(input.data),
            static_cast<const T*>(optional_data(weight)),
            static_cast<const T*>(optional_data(bias)),
            static_cast<T*>(out.data),
            {mean.data, wide},
            {rstd.data, wide},
            rows,
            static_cast<Math<T>>(eps),
            channels,
            {},
            false};
  body.share = typename Body::Share(length, are_aligned({input.data, out.data, body.weight, body.bias}));
  body.once = body.share.held && body.share.vectors && (channels.groups == 0 || channels.shared(Body::V));
  return launch<kMostThreads>(call, body, blocks_for(rows, body.share.teams.teams), body.share.threads());
}

// native_layer_norm(input, normalized_shape, weight?, bias?, eps) -> (out, mean, rstd)
template <class Ts>
fl_status layer_norm(const fl_call* call, Ts types) {
  const fl_tensor& input = tensor_arg(call, 0);
  if (!optional_dtype(fl_arg(call, 2), input) || !optional_dtype(fl_arg(call, 3), input) ||
      !is_statistic(tensor_out(call, 1), input))
    return FL_UNSUPPORTED;
  const int64_t length = product(list_arg(call, 1)), rows = length != 0 ? numel(input) / length : 0;
  if (rows == 0) return FL_OK;
  return dispatch(types, input.dtype, [&](auto tag) {
    return norm_rows<typename decltype(tag)::type>(call, input, fl_arg(call, 2), fl_arg(call, 3), double_arg(call, 4),
                                                   rows, length, {});
  });
}

// native_group_norm(input, weight?, bias?, N, C, HxW, group, eps) -> (out, mean, rstd)
template <class Ts>
fl_status group_norm(const fl_call* call, Ts types) {
  const fl_tensor& input = tensor_arg(call, 0);
  if (!optional_dtype(fl_arg(call, 1), input) || !optional_dtype(fl_arg(call, 2), input) ||
      !is_statistic(tensor_out(call, 1), input))
    return FL_UNSUPPORTED;
  const int64_t batch = int_arg(call, 3), per_group = int_arg(call, 4) / int_arg(call, 6), area = int_arg(call, 5);
  const int64_t groups = int_arg(call, 6), rows = batch * groups, length = per_group * area;
  if (rows == 0 || length == 0 || length > (int64_t{1} << 31) - 1) return length == 0 ? FL_UNSUPPORTED : FL_OK;
  const Channels channels{static_cast<uint32_t>(groups), static_cast<uint32_t>(per_group),
                          Divider(static_cast<uint32_t>(area))};
  return dispatch(types, input.dtype, [&](auto tag) {
    return norm_rows<typename decltype(tag)::type>(call, input, fl_arg(call, 1), fl_arg(call, 2), double_arg(call, 7),
                                                   rows, length, channels);
  });
}

// native_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight?, bias?, output_mask): each of the
// three gradients may be unwanted, then its slot is none.
template <class Ts>
fl_status layer_norm_backward(const fl_call* call, Ts types) {
  const fl_tensor &grad = tensor_arg(call, 0), &input = tensor_arg(call, 1);
  const fl_tensor &mean = tensor_arg(call, 3), &rstd = tensor_arg(call, 4);
  if (!same_dtype(grad, input) || !is_statistic(mean, input) || !same_dtype(mean, rstd) ||
      !optional_dtype(fl_arg(call, 5), input))
    return FL_UNSUPPORTED;
  for (int i = 0; i < 3; i++)
    if (!optional_dtype(fl_out(call, i), input)) return FL_UNSUPPORTED;
  const int64_t length = product(list_arg(call, 2)), rows = length != 0 ? numel(input) / length : 0;
  return dispatch(types, input.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    const auto *dy = static_cast<const T*>(grad.data), *x = static_cast<const T*>(input.data);
    const bool wide = !same_dtype(mean, input);
    const Statistic<T> average{mean.data, wide}, factor{rstd.data, wide};
    if (auto* dx = static_cast<T*>(optional_data(fl_out(call, 0))); dx != nullptr && rows > 0) {
      using Body = LayerNormBackwardRows<T>;
      Body body{dy, x, static_cast<const T*>(optional_data(fl_arg(call, 5))), dx, average, factor, rows, {}};
      body.share = typename Body::Share(length, are_aligned({dy, x, body.weight, dx}));
      const fl_status status =
          launch<kMostThreads>(call, body, blocks_for(rows, body.share.teams.teams), body.share.threads());
      if (status != FL_OK) return status;
    }
    auto* dw = static_cast<T*>(optional_data(fl_out(call, 1)));
    auto* db = static_cast<T*>(optional_data(fl_out(call, 2)));
    if ((dw == nullptr && db == nullptr) || length == 0) return FL_OK;
    LayerNormColumns<T> body{dy, x, average, factor, rows, length, 0, {}, nullptr};
    body.teams.across = true;
    body.teams.teams = 32;
    body.teams.lanes = kTeamThreads / body.teams.teams;
    const int64_t blocks = blocks_for(length, body.teams.teams),
                  wanted = 8 * device_facts(call->device).multiprocessors;
    int64_t splits = std::clamp<int64_t>(rows / (4 * body.teams.lanes), 1, blocks_for(wanted, blocks));
    body.part = std::max<int64_t>(1, blocks_for(rows, splits));
    splits = std::max<int64_t>(1, blocks_for(rows, body.part));
    const Scratch scratch(call, static_cast<size_t>(splits * length) * sizeof(ColumnSums<Math<T>>));
    body.parts = static_cast<ColumnSums<Math<T>>*>(scratch.data());
    if (const fl_status status = launch<kTeamThreads>(call, body, blocks, kTeamThreads, splits)) return status;
    return launch(call, LayerNormColumnsLast<T>{body.parts, dw, db, length, splits}, blocks_for(length, 256));
  });
}

// ---- the gradients of group_norm: sums over the area of each channel, then over the channels of a group

template <class T>
struct GroupNormAreas {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  const T *grad, *in;
  Statistic<T> mean, rstd;
  int64_t rows, area, per_group;  // a row is a channel of one image
  Teams teams;
  GradientSums<M>* sums;

  FL_GPU void operator()() const {
    const int64_t row = block_id() * teams.teams + teams.team();
    GradientSums<M> acc;
    if (row < rows) {
      const M average = mean.load(row / per_group), factor = rstd.load(row / per_group);
      for (int64_t i = teams.lane(); i < area; i += teams.lanes) {
        const M g = widen(grad[row * area + i]);
        acc.plain += g;
        acc.normal += g * (widen(in[row * area + i]) - average) * factor;
      }
    }
    acc = teams.combine(acc, MergeGradientSums<M>{});
    if (row < rows && teams.lane() == 0) sums[row] = acc;
  }
};

// The gradient of the input.
template <class T>
struct GroupNormBackward {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  const T *grad, *in, *weight;
  T* out;
  Statistic<T> mean, rstd;
  int64_t groups, per_group, area;
  const GradientSums<M>* areas;

  // A block for each group of each image.
  FL_GPU void operator()() const {
    const int64_t group = block_id(), channel = group % groups * per_group, length = per_group * area;
    GradientSums<M> sums;
    for (int64_t c = thread_id(); c < per_group; c += block_threads()) {
      const GradientSums<M> one = areas[group * per_group + c];
      const M w = weight != nullptr ? widen(weight[channel + c]) : M(1);
      sums.plain += one.plain * w;
      sums.normal += one.normal * w;
    }
    sums = team_combine(sums, block_threads(), MergeGradientSums<M>{});
    const M average = mean.load(group), factor = rstd.load(group), n = static_cast<M>(length);
    const T *dy = grad + group * length, *x = in + group * length;
    // Along the channels' areas, so that no thread divides: where those are short, threads take channels each.
    const int wide = power_below(area, block_threads()), high = block_threads() / wide;
    for (int64_t c = thread_id() / wide; c < per_group; c += high) {
      const M w = weight != nullptr ? widen(weight[channel + c]) : M(1);
      for (int64_t i = c * area + thread_id() % wide; i < (c + 1) * area; i += wide) {
        const M normal = (widen(x[i]) - average) * factor;
        out[group * length + i] = narrow<T>((widen(dy[i]) * w - (sums.plain + normal * sums.normal) / n) * factor);
      }
    }
  }
};

template <class T>
struct GroupNormChannels {
  using M = Math<T>;
  const GradientSums<M>* areas;
  T *weight, *bias;
  int64_t batch, channels;

  FL_GPU void operator()() const {
    const int64_t channel = thread_index();
    if (channel >= channels) return;
    GradientSums<M> sums;
    for (int64_t n = 0; n < batch; n++) sums = MergeGradientSums<M>{}(sums, areas[n * channels + channel]);
    if (weight != nullptr) weight[channel] = narrow<T>(sums.normal);
    if (bias != nullptr) bias[channel] = narrow<T>(sums.plain);
  }
};

// native_group_norm_backward(grad_out, input, mean, rstd, weight?, N, C, HxW, group, output_mask)
template <class Ts>
fl_status group_norm_backward(const fl_call* call, Ts types) {
  const fl_tensor &grad = tensor_arg(call, 0), &input = tensor_arg(call, 1);
  const fl_tensor &mean = tensor_arg(call, 2), &rstd = tensor_arg(call, 3);
  if (!same_dtype(grad, input) || !is_statistic(mean, input) || !same_dtype(mean, rstd) ||
      !optional_dtype(fl_arg(call, 4), input))
    return FL_UNSUPPORTED;
  for (int i = 0; i < 3; i++)
    if (!optional_dtype(fl_out(call, i), input)) return FL_UNSUPPORTED;
  const int64_t batch = int_arg(call, 5), channels = int_arg(call, 6), area = int_arg(call, 7);
  const int64_t groups = int_arg(call, 8), per_group = channels / groups, rows = batch * channels;
  if (rows == 0 || area == 0) return FL_UNSUPPORTED;
  return dispatch(types, input.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using Sums = GradientSums<Math<T>>;
    const auto *dy = static_cast<const T*>(grad.data), *x = static_cast<const T*>(input.data);
    const bool wide = !same_dtype(mean, input);
    const Statistic<T> average{mean.data, wide}, factor{rstd.data, wide};
    const Scratch scratch(call, static_cast<size_t>(rows) * sizeof(Sums));
    auto* areas = static_cast<Sums*>(scratch.data());
    GroupNormAreas<T> body{dy, x, average, factor, rows, area, per_group, {}, areas};
    body.teams.lanes = power_below(area, kTeamThreads);
    body.teams.teams = kTeamThreads / body.teams.lanes;
    if (const fl_status status = launch<kTeamThreads>(call, body, blocks_for(rows, body.teams.teams))) return status;
    if (auto* dx = static_cast<T*>(optional_data(fl_out(call, 0))); dx != nullptr) {
      const GroupNormBackward<T> gradient{
          dy,   x,    static_cast<const T*>(optional_data(fl_arg(call, 4))), dx, average, factor, groups, per_group,
          area, areas};
      if (const fl_status status = launch<kTeamThreads>(call, gradient, batch * groups)) return status;
    }
    auto* dw = static_cast<T*>(optional_data(fl_out(call, 1)));
    auto* db = static_cast<T*>(optional_data(fl_out(call, 2)));
    if (dw == nullptr && db == nullptr) return FL_OK;
    return launch(call, GroupNormChannels<T>{areas, dw, db, batch, channels}, blocks_for(channels, 256));
  });
}

}  // namespace torch_fl_dcu
