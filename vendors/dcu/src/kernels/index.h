// Kernels that read or write elements by index. A wrong index is reported (fault.h), and its element left alone.
#pragma once

#include <memory>

#include "kernels/binary.h"
#include "kernels/fault.h"
#include "kernels/fill.h"

namespace torch_fl_dcu {

FL_GPU int64_t load_index(const char* p, bool wide) {
  return wide ? *reinterpret_cast<const int64_t*>(p) : *reinterpret_cast<const int32_t*>(p);
}

// Adds x to what is there, whoever else does so at the same time.
template <class T>
FL_GPU void accumulate(T* to, Math<T> x) {
  if constexpr (std::is_floating_point_v<T> || (kIsInt<T> && sizeof(T) == 4)) {
    atomic_add(to, x);
  } else if constexpr (sizeof(T) == 8) {
    atomic_add(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
  } else {
    // A part of a word.
    const auto address = reinterpret_cast<uintptr_t>(to);
    auto* word = reinterpret_cast<uint32_t*>(address & ~uintptr_t{3});
    const uint32_t shift = static_cast<uint32_t>(address & 3) * 8;
    const uint32_t mask = (sizeof(T) == 1 ? 0xFFu : 0xFFFFu) << shift;
    uint32_t old = *word, seen;
    do {
      seen = old;
      T part;
      const uint32_t bits = (seen & mask) >> shift;
      memcpy(&part, &bits, sizeof(T));
      part = narrow<T>(wrapping_add(widen(part), x));
      uint32_t now = 0;
      memcpy(&now, &part, sizeof(T));
      old = atomic_swap(word, seen, (seen & ~mask) | (now << shift));
    } while (old != seen);
  }
}

// out[at] = from[at + index * step]: operands out, from, index.
template <class T>
struct Gather {
  char* out;
  const char *from, *index;
  uint32_t count;
  bool wide;   // indices are int64
  bool wraps;  // negative ones count from the end
  int32_t dim;
  int64_t size, step;
  FaultSink faults;
  Offsets<3> offsets;

  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    int64_t at[3];
    offsets.at(i, at);
    int64_t k = load_index(index + at[2], wide);
    if (wraps ? !faults.wrap(k, dim, size) : !faults.within(k, dim, size)) return;
    *reinterpret_cast<T*>(out + at[0]) = *reinterpret_cast<const T*>(from + at[1] + k * step);
  }
};

// to[at + index * step] = from[at], or the number, or their sum: operands index, to, from.
template <class T, bool Add>
struct Scatter {
  const char* index;
  char* to;
  Input from;
  uint32_t count;
  bool wide, wraps;
  int32_t dim;
  int64_t size, step;
  Math<T> factor;
  FaultSink faults;
  Offsets<3> offsets;

  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    int64_t at[3];
    offsets.at(i, at);
    int64_t k = load_index(index + at[0], wide);
    if (wraps ? !faults.wrap(k, dim, size) : !faults.within(k, dim, size)) return;
    T* there = reinterpret_cast<T*>(to + at[1] + k * step);
    const T x = from.data != nullptr ? *reinterpret_cast<const T*>(from.data + at[2])
                                     : *reinterpret_cast<const T*>(from.number);
    if constexpr (Add)
      accumulate(there, wrapping_mul(factor, widen(x)));
    else
      *there = x;
  }
};

// What gather and its like have in common: the walk over `shape`, with the indexed tensor's way along `dim` taken out.
// Operand 0 is what `order` says first.
struct IndexWalk {
  Layout layout;
  int32_t dim = 0;
  int64_t size = 1, step = 0;  // of the indexed tensor, along dim
  bool wide = false;
  bool wraps = false;  // negative indices count from the end
};

inline bool is_wide(const fl_tensor& index) { return fl_dtype_to_id(index.dtype) == FL_I64; }

