// Functors of one number, and the kernels made of them.
#pragma once

#include "kernels/elementwise.h"

namespace torch_fl_dcu {

// Six times the hard sigmoid. No fmin and fmax: they drop a NaN, which stays here.
template <class T>
FL_HD T hard_gate(T x) {
  const T gate = x + T(3);
  return gate < T(0) ? T(0) : gate > T(6) ? T(6) : gate;
}

// A functor that is one expression of x, for float and double.
#define FL_UNARY(Name, expression)       \
  struct Name {                          \
    template <class T>                   \
    FL_HD T operator()(T x) const {      \
      return static_cast<T>(expression); \
    }                                    \
  };

// The same where a thread has enough to do with one pack of elements.
#define FL_SLOW(Name, expression)        \
  struct Name {                          \
    static constexpr bool kSlow = true;  \
    template <class T>                   \
    FL_HD T operator()(T x) const {      \
      return static_cast<T>(expression); \
    }                                    \
  };

FL_UNARY(Exp, std::exp(x))
FL_SLOW(Exp2, std::exp2(x))
FL_SLOW(Expm1, std::expm1(x))
FL_UNARY(Log, std::log(x))
FL_SLOW(Log2, std::log2(x))
FL_SLOW(Log10, std::log10(x))
FL_SLOW(Log1p, std::log1p(x))
FL_UNARY(Sqrt, std::sqrt(x))
FL_UNARY(Rsqrt, T(1) / std::sqrt(x))
FL_UNARY(Reciprocal, T(1) / x)
FL_SLOW(Sin, std::sin(x))
FL_SLOW(Cos, std::cos(x))
FL_SLOW(Tan, std::tan(x))
FL_SLOW(Asin, std::asin(x))
FL_SLOW(Acos, std::acos(x))
FL_SLOW(Atan, std::atan(x))
FL_SLOW(Sinh, std::sinh(x))
FL_SLOW(Cosh, std::cosh(x))
FL_SLOW(Asinh, std::asinh(x))
FL_SLOW(Acosh, std::acosh(x))
FL_SLOW(Atanh, std::atanh(x))
FL_SLOW(Tanh, std::tanh(x))
FL_SLOW(Erf, std::erf(x))
FL_SLOW(Erfc, std::erfc(x))
FL_SLOW(Lgamma, std::lgamma(x))
FL_UNARY(Sigmoid, T(1) / (T(1) + std::exp(-x)))
FL_UNARY(Silu, x / (T(1) + std::exp(-x)))
FL_SLOW(Ceil, std::ceil(x))
FL_SLOW(Floor, std::floor(x))
FL_SLOW(Trunc, std::trunc(x))
FL_SLOW(Frac, x - std::trunc(x))
FL_SLOW(Round, std::nearbyint(x))  // halves go to the even neighbour
FL_SLOW(Mish, x* std::tanh(std::log1p(std::exp(x))))
FL_SLOW(Hardsigmoid, hard_gate(x) / T(6))
FL_SLOW(Hardswish, x* hard_gate(x) / T(6))
FL_UNARY(Relu, x < T(0) ? T(0) : x)  // a NaN stays
FL_UNARY(Sign, (T(0) < x) - (x < T(0)))
#undef FL_UNARY
#undef FL_SLOW

struct Neg {
  template <class T>
  FL_HD T operator()(T x) const {
    if constexpr (kIsInt<T>)
      return static_cast<T>(-static_cast<uint64_t>(x));  // the smallest integer wraps around
    else
      return -x;
  }
};

struct Abs {
  template <class T>
  FL_HD T operator()(T x) const {
    if constexpr (kIsInt<T>)
      return x < 0 ? Neg{}(x) : x;
    else
      return std::fabs(x);
  }
};

struct BitwiseNot {
  template <class T>
  FL_HD T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>)
      return !x;
    else
      return static_cast<T>(~x);
  }
};

struct GeluErf {
  static constexpr bool kSlow = true;
  template <class T>
  FL_HD T operator()(T x) const {
    return x * T(0.5) * (T(1) + std::erf(x * T(0.70710678118654752440)));
  }
};

struct GeluTanh {
  static constexpr bool kSlow = true;
  template <class T>
  FL_HD T operator()(T x) const {
    const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (T(1) + std::tanh(inner));
  }
};

// The element itself: copies, and casts where input and output differ.
struct Same {
  static constexpr bool kMove = true;
  template <class T>
  FL_HD T operator()(T x) const {
    return x;
  }
};

// --- of a number to true or false

#define FL_PREDICATE(Name, expression) \
  struct Name {                        \
    template <class T>                 \
    FL_HD bool operator()(T x) const { \
      return expression;               \
    }                                  \
  };

