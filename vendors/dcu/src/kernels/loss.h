// mse_loss and nll_loss. `reduction` is 0 for none, 1 for the mean, 2 for the sum.
#pragma once

#include "kernels/binary.h"
#include "kernels/fault.h"
#include "kernels/norm.h"
#include "kernels/reduce.h"

namespace torch_fl_dcu {

struct SquaredDifference {
  template <class T>
  FL_HD T operator()(T a, T b) const {
    return (a - b) * (a - b);
  }
};

template <class M>
struct SquaredDifferenceBackward {
  M factor;
  FL_HD M operator()(M grad, M a, M b) const { return factor * (a - b) * grad; }
};

// Sum or mean of f(a, b), for two tensors of one shape: the terms, in the computing type, so that a sum of halves is
// rounded once, then their sum.
template <class T, template <class> class R, class F>
fl_status reduce_terms(const fl_call* call, const F& f) {
  using M = Math<T>;
  const fl_tensor& self = tensor_arg(call, 0);
  const int64_t count = numel(self);
  const Scratch scratch(call, static_cast<size_t>(count) * sizeof(M));
  fl_value terms{};
  terms.kind = FL_TENSOR;
  fl_tensor& t = terms.v.tensor;
  int64_t strides[kMaxRank], step = 1;
  t = self;
  for (int32_t d = self.ndim; d-- > 0; step *= self.sizes[d]) strides[d] = step;
  t.data = scratch.data();
  t.strides = strides;
  t.dtype = {FL_CODE_FLOAT, sizeof(M) * 8, 1};
  if (count > 0)
    if (const fl_status status = elementwise<M, T, T>(call, f, &terms, fl_arg(call, 0), fl_arg(call, 1))) return status;
  const uint32_t all = self.ndim != 0 ? (1u << self.ndim) - 1 : 0;
  return reduce<M, T>(call, R<M>{}, t, &tensor_out(call, 0), nullptr, all);
}

// mse_loss(self, target, reduction)
template <class Ts>
fl_status mse_loss(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_arg(call, 0), &target = tensor_arg(call, 1), &out = tensor_out(call, 0);
  const int64_t reduction = int_arg(call, 2);
  // Inputs that need broadcasting are the next lane's: core expands to the output, which may be one number here.
  if (!same_sizes(self, target) || !same_dtype(self, target) || !same_dtype(self, out)) return FL_UNSUPPORTED;
  return dispatch(types, self.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (reduction == 0)
      return elementwise<T, T, T>(call, SquaredDifference{}, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1));
    return reduction == 1 ? reduce_terms<T, MeanOf>(call, SquaredDifference{})
                          : reduce_terms<T, SumOf>(call, SquaredDifference{});
  });
}

// dot(self, tensor)
template <class Ts>
fl_status dot(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_arg(call, 0), &other = tensor_arg(call, 1);
  if (self.ndim != 1 || !same_sizes(self, other) || !same_dtype(self, other)) return FL_UNSUPPORTED;
  return dispatch(types, self.dtype,
                  [&](auto tag) { return reduce_terms<typename decltype(tag)::type, SumOf>(call, Mul{}); });
}

// mse_loss_backward(grad_output, self, target, reduction): everything expanded to the result's sizes.
template <class Ts>
fl_status mse_loss_backward(const fl_call* call, Ts types) {
  const fl_tensor& out = tensor_out(call, 0);
  const double factor = int_arg(call, 3) == 1 ? 2.0 / static_cast<double>(numel(out)) : 2.0;
  return dispatch(types, out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    return elementwise<T, T, T, T>(call, SquaredDifferenceBackward<M>{static_cast<M>(factor)}, fl_out(call, 0),
                                   fl_arg(call, 0), fl_arg(call, 1), fl_arg(call, 2));
  });
}

// The classes of a batch: self [n, classes] or [classes], target [n] or one number.
template <class T>
struct Classes {
  const int64_t* target;
  const T* weight;
  int64_t rows, classes, target_step, weight_step, ignored;
  int32_t dim;  // of the classes
  FaultSink faults;

  Classes(const fl_tensor& self, const fl_tensor& targets, const fl_value* weights, int64_t ignored)
      : target(static_cast<const int64_t*>(targets.data)),
        weight(static_cast<const T*>(optional_data(weights))),
        rows(self.ndim == 2 ? self.sizes[0] : 1),
        classes(self.sizes[self.ndim - 1]),
        target_step(targets.ndim == 1 ? targets.strides[0] : 0),
        weight_step(weight != nullptr && weights->v.tensor.ndim > 0 ? weights->v.tensor.strides[0] : 0),
        ignored(ignored),
        dim(self.ndim - 1) {}
  // The class of a row; -1 where the row is ignored or its class does not exist, which is reported.
  FL_GPU int64_t of(int64_t row) const {
    const int64_t at = target[row * target_step];
    return at == ignored || !faults.within(at, dim, classes) ? -1 : at;
  }
  FL_GPU Math<T> weight_of(int64_t at) const {
    return weight != nullptr ? widen(weight[at * weight_step]) : Math<T>(1);
  }
};

