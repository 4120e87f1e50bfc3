// New tensors of the device.
#pragma once

#include <ATen/core/Tensor.h>

#include "runtime/runtime.h"

namespace torch_fl {

// The device that a factory call means: the one named, else the current one. Throws for an index that does not exist.
int32_t resolve_device(std::optional<at::Device> device);
// Uninitialised tensors (filled where deterministic mode asks for it).
at::Tensor make_empty(c10::IntArrayRef sizes, at::ScalarType dtype, int32_t device,
                      std::optional<at::MemoryFormat> format = std::nullopt);
at::Tensor make_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides, at::ScalarType dtype, int32_t device);

// Grows a storage in place; its bytes stay. Never shrinks.
void grow_storage(at::TensorImpl* self, size_t bytes);
// As at::native::resize_output, then the strides that the operator wants where it was resized.
void resize_out(const at::Tensor& out, c10::IntArrayRef sizes, c10::IntArrayRef strides);

// dst.copy_(src) for any dtypes, layouts and devices, at least one side on flagos. No autograd, no version bump.
void copy_into(const at::Tensor& dst, const at::Tensor& src, bool non_blocking);

}  // namespace torch_fl
