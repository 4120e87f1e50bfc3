// C++ types behind the dtypes of vendor.h, by PyTorch's names, and the choice of a kernel by dtype.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/complex.h"
#include "kernels/half.h"
#include "torch_fl/vendor.h"

namespace torch_fl_sim {

// The names that ops.yaml uses: a template writes Types<{{ row.dtypes | join(', ') }}>. `bool` is C++'s own.
using uint8 = uint8_t;
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using float16 = Half;
using bfloat16 = BFloat16;
using float32 = float;
using float64 = double;
using complex64 = Complex<float>;
using complex128 = Complex<double>;

template <class T>
constexpr fl_dtype_id kId = FL_OTHER_DTYPE;
template <>
constexpr fl_dtype_id kId<bool> = FL_BOOL;
template <>
constexpr fl_dtype_id kId<uint8_t> = FL_U8;
template <>
constexpr fl_dtype_id kId<int8_t> = FL_I8;
template <>
constexpr fl_dtype_id kId<int16_t> = FL_I16;
template <>
constexpr fl_dtype_id kId<int32_t> = FL_I32;
template <>
constexpr fl_dtype_id kId<int64_t> = FL_I64;
template <>
constexpr fl_dtype_id kId<Half> = FL_F16;
template <>
constexpr fl_dtype_id kId<BFloat16> = FL_BF16;
template <>
constexpr fl_dtype_id kId<float> = FL_F32;
template <>
constexpr fl_dtype_id kId<double> = FL_F64;
template <>
constexpr fl_dtype_id kId<Complex<float>> = FL_C64;
template <>
constexpr fl_dtype_id kId<Complex<double>> = FL_C128;

template <class T>
constexpr bool kIsComplex = false;
template <class T>
constexpr bool kIsComplex<Complex<T>> = true;
template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool kIsInt = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// What one element is computed in: float for the halves, else the type itself.
template <class T>
using Math = std::conditional_t<kIsHalf<T>, float, T>;

// What a sum of many elements is kept in.
template <class T>
using Sum = std::conditional_t<kIsInt<T> || std::is_same_v<T, bool>, int64_t,
                               std::conditional_t<std::is_same_v<T, float>, double, Math<T>>>;

template <class T>
inline Math<T> widen(T x) {
  if constexpr (kIsHalf<T>) {
    return to_float(x);
  } else {
    return x;
  }
}

template <class T, class M>
inline T narrow(M x) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class T>
inline Math<T> load(const char* p) {
  return widen(*reinterpret_cast<const T*>(p));
}

template <class T, class M>
inline void store(char* p, M x) {
  *reinterpret_cast<T*>(p) = narrow<T>(x);
}

template <class T>
inline bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(x);
  } else {
    return false;
  }
}

template <class T>
struct Tag {
  using type = T;
};

template <class... Ts>
struct Types {};
using AllTypes =
    Types<bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128>;

// Calls f(Tag<T>) for the T of the list that `dtype` names. FL_UNSUPPORTED where the list has none.
template <class... Ts, class F>
inline fl_status dispatch(Types<Ts...>, fl_dtype dtype, F&& f) {
  const fl_dtype_id id = fl_dtype_to_id(dtype);
  fl_status status = FL_UNSUPPORTED;
  (void)((id == kId<Ts> && ((status = f(Tag<Ts>{})), true)) || ...);
  return status;
}

// A number as T, as fill_ would store it: fractions are cut off, anything but zero is true. False where T cannot hold
// it; PyTorch has an error for that, which the next lane raises.
template <class T>
__attribute__((noinline)) bool scalar_cast(const fl_scalar& s, T* out) {
  if (s.kind == FL_COMPLEX) {
    if constexpr (kIsComplex<T>) {
      using V = typename T::value_type;
      *out = {static_cast<V>(s.v.c[0]), static_cast<V>(s.v.c[1])};
      return true;
    }
    return false;
  }
  const bool integral = s.kind != FL_DOUBLE;
  if constexpr (kIsComplex<T>) {
    *out = {static_cast<typename T::value_type>(integral ? static_cast<double>(s.v.i) : s.v.d), 0};
  } else if constexpr (std::is_same_v<T, bool>) {
    *out = integral ? s.v.i != 0 : s.v.d != 0;
  } else if constexpr (kIsInt<T>) {
    if (integral) {
      *out = static_cast<T>(s.v.i);
      return static_cast<int64_t>(*out) == s.v.i;
    }
    if (!(s.v.d > -9.2e18 && s.v.d < 9.2e18)) return false;
    *out = static_cast<T>(static_cast<int64_t>(s.v.d));
    return static_cast<int64_t>(*out) == static_cast<int64_t>(s.v.d);
  } else {
    const double d = integral ? static_cast<double>(s.v.i) : s.v.d;
    double largest = std::numeric_limits<double>::max();
    if constexpr (std::is_same_v<T, Half>) largest = 65504.0;
    if constexpr (std::is_same_v<T, BFloat16>) largest = 3.3895313892515355e38;
    if constexpr (std::is_same_v<T, float>) largest = std::numeric_limits<float>::max();
    if (std::isfinite(d) && std::abs(d) > largest) return false;
    *out = narrow<T>(d);
  }
  return true;
}

// A number as an element of one of `types`, as fill_ would store it. False where the dtype has no such number, or is
// none of the list's.
template <class... Ts>
inline bool stored_number(Types<Ts...>, const fl_scalar& s, fl_dtype dtype, void* element) {
  const fl_dtype_id id = fl_dtype_to_id(dtype);
  bool done = false;
  (void)((id == kId<Ts> && ((done = scalar_cast<Ts>(s, static_cast<Ts*>(element))), true)) || ...);
  return done;
}

// A number that takes part in arithmetic with elements of T, in T's computing type. False also where the number would
// have changed the dtype of the computation (2.5 among integers), which is not this kernel's to decide.
template <class T>
__attribute__((noinline)) bool scalar_math(const fl_scalar& s, Math<T>* out) {
  if ((kIsInt<T> || std::is_same_v<T, bool>) && (s.kind == FL_DOUBLE || s.kind == FL_COMPLEX)) return false;
  if (std::is_same_v<T, bool> && s.kind != FL_BOOLEAN) return false;
  return scalar_cast<Math<T>>(s, out);
}

}  // namespace torch_fl_sim