// Makes elements of 16 bytes of neighbouring ones that are dense in the first two operands and have one index; the
// bytes of an element then.
int64_t merge_elements(Layout& layout, int64_t bytes, int64_t step);

fl_status gather_over(const fl_call* call, const IndexWalk& walk, int64_t bytes, bool wraps);

// index_select(self, dim, index): out[.., i, ..] = self[.., index[i], ..]
fl_status index_select(const fl_call* call);
// gather(self, dim, index)
fl_status gather(const fl_call* call);
fl_status gather_elements(const fl_call* call, const fl_tensor& out, const fl_tensor& in, const fl_tensor& index,
                          int32_t dim);
// embedding(weight, indices, ...): rows of weight
fl_status embedding(const fl_call* call);

// The walk of scatter over `index`: operands index, to, from (null: a number). `in_order`: its logical order is kept.
IndexWalk scatter_walk(const fl_tensor& to, const fl_tensor& index, const fl_tensor* from, int32_t dim,
                       bool in_order = false);

// ---- the same in one order. Values go to byte offsets of `self`, which are sorted; values for one place then stand
// next to each other, in their logical order, and are added up by one thread. What is put for one index (a row, say)
// goes along.

// Where one value per position comes from, and what is put for each: operands value, self.
struct InOrder {
  int64_t positions = 0;
  Layout from;   // operand value; positions in their logical order
  Layout inner;  // operands value, self
  const char* value = nullptr;
  char* self = nullptr;
  bool mean = false;  // what is added to one place is divided by its number
};

// The byte offset in the indexed tensor that each index stands for, in the logical order of the index; kNoOffset where
// it is wrong, which is reported, or `none`. Operands index, self.
fl_status index_offsets(const fl_call* call, const IndexWalk& walk, int64_t none, uint64_t* offsets);
constexpr int64_t kNoOffset = std::numeric_limits<int64_t>::min();

template <class T, bool Add>
struct PutInOrder {
  const uint64_t* offsets;  // sorted; kNoOffset is the last
  const uint32_t* places;
  const char* value;
  char* self;
  int64_t count, inner_count;
  int64_t positions;
  Math<T> factor;
  bool mean;
  Offsets<1> from;
  Offsets<2> inner;

  FL_GPU const T* at(int64_t position, int64_t offset) const {
    int64_t where[1];
    from.at(places[position], where);
    return reinterpret_cast<const T*>(value + where[0] + offset);
  }

  FL_GPU void operator()() const {
    const int64_t step = block_count() * block_threads();
    for (int64_t i = thread_index(); i < count; i += step) {
      const int64_t first = i / inner_count;
      const uint64_t offset = offsets[first];
      if (offset == static_cast<uint64_t>(kNoOffset) || (first > 0 && offsets[first - 1] == offset)) continue;
      int64_t own[2];
      inner.at(static_cast<uint32_t>(i - first * inner_count), own);
      T* to = reinterpret_cast<T*>(self + static_cast<int64_t>(offset) + own[1]);
      int64_t end = first + 1;
      if constexpr (Add) {
        Math<T> sum = widen(*at(first, own[0]));
        for (; end < positions && offsets[end] == offset; end++) sum = wrapping_add(sum, widen(*at(end, own[0])));
        if (mean) sum = static_cast<Math<T>>(sum / static_cast<Math<T>>(end - first));
        *to = narrow<T>(wrapping_add(widen(*to), wrapping_mul(factor, sum)));
      } else {
        while (end < positions && offsets[end] == offset) end++;
        *to = *at(end - 1, own[0]);
      }
    }
  }
};

// Sorts offsets (order.h), so that templates need not know how.
class SortedOffsets {
 public:
  SortedOffsets(const fl_call* call, int64_t count);
  ~SortedOffsets();
  SortedOffsets(const SortedOffsets&) = delete;
  uint64_t* offsets();  // to be filled, then sorted
  fl_status sort();
  const uint32_t* places() const;

