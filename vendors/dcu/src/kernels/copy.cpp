// copy_ between any two dtypes of numbers.
#include "kernels/fill.h"

namespace torch_fl_dcu {
namespace {

// The number as R takes it; integers narrower than a word take the low bits of a whole number, as PyTorch's casts do.
template <class R>
struct Cast {
  template <class T>
  FL_HD auto operator()(T x) const {
    if constexpr (kIsHalf<R>)
      return static_cast<float>(x);
    else if constexpr (std::is_floating_point_v<T> && kIsInt<R> && sizeof(R) < 4)
      return static_cast<R>(static_cast<int64_t>(x));
    else
      return static_cast<R>(x);
  }
};

using Numbers = Types<bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64>;

}  // namespace

fl_status copy_elements(const fl_call* call, const fl_tensor& to, const fl_tensor& from) {
  fl_tensor source = from;
  int64_t strides[kMaxRank] = {};
  if (to.ndim > kMaxRank || from.ndim > to.ndim) return FL_UNSUPPORTED;
  for (int32_t d = 0; d < from.ndim; d++) {
    const int32_t at = to.ndim - from.ndim + d;
    if (from.sizes[d] != 1) strides[at] = from.strides[d];
    if (from.sizes[d] != 1 && from.sizes[d] != to.sizes[at]) return FL_UNSUPPORTED;
  }
  source.ndim = to.ndim;
  source.sizes = to.sizes;
  source.strides = strides;
  const fl_tensor* tensors[] = {&to, &source};
  const Layout walk = layout_of(tensors, 2);
  Input in;
  in.data = walk.data[1];
  if (same_dtype(to, from))
    return dispatch_size(to.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return elementwise_over<T, T>(call, Same{}, walk, &in);
    });
  return dispatch(Numbers{}, to.dtype, [&](auto to_tag) {
    return dispatch(Numbers{}, from.dtype, [&](auto from_tag) -> fl_status {
      using R = typename decltype(to_tag)::type;
      using A = typename decltype(from_tag)::type;
      if constexpr (std::is_same_v<R, A>)
        return FL_UNSUPPORTED;
      else
        return elementwise_over<R, A>(call, Cast<R>{}, walk, &in);
    });
  });
}

fl_status copy_into(const fl_call* call) { return copy_elements(call, tensor_out(call, 0), tensor_arg(call, 1)); }

}  // namespace torch_fl_dcu
