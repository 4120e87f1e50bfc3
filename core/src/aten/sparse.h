// Tensors that PyTorch composes of strided ones: sparse (by coordinates), sparse compressed (CSR, CSC, BSR, BSC) and
// nested. On another device they are the same structure over other parts.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/SmallVector.h>

namespace torch_fl {

using Parts = c10::SmallVector<at::Tensor, 3>;

inline bool is_composed(const at::Tensor& t) {
  constexpr c10::DispatchKeySet kComposed(
      {c10::DispatchKey::Sparse, c10::DispatchKey::SparseCsr, c10::DispatchKey::NestedTensor});
  return t.unsafeGetTensorImpl()->key_set().has_any(kComposed);
}

// The key of a functionality (Dense, Sparse, SparseCsr, NestedTensor) on a device.
inline c10::DispatchKey key_on(c10::DispatchKey functionality, c10::DeviceType type) {
  const c10::DispatchKey dense = c10::computeDispatchKey(std::nullopt, std::nullopt, c10::Device(type));
  return c10::toRuntimePerBackendFunctionalityKey(functionality, c10::toBackendComponent(dense));
}

// The strided tensors that hold the elements: (indices, values), (compressed indices, plain indices, values), (buffer).
Parts parts_of(const at::Tensor& t);
// A new tensor like `t` on `device`, over `parts`, which are there.
at::Tensor compose(const at::Tensor& like, c10::Device device, const Parts& parts);
// Gives `to` the sizes and flags of `from`, over `parts`, which are on `to`'s device: what an in-place op did to a
// stand-in.
void recompose(const at::Tensor& to, const at::Tensor& from, const Parts& parts);

}  // namespace torch_fl
