// Kernels that read or write elements by index: index_select, embedding, gather, scatter, index, index_put_.
//
// Indices lie in device memory, so a wrong one is found by the work: it reports FL_INDEX_ERROR to its stream and leaves
// the element alone.
#pragma once

#include <cstdio>
#include <cstring>

#include "kernels/along.h"
#include "kernels/binary.h"

namespace torch_fl_sim {

inline void report_index(fl_stream stream, int64_t index, int32_t dim, int64_t size) {
  char text[128];
  std::snprintf(text, sizeof text, "index %lld is out of bounds for dimension %d with size %lld",
                static_cast<long long>(index), static_cast<int>(dim), static_cast<long long>(size));
  stream_set_error(stream, FL_INDEX_ERROR, text);
}

// Whether `index` is within [0, size); reports it if not.
inline bool check_index(fl_stream stream, int64_t index, int32_t dim, int64_t size) {
  if (index >= 0 && index < size) return true;
  report_index(stream, index, dim, size);
  return false;
}

inline int64_t load_index(const char* p, size_t bytes) {
  return bytes == 8 ? *reinterpret_cast<const int64_t*>(p) : *reinterpret_cast<const int32_t*>(p);
}

inline void copy_element(char* to, const char* from, size_t bytes) {
  switch (bytes) {
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, bytes);
  }
}

// One run of elements of any type.
inline void copy_run(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n, size_t bytes) {
  const int64_t dense = static_cast<int64_t>(bytes);
  if (to_step == dense && from_step == dense) {
    std::memmove(to, from, static_cast<size_t>(n) * bytes);
    return;
  }
  for (int64_t i = 0; i < n; ++i) copy_element(to + i * to_step, from + i * from_step, bytes);
}

// index_select(self, dim, index): out[.., i, ..] = self[.., index[i], ..]
inline fl_status index_select(const fl_call* call, const char* name) {
  const fl_tensor& in = tensor_arg(call, 0);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(in, out)) return FL_UNSUPPORTED;
  const int32_t dim = wrap_dim(int_arg(call, 1), in.ndim);
  const Along<2> walk({&out, &in}, dim);
  const View index(tensor_arg(call, 2));
  const size_t index_bytes = fl_dtype_size(tensor_arg(call, 2).dtype);
  const int64_t index_step = index.ndim ? index.strides[0] : 0;
  const int64_t limit = in.sizes[dim];
  const size_t bytes = fl_dtype_size(in.dtype);
  const fl_stream stream = call->stream;
  return enqueue(call, name, [=] {
    for (int64_t i = 0; i < walk.size; ++i) {
      const int64_t at = load_index(index.data + i * index_step, index_bytes);
      if (!check_index(stream, at, dim, limit)) continue;
      char* start[2] = {walk.lines.data[0] + i * walk.step[0], walk.lines.data[1] + at * walk.step[1]};
      walk.lines.rows_from(
          start, [&](char* const* p, const int64_t* s, int64_t n) { copy_run(p[0], s[0], p[1], s[1], n, bytes); });
    }
  });
}

// embedding(weight, indices, ...): all contiguous (core sees to it); rows of weight.
inline fl_status embedding(const fl_call* call, const char* name) {
  const fl_tensor& weight = tensor_arg(call, 0);
  const fl_tensor& index = tensor_arg(call, 1);
  const size_t row = static_cast<size_t>(weight.sizes[1]) * fl_dtype_size(weight.dtype);
  const size_t index_bytes = fl_dtype_size(index.dtype);
  const int64_t count = numel(index), limit = weight.sizes[0];
  char* out = bytes_of(tensor_out(call, 0));
  const char* from = bytes_of(weight);
  const char* at = bytes_of(index);
  const fl_stream stream = call->stream;
  return enqueue(call, name, [=] {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t k = load_index(at + static_cast<size_t>(i) * index_bytes, index_bytes);
      if (!check_index(stream, k, 0, limit)) continue;
      std::memcpy(out + static_cast<size_t>(i) * row, from + static_cast<size_t>(k) * row, row);
    }
  });
}

