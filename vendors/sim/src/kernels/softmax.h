// softmax and log_softmax along a dimension, forward and backward.
#pragma once

#include <cmath>
#include <limits>

#include "kernels/along.h"

namespace torch_fl_sim {

// _softmax(self, dim, half_to_float); halves that go to float are the next lane's.
template <bool Log, class Ts>
inline fl_status softmax(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  if (!same_dtype(in, tensor_out(call, 0))) return FL_UNSUPPORTED;
  const Along<2> walk({&tensor_out(call, 0), &in}, wrap_dim(int_arg(call, 1), in.ndim));
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [walk] {
      using M = Math<T>;
      walk.lines.elements([&walk](char* const* p) {
        const int64_t out_step = walk.step[0], in_step = walk.step[1];
        M largest = -std::numeric_limits<M>::infinity();
        for (int64_t i = 0; i < walk.size; ++i) {
          const M x = load<T>(p[1] + i * in_step);
          if (x > largest || is_nan(x)) largest = x;
        }
        M sum = M(0);
        for (int64_t i = 0; i < walk.size; ++i) sum += std::exp(load<T>(p[1] + i * in_step) - largest);
        const M log_sum = std::log(sum);
        for (int64_t i = 0; i < walk.size; ++i) {
          const M x = load<T>(p[1] + i * in_step) - largest;
          store<T>(p[0] + i * out_step, Log ? x - log_sum : std::exp(x) / sum);
        }
      });
    });
  });
}

// _softmax_backward_data(grad_output, output, dim, input_dtype)
template <bool Log, class Ts>
inline fl_status softmax_backward(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& grad = tensor_arg(call, 0);
  const fl_tensor& output = tensor_arg(call, 1);
  if (!same_dtype(grad, tensor_out(call, 0)) || !same_dtype(grad, output)) return FL_UNSUPPORTED;
  const Along<3> walk({&tensor_out(call, 0), &grad, &output}, wrap_dim(int_arg(call, 2), grad.ndim));
  return dispatch(types, grad.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [walk] {
      using M = Math<T>;
      walk.lines.elements([&walk](char* const* p) {
        M sum = M(0);
        for (int64_t i = 0; i < walk.size; ++i) {
          const M g = load<T>(p[1] + i * walk.step[1]);
          sum += Log ? g : g * load<T>(p[2] + i * walk.step[2]);
        }
        for (int64_t i = 0; i < walk.size; ++i) {
          const M g = load<T>(p[1] + i * walk.step[1]);
          const M y = load<T>(p[2] + i * walk.step[2]);
          store<T>(p[0] + i * walk.step[0], Log ? g - std::exp(y) * sum : (g - sum) * y);
        }
      });
    });
  });
}

}  // namespace torch_fl_sim
