// Functors of two and three numbers, and the kernels made of them.
#pragma once

#include "kernels/elementwise.h"

namespace torch_fl_dcu {

// Integers wrap around, as PyTorch's do; in C++ only unsigned ones may.
template <class T>
FL_HD T wrapping_add(T a, T b) {
  if constexpr (kIsInt<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}

template <class T>
FL_HD T wrapping_mul(T a, T b) {
  if constexpr (kIsInt<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else
    return a * b;
}

// --- with a factor that the call brings

template <class M>
struct Add {
  M alpha;
  FL_HD M operator()(M a, M b) const { return wrapping_add(a, wrapping_mul(alpha, b)); }
};

template <class M>
struct Sub {
  M alpha;
  FL_HD M operator()(M a, M b) const {
    if constexpr (kIsInt<M>)
      return static_cast<M>(static_cast<uint64_t>(a) - static_cast<uint64_t>(alpha) * static_cast<uint64_t>(b));
    else
      return a - alpha * b;
  }
};

template <class M>
struct Rsub {
  M alpha;
  FL_HD M operator()(M a, M b) const { return Sub<M>{alpha}(b, a); }
};

template <class M>
struct Lerp {
  FL_HD M operator()(M a, M b, M weight) const {
    return std::fabs(weight) < M(0.5) ? a + weight * (b - a) : b - (b - a) * (M(1) - weight);
  }
};

template <class M>
struct LerpScalar {
  M weight;
  FL_HD M operator()(M a, M b) const { return Lerp<M>{}(a, b, weight); }
};

// --- of two numbers

// A functor that is one expression of a and b.
#define FL_BINARY(Name, expression)      \
  struct Name {                          \
    template <class T>                   \
    FL_HD T operator()(T a, T b) const { \
      return static_cast<T>(expression); \
    }                                    \
  };

// The same where a thread has enough to do with one pack of elements.
#define FL_SLOW(Name, expression)        \
  struct Name {                          \
    static constexpr bool kSlow = true;  \
    template <class T>                   \
    FL_HD T operator()(T a, T b) const { \
      return static_cast<T>(expression); \
    }                                    \
  };

FL_BINARY(Mul, wrapping_mul(a, b))
FL_BINARY(Div, a / b)
FL_BINARY(Maximum, is_nan(a) ? a : is_nan(b) ? b : a < b ? b : a)
FL_BINARY(Minimum, is_nan(a) ? a : is_nan(b) ? b : b < a ? b : a)
FL_BINARY(Fmax, std::fmax(a, b))
FL_BINARY(Fmin, std::fmin(a, b))
FL_SLOW(Pow, std::pow(a, b))
FL_SLOW(Atan2, std::atan2(a, b))
FL_SLOW(Hypot, std::hypot(a, b))
FL_BINARY(Copysign, std::copysign(a, b))
FL_SLOW(Fmod, std::fmod(a, b))
FL_SLOW(Xlogy, is_nan(b) ? b : a == T(0) ? T(0) : a * std::log(b))
FL_BINARY(DivTrunc, std::trunc(a / b))
FL_BINARY(BitwiseAnd, a& b)
FL_BINARY(BitwiseOr, a | b)
FL_BINARY(BitwiseXor, a ^ b)
// Of a gradient and what the forward pass kept.
FL_BINARY(TanhBackward, a*(T(1) - b * b))
FL_BINARY(SigmoidBackward, a*(T(1) - b) * b)
// For leaky_relu, whose slope core stages as a 0-d tensor.
FL_BINARY(LeakyRelu, a > T(0) ? a : a * b)
#undef FL_BINARY
#undef FL_SLOW

template <>
inline constexpr bool kExactNumbers<Mul> = true;
template <>
inline constexpr bool kExactNumbers<Div> = true;

// The sign is the divisor's.
struct Remainder {
  static constexpr bool kSlow = true;
  template <class T>
  FL_HD T operator()(T a, T b) const {
    const T mod = std::fmod(a, b);
    return mod != T(0) && (b < T(0)) != (mod < T(0)) ? mod + b : mod;
  }
};

// Python's a // b: from fmod, so that 1 // 0.1 is 9.
struct DivFloor {
  static constexpr bool kSlow = true;
  template <class T>
  FL_HD T operator()(T a, T b) const {
    if (b == T(0)) return a / b;
    const T mod = std::fmod(a, b);
    T div = (a - mod) / b;
    if (mod != T(0) && (b < T(0)) != (mod < T(0))) div -= T(1);
    if (div == T(0)) return std::copysign(T(0), a / b);
    const T floored = std::floor(div);
    return div - floored > T(0.5) ? floored + T(1) : floored;
  }
};

struct SiluBackward {
  template <class T>
  FL_HD T operator()(T grad, T x) const {
    const T sigmoid = T(1) / (T(1) + std::exp(-x));
    return grad * sigmoid * (T(1) + x * (T(1) - sigmoid));
  }
};

struct GeluErfBackward {
  static constexpr bool kSlow = true;
  template <class T>
  FL_HD T operator()(T grad, T x) const {
    const T cdf = T(0.5) * (T(1) + std::erf(x * T(0.70710678118654752440)));
    const T pdf = T(0.39894228040143267794) * std::exp(T(-0.5) * x * x);
    return grad * (cdf + x * pdf);
  }
};

struct GeluTanhBackward {
  static constexpr bool kSlow = true;
  template <class T>
  FL_HD T operator()(T grad, T x) const {
    const T beta = T(0.79788456080286535588), kappa = T(0.044715);
    const T inner = std::tanh(beta * (x + kappa * x * x * x));
    const T slope = T(0.5) * x * (T(1) - inner * inner) * beta * (T(1) + T(3) * kappa * x * x);
    return grad * (T(0.5) * (T(1) + inner) + slope);
  }
};

template <class M>
struct ThresholdBackward {
  M threshold;
  FL_HD M operator()(M grad, M x) const { return x <= threshold ? M(0) : grad; }
};

// --- of three

template <class M>
struct Addcmul {
  M value;
  FL_HD M operator()(M self, M a, M b) const { return wrapping_add(self, wrapping_mul(wrapping_mul(value, a), b)); }
};

template <class M>
struct Addcdiv {
  M value;
  FL_HD M operator()(M self, M a, M b) const { return self + value * a / b; }
};

template <class T>
struct Where {
  static constexpr bool kMove = true;
  FL_HD T operator()(bool condition, T a, T b) const { return condition ? a : b; }
};

// Both bounds are tensors of x's shape, or absent.
template <class M>
struct ClampBounds {
  bool has_low, has_high;
  FL_HD M operator()(M x, M low, M high) const {
    if (is_nan(x)) return x;
    if (has_low && (is_nan(low) || x < low)) x = low;
    if (has_high && (is_nan(high) || x > high)) x = high;
    return x;
  }
};

// --- kernels

// out = f(a, b); one dtype.
template <class F, class Ts>
fl_status binary(const fl_call* call, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return elementwise<T, T, T>(call, F{}, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1));
  });
}

