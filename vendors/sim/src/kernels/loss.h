// mse_loss and nll_loss. `reduction` is 0 for none, 1 for the mean, 2 for the sum.
#pragma once

#include "kernels/binary.h"
#include "kernels/index.h"
#include "kernels/norm.h"

namespace torch_fl_sim {

struct SquaredDifference {
  template <class T>
  T operator()(T a, T b) const {
    return (a - b) * (a - b);
  }
};

// mse_loss(self, target, reduction)
template <class Ts>
inline fl_status mse_loss(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& self = tensor_arg(call, 0);
  const fl_tensor& target = tensor_arg(call, 1);
  const fl_tensor& out = tensor_out(call, 0);
  const int64_t reduction = int_arg(call, 2);
  // Inputs that need broadcasting are the next lane's: core expands to the output, which may be one number here.
  if (!same_sizes(self, target) || !same_dtype(self, target) || !same_dtype(self, out)) return FL_UNSUPPORTED;
  if (reduction == 0) return binary<SquaredDifference>(call, name, types);
  Loop<2> loop;
  loop.data[0] = bytes_of(self);
  loop.data[1] = bytes_of(target);
  for (int32_t d = 0; d < self.ndim; ++d) loop.add_dim(self.sizes[d], {byte_stride(self, d), byte_stride(target, d)});
  loop.simplify();
  const int64_t count = numel(self);
  char* to = bytes_of(out);
  return dispatch(types, out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      Sum<T> sum = 0;
      if (count > 0) {
        loop.elements([&](char* const* p) { sum += SquaredDifference{}(load<T>(p[0]), load<T>(p[1])); });
      }
      store<T>(to, reduction == 1 ? sum / static_cast<Sum<T>>(count) : sum);
    });
  });
}

// mse_loss_backward(grad_output, self, target, reduction): everything expanded to the result's sizes.
template <class Ts>
inline fl_status mse_loss_backward(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& out = tensor_out(call, 0);
  const double scale = int_arg(call, 3) == 1 ? 2.0 / static_cast<double>(numel(out)) : 2.0;
  return dispatch(types, out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    const auto f = [factor = static_cast<M>(scale)](M grad, M a, M b) { return factor * (a - b) * grad; };
    return elementwise<T, T, T, T>(call, name, f, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1), fl_arg(call, 2));
  });
}

// The classes of a batch: self [n, classes] or [classes], target [n] or one number.
struct Classes {
  char* target;
  int32_t dim;  // of the classes
  int64_t rows = 1, classes, target_step = 0, ignored;
  const char* weight;
  int64_t weight_step = 0;
  fl_stream stream;

  Classes(const fl_call* call, const fl_tensor& self, const fl_tensor& targets, const fl_value* weights, int64_t ignore)
      : target(bytes_of(targets)),
        dim(self.ndim - 1),
        classes(self.sizes[dim]),
        ignored(ignore),
        weight(optional_data(weights)),
        stream(call->stream) {
    if (self.ndim == 2) rows = self.sizes[0];
    if (targets.ndim == 1) target_step = byte_stride(targets, 0);
    if (weight) weight_step = byte_stride(weights->v.tensor, 0);
  }
  // The class of a row; -1 where the row is ignored or its class does not exist (which is reported).
  int64_t of(int64_t row) const {
    const int64_t at = *reinterpret_cast<const int64_t*>(target + row * target_step);
    if (at == ignored || !check_index(stream, at, dim, classes)) return -1;
    return at;
  }
  template <class T>
  Math<T> weight_of(int64_t at) const {
    return weight ? load<T>(weight + at * weight_step) : Math<T>(1);
  }
};

// nll_loss_forward(self, target, weight?, reduction, ignore_index) -> (output, total_weight)
template <class Ts>
inline fl_status nll_loss(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& self = tensor_arg(call, 0);
  const fl_tensor& out = tensor_out(call, 0);
  const fl_tensor& total = tensor_out(call, 1);
  if (!same_dtype(self, out) || !same_dtype(self, total) || !optional_dtype(fl_arg(call, 2), self)) {
    return FL_UNSUPPORTED;
  }
  const int64_t reduction = int_arg(call, 3);
  const Classes classes(call, self, tensor_arg(call, 1), fl_arg(call, 2), int_arg(call, 4));
  const char* x = bytes_of(self);
  const int64_t row_step = self.ndim == 2 ? byte_stride(self, 0) : 0, class_step = byte_stride(self, self.ndim - 1);
  char* y = bytes_of(out);
  const bool per_row = reduction == 0 && self.ndim == 2;
  const int64_t y_step = per_row ? byte_stride(out, 0) : 0;
  char* total_data = bytes_of(total);
  return dispatch(types, self.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      Sum<T> sum = 0, weights = 0;
      for (int64_t i = 0; i < classes.rows; ++i) {
        const int64_t at = classes.of(i);
        Math<T> loss = 0;
        if (at >= 0) {
          const Math<T> w = classes.weight_of<T>(at);
          loss = -w * load<T>(x + i * row_step + at * class_step);
          weights += w;
        }
        sum += loss;
        if (per_row) store<T>(y + i * y_step, loss);
      }
      if (!per_row) store<T>(y, reduction == 1 ? sum / weights : sum);
      store<T>(total_data, per_row ? Sum<T>(0) : weights);
    });
  });
}

// nll_loss_backward(grad_output, self, target, weight?, reduction, ignore_index, total_weight)
template <class Ts>
inline fl_status nll_loss_backward(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& grad = tensor_arg(call, 0);
  const fl_tensor& self = tensor_arg(call, 1);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(grad, out) || !same_dtype(self, out) || !same_dtype(tensor_arg(call, 6), out) ||
      !optional_dtype(fl_arg(call, 3), self)) {
    return FL_UNSUPPORTED;
  }
  const int64_t reduction = int_arg(call, 4);
  const Classes classes(call, self, tensor_arg(call, 2), fl_arg(call, 3), int_arg(call, 5));
  const char* dy = bytes_of(grad);
  const int64_t dy_step = reduction == 0 && grad.ndim == 1 ? byte_stride(grad, 0) : 0;
  const char* total = bytes_of(tensor_arg(call, 6));
  char* dx = bytes_of(out);
  const int64_t row_step = out.ndim == 2 ? byte_stride(out, 0) : 0, class_step = byte_stride(out, out.ndim - 1);
  return dispatch(types, out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      const Math<T> divisor = reduction == 1 ? load<T>(total) : Math<T>(1);
      for (int64_t i = 0; i < classes.rows; ++i) {
        char* row = dx + i * row_step;
        for (int64_t c = 0; c < classes.classes; ++c) store<T>(row + c * class_step, Math<T>(0));
        const int64_t at = classes.of(i);
        if (at < 0) continue;
        store<T>(row + at * class_step, -classes.weight_of<T>(at) * load<T>(dy + i * dy_step) / divisor);
      }
    });
  });
}

}  // namespace torch_fl_sim
