// Kernels by index that look at no element.
#include "kernels/index.h"

#include "kernels/order.h"

namespace torch_fl_dcu {
namespace {

// The offsets of positions: one launch per index tensor.
struct Resolve {
  const char* index;
  int64_t* offsets;
  uint32_t count;
  bool wide, first;
  int32_t dim;
  int64_t size, step;
  FaultSink faults;
  Offsets<1> at_index;

  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    int64_t at[1];
    at_index.at(i, at);
    int64_t k = load_index(index + at[0], wide);
    const int64_t before = first ? 0 : offsets[i];
    const bool fits = faults.wrap(k, dim, size);
    offsets[i] = fits && before != kNoOffset ? before + k * step : kNoOffset;
  }
};

// out = self[offset]: operands out, offset, self.
template <class T>
struct Take {
  char* out;
  const char *offset, *self;
  uint32_t count;
  Offsets<3> offsets;

  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    int64_t at[3];
    offsets.at(i, at);
    const int64_t there = *reinterpret_cast<const int64_t*>(offset + at[1]);
    if (there != kNoOffset) *reinterpret_cast<T*>(out + at[0]) = *reinterpret_cast<const T*>(self + at[2] + there);
  }
};

struct IndexOffsets {
  const char* index;
  uint64_t* out;
  uint32_t count;
  bool wide, wraps;
  int32_t dim;
  int64_t size, step, none;
  FaultSink faults;
  Offsets<2> offsets;

  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    int64_t at[2];
    offsets.at(i, at);
    int64_t k = load_index(index + at[0], wide);
    const bool fits = k != none && (wraps ? faults.wrap(k, dim, size) : faults.within(k, dim, size));
    out[i] = static_cast<uint64_t>(fits ? at[1] + k * step : kNoOffset);
  }
};

template <class F>
fl_status dispatch_bytes(int64_t bytes, F&& f) {
  return dispatch_size({FL_CODE_UINT, static_cast<uint8_t>(bytes * 8), 1}, f);
}

}  // namespace

int64_t merge_elements(Layout& layout, int64_t bytes, int64_t step) {
  if (layout.rank == 0 || layout.strides[0][0] != bytes || layout.strides[1][0] != bytes || layout.strides[2][0] != 0)
    return bytes;
  int64_t wide = 16;
  const auto fits = [&](int64_t n) { return n % wide == 0; };
  for (; wide > bytes; wide /= 2) {
    bool all = fits(layout.sizes[0] * bytes) && fits(step);
    for (int k = 0; k < 2; k++) {
      all &= fits(static_cast<int64_t>(reinterpret_cast<uintptr_t>(layout.data[k])));
      for (int d = 1; d < layout.rank; d++) all &= fits(layout.strides[k][d]);
    }
    if (all) break;
  }
  const int64_t times = wide / bytes;
  layout.sizes[0] /= times;
  layout.count /= times;
  layout.strides[0][0] = layout.strides[1][0] = wide;
  return wide;
}

fl_status gather_over(const fl_call* call, const IndexWalk& walk, int64_t bytes, bool wraps) {
  Layout layout = walk.layout;
  bytes = merge_elements(layout, bytes, walk.step);
  FaultSink faults;
  if (const fl_status status = fault_sink(call->device, &faults)) return status;
  return dispatch_bytes(bytes, [&](auto tag) {
    return in_parts(layout, [&](const Layout& part) {
      const Gather<typename decltype(tag)::type> body{
          part.data[0], part.data[1], part.data[2],    static_cast<uint32_t>(part.count),
          walk.wide,    wraps,        walk.dim,        walk.size,
          walk.step,    faults,       Offsets<3>(part)};
      return launch(call, body, blocks_for(part.count, 256));
    });
  });
}

