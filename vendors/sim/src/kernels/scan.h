// cumsum, sort and topk along a dimension.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/along.h"

namespace torch_fl_sim {

// cumsum(self, dim, dtype)
template <class Ts>
inline fl_status cumsum(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& in = tensor_arg(call, 0);
  const Along<2> walk({&tensor_out(call, 0), &in}, wrap_dim(int_arg(call, 1), in.ndim));
  return dispatch(types, in.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using R = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
    if (fl_dtype_to_id(tensor_out(call, 0).dtype) != kId<R>) return FL_UNSUPPORTED;
    return enqueue(call, name, [walk] {
      walk.lines.elements([&walk](char* const* p) {
        Sum<T> total = 0;
        for (int64_t i = 0; i < walk.size; ++i) {
          total += static_cast<Sum<T>>(load<T>(p[1] + i * walk.step[1]));
          store<R>(p[0] + i * walk.step[0], total);
        }
      });
    });
  });
}

// Sorts numbers and their places; a NaN counts as the largest number, and equals keep their order.
template <class Key>
__attribute__((noinline)) void sort_line(std::vector<std::pair<Key, int64_t>>& line, bool descending) {
  const auto less = [](Key a, Key b) {
    if constexpr (std::is_integral_v<Key>)
      return a < b;
    else
      return is_nan(b) ? !is_nan(a) : a < b;
  };
  std::sort(line.begin(), line.end(), [&](const auto& a, const auto& b) {
    if (less(a.first, b.first)) return !descending;
    if (less(b.first, a.first)) return descending;
    return a.second < b.second;
  });
}

// The first elements of each line in order, with their places; as many as the outputs have along `dim`.
template <class Ts>
inline fl_status sorted_along(const fl_call* call, const char* name, Ts types, int64_t dim, bool descending) {
  const fl_tensor& in = tensor_arg(call, 0);
  if (!same_dtype(in, tensor_out(call, 0))) return FL_UNSUPPORTED;
  const int32_t d = wrap_dim(dim, in.ndim);
  const Along<3> walk({&tensor_out(call, 0), &tensor_out(call, 1), &in}, d);
  const int64_t count = in.ndim ? in.sizes[d] : 1;
  return dispatch(types, in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    // Not every int64 is a double.
    using Key = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    return enqueue(call, name, [walk, count, descending] {
      std::vector<std::pair<Key, int64_t>> line(static_cast<size_t>(count));
      walk.lines.elements([&](char* const* p) {
        for (int64_t i = 0; i < count; ++i) line[i] = {load<T>(p[2] + i * walk.step[2]), i};
        sort_line(line, descending);
        for (int64_t i = 0; i < walk.size; ++i) {
          store<T>(p[0] + i * walk.step[0], line[i].first);
          store<int64_t>(p[1] + i * walk.step[1], line[i].second);
        }
      });
    });
  });
}

}  // namespace torch_fl_sim