// The walk of gather and scatter: over `shape` (the index), with the indexed tensor's own way along `dim` taken out.
template <int N>
struct Indexed {
  Loop<N> loop;      // data[0] is the index
  int64_t step = 0;  // of tensor `along`, bytes along `dim`
  int32_t dim;
  int64_t limit = 1;  // its size there

  __attribute__((noinline)) Indexed(const fl_tensor* const (&tensors)[N], int along, int32_t d_along) : dim(d_along) {
    const fl_tensor& index = *tensors[0];
    for (int k = 0; k < N; ++k) loop.data[k] = bytes_of(*tensors[k]);
    const fl_tensor& indexed = *tensors[along];
    if (indexed.ndim) {
      step = byte_stride(indexed, dim);
      limit = indexed.sizes[dim];
    }
    for (int32_t d = 0; d < index.ndim; ++d) {
      int64_t stride[N];
      for (int k = 0; k < N; ++k) {
        stride[k] = tensors[k]->ndim == 0 || (k == along && d == dim) ? 0 : byte_stride(*tensors[k], d);
      }
      loop.add_dim(index.sizes[d], stride);
    }
    loop.simplify();
  }
};

// gather(self, dim, index)
inline fl_status gather(const fl_call* call, const char* name) {
  const fl_tensor& in = tensor_arg(call, 0);
  const fl_tensor& index = tensor_arg(call, 2);
  if (!same_dtype(in, tensor_out(call, 0))) return FL_UNSUPPORTED;
  const Indexed<3> walk({&index, &tensor_out(call, 0), &in}, 2, wrap_dim(int_arg(call, 1), in.ndim));
  const size_t bytes = fl_dtype_size(in.dtype), index_bytes = fl_dtype_size(index.dtype);
  const fl_stream stream = call->stream;
  return enqueue(call, name, [=] {
    walk.loop.elements([&](char* const* p) {
      const int64_t at = load_index(p[0], index_bytes);
      if (check_index(stream, at, walk.dim, walk.limit)) copy_element(p[1], p[2] + at * walk.step, bytes);
    });
  });
}

// Copies `from` into `to` within the work, unless they are one tensor: scatter and index_put start from `self`.
struct CopyBase {
  Loop<2> loop;
  size_t bytes;
  bool needed;

  __attribute__((noinline)) CopyBase(const fl_tensor& to, const fl_tensor& from)
      : bytes(fl_dtype_size(to.dtype)), needed(to.data != from.data) {
    loop.data[0] = bytes_of(to);
    loop.data[1] = bytes_of(from);
    for (int32_t d = 0; d < to.ndim; ++d) loop.add_dim(to.sizes[d], {byte_stride(to, d), byte_stride(from, d)});
    loop.simplify();
  }
  void operator()() const {
    if (!needed) return;
    loop.rows([this](char* const* p, const int64_t* s, int64_t n) { copy_run(p[0], s[0], p[1], s[1], n, bytes); });
  }
};

// What is compiled per dtype of the kernels that add: one element to another.
using AddFn = void (*)(char* to, const char* from);
template <class T>
void add_element(char* to, const char* from) {
  store<T>(to, wrapping_add(load<T>(to), load<T>(from)));
}
// Null where the list does not have the dtype.
template <class... Ts>
inline AddFn add_of(Types<Ts...>, fl_dtype dtype) {
  const fl_dtype_id id = fl_dtype_to_id(dtype);
  AddFn add = nullptr;
  (void)((id == kId<Ts> && ((add = add_element<Ts>), true)) || ...);
  return add;
}

