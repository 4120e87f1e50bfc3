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
};

template <class T>
struct NormRows {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  using Share = RowShare<T, 4>;
  const T *in, *weight, *bias;
  T* out;
  Statistic<T> mean, rstd;
  int64_t rows, length;
  M eps;
  Channels channels;
  Share share;
  bool held;  // a row fits into the registers of its team

  FL_GPU M scaled(M x, int64_t row, int64_t at) const {
    if (weight == nullptr && bias == nullptr) return x;
    const int64_t channel = channels.of(row, at);
    return x * (weight != nullptr ? widen(weight[channel]) : M(1)) + (bias != nullptr ? widen(bias[channel]) : M(0));
  }

  FL_GPU void operator()() const {
    const int64_t row = block_id() * share.teams.teams + share.teams.team();
    const T* from = in + row * length;
    const bool there = row < rows;
    const M n = static_cast<M>(length);
    M x[Share::kHeld] = {};
    M sum = M(0), squares = M(0);
    if (held) {
      if (there) share.load(from, x, M(0));
      FL_UNROLL
      for (int i = 0; i < Share::kHeld; i++) sum += x[i];
    } else {
      for (int64_t i = share.teams.lane(); there && i < length; i += share.teams.lanes) sum += widen(from[i]);
    }
    const M average = share.teams.combine(sum, Plus<M>{}) / n;
    if (held) {
      FL_UNROLL
      for (int i = 0; i < Share::kHeld; i++) {
        const M d = share.at(i) < length ? x[i] - average : M(0);
        squares += d * d;
      }
    } else {
      for (int64_t i = share.teams.lane(); there && i < length; i += share.teams.lanes) {
        const M d = widen(from[i]) - average;
        squares += d * d;
      }
    }
    squares = share.teams.combine(squares, Plus<M>{});
    if (!there) return;
    const M factor = M(1) / std::sqrt(squares / n + eps);
    if (share.teams.lane() == 0) {
      mean.store(row, average);
      rstd.store(row, factor);
    }
    if (held) {
      FL_UNROLL
      for (int i = 0; i < Share::kHeld; i++)
        if (share.at(i) < length) x[i] = scaled((x[i] - average) * factor, row, share.at(i));
      share.store(out + row * length, x);
    } else {
      for (int64_t i = share.teams.lane(); i < length; i += share.teams.lanes)
        out[row * length + i] = narrow<T>(scaled((widen(from[i]) - average) * factor, row, i));
    }
  }
};

// The gradient of the input of layer_norm.
template <class T>
struct LayerNormBackwardRows {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  struct Sums {
    M plain, normal;
  };
  const T *grad, *in, *weight;
  T* out;
  Statistic<T> mean, rstd;
  int64_t rows, length;
  Teams teams;

  FL_GPU void operator()() const {
    const int64_t row = block_id() * teams.teams + teams.team(), first = row * length;
    const bool there = row < rows;
    const M average = there ? mean.load(row) : M(0), factor = there ? rstd.load(row) : M(0);
    Sums sums{M(0), M(0)};
    for (int64_t i = teams.lane(); there && i < length; i += teams.lanes) {
      const M g = widen(grad[first + i]) * (weight != nullptr ? widen(weight[i]) : M(1));
      sums.plain += g;
      sums.normal += g * (widen(in[first + i]) - average) * factor;
    }
    sums =
        teams.combine(sums, [](const Sums& a, const Sums& b) { return Sums{a.plain + b.plain, a.normal + b.normal}; });
    const M n = static_cast<M>(length);
    for (int64_t i = teams.lane(); there && i < length; i += teams.lanes) {
      const M g = widen(grad[first + i]) * (weight != nullptr ? widen(weight[i]) : M(1));
      const M normal = (widen(in[first + i]) - average) * factor;
      out[first + i] = narrow<T>((g - (sums.plain + normal * sums.normal) / n) * factor);
    }
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
    const int64_t column = block_id() * block_threads() + thread_id();
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
            length,
            static_cast<Math<T>>(eps),
            channels,
            {},
            length <= Body::Share::most()};
  // A longer row is read three times by a block.
  body.share = typename Body::Share(body.held ? length : Body::Share::most(),
                                    is_aligned(input.data) && is_aligned(out.data) && length % Body::Share::V == 0);
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
      LayerNormBackwardRows<T> body{
          dy, x, static_cast<const T*>(optional_data(fl_arg(call, 5))), dx, average, factor, rows, length, {}};
      body.teams.lanes = power_below(length, kTeamThreads);
      body.teams.teams = kTeamThreads / body.teams.lanes;
      const fl_status status = launch<kTeamThreads>(call, body, blocks_for(rows, body.teams.teams));
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

}  // namespace torch_fl_dcu
