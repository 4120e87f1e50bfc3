// layer_norm and group_norm. All tensors are contiguous (core sees to it), so these are loops over plain arrays.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/args.h"
#include "kernels/loop.h"
#include "kernels/types.h"

namespace torch_fl_sim {

// An optional tensor's data; null where it is absent.
inline const char* optional_data(const fl_value* v) { return is_none(v) ? nullptr : bytes_of(v->v.tensor); }

inline bool optional_dtype(const fl_value* v, const fl_tensor& like) {
  return is_none(v) || same_dtype(v->v.tensor, like);
}

// Writes one statistic: its dtype is the input's, or float32 (mixed precision).
template <class T, class M>
inline void store_statistic(char* data, int64_t i, bool wide, M x) {
  if (wide) {
    reinterpret_cast<float*>(data)[i] = static_cast<float>(x);
  } else {
    reinterpret_cast<T*>(data)[i] = narrow<T>(x);
  }
}

template <class T>
inline Math<T> load_statistic(const char* data, int64_t i, bool wide) {
  if (wide) return static_cast<Math<T>>(reinterpret_cast<const float*>(data)[i]);
  return widen(reinterpret_cast<const T*>(data)[i]);
}

inline bool is_statistic(const fl_tensor& t, const fl_tensor& input) {
  return same_dtype(t, input) || fl_dtype_to_id(t.dtype) == FL_F32;
}

template <class M>
struct Statistics {
  M mean, rstd;
};

// Mean and 1 / sqrt(variance + eps) of n elements.
template <class T>
inline Statistics<Math<T>> statistics(const T* x, int64_t n, double eps) {
  using S = Sum<T>;
  S sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += widen(x[i]);
  const S mean = sum / static_cast<S>(n);
  S squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const S d = static_cast<S>(widen(x[i])) - mean;
    squares += d * d;
  }
  const S rstd = S(1) / std::sqrt(squares / static_cast<S>(n) + static_cast<S>(eps));
  return {static_cast<Math<T>>(mean), static_cast<Math<T>>(rstd)};
}

inline int64_t product(const fl_list& sizes) {
  int64_t n = 1;
  for (size_t i = 0; i < sizes.count; ++i) n *= item<int64_t>(sizes, i);
  return n;
}

// native_layer_norm(input, normalized_shape, weight?, bias?, eps) -> (out, mean, rstd)
template <class Ts>
inline fl_status layer_norm(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& input = tensor_arg(call, 0);
  if (!optional_dtype(fl_arg(call, 2), input) || !optional_dtype(fl_arg(call, 3), input) ||
      !is_statistic(tensor_out(call, 1), input)) {
    return FL_UNSUPPORTED;
  }
  const int64_t width = product(list_arg(call, 1));
  const int64_t rows = width ? numel(input) / width : 0;
  const char* x_data = bytes_of(input);
  const char* weight_data = optional_data(fl_arg(call, 2));
  const char* bias_data = optional_data(fl_arg(call, 3));
  const double eps = double_arg(call, 4);
  char* y_data = bytes_of(tensor_out(call, 0));
  char* mean_data = bytes_of(tensor_out(call, 1));
  char* rstd_data = bytes_of(tensor_out(call, 2));
  const bool wide = !same_dtype(tensor_out(call, 1), input);
  return dispatch(types, input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      const T* weight = reinterpret_cast<const T*>(weight_data);
      const T* bias = reinterpret_cast<const T*>(bias_data);
      for (int64_t i = 0; i < rows; ++i) {
        const T* x = reinterpret_cast<const T*>(x_data) + i * width;
        T* y = reinterpret_cast<T*>(y_data) + i * width;
        const auto s = statistics(x, width, eps);
        for (int64_t j = 0; j < width; ++j) {
          const auto normal = (widen(x[j]) - s.mean) * s.rstd;
          y[j] = narrow<T>(normal * (weight ? widen(weight[j]) : 1) + (bias ? widen(bias[j]) : 0));
        }
        store_statistic<T>(mean_data, i, wide, s.mean);
        store_statistic<T>(rstd_data, i, wide, s.rstd);
      }
    });
  });
}