 private:
  struct Lines;
  const std::unique_ptr<Lines> lines_;
};

// To be asked before anything is enqueued: whether so many positions, and so much for each, can be put in order.
inline bool orders(int64_t positions, int64_t inner) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  return positions <= kMost && inner <= kMost;
}

template <class T, bool Add>
fl_status put_in_order(const fl_call* call, const InOrder& put, SortedOffsets& sorted, Math<T> factor) {
  if (put.positions == 0 || put.inner.count == 0) return FL_OK;
  if (const fl_status status = sorted.sort()) return status;
  PutInOrder<T, Add> body{sorted.offsets(),     sorted.places(), put.value, put.self, put.positions * put.inner.count,
                          put.inner.count,      put.positions,   factor,    put.mean, Offsets<1>(put.from),
                          Offsets<2>(put.inner)};
  const int64_t most = 64 * static_cast<int64_t>(device_facts(call->device).multiprocessors);
  return launch(call, body, std::min(blocks_for(body.count, 256), most));
}

// scatter_add in order: every element of the index has a place of its own.
template <class T>
fl_status scatter_in_order(const fl_call* call, const fl_tensor& to, const fl_tensor& index, const fl_tensor& from,
                           int32_t dim) {
  const IndexWalk walk = scatter_walk(to, index, nullptr, dim, true);
  InOrder put;
  put.positions = numel(index);
  put.value = static_cast<const char*>(from.data);
  put.self = static_cast<char*>(to.data);
  put.from.operands = 1;
  for (int32_t d = 0; d < index.ndim; d++) {
    const int64_t stride = from.ndim > 0 ? byte_stride(from, d) : 0;
    put.from.push(index.sizes[d], &stride);
  }
  put.from.simplify(true);
  put.inner.operands = 2;
  SortedOffsets sorted(call, put.positions);
  if (const fl_status status = index_offsets(call, walk, kNoOffset, sorted.offsets())) return status;
  return put_in_order<T, true>(call, put, sorted, Math<T>(1));
}

// index_add in order: `index` has one dimension at most, and says where along `dim` each slice of `from` goes.
template <class T>
fl_status slices_in_order(const fl_call* call, const fl_tensor& to, const fl_tensor& index, const fl_tensor& from,
                          int32_t dim, Math<T> factor, int64_t none = kNoOffset, bool mean = false) {
  IndexWalk walk;
  walk.wide = is_wide(index);
  walk.dim = dim;
  walk.size = to.sizes[dim];
  walk.step = byte_stride(to, dim);
  walk.layout.operands = 2;
  walk.layout.data[0] = static_cast<char*>(index.data);
  InOrder put;
  put.positions = numel(index);
  put.value = static_cast<const char*>(from.data);
  put.self = static_cast<char*>(to.data);
  put.mean = mean;
  put.from.operands = 1;
  put.inner.operands = 2;
  const int64_t strides[2] = {index.ndim > 0 ? byte_stride(index, 0) : 0, 0}, along = byte_stride(from, dim);
  walk.layout.push(put.positions, strides);
  put.from.push(put.positions, &along);
  for (int32_t d = 0; d < to.ndim; d++) {
    const int64_t both[2] = {byte_stride(from, d), byte_stride(to, d)};
    if (d != dim) put.inner.push(to.sizes[d], both);
  }
  put.inner.simplify();
  SortedOffsets sorted(call, put.positions);
  if (const fl_status status = index_offsets(call, walk, none, sorted.offsets())) return status;
  return put_in_order<T, true>(call, put, sorted, factor);
}

template <class T, bool Add>
fl_status scatter_over(const fl_call* call, const IndexWalk& walk, const Input& from, Math<T> factor) {
  FaultSink faults;
  if (const fl_status status = fault_sink(call->device, &faults)) return status;
  return in_parts(walk.layout, [&](const Layout& part) {
    Scatter<T, Add> body{part.data[0], part.data[1], from,     static_cast<uint32_t>(part.count),
                         walk.wide,    walk.wraps,   walk.dim, walk.size,
                         walk.step,    factor,       faults,   Offsets<3>(part)};
    body.from.data = part.data[2];
    return launch(call, body, blocks_for(part.count, 256));
  });
}