fl_status index_select(const fl_call* call) {
  const fl_tensor &in = tensor_arg(call, 0), &index = tensor_arg(call, 2), &out = tensor_out(call, 0);
  if (!same_dtype(in, out)) return FL_UNSUPPORTED;
  IndexWalk walk;
  walk.dim = wrap_dim(int_arg(call, 1), in.ndim);
  walk.wide = is_wide(index);
  walk.layout.operands = 3;
  walk.layout.data[0] = static_cast<char*>(out.data);
  walk.layout.data[1] = static_cast<char*>(in.data);
  walk.layout.data[2] = static_cast<char*>(index.data);
  for (int32_t d = 0; d < out.ndim; d++) {
    const bool along = d == walk.dim;
    const int64_t strides[3] = {byte_stride(out, d), along ? 0 : byte_stride(in, d),
                                along && index.ndim > 0 ? byte_stride(index, 0) : 0};
    walk.layout.push(out.sizes[d], strides);
  }
  walk.layout.simplify();
  if (in.ndim > 0) {
    walk.size = in.sizes[walk.dim];
    walk.step = byte_stride(in, walk.dim);
  }
  return gather_over(call, walk, static_cast<int64_t>(fl_dtype_size(in.dtype)), false);
}

fl_status gather(const fl_call* call) {
  const fl_tensor &in = tensor_arg(call, 0), &out = tensor_out(call, 0);
  if (!same_dtype(in, out)) return FL_UNSUPPORTED;
  return gather_elements(call, out, in, tensor_arg(call, 2), wrap_dim(int_arg(call, 1), in.ndim));
}

fl_status gather_elements(const fl_call* call, const fl_tensor& out, const fl_tensor& in, const fl_tensor& index,
                          int32_t dim) {
  IndexWalk walk;
  walk.dim = dim;
  walk.wide = is_wide(index);
  walk.layout.operands = 3;
  walk.layout.data[0] = static_cast<char*>(out.data);
  walk.layout.data[1] = static_cast<char*>(in.data);
  walk.layout.data[2] = static_cast<char*>(index.data);
  for (int32_t d = 0; d < index.ndim; d++) {
    const int64_t strides[3] = {out.ndim > 0 ? byte_stride(out, d) : 0,
                                in.ndim > 0 && d != walk.dim ? byte_stride(in, d) : 0, byte_stride(index, d)};
    walk.layout.push(index.sizes[d], strides);
  }
  walk.layout.simplify();
  if (in.ndim > 0) {
    walk.size = in.sizes[walk.dim];
    walk.step = byte_stride(in, walk.dim);
  }
  return gather_over(call, walk, static_cast<int64_t>(fl_dtype_size(in.dtype)), false);
}

fl_status embedding(const fl_call* call) {
  const fl_tensor &weight = tensor_arg(call, 0), &index = tensor_arg(call, 1), &out = tensor_out(call, 0);
  IndexWalk walk;
  walk.wide = is_wide(index);
  walk.size = weight.sizes[0];
  walk.step = byte_stride(weight, 0);
  walk.layout.operands = 3;
  walk.layout.data[0] = static_cast<char*>(out.data);
  walk.layout.data[1] = static_cast<char*>(weight.data);
  walk.layout.data[2] = static_cast<char*>(index.data);
  for (int32_t d = 0; d < out.ndim; d++) {
    const bool row = d < index.ndim;
    const int64_t strides[3] = {byte_stride(out, d), row ? 0 : byte_stride(weight, 1), row ? byte_stride(index, d) : 0};
    walk.layout.push(out.sizes[d], strides);
  }
  walk.layout.simplify();
  return gather_over(call, walk, static_cast<int64_t>(fl_dtype_size(weight.dtype)), false);
}