// Adds, or copies where there is no `add`.
__attribute__((noinline)) inline fl_status scatter_by(const fl_call* call, const char* name, AddFn add) {
  const fl_tensor& self = tensor_arg(call, 0);
  const fl_tensor& index = tensor_arg(call, 2);
  const fl_tensor& src = tensor_arg(call, 3);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(self, out) || !same_dtype(src, out)) return FL_UNSUPPORTED;
  const CopyBase base(out, self);
  const Indexed<3> walk({&index, &out, &src}, 1, wrap_dim(int_arg(call, 1), out.ndim));
  const size_t index_bytes = fl_dtype_size(index.dtype);
  const fl_stream stream = call->stream;
  const size_t bytes = fl_dtype_size(out.dtype);
  return enqueue(call, name, [=] {
    base();
    walk.loop.elements([&](char* const* p) {
      const int64_t at = load_index(p[0], index_bytes);
      if (!check_index(stream, at, walk.dim, walk.limit)) return;
      char* to = p[1] + at * walk.step;
      add ? add(to, p[2]) : copy_element(to, p[2], bytes);
    });
  });
}

// scatter.src and scatter_add (self, dim, index, src)
template <bool Accumulate, class Ts>
inline fl_status scatter(const fl_call* call, const char* name, Ts types) {
  const AddFn add = add_of(types, tensor_out(call, 0).dtype);
  return add ? scatter_by(call, name, Accumulate ? add : nullptr) : FL_UNSUPPORTED;
}

// scatter.value(self, dim, index, value)
template <class Ts>
inline fl_status scatter_value(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& self = tensor_arg(call, 0);
  const fl_tensor& index = tensor_arg(call, 2);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(self, out)) return FL_UNSUPPORTED;
  const CopyBase base(out, self);
  const Indexed<2> walk({&index, &out}, 1, wrap_dim(int_arg(call, 1), out.ndim));
  const size_t index_bytes = fl_dtype_size(index.dtype);
  const fl_stream stream = call->stream;
  struct {
    alignas(16) char bytes[16];
  } value;
  if (!stored_number(types, scalar_arg(call, 3), out.dtype, value.bytes)) return FL_UNSUPPORTED;
  const size_t bytes = fl_dtype_size(out.dtype);
  return enqueue(call, name, [=] {
    base();
    walk.loop.elements([&](char* const* p) {
      const int64_t at = load_index(p[0], index_bytes);
      if (check_index(stream, at, walk.dim, walk.limit)) copy_element(p[1] + at * walk.step, value.bytes, bytes);
    });
  });
}

// index_add(self, dim, index, source, alpha)
template <class Ts>
inline fl_status index_add(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& self = tensor_arg(call, 0);
  const fl_tensor& source = tensor_arg(call, 3);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(self, out) || !same_dtype(source, out) || source.ndim != out.ndim || out.ndim == 0) {
    return FL_UNSUPPORTED;
  }
  const int32_t dim = wrap_dim(int_arg(call, 1), out.ndim);
  const CopyBase base(out, self);
  const Along<2> walk({&source, &out}, dim);
  const View index(tensor_arg(call, 2));
  const size_t index_bytes = fl_dtype_size(tensor_arg(call, 2).dtype);
  const int64_t index_step = index.ndim ? index.strides[0] : 0, limit = out.sizes[dim];
  const fl_stream stream = call->stream;
  return dispatch(types, out.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    Math<T> alpha;
    if (!scalar_math<T>(scalar_arg(call, 4), &alpha)) return FL_UNSUPPORTED;
    return enqueue(call, name, [=] {
      base();
      for (int64_t i = 0; i < walk.size; ++i) {
        const int64_t at = load_index(index.data + i * index_step, index_bytes);
        if (!check_index(stream, at, dim, limit)) continue;
        char* start[2] = {walk.lines.data[0] + i * walk.step[0], walk.lines.data[1] + at * walk.step[1]};
        walk.lines.rows_from(start, [&](char* const* p, const int64_t* s, int64_t n) {
          for (int64_t j = 0; j < n; ++j) {
            char* to = p[1] + j * s[1];
            store<T>(to, wrapping_add(load<T>(to), wrapping_mul(alpha, load<T>(p[0] + j * s[0]))));
          }
        });
      }
    });
  });
}

