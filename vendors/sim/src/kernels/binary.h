// Functors of two and three numbers, and the kernels made of them.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/elementwise.h"

namespace torch_fl_sim {

// Integers wrap around, as PyTorch's do; in C++ only unsigned ones may.
template <class T>
inline T wrapping_add(T a, T b) {
  if constexpr (kIsInt<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <class T>
inline T wrapping_mul(T a, T b) {
  if constexpr (kIsInt<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else {
    return a * b;
  }
}

// --- with a factor that the call brings

template <class M>
struct Add {
  M alpha;
  M operator()(M a, M b) const { return wrapping_add(a, wrapping_mul(alpha, b)); }
};

template <class M>
struct Sub {
  M alpha;
  M operator()(M a, M b) const {
    if constexpr (kIsInt<M>) {
      return static_cast<M>(static_cast<uint64_t>(a) - static_cast<uint64_t>(alpha) * static_cast<uint64_t>(b));
    } else {
      return a - wrapping_mul(alpha, b);
    }
  }
};

template <class M>
struct Lerp {
  M operator()(M a, M b, M weight) const {
    return std::abs(weight) < M(0.5) ? a + weight * (b - a) : b - (b - a) * (M(1) - weight);
  }
};

template <class M>
struct LerpScalar {
  M weight;
  M operator()(M a, M b) const { return Lerp<M>{}(a, b, weight); }
};

// --- of two numbers

struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_mul(a, b);
  }
};

struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
template <>
inline constexpr bool kExactNumbers<Mul> = true;
template <>
inline constexpr bool kExactNumbers<Div> = true;

struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) ? a : is_nan(b) ? b : a < b ? b : a;
  }
};

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) ? a : is_nan(b) ? b : b < a ? b : a;
  }
};

struct Fmax {
  template <class T>
  T operator()(T a, T b) const {
    return std::fmax(a, b);
  }
};

struct Fmin {
  template <class T>
  T operator()(T a, T b) const {
    return std::fmin(a, b);
  }
};

struct Pow {
  template <class T>
  T operator()(T a, T b) const {
    return std::pow(a, b);
  }
};

struct Atan2 {
  template <class T>
  T operator()(T a, T b) const {
    return std::atan2(a, b);
  }
};

struct Hypot {
  template <class T>
  T operator()(T a, T b) const {
    return std::hypot(a, b);
  }
};

struct Copysign {
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(a, b);
  }
};

struct Fmod {
  template <class T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
};

// The sign is the divisor's.
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    const T mod = std::fmod(a, b);
    return mod != T(0) && (b < T(0)) != (mod < T(0)) ? mod + b : mod;
  }
};

struct Xlogy {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(b) ? b : a == T(0) ? T(0) : a * std::log(b);
  }
};

struct DivTrunc {
  template <class T>
  T operator()(T a, T b) const {
    return std::trunc(a / b);
  }
};

// Python's a // b: from fmod, so that 1 // 0.1 is 9.
struct DivFloor {
  template <class T>
  T operator()(T a, T b) const {
    if (b == T(0)) return a / b;
    const T mod = std::fmod(a, b);
    T div = (a - mod) / b;
    if (mod != T(0) && (b < T(0)) != (mod < T(0))) div -= T(1);
    if (div == T(0)) return std::copysign(T(0), a / b);
    const T floored = std::floor(div);
    return div - floored > T(0.5) ? floored + T(1) : floored;
  }
};

struct BitwiseAnd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};

struct BitwiseOr {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};

struct BitwiseXor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

// --- of two numbers to true or false

#define TORCH_FL_SIM_COMPARISON(Name, expression) \
  struct Name {                                   \
    template <class T>                            \
    bool operator()(T a, T b) const {             \
      return expression;                          \
    }                                             \
  };

TORCH_FL_SIM_COMPARISON(Eq, a == b)
TORCH_FL_SIM_COMPARISON(Ne, a != b)
TORCH_FL_SIM_COMPARISON(Lt, a < b)
TORCH_FL_SIM_COMPARISON(Le, a <= b)
TORCH_FL_SIM_COMPARISON(Gt, a > b)
TORCH_FL_SIM_COMPARISON(Ge, a >= b)
TORCH_FL_SIM_COMPARISON(LogicalAnd, a != T(0) && b != T(0))
TORCH_FL_SIM_COMPARISON(LogicalOr, a != T(0) || b != T(0))
TORCH_FL_SIM_COMPARISON(LogicalXor, (a != T(0)) != (b != T(0)))
#undef TORCH_FL_SIM_COMPARISON

// --- of a gradient and what the forward pass kept

struct TanhBackward {
  template <class T>
  T operator()(T grad, T out) const {
    return grad * (T(1) - out * out);
  }
};

struct SigmoidBackward {
  template <class T>
  T operator()(T grad, T out) const {
    return grad * (T(1) - out) * out;
  }
};

struct SiluBackward {
  template <class T>
  T operator()(T grad, T x) const {
    const T sigmoid = T(1) / (T(1) + std::exp(-x));
    return grad * sigmoid * (T(1) + x * (T(1) - sigmoid));
  }
};

struct GeluErfBackward {
  template <class T>
  T operator()(T grad, T x) const {
    const T cdf = T(0.5) * (T(1) + std::erf(x * T(M_SQRT1_2)));
    const T pdf = T(0.5 * M_SQRT1_2 * M_2_SQRTPI) * std::exp(T(-0.5) * x * x);
    return grad * (cdf + x * pdf);
  }
};

