// Functors of one number, and the kernels made of them.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "kernels/elementwise.h"

namespace torch_fl_sim {

// A functor that is one function of <cmath>, of float and of double.
#define TORCH_FL_SIM_UNARY(Name, expression) \
  struct Name {                              \
    template <class T>                       \
    T operator()(T x) const {                \
      return static_cast<T>(expression);     \
    }                                        \
  };

TORCH_FL_SIM_UNARY(Exp, std::exp(x))
TORCH_FL_SIM_UNARY(Exp2, std::exp2(x))
TORCH_FL_SIM_UNARY(Expm1, std::expm1(x))
TORCH_FL_SIM_UNARY(Log, std::log(x))
TORCH_FL_SIM_UNARY(Log2, std::log2(x))
TORCH_FL_SIM_UNARY(Log10, std::log10(x))
TORCH_FL_SIM_UNARY(Log1p, std::log1p(x))
TORCH_FL_SIM_UNARY(Sqrt, std::sqrt(x))
TORCH_FL_SIM_UNARY(Rsqrt, T(1) / std::sqrt(x))
TORCH_FL_SIM_UNARY(Reciprocal, T(1) / x)
TORCH_FL_SIM_UNARY(Sin, std::sin(x))
TORCH_FL_SIM_UNARY(Cos, std::cos(x))
TORCH_FL_SIM_UNARY(Tan, std::tan(x))
TORCH_FL_SIM_UNARY(Asin, std::asin(x))
TORCH_FL_SIM_UNARY(Acos, std::acos(x))
TORCH_FL_SIM_UNARY(Atan, std::atan(x))
TORCH_FL_SIM_UNARY(Sinh, std::sinh(x))
TORCH_FL_SIM_UNARY(Cosh, std::cosh(x))
TORCH_FL_SIM_UNARY(Asinh, std::asinh(x))
TORCH_FL_SIM_UNARY(Acosh, std::acosh(x))
TORCH_FL_SIM_UNARY(Atanh, std::atanh(x))
TORCH_FL_SIM_UNARY(Tanh, std::tanh(x))
TORCH_FL_SIM_UNARY(Erf, std::erf(x))
TORCH_FL_SIM_UNARY(Erfc, std::erfc(x))
TORCH_FL_SIM_UNARY(Sigmoid, T(1) / (T(1) + std::exp(-x)))
TORCH_FL_SIM_UNARY(Silu, x / (T(1) + std::exp(-x)))
TORCH_FL_SIM_UNARY(Ceil, std::ceil(x))
TORCH_FL_SIM_UNARY(Floor, std::floor(x))
TORCH_FL_SIM_UNARY(Trunc, std::trunc(x))
TORCH_FL_SIM_UNARY(Frac, x - std::trunc(x))
TORCH_FL_SIM_UNARY(Round, std::nearbyint(x))  // halves go to the even neighbour
TORCH_FL_SIM_UNARY(Mish, x* std::tanh(std::log1p(std::exp(x))))
TORCH_FL_SIM_UNARY(Hardsigmoid, std::fmin(std::fmax(x + T(3), T(0)), T(6)) / T(6))
TORCH_FL_SIM_UNARY(Hardswish, x* std::fmin(std::fmax(x + T(3), T(0)), T(6)) / T(6))
TORCH_FL_SIM_UNARY(Relu, x < T(0) ? T(0) : x)  // a NaN stays
TORCH_FL_SIM_UNARY(Sign, (T(0) < x) - (x < T(0)))
#undef TORCH_FL_SIM_UNARY

struct Neg {
  template <class T>
  T operator()(T x) const {
    if constexpr (kIsInt<T>) {
      return static_cast<T>(-static_cast<uint64_t>(x));  // the smallest integer wraps around
    } else {
      return -x;
    }
  }
};

struct Abs {
  template <class T>
  T operator()(T x) const {
    if constexpr (kIsInt<T>) {
      return x < 0 ? Neg{}(x) : x;
    } else {
      return std::abs(x);
    }
  }
};

struct BitwiseNot {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !x;
    } else {
      return static_cast<T>(~x);
    }
  }
};

struct GeluErf {
  template <class T>
  T operator()(T x) const {
    return x * T(0.5) * (T(1) + std::erf(x * T(M_SQRT1_2)));
  }
};

struct GeluTanh {
  template <class T>
  T operator()(T x) const {
    const T inner = T(M_SQRT2 * M_2_SQRTPI * 0.5) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (T(1) + std::tanh(inner));
  }
};

// --- of a number to true or false

struct LogicalNot {
  template <class T>
  bool operator()(T x) const {
    return x == T(0);
  }
};