IndexWalk scatter_walk(const fl_tensor& to, const fl_tensor& index, const fl_tensor* from, int32_t dim, bool in_order) {
  IndexWalk walk;
  walk.dim = dim;
  walk.wide = is_wide(index);
  walk.layout.operands = 3;
  walk.layout.data[0] = static_cast<char*>(index.data);
  walk.layout.data[1] = static_cast<char*>(to.data);
  walk.layout.data[2] = from != nullptr ? static_cast<char*>(from->data) : nullptr;
  for (int32_t d = 0; d < index.ndim; d++) {
    const int64_t strides[3] = {byte_stride(index, d), to.ndim > 0 && d != dim ? byte_stride(to, d) : 0,
                                from != nullptr && from->ndim > 0 ? byte_stride(*from, d) : 0};
    walk.layout.push(index.sizes[d], strides);
  }
  walk.layout.simplify(in_order);
  if (to.ndim > 0) {
    walk.size = to.sizes[dim];
    walk.step = byte_stride(to, dim);
  }
  return walk;
}

fl_status index_offsets(const fl_call* call, const IndexWalk& walk, int64_t none, uint64_t* offsets) {
  IndexOffsets body{walk.layout.data[0],
                    offsets,
                    static_cast<uint32_t>(walk.layout.count),
                    walk.wide,
                    walk.wraps,
                    walk.dim,
                    walk.size,
                    walk.step,
                    none,
                    {},
                    Offsets<2>(walk.layout)};
  if (const fl_status status = fault_sink(call->device, &body.faults)) return status;
  return launch(call, body, blocks_for(walk.layout.count, 256));
}

struct SortedOffsets::Lines : KeyLines<uint64_t> {
  using KeyLines<uint64_t>::KeyLines;
};
SortedOffsets::SortedOffsets(const fl_call* call, int64_t count) : lines_(new Lines(call, 1, count)) {}
SortedOffsets::~SortedOffsets() = default;
uint64_t* SortedOffsets::offsets() { return lines_->keys(); }
const uint32_t* SortedOffsets::places() const { return lines_->places(); }
fl_status SortedOffsets::sort() { return lines_->sort(); }

ManyIndices::ManyIndices(const fl_tensor& self, const fl_list& indices) {
  int32_t first = -1, last = -1;
  for (size_t i = 0; i < indices.count; i++) {
    const fl_tensor& index = item<fl_tensor>(indices, i);
    if (index.ndim < 0) continue;
    const auto d = static_cast<int32_t>(i);
    if (d >= self.ndim || index.ndim > kMaxRank || part_count_ == kMaxRank) unsupported();
    const fl_dtype_id id = fl_dtype_to_id(index.dtype);
    if (id != FL_I64 && id != FL_I32) unsupported();  // masks are the next lane's
    parts_[part_count_++] = {&index, byte_stride(self, d), self.sizes[d], d};
    indexed_ |= 1u << d;
    if (first < 0) first = d;
    last = d;
    shape_ndim_ = index.ndim > shape_ndim_ ? index.ndim : shape_ndim_;
  }
  if (part_count_ == 0) unsupported();
  place_ = last - first + 1 == part_count_ ? first : 0;
  for (int32_t d = 0; d < shape_ndim_; d++) shape_[d] = 1;
  for (int32_t k = 0; k < part_count_; k++) {
    const fl_tensor& index = *parts_[k].index;
    for (int32_t d = 0; d < index.ndim; d++) {
      int64_t& size = shape_[shape_ndim_ - index.ndim + d];
      if (size == 1) size = index.sizes[d];
    }
  }
  for (int32_t d = 0; d < shape_ndim_; d++) positions_ *= shape_[d];
  if (positions_ > (int64_t{1} << 31) - 1) unsupported();
}

fl_status ManyIndices::resolve(const fl_call* call, int64_t* offsets) const {
  FaultSink faults;
  if (const fl_status status = fault_sink(call->device, &faults)) return status;
  for (int32_t k = 0; k < part_count_ && positions_ > 0; k++) {
    const Part& part = parts_[k];
    const fl_tensor& index = *part.index;
    Layout layout;
    layout.operands = 1;
    for (int32_t d = 0; d < shape_ndim_; d++) {
      const int32_t own = d - (shape_ndim_ - index.ndim);
      const int64_t stride = own < 0 || index.sizes[own] == 1 ? 0 : byte_stride(index, own);
      layout.push(shape_[d], &stride);
    }
    layout.simplify(true);  // positions are counted in their logical order
    const Resolve body{static_cast<const char*>(index.data),
                       offsets,
                       static_cast<uint32_t>(positions_),
                       is_wide(index),
                       k == 0,
                       part.dim,
                       part.size,
                       part.step,
                       faults,
                       Offsets<1>(layout)};
    if (const fl_status status = launch(call, body, blocks_for(positions_, 256))) return status;
  }
  return FL_OK;
}