struct GeluTanhBackward {
  template <class T>
  T operator()(T grad, T x) const {
    const T beta = T(M_SQRT2 * M_2_SQRTPI * 0.5);
    const T kappa = T(0.044715);
    const T tanh_inner = std::tanh(beta * (x + kappa * x * x * x));
    const T left = T(0.5) * x * (T(1) - tanh_inner * tanh_inner) * beta * (T(1) + T(3) * kappa * x * x);
    return grad * (T(0.5) * (T(1) + tanh_inner) + left);
  }
};

template <class M>
struct ThresholdBackward {
  M threshold;
  M operator()(M grad, M x) const { return x <= threshold ? M(0) : grad; }
};

// For leaky_relu, whose slope core stages as a 0-d tensor.
struct LeakyRelu {
  template <class T>
  T operator()(T x, T slope) const {
    return x > T(0) ? x : x * slope;
  }
};

// --- of three

template <class M>
struct Addcmul {
  M value;
  M operator()(M self, M a, M b) const { return wrapping_add(self, wrapping_mul(wrapping_mul(value, a), b)); }
};

template <class M>
struct Addcdiv {
  M value;
  M operator()(M self, M a, M b) const { return self + value * a / b; }
};

struct Where {
  template <class T>
  T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

// --- kernels

// out = f(a, b); one dtype.
template <class F, class Ts>
inline fl_status binary(const fl_call* call, const char* name, Ts types) {
  return elementwise_of<F>(call, name, types, tensor_out(call, 0).dtype,
                           {fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1)});
}

// out = F<M>{number}(a, b) with the number in argument `at`.
template <template <class> class F, class Ts>
inline fl_status binary_number(const fl_call* call, const char* name, Ts types, int at) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    F<Math<T>> f;
    if (!scalar_math<T>(scalar_arg(call, at), reinterpret_cast<Math<T>*>(&f))) return FL_UNSUPPORTED;
    return elementwise<T, T, T>(call, name, f, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1));
  });
}

// out = F<M>{number}(a, b, c) with the number in argument 3.
template <template <class> class F, class Ts>
inline fl_status ternary_number(const fl_call* call, const char* name, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    F<Math<T>> f;
    if (!scalar_math<T>(scalar_arg(call, 3), reinterpret_cast<Math<T>*>(&f))) return FL_UNSUPPORTED;
    return elementwise<T, T, T, T>(call, name, f, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1), fl_arg(call, 2));
  });
}

// A bool result: one of the two may be a number, so the dtype is that of the one that is a tensor.
template <class F, class Ts>
inline fl_status compare(const fl_call* call, const char* name, Ts types) {
  const fl_value* tensor = fl_arg(call, is_tensor(fl_arg(call, 0)) ? 0 : 1);
  if (!is_tensor(tensor)) return FL_UNSUPPORTED;
  return elementwise_of<F, true>(call, name, types, tensor->v.tensor.dtype,
                                 {fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1)});
}

// div with a rounding mode; None is true division.
template <class Ts>
inline fl_status div_mode(const fl_call* call, const char* name, Ts types) {
  const fl_value* mode = fl_arg(call, 2);
  if (is_none(mode)) return binary<Div>(call, name, types);
  if (mode->v.s[0] == 'f') return binary<DivFloor>(call, name, types);
  return binary<DivTrunc>(call, name, types);
}

template <class Ts>
inline fl_status gelu_backward(const fl_call* call, const char* name, Ts types) {
  if (fl_arg(call, 2)->v.s[0] == 't') return binary<GeluTanhBackward>(call, name, types);
  return binary<GeluErfBackward>(call, name, types);
}

template <class Ts>
inline fl_status lerp_tensor(const fl_call* call, const char* name, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return elementwise<T, T, T, T>(call, name, Lerp<Math<T>>{}, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1),
                                   fl_arg(call, 2));
  });
}

template <class Ts>
inline fl_status where(const fl_call* call, const char* name, Ts types) {
  return detail::by_bytes(types, tensor_out(call, 0).dtype, [&](auto tag, const Operand& operand) {
    using T = typename decltype(tag)::type;
    const char no_members = 0;
    return detail::start<4>(call, name, detail::row_of<Where, T, bool, T, T>, &no_members, 1,
                            {operand, kOperand<bool>, operand, operand},
                            {fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1), fl_arg(call, 2)});
  });
}

// clamp.Tensor: both bounds may be absent, not both at once.
template <class Ts>
inline fl_status clamp_tensor(const fl_call* call, const char* name, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const fl_value* out = fl_out(call, 0);
    const fl_value* self = fl_arg(call, 0);
    const fl_value* low = fl_arg(call, 1);
    const fl_value* high = fl_arg(call, 2);
    if (is_none(high)) return elementwise<T, T, T>(call, name, Maximum{}, out, self, low);
    if (is_none(low)) return elementwise<T, T, T>(call, name, Minimum{}, out, self, high);
    const auto both = [](auto x, auto a, auto b) { return Minimum{}(Maximum{}(x, a), b); };
    return elementwise<T, T, T, T>(call, name, both, out, self, low, high);
  });
}

}  // namespace torch_fl_sim