// index.Tensor and index_put: several index tensors at once, broadcast against each other. Their shape takes the place
// of the indexed dimensions where those are neighbours, else it comes first.
struct AdvancedIndex {
  struct Part {
    View index;
    size_t bytes;
    int64_t step;  // of the indexed tensor, bytes
    int32_t dim;
    int64_t limit;  // its size there
  };
  Part parts[kMaxRank];
  int32_t part_count = 0;
  int64_t positions = 1;  // elements of the broadcast shape of the indices
  int64_t shape[kMaxRank];
  int32_t shape_ndim = 0;
  uint32_t indexed = 0;  // bits of the indexed dimensions
  int32_t place = 0;     // where the index shape stands among the result's dimensions
  bool valid = false;

  __attribute__((noinline)) AdvancedIndex(const fl_tensor& self, const fl_list& indices) {
    int32_t first = -1, last = -1;
    for (size_t i = 0; i < indices.count; ++i) {
      const fl_tensor& index = item<fl_tensor>(indices, i);
      if (index.ndim < 0) continue;
      const int32_t d = static_cast<int32_t>(i);
      if (d >= self.ndim || index.ndim > kMaxRank || part_count == kMaxRank) return;
      const fl_dtype_id id = fl_dtype_to_id(index.dtype);
      if (id != FL_I64 && id != FL_I32) return;  // masks are the next lane's
      parts[part_count++] = {View(index), fl_dtype_size(index.dtype), byte_stride(self, d), d, self.sizes[d]};
      indexed |= 1u << d;
      if (first < 0) first = d;
      last = d;
      if (index.ndim > shape_ndim) shape_ndim = index.ndim;
    }
    if (part_count == 0) return;
    place = last - first + 1 == part_count ? first : 0;
    for (int32_t d = 0; d < shape_ndim; ++d) shape[d] = 1;
    for (int32_t k = 0; k < part_count; ++k) {
      for (int32_t d = 0; d < parts[k].index.ndim; ++d) {
        int64_t& size = shape[shape_ndim - parts[k].index.ndim + d];
        if (size == 1) size = parts[k].index.sizes[d];
      }
    }
    for (int32_t d = 0; d < shape_ndim; ++d) positions *= shape[d];
    valid = true;
  }

  // Writes the byte offset of each position to `offsets`; a wrong index is reported and gives offset -1.
  __attribute__((noinline)) void resolve(int64_t* offsets, fl_stream stream) const {
    for (int64_t i = 0; i < positions; ++i) offsets[i] = 0;
    for (int32_t k = 0; k < part_count; ++k) {
      const Part& part = parts[k];
      Loop<2> loop;
      loop.data[0] = reinterpret_cast<char*>(offsets);
      loop.data[1] = part.index.data;
      int64_t dense = positions * static_cast<int64_t>(sizeof(int64_t));
      for (int32_t d = 0; d < shape_ndim; ++d) {
        dense /= shape[d] ? shape[d] : 1;
        const int32_t own = d - (shape_ndim - part.index.ndim);
        loop.add_dim(shape[d], {dense, own < 0 || part.index.sizes[own] == 1 ? 0 : part.index.strides[own]});
      }
      loop.elements([&](char* const* p) {
        int64_t at = load_index(p[1], part.bytes);
        int64_t& offset = *reinterpret_cast<int64_t*>(p[0]);
        if (at >= -part.limit && at < part.limit) {
          if (offset >= 0) offset += (at < 0 ? at + part.limit : at) * part.step;
        } else {
          report_index(stream, at, part.dim, part.limit);
          offset = -1;
        }
      });
    }
  }

