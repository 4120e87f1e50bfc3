// Sorting along a dimension: tiles in shared memory, then merges of sorted runs. What is sorted are unsigned keys whose
// order is that of the elements, each with its place in its line; equal keys stay in the order of their places.
#pragma once

#include <optional>

#include "kernels/index.h"

namespace torch_fl_dcu {

// Lines of keys, [lines][length] and dense. K is uint32_t or uint64_t.
template <class K>
class KeyLines {
 public:
  // Takes memory for a sort of them. Throws where a line is too long for a place.
  KeyLines(const fl_call* call, int64_t lines, int64_t length);
  // To be filled before a sort. What is there after it lies `pitch()` elements from line to line.
  K* keys() { return keys_[0]; }
  const uint32_t* places() const { return places_[0]; }
  int64_t pitch() const { return pitch_; }

  fl_status sort();
  // The `count` smallest of each line, sorted.
  fl_status smallest(int64_t count);

 private:
  fl_status sort_tiles(int64_t keep, bool first);

  const fl_call* call_;
  int64_t lines_, pitch_;
  Scratch scratch_;
  K* keys_[2];
  uint32_t* places_[2];
};

// The key of an element: a NaN is the largest of all, and zero is zero whatever its sign. `flip` turns the order
// around.
template <class K>
struct KeyOf {
  bool flip;
  template <class M>
  FL_HD K operator()(M x) const {
    K key;
    if constexpr (std::is_floating_point_v<M>) {
      constexpr K kSign = K{1} << (sizeof(K) * 8 - 1);
      if (x == M(0)) x = M(0);
      memcpy(&key, &x, sizeof key);
      key = is_nan(x) ? ~K{0} : (key & kSign) != 0 ? ~key : key | kSign;
    } else if constexpr (std::is_signed_v<M>) {
      key = static_cast<K>(static_cast<std::make_signed_t<K>>(x)) ^ K { 1 } << (sizeof(K) * 8 - 1);
    } else {
      key = static_cast<K>(x);
    }
    return flip ? ~key : key;
  }
};

// The lines of `t` along `dim` as [lines][count], dense, elements of `bytes`: operand 0 of a walk whose operand 1 is t.
Layout line_walk(const fl_tensor& t, int32_t dim, int64_t count, int64_t pitch, int64_t bytes, void* dense);
// values and indices of the first of each sorted line.
fl_status write_sorted(const fl_call* call, const fl_tensor& self, int32_t dim, const uint32_t* places, int64_t pitch);

// `count` of each line along `dim`, or all.
template <class Ts>
fl_status sort_along(const fl_call* call, Ts types, int64_t dimension, std::optional<int64_t> count, bool descending) {
  const fl_tensor& self = tensor_arg(call, 0);
  const int32_t dim = wrap_dim(dimension, self.ndim);
  const int64_t length = self.ndim > 0 ? self.sizes[dim] : 1, lines = length != 0 ? numel(self) / length : 0;
  // Nothing of each line, but a number alone is its own line whatever is asked for.
  if (lines == 0 || (count == 0 && self.ndim > 0)) return FL_OK;
  if (self.ndim == 0) count = 1;
  if (!same_dtype(self, tensor_out(call, 0))) return FL_UNSUPPORTED;
  return dispatch(types, self.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using K = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    KeyLines<K> sorted(call, lines, length);
    const Layout walk = line_walk(self, dim, length, length, sizeof(K), sorted.keys());
    Input in;
    in.data = walk.data[1];
    if (const fl_status status = elementwise_over<K, T>(call, KeyOf<K>{descending}, walk, &in)) return status;
    if (const fl_status status = count.has_value() ? sorted.smallest(*count) : sorted.sort()) return status;
    return write_sorted(call, self, dim, sorted.places(), sorted.pitch());
  });
}

// sort.stable(self, stable?, dim, descending): stable in any case
template <class Ts>
fl_status sort(const fl_call* call, Ts types) {
  return sort_along(call, types, int_arg(call, 2), std::nullopt, bool_arg(call, 3));
}
// topk(self, k, dim, largest, sorted): sorted in any case; of equal elements the first
template <class Ts>
fl_status topk(const fl_call* call, Ts types) {
  return sort_along(call, types, int_arg(call, 2), int_arg(call, 1), bool_arg(call, 3));
}

// randperm.generator_out(n, generator, out): the order of as many random keys
fl_status randperm(const fl_call* call);

}  // namespace torch_fl_dcu
