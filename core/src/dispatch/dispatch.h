// What primitives ask of dispatch.
#pragma once

#include <ATen/core/Tensor.h>

namespace torch_fl {

// dst.copy_(src) between two tensors of one device that differ in dtype, layout or bits: served by the lanes.
void call_copy(const at::Tensor& dst, const at::Tensor& src);
// The whole of dst.copy_(src), by the kernel of a boxing key that is no host, where every such call goes there. False:
// one is elsewhere, or the call is an unusual one; nothing was done.
bool copy_boxed(const at::Tensor& dst, const at::Tensor& src, bool non_blocking);

}  // namespace torch_fl
