// C++ types behind the dtypes of vendor.h, by PyTorch's names, and the choice of a kernel by dtype.
#pragma once

#include <limits>
#include <type_traits>

#include "kernels/half.h"
#include "torch_fl/vendor.h"

namespace torch_fl_dcu {

// The names that ops.yaml uses: a template writes Types<{{ row.dtypes | join(', ') }}>. `bool` is C++'s own.
using uint8 = uint8_t;
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using float32 = float;
using float64 = double;
// Moved, never computed with.
struct alignas(8) complex64 {
  float part[2];
};
struct alignas(16) complex128 {
  double part[2];
};

template <class T>
constexpr fl_dtype_id kId = FL_OTHER_DTYPE;
template <>
constexpr fl_dtype_id kId<bool> = FL_BOOL;
template <>
constexpr fl_dtype_id kId<uint8> = FL_U8;
template <>
constexpr fl_dtype_id kId<int8> = FL_I8;
template <>
constexpr fl_dtype_id kId<int16> = FL_I16;
template <>
constexpr fl_dtype_id kId<int32> = FL_I32;
template <>
constexpr fl_dtype_id kId<int64> = FL_I64;
template <>
constexpr fl_dtype_id kId<float16> = FL_F16;
template <>
constexpr fl_dtype_id kId<bfloat16> = FL_BF16;
template <>
constexpr fl_dtype_id kId<float> = FL_F32;
template <>
constexpr fl_dtype_id kId<double> = FL_F64;
template <>
constexpr fl_dtype_id kId<complex64> = FL_C64;
template <>
constexpr fl_dtype_id kId<complex128> = FL_C128;

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class T>
constexpr bool kIsInt = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
constexpr bool kIsFloat = kIsHalf<T> || std::is_floating_point_v<T>;
template <class T>
constexpr bool kIsComplex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

// What one element is computed in: float for the halves, else the type itself.
template <class T>
using Math = std::conditional_t<kIsHalf<T>, float, T>;
// What a sum of many elements is kept in, and has as its dtype where it is not floating.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, Math<T>>;

template <class T>
FL_HD Math<T> widen(T x) {
  if constexpr (kIsHalf<T>)
    return to_float(x);
  else
    return x;
}

template <class T, class M>
FL_HD T narrow(M x) {
  if constexpr (std::is_same_v<T, float16>)
    return to_float16(static_cast<float>(x));
  else if constexpr (std::is_same_v<T, bfloat16>)
    return to_bfloat16(static_cast<float>(x));
  else
    return static_cast<T>(x);
}

template <class T>
FL_HD bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}

template <class T>
struct Tag {
  using type = T;
};
template <class... Ts>
struct Types {};

// Calls f(Tag<T>) for the T of the list that `dtype` names. FL_UNSUPPORTED where the list has none.
template <class... Ts, class F>
inline fl_status dispatch(Types<Ts...>, fl_dtype dtype, F&& f) {
  const fl_dtype_id id = fl_dtype_to_id(dtype);
  fl_status status = FL_UNSUPPORTED;
  (void)((id == kId<Ts> && ((status = f(Tag<Ts>{})), true)) || ...);
  return status;
}

// An element of so many bytes, whatever it means.
struct alignas(16) Bytes16 {
  uint64_t word[2];
};
// Calls f(Tag<T>) with a T of the dtype's size: for kernels that move elements without a look at them.
template <class F>
inline fl_status dispatch_size(fl_dtype dtype, F&& f) {
  switch (fl_dtype_size(dtype)) {
    case 1:
      return f(Tag<uint8_t>{});
    case 2:
      return f(Tag<uint16_t>{});
    case 4:
      return f(Tag<uint32_t>{});
    case 8:
      return f(Tag<uint64_t>{});
    default:
      return f(Tag<Bytes16>{});
  }
}

// A number as T, as fill_ would store it: fractions are cut off, anything but zero is true. False where T cannot hold
// it; PyTorch has an error for that, which the next lane raises.
template <class T>
bool scalar_cast(const fl_scalar& s, T* out) {
  const bool integral = s.kind == FL_INT || s.kind == FL_BOOLEAN;
  if constexpr (kIsComplex<T>) {
    if (s.kind == FL_COMPLEX)
      *out = {{static_cast<decltype(out->part[0] + 0)>(s.v.c[0]), static_cast<decltype(out->part[0] + 0)>(s.v.c[1])}};
    else
      *out = {{static_cast<decltype(out->part[0] + 0)>(integral ? static_cast<double>(s.v.i) : s.v.d), 0}};
    return true;
  } else {
    if (s.kind == FL_COMPLEX) return false;
    if constexpr (std::is_same_v<T, bool>) {
      *out = integral ? s.v.i != 0 : s.v.d != 0;
    } else if constexpr (kIsInt<T>) {
      if (!integral && !(s.v.d > -9.2e18 && s.v.d < 9.2e18)) return false;
      const int64_t whole = integral ? s.v.i : static_cast<int64_t>(s.v.d);
      *out = static_cast<T>(whole);
      return static_cast<int64_t>(*out) == whole;
    } else {
      const double d = integral ? static_cast<double>(s.v.i) : s.v.d;
      double largest = std::numeric_limits<double>::max();
      if (std::is_same_v<T, float16>) largest = 65504.0;
      if (std::is_same_v<T, bfloat16>) largest = 3.3895313892515355e38;
      if (std::is_same_v<T, float>) largest = std::numeric_limits<float>::max();
      if (std::isfinite(d) && std::abs(d) > largest) return false;
      *out = narrow<T>(d);
    }
    return true;
  }
}

// A number as an element of one of `types`, as fill_ would store it. False where the dtype has no such number, or is
// none of the list's.
template <class... Ts>
bool stored_number(Types<Ts...>, const fl_scalar& s, fl_dtype dtype, void* element) {
  const fl_dtype_id id = fl_dtype_to_id(dtype);
  bool done = false;
  (void)((id == kId<Ts> && ((done = scalar_cast<Ts>(s, static_cast<Ts*>(element))), true)) || ...);
  return done;
}

// A number that takes part in arithmetic with elements of T, in T's computing type. False also where the number would
// have changed the dtype of the computation (2.5 among integers), which is not this kernel's to decide.
template <class T>
bool scalar_math(const fl_scalar& s, Math<T>* out) {
  if ((kIsInt<T> || std::is_same_v<T, bool>) && (s.kind == FL_DOUBLE || s.kind == FL_COMPLEX)) return false;
  if (std::is_same_v<T, bool> && s.kind != FL_BOOLEAN) return false;
  return scalar_cast<Math<T>>(s, out);
}

}  // namespace torch_fl_dcu
