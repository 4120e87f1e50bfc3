// Reading the arguments of a call, and memory for its duration.
#pragma once

#include "kernels/launch.h"
#include "kernels/types.h"

namespace torch_fl_dcu {

using torch_fl_kit::item, torch_fl_kit::numel, torch_fl_kit::same_dtype, torch_fl_kit::same_sizes,
    torch_fl_kit::to_double, torch_fl_kit::wrap_dim, torch_fl_kit::require, torch_fl_kit::unsupported;

constexpr int kMaxRank = 8;  // [limits] max_rank of vendor.toml

inline bool is_none(const fl_value* v) { return v->kind == FL_NONE; }
inline bool is_tensor(const fl_value* v) { return v->kind == FL_TENSOR; }
inline const fl_tensor& tensor_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.tensor; }
inline const fl_tensor& tensor_out(const fl_call* call, int32_t i) { return fl_out(call, i)->v.tensor; }
inline int64_t int_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.i; }
inline bool bool_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.i != 0; }
inline double double_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.d; }
inline const fl_scalar& scalar_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.scalar; }
inline const fl_list& list_arg(const fl_call* call, int32_t i) { return fl_arg(call, i)->v.list; }

inline int64_t byte_stride(const fl_tensor& t, int32_t dim) {
  return t.strides[dim] * static_cast<int64_t>(fl_dtype_size(t.dtype));
}
// The address of an optional tensor, or null.
inline void* optional_data(const fl_value* v) { return is_tensor(v) ? v->v.tensor.data : nullptr; }

// Device memory until the end of the call: what is enqueued by then may use it, the allocator is ordered by stream.
class Scratch {
 public:
  Scratch(const fl_call* call, size_t bytes) : device_(call->device) {
    require(torch_fl_kit::core()->alloc(call->device, call->stream, bytes, &data_));
  }
  ~Scratch() { torch_fl_kit::core()->free(device_, data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return data_; }

 private:
  int32_t device_;
  void* data_ = nullptr;
};

}  // namespace torch_fl_dcu