FL_PREDICATE(LogicalNot, x == T(0))
FL_PREDICATE(Isnan, x != x)
FL_PREDICATE(Isposinf, x > std::numeric_limits<T>::max())
FL_PREDICATE(Isneginf, x < std::numeric_limits<T>::lowest())
#undef FL_PREDICATE

struct Signbit {
  template <class T>
  FL_HD bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::copysign(T(1), x) < T(0);
    else
      return x < T(0);
  }
};

// --- with numbers that the call brings

template <class M>
struct Hardtanh {
  M low, high;
  FL_HD M operator()(M x) const { return is_nan(x) ? x : x < low ? low : x > high ? high : x; }
};

template <class M>
struct Threshold {
  M threshold, value;
  FL_HD M operator()(M x) const { return x <= threshold ? value : x; }
};

template <class M>
struct Elu {
  static constexpr bool kSlow = true;
  M negative, positive, input_scale;
  FL_HD M operator()(M x) const { return x < M(0) ? std::expm1(x * input_scale) * negative : x * positive; }
};

template <class M>
struct Softplus {
  static constexpr bool kSlow = true;
  M beta, threshold;
  FL_HD M operator()(M x) const { return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta; }
};

template <class M>
struct Hardshrink {
  M lambda;
  FL_HD M operator()(M x) const { return x >= -lambda && x <= lambda ? M(0) : x; }
};

template <class M>
struct Softshrink {
  M lambda;
  FL_HD M operator()(M x) const { return is_nan(x) ? x : x > lambda ? x - lambda : x < -lambda ? x + lambda : M(0); }
};

template <class M>
struct PowScalar {
  static constexpr bool kSlow = true;
  M exponent;
  FL_HD M operator()(M x) const {
    // The exponents that people write; pow would be slower and no better.
    if (exponent == M(2)) return x * x;
    if (exponent == M(3)) return x * x * x;
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
  FL_HD M operator()(M x) const {
    if (has_low && (is_nan(low) || x < low)) x = low;
    if (has_high && (is_nan(high) || x > high)) x = high;
    return x;
  }
};

// --- kernels

// Result and input have one dtype, from `Ts`.
template <class F, class Ts>
fl_status unary(const fl_call* call, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return elementwise<T, T>(call, F{}, fl_out(call, 0), fl_arg(call, 0));
  });
}

// The result is bool.
template <class F, class Ts>
fl_status unary_bool(const fl_call* call, Ts types) {
  return dispatch(types, tensor_arg(call, 0).dtype, [&](auto tag) {
    return elementwise<bool, typename decltype(tag)::type>(call, F{}, fl_out(call, 0), fl_arg(call, 0));
  });
}

template <class Ts>
fl_status gelu(const fl_call* call, Ts types) {
  return std::strcmp(fl_arg(call, 1)->v.s, "tanh") == 0 ? unary<GeluTanh>(call, types) : unary<GeluErf>(call, types);
}

// F<M> is a functor whose only members are numbers of M; they are arguments 1, 2, ... of the call.
template <template <class> class F, int Numbers, class Ts>
fl_status unary_numbers(const fl_call* call, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    static_assert(sizeof(F<M>) == Numbers * sizeof(M));
    M numbers[Numbers];
    for (int i = 0; i < Numbers; i++)
      if (!scalar_math<T>(scalar_arg(call, 1 + i), &numbers[i])) return FL_UNSUPPORTED;
    F<M> f;
    std::memcpy(&f, numbers, sizeof f);
    return elementwise<T, T>(call, f, fl_out(call, 0), fl_arg(call, 0));
  });
}

template <class Ts>
fl_status elu(const fl_call* call, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using M = Math<T>;
    M alpha, scale, input_scale;
    if (!scalar_math<T>(scalar_arg(call, 1), &alpha) || !scalar_math<T>(scalar_arg(call, 2), &scale) ||
        !scalar_math<T>(scalar_arg(call, 3), &input_scale))
      return FL_UNSUPPORTED;
    return elementwise<T, T>(call, Elu<M>{alpha * scale, scale, input_scale}, fl_out(call, 0), fl_arg(call, 0));
  });
}

// clamp(self, Scalar? min, Scalar? max), or with one bound only: the argument number of each, -1 where it has none.
template <class Ts>
fl_status clamp(const fl_call* call, Ts types, int low, int high) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Clamp<Math<T>> f{};
    f.has_low = low >= 0 && !is_none(fl_arg(call, low));
    f.has_high = high >= 0 && !is_none(fl_arg(call, high));
    if (f.has_low && !scalar_math<T>(scalar_arg(call, low), &f.low)) return FL_UNSUPPORTED;
    if (f.has_high && !scalar_math<T>(scalar_arg(call, high), &f.high)) return FL_UNSUPPORTED;
    return elementwise<T, T>(call, f, fl_out(call, 0), fl_arg(call, 0));
  });
}

}  // namespace torch_fl_dcu