struct Signbit {
  template <class T>
  bool operator()(T x) const {
    return std::signbit(x);
  }
};

struct Isnan {
  template <class T>
  bool operator()(T x) const {
    return std::isnan(x);
  }
};

struct Isposinf {
  template <class T>
  bool operator()(T x) const {
    return std::isinf(x) && x > T(0);
  }
};

struct Isneginf {
  template <class T>
  bool operator()(T x) const {
    return std::isinf(x) && x < T(0);
  }
};

// --- with numbers that the call brings

template <class M>
struct Hardtanh {
  M low, high;
  M operator()(M x) const { return is_nan(x) ? x : x < low ? low : x > high ? high : x; }
};

template <class M>
struct Threshold {
  M threshold, value;
  M operator()(M x) const { return x <= threshold ? value : x; }
};

template <class M>
struct Elu {
  M negative, positive, input_scale;
  M operator()(M x) const { return x < M(0) ? std::expm1(x * input_scale) * negative : x * positive; }
};

template <class M>
struct Softplus {
  M beta, threshold;
  M operator()(M x) const { return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta; }
};

template <class M>
struct PowScalar {
  M exponent;
  M operator()(M x) const {
    // The exponents that people write; std::pow would be slower and no better.
    if (exponent == M(2)) return x * x;
    if (exponent == M(0.5)) return std::sqrt(x);
    if (exponent == M(1)) return x;
    if (exponent == M(-1)) return M(1) / x;
    return std::pow(x, exponent);
  }
};

template <class M>
struct Clamp {
  M low, high;
  bool has_low, has_high;
  M operator()(M x) const {
    if (has_low && (is_nan(low) || x < low)) x = low;
    if (has_high && (is_nan(high) || x > high)) x = high;
    return x;
  }
};

// Result and input have one dtype, from `Ts`.
template <class F, class Ts>
inline fl_status unary(const fl_call* call, const char* name, Ts types) {
  return elementwise_of<F>(call, name, types, tensor_out(call, 0).dtype, {fl_out(call, 0), fl_arg(call, 0)});
}

// The result is bool.
template <class F, class Ts>
inline fl_status unary_bool(const fl_call* call, const char* name, Ts types) {
  return elementwise_of<F, true>(call, name, types, tensor_arg(call, 0).dtype, {fl_out(call, 0), fl_arg(call, 0)});
}

template <class Ts>
inline fl_status gelu(const fl_call* call, const char* name, Ts types) {
  if (std::strcmp(fl_arg(call, 1)->v.s, "tanh") == 0) return unary<GeluTanh>(call, name, types);
  return unary<GeluErf>(call, name, types);
}

// F<M> is a functor whose only members are numbers of M; they are arguments 1, 2, ... of the call.
template <template <class> class F, int Numbers, class Ts>
inline fl_status unary_numbers(const fl_call* call, const char* name, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    static_assert(sizeof(F<M>) == Numbers * sizeof(M));
    M numbers[Numbers];
    for (int i = 0; i < Numbers; ++i) {
      if (!scalar_math<T>(scalar_arg(call, 1 + i), &numbers[i])) return FL_UNSUPPORTED;
    }
    F<M> f;
    std::memcpy(&f, numbers, sizeof f);
    return elementwise<T, T>(call, name, f, fl_out(call, 0), fl_arg(call, 0));
  });
}

template <class Ts>
inline fl_status elu(const fl_call* call, const char* name, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    M alpha, scale, input_scale;
    if (!scalar_math<T>(scalar_arg(call, 1), &alpha) || !scalar_math<T>(scalar_arg(call, 2), &scale) ||
        !scalar_math<T>(scalar_arg(call, 3), &input_scale)) {
      return FL_UNSUPPORTED;
    }
    return elementwise<T, T>(call, name, Elu<M>{alpha * scale, scale, input_scale}, fl_out(call, 0), fl_arg(call, 0));
  });
}

// clamp(self, Scalar? min, Scalar? max), or with one bound only: the argument number of each, -1 where it has none.
template <class Ts>
inline fl_status clamp(const fl_call* call, const char* name, Ts types, int low, int high) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Clamp<Math<T>> f{};
    f.has_low = low >= 0 && !is_none(fl_arg(call, low));
    f.has_high = high >= 0 && !is_none(fl_arg(call, high));
    if (f.has_low && !scalar_math<T>(scalar_arg(call, low), &f.low)) return FL_UNSUPPORTED;
    if (f.has_high && !scalar_math<T>(scalar_arg(call, high), &f.high)) return FL_UNSUPPORTED;
    return elementwise<T, T>(call, name, f, fl_out(call, 0), fl_arg(call, 0));
  });
}

}  // namespace torch_fl_sim