// scatter.src, scatter.value (self, dim, index, src or value): written by the size of an element.
template <class Ts>
fl_status scatter(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_arg(call, 0), &index = tensor_arg(call, 2), &out = tensor_out(call, 0);
  const fl_value* from = fl_arg(call, 3);
  if (!same_dtype(self, out)) return FL_UNSUPPORTED;
  Input in;
  const fl_tensor* source = nullptr;
  if (is_tensor(from)) {
    source = &from->v.tensor;
    if (!same_dtype(*source, out)) return FL_UNSUPPORTED;
  } else if (!stored_number(types, from->v.scalar, out.dtype, in.number)) {
    return FL_UNSUPPORTED;
  }
  const IndexWalk walk = scatter_walk(out, index, source, wrap_dim(int_arg(call, 1), out.ndim));
  if (self.data != out.data)
    if (const fl_status status = copy_elements(call, out, self)) return status;
  return dispatch_size(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Bytes16>)
      return scatter_over<complex128, false>(call, walk, in, {});
    else
      return scatter_over<T, false>(call, walk, in, {});
  });
}

// scatter_add(self, dim, index, src)
template <class Ts>
fl_status scatter_add(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_arg(call, 0), &index = tensor_arg(call, 2), &src = tensor_arg(call, 3);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(self, out) || !same_dtype(src, out)) return FL_UNSUPPORTED;
  const IndexWalk walk = scatter_walk(out, index, &src, wrap_dim(int_arg(call, 1), out.ndim));
  const bool ordered = (call->flags & FL_CALL_DETERMINISTIC) != 0;
  if (ordered && !orders(numel(index), 1)) return FL_UNSUPPORTED;
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    if (self.data != out.data)
      if (const fl_status status = copy_elements(call, out, self)) return status;
    if (ordered) return scatter_in_order<T>(call, out, index, src, wrap_dim(int_arg(call, 1), out.ndim));
    return scatter_over<T, true>(call, walk, {}, Math<T>(1));
  });
}

// index_add(self, dim, index, source, alpha)
template <class Ts>
fl_status index_add(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_arg(call, 0), &index = tensor_arg(call, 2), &source = tensor_arg(call, 3);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(self, out) || !same_dtype(source, out) || source.ndim != out.ndim || out.ndim == 0)
    return FL_UNSUPPORTED;
  const int32_t dim = wrap_dim(int_arg(call, 1), out.ndim);
  // The index, one number per place along `dim`, as a tensor of the source's shape.
  int64_t strides[kMaxRank] = {};
  strides[dim] = index.ndim > 0 ? index.strides[0] : 0;
  fl_tensor wide = index;
  wide.ndim = source.ndim;
  wide.sizes = source.sizes;
  wide.strides = strides;
  const IndexWalk walk = scatter_walk(out, wide, &source, dim);
  const bool ordered = (call->flags & FL_CALL_DETERMINISTIC) != 0;
  if (ordered && !orders(numel(index), numel(out) / std::max<int64_t>(out.sizes[dim], 1))) return FL_UNSUPPORTED;
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    Math<T> alpha;
    if (!scalar_math<T>(scalar_arg(call, 4), &alpha)) return FL_UNSUPPORTED;
    if (self.data != out.data)
      if (const fl_status status = copy_elements(call, out, self)) return status;
    if (ordered) return slices_in_order<T>(call, out, index, source, dim, alpha);
    return scatter_over<T, true>(call, walk, {}, alpha);
  });
}

