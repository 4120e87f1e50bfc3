// Random fills and dropout. Tensors are contiguous (core sees to it): element i always gets the same number, whatever
// the strides of the caller's tensor are.
#pragma once

#include "kernels/norm.h"
#include "kernels/philox.h"

namespace torch_fl_sim {

inline fl_status take_random(const fl_call* call, const fl_value* generator, RandomSource* source) {
  const fl_generator* from = generator && generator->kind == FL_GENERATOR ? &generator->v.generator : nullptr;
  return core()->philox(call->device, from, 4, &source->seed, &source->offset);
}

template <class T>
constexpr int kDigits = std::numeric_limits<T>::digits;
template <>
constexpr int kDigits<Half> = 11;
template <>
constexpr int kDigits<BFloat16> = 8;

// out[i] = draw(source, i) for every element.
template <class T, class Draw>
inline fl_status random_fill(const fl_call* call, const char* name, const fl_value* generator, const Draw& draw) {
  RandomSource source;
  if (const fl_status s = take_random(call, generator, &source)) return s;
  T* out = reinterpret_cast<T*>(bytes_of(tensor_out(call, 0)));
  const int64_t count = numel(tensor_out(call, 0));
  return enqueue(call, name, [=] {
    for (int64_t i = 0; i < count; ++i) out[i] = narrow<T>(draw(source, i));
  });
}

// uniform_(self, from, to, generator): in [from, to)
template <class Ts>
inline fl_status uniform(const fl_call* call, const char* name, Ts types) {
  const double from = double_arg(call, 1), to = double_arg(call, 2);
  if (!(from <= to)) {
    return fail(FL_INVALID_VALUE, "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from, to);
  }
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, name, fl_arg(call, 3), [from, to](const RandomSource& source, int64_t i) {
      const double x = source.uniform(i, kDigits<T>) * (to - from) + from;
      return widen(narrow<T>(x)) < to ? x : from;  // rounding to T may reach the excluded end
    });
  });
}

// normal_(self, mean, std, generator)
template <class Ts>
inline fl_status normal(const fl_call* call, const char* name, Ts types) {
  const double mean = double_arg(call, 1), deviation = double_arg(call, 2);
  if (!(deviation >= 0)) return fail(FL_INVALID_VALUE, "normal expects std >= 0.0, but found std %g", deviation);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, name, fl_arg(call, 3), [mean, deviation](const RandomSource& source, int64_t i) {
      return source.normal(i) * deviation + mean;
    });
  });
}

// exponential_(self, lambd, generator)
template <class Ts>
inline fl_status exponential(const fl_call* call, const char* name, Ts types) {
  const double lambda = double_arg(call, 1);
  if (!(lambda > 0)) return fail(FL_INVALID_VALUE, "exponential_ expects lambda > 0.0, but found lambda=%g", lambda);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, name, fl_arg(call, 2), [lambda](const RandomSource& source, int64_t i) {
      return -std::log1p(-source.uniform(i, kDigits<T>)) / lambda;
    });
  });
}

// bernoulli_.float(self, p, generator): 1 with probability p
template <class Ts>
inline fl_status bernoulli(const fl_call* call, const char* name, Ts types) {
  const double p = double_arg(call, 1);
  if (!(p >= 0 && p <= 1)) return fail(FL_INVALID_VALUE, "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return random_fill<T>(call, name, fl_arg(call, 2),
                          [p](const RandomSource& source, int64_t i) { return source.uniform(i, 53) < p ? 1 : 0; });
  });
}

// native_dropout(input, p, train?) -> (out, mask): the kept elements are scaled by 1 / (1 - p).
template <class Ts>
inline fl_status dropout(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& input = tensor_arg(call, 0);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(input, out)) return FL_UNSUPPORTED;
  const bool train = is_none(fl_arg(call, 2)) || bool_arg(call, 2);
  const double p = double_arg(call, 1);
  if (!(p >= 0 && p <= 1)) {
    return fail(FL_INVALID_VALUE, "dropout probability has to be between 0 and 1, but got %g", p);
  }
  RandomSource source;
  if (train) {
    if (const fl_status s = take_random(call, nullptr, &source)) return s;
  }
  const int64_t count = numel(input);
  const char* x_data = bytes_of(input);
  char* y_data = bytes_of(out);
  bool* mask = reinterpret_cast<bool*>(bytes_of(tensor_out(call, 1)));
  return dispatch(types, input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      const T* x = reinterpret_cast<const T*>(x_data);
      T* y = reinterpret_cast<T*>(y_data);
      const auto scale = static_cast<Math<T>>(!train ? 1 : p == 1 ? 0 : 1 / (1 - p));
      for (int64_t i = 0; i < count; ++i) {
        mask[i] = !train || source.uniform(i, 53) >= p;
        y[i] = mask[i] ? narrow<T>(widen(x[i]) * scale) : narrow<T>(0);
      }
    });
  });
}

}  // namespace torch_fl_sim