// native_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight?, bias?, output_mask): each of the
// three gradients may be unwanted, then its slot is none.
template <class Ts>
inline fl_status layer_norm_backward(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& grad = tensor_arg(call, 0);
  const fl_tensor& input = tensor_arg(call, 1);
  const fl_tensor& mean = tensor_arg(call, 3);
  if (!same_dtype(grad, input) || !is_statistic(mean, input) || !same_dtype(mean, tensor_arg(call, 4)) ||
      !optional_dtype(fl_arg(call, 5), input)) {
    return FL_UNSUPPORTED;
  }
  for (int i = 0; i < 3; ++i) {
    if (!optional_dtype(fl_out(call, i), input)) return FL_UNSUPPORTED;
  }
  const int64_t width = product(list_arg(call, 2));
  const int64_t rows = width ? numel(input) / width : 0;
  const bool wide = !same_dtype(mean, input);
  const char* grad_data = bytes_of(grad);
  const char* x_data = bytes_of(input);
  const char* mean_data = bytes_of(mean);
  const char* rstd_data = bytes_of(tensor_arg(call, 4));
  const char* weight_data = optional_data(fl_arg(call, 5));
  char* grad_input = const_cast<char*>(optional_data(fl_out(call, 0)));
  char* grad_weight = const_cast<char*>(optional_data(fl_out(call, 1)));
  char* grad_bias = const_cast<char*>(optional_data(fl_out(call, 2)));
  return dispatch(types, input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using S = Sum<T>;
    return enqueue(call, name, [=] {
      const T* dy = reinterpret_cast<const T*>(grad_data);
      const T* x = reinterpret_cast<const T*>(x_data);
      const T* weight = reinterpret_cast<const T*>(weight_data);
      const auto normal = [&](int64_t i, int64_t j) -> S {
        return (static_cast<S>(widen(x[i * width + j])) - load_statistic<T>(mean_data, i, wide)) *
               load_statistic<T>(rstd_data, i, wide);
      };
      if (grad_input) {
        T* dx = reinterpret_cast<T*>(grad_input);
        for (int64_t i = 0; i < rows; ++i) {
          S sum = 0, sum_normal = 0;
          for (int64_t j = 0; j < width; ++j) {
            const S g = static_cast<S>(widen(dy[i * width + j])) * (weight ? widen(weight[j]) : 1);
            sum += g;
            sum_normal += g * normal(i, j);
          }
          for (int64_t j = 0; j < width; ++j) {
            const S g = static_cast<S>(widen(dy[i * width + j])) * (weight ? widen(weight[j]) : 1);
            const S centred = g - (sum + normal(i, j) * sum_normal) / static_cast<S>(width);
            dx[i * width + j] = narrow<T>(centred * load_statistic<T>(rstd_data, i, wide));
          }
        }
      }
      if (!grad_weight && !grad_bias) return;
      // Sixteen columns at a time, so that the walk down the rows reads whole cache lines.
      for (int64_t from = 0; from < width; from += 16) {
        const int64_t n = std::min<int64_t>(16, width - from);
        S weight_sum[16] = {}, bias_sum[16] = {};
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            const S g = widen(dy[i * width + from + j]);
            weight_sum[j] += g * normal(i, from + j);
            bias_sum[j] += g;
          }
        }
        for (int64_t j = 0; j < n; ++j) {
          if (grad_weight) reinterpret_cast<T*>(grad_weight)[from + j] = narrow<T>(weight_sum[j]);
          if (grad_bias) reinterpret_cast<T*>(grad_bias)[from + j] = narrow<T>(bias_sum[j]);
        }
      }
    });
  });
}

// native_group_norm(input, weight?, bias?, N, C, HxW, group, eps) -> (out, mean, rstd)
template <class Ts>
inline fl_status group_norm(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& input = tensor_arg(call, 0);
  if (!optional_dtype(fl_arg(call, 1), input) || !optional_dtype(fl_arg(call, 2), input) ||
      !is_statistic(tensor_out(call, 1), input)) {
    return FL_UNSUPPORTED;
  }
  const char* x_data = bytes_of(input);
  const char* weight_data = optional_data(fl_arg(call, 1));
  const char* bias_data = optional_data(fl_arg(call, 2));
  const int64_t batch = int_arg(call, 3), channels = int_arg(call, 4), area = int_arg(call, 5);
  const int64_t groups = int_arg(call, 6);
  const double eps = double_arg(call, 7);
  char* y_data = bytes_of(tensor_out(call, 0));
  char* mean_data = bytes_of(tensor_out(call, 1));
  char* rstd_data = bytes_of(tensor_out(call, 2));
  const bool wide = !same_dtype(tensor_out(call, 1), input);
  const int64_t per_group = channels / groups;
  return dispatch(types, input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      const T* weight = reinterpret_cast<const T*>(weight_data);
      const T* bias = reinterpret_cast<const T*>(bias_data);
      for (int64_t i = 0; i < batch * groups; ++i) {
        const T* x = reinterpret_cast<const T*>(x_data) + i * per_group * area;
        T* y = reinterpret_cast<T*>(y_data) + i * per_group * area;
        const auto s = statistics(x, per_group * area, eps);
        for (int64_t c = 0; c < per_group; ++c) {
          const int64_t channel = i % groups * per_group + c;
          const auto scale = s.rstd * (weight ? widen(weight[channel]) : 1);
          const auto shift = (bias ? widen(bias[channel]) : 0) - s.mean * scale;
          for (int64_t j = 0; j < area; ++j) y[c * area + j] = narrow<T>(widen(x[c * area + j]) * scale + shift);
        }
        store_statistic<T>(mean_data, i, wide, s.mean);
        store_statistic<T>(rstd_data, i, wide, s.rstd);
      }
    });
  });
}

}  // namespace torch_fl_sim