template <class Positions, class Rest>
void ManyIndices::each_dim(const fl_tensor& value, const fl_tensor& self, Positions&& position, Rest&& rest) const {
  const int32_t ndim = shape_ndim_ + self.ndim - part_count_;
  if (ndim > kMaxRank || value.ndim > ndim) unsupported();
  int32_t at = 0;
  const auto stride_of = [&](int64_t size) -> int64_t {
    const int32_t own = at++ - (ndim - value.ndim);
    if (own >= 0 && value.sizes[own] != 1 && value.sizes[own] != size) unsupported();
    return own < 0 || value.sizes[own] == 1 ? 0 : byte_stride(value, own);
  };
  const auto positions = [&] {
    for (int32_t d = 0; d < shape_ndim_; d++) position(shape_[d], stride_of(shape_[d]));
  };
  if (place_ == 0) positions();
  for (int32_t d = 0; d < self.ndim; d++) {
    if (place_ != 0 && d == place_) positions();
    if ((indexed_ >> d & 1) == 0) rest(self.sizes[d], stride_of(self.sizes[d]), byte_stride(self, d));
  }
}

Layout ManyIndices::walk(const fl_tensor& value, const fl_tensor& self, int64_t* offsets) const {
  Layout layout;
  layout.operands = 3;
  layout.data[0] = static_cast<char*>(value.data);
  layout.data[1] = reinterpret_cast<char*>(offsets);
  layout.data[2] = static_cast<char*>(self.data);
  int64_t dense = positions_ * static_cast<int64_t>(sizeof(int64_t));
  each_dim(
      value, self,
      [&](int64_t size, int64_t stride) {
        dense /= size != 0 ? size : 1;
        const int64_t strides[3] = {stride, dense, 0};
        layout.push(size, strides);
      },
      [&](int64_t size, int64_t stride, int64_t self_stride) {
        const int64_t strides[3] = {stride, 0, self_stride};
        layout.push(size, strides);
      });
  layout.simplify();
  return layout;
}

InOrder ManyIndices::in_order(const fl_tensor& value, const fl_tensor& self) const {
  InOrder put;
  put.positions = positions_;
  put.value = static_cast<const char*>(value.data);
  put.self = static_cast<char*>(self.data);
  put.from.operands = 1;
  put.inner.operands = 2;
  each_dim(
      value, self, [&](int64_t size, int64_t stride) { put.from.push(size, &stride); },
      [&](int64_t size, int64_t stride, int64_t self_stride) {
        const int64_t strides[2] = {stride, self_stride};
        put.inner.push(size, strides);
      });
  put.from.simplify(true);
  put.inner.simplify();
  return put;
}

fl_status index_tensor(const fl_call* call) {
  const fl_tensor &self = tensor_arg(call, 0), &out = tensor_out(call, 0);
  if (!same_dtype(self, out)) return FL_UNSUPPORTED;
  const ManyIndices index(self, list_arg(call, 1));
  const Scratch scratch(call, index.scratch_bytes());
  auto* offsets = static_cast<int64_t*>(scratch.data());
  const Layout walk = index.walk(out, self, offsets);
  if (const fl_status status = index.resolve(call, offsets)) return status;
  return dispatch_size(self.dtype, [&](auto tag) {
    return in_parts(walk, [&](const Layout& part) {
      const Take<typename decltype(tag)::type> body{part.data[0], part.data[1], part.data[2],
                                                    static_cast<uint32_t>(part.count), Offsets<3>(part)};
      return launch(call, body, blocks_for(part.count, 256));
    });
  });
}

}  // namespace torch_fl_dcu