// index_fill_(self, dim, index, value): the value is a number, or a tensor of one.
template <class Ts>
fl_status index_fill(const fl_call* call, Ts types) {
  fl_tensor out = tensor_out(call, 0);
  const fl_tensor& index = tensor_arg(call, 2);
  const fl_value* value = fl_arg(call, 3);
  int64_t one = 1;
  if (out.ndim == 0) {  // a number is filled as a list of one
    out.ndim = 1;
    out.sizes = out.strides = &one;
  }
  Input in;
  const fl_tensor* source = nullptr;
  if (is_tensor(value)) {
    source = &value->v.tensor;
    if (!same_dtype(*source, out) || source->ndim != 0) return FL_UNSUPPORTED;
  } else if (!stored_number(types, value->v.scalar, out.dtype, in.number)) {
    return FL_UNSUPPORTED;
  }
  const int32_t dim = wrap_dim(int_arg(call, 1), out.ndim);
  // The index, one number per place along `dim`, as a tensor of the shape that is written.
  int64_t sizes[kMaxRank], strides[kMaxRank] = {};
  std::copy_n(out.sizes, out.ndim, sizes);
  sizes[dim] = numel(index);
  strides[dim] = index.ndim > 0 ? index.strides[0] : 0;
  fl_tensor wide = index;
  wide.ndim = out.ndim;
  wide.sizes = sizes;
  wide.strides = strides;
  IndexWalk walk = scatter_walk(out, wide, source, dim);
  walk.wraps = true;
  return dispatch_size(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Bytes16>)
      return scatter_over<complex128, false>(call, walk, in, {});
    else
      return scatter_over<T, false>(call, walk, in, {});
  });
}

// embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq): rows of the gradient,
// added up where their index says; or their mean.
template <class Ts>
fl_status embedding_backward(const fl_call* call, Ts types) {
  const fl_tensor &grad = tensor_arg(call, 0), &indices = tensor_arg(call, 1), &out = tensor_out(call, 0);
  const int64_t padding = int_arg(call, 3);
  if (!same_dtype(grad, out) || out.ndim != 2) return FL_UNSUPPORTED;
  // Everything is contiguous: a matrix of rows, and an index for each of them.
  const int64_t width = out.sizes[1], rows = numel(indices);
  int64_t sizes[2] = {rows, width}, strides[2] = {width, 1}, index_strides[2] = {1, 0};
  fl_tensor from = grad, index = indices;
  from.ndim = 2;
  from.sizes = index.sizes = sizes;
  from.strides = strides;
  index.strides = index_strides;
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    FL_ON_DEVICE(call->device);
    const size_t bytes = static_cast<size_t>(numel(out)) * sizeof(T);
    if (bytes == 0) return FL_OK;
    const bool mean = bool_arg(call, 4), ordered = mean || (call->flags & FL_CALL_DETERMINISTIC) != 0;
    if (ordered && !orders(rows, width)) return FL_UNSUPPORTED;
    FL_HIP(hipMemsetAsync(out.data, 0, bytes, stream_of(call->stream)));
    if (ordered) {
      index.ndim = 1;
      return slices_in_order<T>(call, out, index, from, 0, Math<T>(1), padding >= 0 ? padding : kNoOffset, mean);
    }
    index.ndim = 2;
    const IndexWalk walk = scatter_walk(out, index, &from, 0);
    if (const fl_status status = scatter_over<T, true>(call, walk, {}, Math<T>(1))) return status;
    // The row of the padding has no gradient.
    if (padding >= 0 && padding < out.sizes[0])
      FL_HIP(hipMemsetAsync(static_cast<T*>(out.data) + padding * width, 0, static_cast<size_t>(width) * sizeof(T),
                            stream_of(call->stream)));
    return FL_OK;
  });
}

// ---- several index tensors at once

