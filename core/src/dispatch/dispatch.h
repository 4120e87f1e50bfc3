// What primitives ask of dispatch.
#pragma once

#include <ATen/core/Tensor.h>

namespace torch_fl {

// dst.copy_(src) between two tensors of one device that differ in dtype, layout or bits: served by the lanes.
void call_copy(const at::Tensor& dst, const at::Tensor& src);

}  // namespace torch_fl