template <class T>
struct NllLoss {
  static constexpr bool kCooperative = true;
  using M = Math<T>;
  struct Sums {
    M loss, weight;
  };
  Classes<T> classes;
  const T* in;
  T *out, *total;
  int64_t row_step, class_step, out_step;
  bool per_row, mean;
  Teams teams;

  FL_GPU void operator()() const {
    Sums sums{M(0), M(0)};
    const int64_t step = block_count() * block_threads();
    for (int64_t row = thread_index(); row < classes.rows; row += step) {
      const int64_t at = classes.of(row);
      const M weight = at >= 0 ? classes.weight_of(at) : M(0);
      const M loss = at >= 0 ? -weight * widen(in[row * row_step + at * class_step]) : M(0);
      if (per_row) out[row * out_step] = narrow<T>(loss);
      sums.loss += loss;
      sums.weight += weight;
    }
    if (per_row) {
      if (block_id() == 0 && thread_id() == 0) *total = narrow<T>(M(0));
      return;
    }
    sums = teams.combine(sums, [](const Sums& a, const Sums& b) { return Sums{a.loss + b.loss, a.weight + b.weight}; });
    if (thread_id() != 0) return;
    *out = narrow<T>(mean ? sums.loss / sums.weight : sums.loss);
    *total = narrow<T>(sums.weight);
  }
};

// nll_loss_forward(self, target, weight?, reduction, ignore_index) -> (output, total_weight). The reduced loss is one
// block's, in one order.
template <class Ts>
fl_status nll_loss(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_arg(call, 0), &out = tensor_out(call, 0), &total = tensor_out(call, 1);
  if (!same_dtype(self, out) || !same_dtype(self, total) || !optional_dtype(fl_arg(call, 2), self) || self.ndim == 0)
    return FL_UNSUPPORTED;
  const int64_t reduction = int_arg(call, 3);
  return dispatch(types, self.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    const bool per_row = reduction == 0 && self.ndim == 2;
    NllLoss<T> body{Classes<T>(self, tensor_arg(call, 1), fl_arg(call, 2), int_arg(call, 4)),
                    static_cast<const T*>(self.data),
                    static_cast<T*>(out.data),
                    static_cast<T*>(total.data),
                    self.ndim == 2 ? self.strides[0] : 0,
                    self.strides[self.ndim - 1],
                    per_row ? out.strides[0] : 0,
                    per_row,
                    reduction == 1,
                    {kMostThreads, 1, false}};
    if (const fl_status status = fault_sink(call->device, &body.classes.faults)) return status;
    return launch<kMostThreads>(call, body, per_row ? blocks_for(body.classes.rows, kMostThreads) : 1);
  });
}

template <class T>
struct NllLossBackward {
  Classes<T> classes;
  const T *grad, *total;
  T* out;
  int64_t grad_step, row_step, class_step, count;
  bool mean;

  FL_GPU void operator()() const {
    const int64_t i = thread_index();
    if (i >= count) return;
    const int64_t row = i / classes.classes, column = i % classes.classes;
    const int64_t at = classes.of(row);
    Math<T> x(0);
    if (at == column) {
      x = -classes.weight_of(at) * widen(grad[row * grad_step]);
      if (mean) x = x / widen(*total);
    }
    out[row * row_step + column * class_step] = narrow<T>(x);
  }
};

// nll_loss_backward(grad_output, self, target, weight?, reduction, ignore_index, total_weight)
template <class Ts>
fl_status nll_loss_backward(const fl_call* call, Ts types) {
  const fl_tensor &grad = tensor_arg(call, 0), &self = tensor_arg(call, 1), &out = tensor_out(call, 0);
  const fl_tensor& total = tensor_arg(call, 6);
  if (!same_dtype(grad, out) || !same_dtype(self, out) || !same_dtype(total, out) || out.ndim == 0 ||
      !optional_dtype(fl_arg(call, 3), self))
    return FL_UNSUPPORTED;
  const int64_t reduction = int_arg(call, 4);
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    NllLossBackward<T> body{Classes<T>(self, tensor_arg(call, 2), fl_arg(call, 3), int_arg(call, 5)),
                            static_cast<const T*>(grad.data),
                            static_cast<const T*>(total.data),
                            static_cast<T*>(out.data),
                            reduction == 0 && grad.ndim == 1 ? grad.strides[0] : 0,
                            out.ndim == 2 ? out.strides[0] : 0,
                            out.strides[out.ndim - 1],
                            numel(out),
                            reduction == 1};
    if (body.count == 0) return FL_OK;
    if (const fl_status status = fault_sink(call->device, &body.classes.faults)) return status;
    return launch(call, body, blocks_for(body.count, 256));
  });
}

}  // namespace torch_fl_dcu