// index.Tensor and index_put: several index tensors, broadcast against each other. Their shape takes the place of the
// indexed dimensions where those are neighbours, else it comes first.
class ManyIndices {
 public:
  // Throws where it cannot be done here.
  ManyIndices(const fl_tensor& self, const fl_list& indices);
  size_t scratch_bytes() const { return static_cast<size_t>(positions_) * sizeof(int64_t); }
  // Enqueues the byte offset of each position; a wrong index gives kNoOffset.
  fl_status resolve(const fl_call* call, int64_t* offsets) const;
  // The walk over (value, offset, self) where `value` has the result's shape or, from the right, one that expands to
  // it.
  Layout walk(const fl_tensor& value, const fl_tensor& self, int64_t* offsets) const;
  // The same with the positions apart.
  InOrder in_order(const fl_tensor& value, const fl_tensor& self) const;

 private:
  struct Part {
    const fl_tensor* index;
    int64_t step, size;  // of the indexed tensor there
    int32_t dim;
  };
  // Calls position(size, stride of value) and rest(size, stride of value, stride of self) along the result's
  // dimensions.
  template <class Positions, class Rest>
  void each_dim(const fl_tensor& value, const fl_tensor& self, Positions&& position, Rest&& rest) const;
  Part parts_[kMaxRank];
  int32_t part_count_ = 0, shape_ndim_ = 0, place_ = 0;
  int64_t shape_[kMaxRank], positions_ = 1;
  uint32_t indexed_ = 0;  // bits of the indexed dimensions
};

// self[offset] = value.
template <class T>
struct Put {
  const char *value, *offset;
  char* self;
  uint32_t count;
  Offsets<3> offsets;

  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    int64_t at[3];
    offsets.at(i, at);
    const int64_t there = *reinterpret_cast<const int64_t*>(offset + at[1]);
    if (there == kNoOffset) return;
    *reinterpret_cast<T*>(self + at[2] + there) = *reinterpret_cast<const T*>(value + at[0]);
  }
};

// index.Tensor(self, indices)
fl_status index_tensor(const fl_call* call);

// _index_put_impl_(self, indices, values, accumulate, unsafe). Sums are made in one order, in float for the halves; so
// is what is put, where the call is to be deterministic: the last of several values for one place stays.
template <class Ts>
fl_status index_put(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_out(call, 0), &values = tensor_arg(call, 2);
  const bool add = bool_arg(call, 3);
  if (!same_dtype(self, values)) return FL_UNSUPPORTED;
  const ManyIndices index(self, list_arg(call, 1));
  if (!add && (call->flags & FL_CALL_DETERMINISTIC) == 0) {
    const Scratch scratch(call, index.scratch_bytes());
    auto* offsets = static_cast<int64_t*>(scratch.data());
    const Layout walk = index.walk(values, self, offsets);
    if (const fl_status status = index.resolve(call, offsets)) return status;
    return dispatch_size(self.dtype, [&](auto tag) {
      return in_parts(walk, [&](const Layout& part) {
        const Put<typename decltype(tag)::type> body{part.data[0], part.data[1], part.data[2],
                                                     static_cast<uint32_t>(part.count), Offsets<3>(part)};
        return launch(call, body, blocks_for(part.count, 256));
      });
    });
  }
  const InOrder put = index.in_order(values, self);
  if (!orders(put.positions, put.inner.count)) return FL_UNSUPPORTED;
  const auto run = [&](auto tag, auto how, auto factor) -> fl_status {
    SortedOffsets sorted(call, put.positions);
    if (const fl_status status = index.resolve(call, reinterpret_cast<int64_t*>(sorted.offsets()))) return status;
    return put_in_order<typename decltype(tag)::type, how.value>(call, put, sorted, factor);
  };
  if (!add)
    return dispatch_size(self.dtype,
                         [&](auto tag) { return run(tag, std::false_type{}, Math<typename decltype(tag)::type>{}); });
  return dispatch(types, self.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T>)
      return FL_UNSUPPORTED;
    else
      return run(tag, std::true_type{}, Math<T>(1));
  });
}

}  // namespace torch_fl_dcu