  // A walk over (value, offset, self) where `value` has the result's shape or, from the right, one that expands to it.
  __attribute__((noinline)) bool walk(const fl_tensor& value, const fl_tensor& self, const int64_t* offsets,
                                      Loop<3>* loop) const {
    const int32_t ndim = shape_ndim + self.ndim - part_count;
    if (ndim > kMaxRank || value.ndim > ndim) return false;
    loop->data[0] = bytes_of(value);
    loop->data[1] = reinterpret_cast<char*>(const_cast<int64_t*>(offsets));
    loop->data[2] = bytes_of(self);
    int32_t at = 0;
    const auto add = [&](int64_t size, int64_t offset_step, int64_t self_step) {
      const int32_t own = at++ - (ndim - value.ndim);
      if (own >= 0 && value.sizes[own] != 1 && value.sizes[own] != size) return false;
      loop->add_dim(size, {own < 0 || value.sizes[own] == 1 ? 0 : byte_stride(value, own), offset_step, self_step});
      return true;
    };
    const auto add_indices = [&] {
      int64_t dense = positions * static_cast<int64_t>(sizeof(int64_t));
      for (int32_t d = 0; d < shape_ndim; ++d) {
        dense /= shape[d] ? shape[d] : 1;
        if (!add(shape[d], dense, 0)) return false;
      }
      return true;
    };
    bool placed = place == 0;
    if (placed && !add_indices()) return false;
    for (int32_t d = 0; d < self.ndim; ++d) {
      if (!placed && d == place) {
        placed = true;
        if (!add_indices()) return false;
      }
      if (!(indexed >> d & 1) && !add(self.sizes[d], 0, byte_stride(self, d))) return false;
    }
    loop->simplify();
    return true;
  }
};

// index.Tensor(self, indices)
inline fl_status index_tensor(const fl_call* call, const char* name) {
  const fl_tensor& self = tensor_arg(call, 0);
  const fl_tensor& out = tensor_out(call, 0);
  if (!same_dtype(self, out)) return FL_UNSUPPORTED;
  const AdvancedIndex index(self, list_arg(call, 1));
  if (!index.valid) return FL_UNSUPPORTED;
  void* scratch = nullptr;
  const size_t scratch_bytes = static_cast<size_t>(index.positions) * sizeof(int64_t);
  if (const fl_status s = core()->alloc(call->device, call->stream, scratch_bytes, &scratch)) return s;
  auto* offsets = static_cast<int64_t*>(scratch);
  Loop<3> loop;
  fl_status status = FL_UNSUPPORTED;
  if (index.walk(out, self, offsets, &loop)) {
    const size_t bytes = fl_dtype_size(self.dtype);
    const fl_stream stream = call->stream;
    status = enqueue(call, name, [=] {
      index.resolve(offsets, stream);
      loop.elements([&](char* const* p) {
        const int64_t offset = *reinterpret_cast<const int64_t*>(p[1]);
        if (offset >= 0) copy_element(p[0], p[2] + offset, bytes);
      });
    });
  }
  core()->free(call->device, scratch);
  return status;
}

// index_put_(self, indices, values, accumulate) and _index_put_impl_
template <class Ts>
inline fl_status index_put(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& self = tensor_out(call, 0);
  const fl_tensor& values = tensor_arg(call, 2);
  const bool accumulate = bool_arg(call, 3);
  if (!same_dtype(self, values)) return FL_UNSUPPORTED;
  const AdvancedIndex index(self, list_arg(call, 1));
  if (!index.valid) return FL_UNSUPPORTED;
  const fl_stream stream = call->stream;
  const AddFn add = add_of(types, self.dtype);
  if (!add) return FL_UNSUPPORTED;
  const size_t bytes = fl_dtype_size(self.dtype);
  void* scratch = nullptr;
  const size_t scratch_bytes = static_cast<size_t>(index.positions) * sizeof(int64_t);
  if (const fl_status s = core()->alloc(call->device, stream, scratch_bytes, &scratch)) return s;
  auto* offsets = static_cast<int64_t*>(scratch);
  Loop<3> loop;
  fl_status status = FL_UNSUPPORTED;
  if (index.walk(values, self, offsets, &loop)) {
    status = enqueue(call, name, [=] {
      index.resolve(offsets, stream);
      loop.elements([&](char* const* p) {
        const int64_t offset = *reinterpret_cast<const int64_t*>(p[1]);
        if (offset < 0) return;
        accumulate ? add(p[2] + offset, p[0]) : copy_element(p[2] + offset, p[0], bytes);
      });
    });
  }
  core()->free(call->device, scratch);
  return status;
}

}  // namespace torch_fl_sim