// out = F<M>{number}(a, b) with the number in argument `at`.
template <template <class> class F, class Ts>
fl_status binary_number(const fl_call* call, Ts types, int at) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    F<Math<T>> f;
    static_assert(sizeof f == sizeof(Math<T>));
    Math<T> number;
    if (!scalar_math<T>(scalar_arg(call, at), &number)) return FL_UNSUPPORTED;
    std::memcpy(&f, &number, sizeof f);
    return elementwise<T, T, T>(call, f, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1));
  });
}

// out = F<M>{number}(a, b, c) with the number in argument 3.
template <template <class> class F, class Ts>
fl_status ternary_number(const fl_call* call, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    F<Math<T>> f;
    if (!scalar_math<T>(scalar_arg(call, 3), &f.value)) return FL_UNSUPPORTED;
    return elementwise<T, T, T, T>(call, f, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1), fl_arg(call, 2));
  });
}

// div with a rounding mode; None is true division.
template <class Ts>
fl_status div_mode(const fl_call* call, Ts types) {
  const fl_value* mode = fl_arg(call, 2);
  if (is_none(mode)) return binary<Div>(call, types);
  if (std::strcmp(mode->v.s, "floor") == 0) return binary<DivFloor>(call, types);
  if (std::strcmp(mode->v.s, "trunc") == 0) return binary<DivTrunc>(call, types);
  return FL_UNSUPPORTED;
}

template <class Ts>
fl_status lerp_tensor(const fl_call* call, Ts types) {
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return elementwise<T, T, T, T>(call, Lerp<Math<T>>{}, fl_out(call, 0), fl_arg(call, 0), fl_arg(call, 1),
                                   fl_arg(call, 2));
  });
}

// where(condition, self, other): by the size of an element.
template <class Ts>
fl_status where(const fl_call* call, Ts types) {
  const fl_tensor& out = tensor_out(call, 0);
  const fl_tensor* tensors[4] = {&out, &tensor_arg(call, 0), nullptr, nullptr};
  Input in[3];
  in[0].data = static_cast<const char*>(tensors[1]->data);
  for (int k = 1; k < 3; k++) {
    const fl_value* v = fl_arg(call, k);
    if (is_tensor(v)) {
      if (!same_dtype(v->v.tensor, out)) return FL_UNSUPPORTED;
      tensors[k + 1] = &v->v.tensor;
      in[k].data = static_cast<const char*>(v->v.tensor.data);
    } else if (v->kind != FL_SCALAR || !stored_number(types, v->v.scalar, out.dtype, in[k].number)) {
      return FL_UNSUPPORTED;
    }
  }
  const Layout walk = layout_of(tensors, 4);
  return dispatch_size(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return elementwise_over<T, bool, T, T>(call, Where<T>{}, walk, in);
  });
}

// clamp(self, Tensor? min, Tensor? max)
template <class Ts>
fl_status clamp_tensor(const fl_call* call, Ts types) {
  const fl_value *x = fl_arg(call, 0), *low = fl_arg(call, 1), *high = fl_arg(call, 2);
  return dispatch(types, tensor_out(call, 0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    // What is absent is read from x, and not used.
    const ClampBounds<Math<T>> f{!is_none(low), !is_none(high)};
    return elementwise<T, T, T, T>(call, f, fl_out(call, 0), x, f.has_low ? low : x, f.has_high ? high : x);
  });
}

template <class Ts>
fl_status gelu_backward(const fl_call* call, Ts types) {
  return std::strcmp(fl_arg(call, 2)->v.s, "tanh") == 0 ? binary<GeluTanhBackward>(call, types)
                                                        : binary<GeluErfBackward>(call, types);
}

}  // namespace torch_fl_dcu
