#include "aten/sparse.h"

#include <ATen/NestedTensorImpl.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceGuard.h>

#include "runtime/runtime.h"

namespace torch_fl {
namespace {

using at::SparseCsrTensorImpl;
using at::SparseTensorImpl;
using at::native::NestedTensorImpl;
using c10::DispatchKey;

template <class Impl>
Impl* impl_of(const at::Tensor& t) {
  return static_cast<Impl*>(t.unsafeGetTensorImpl());
}

void set_parts(SparseTensorImpl* to, const SparseTensorImpl* from, const Parts& parts) {
  if (to->sizes() != from->sizes() || to->sparse_dim() != from->sparse_dim() || to->dense_dim() != from->dense_dim())
    to->raw_resize_(from->sparse_dim(), from->dense_dim(), from->sizes());
  if (!to->indices().is_same(parts[0]) || !to->values().is_same(parts[1]))
    to->set_indices_and_values_unsafe(parts[0], parts[1]);
  if (to->coalesced() != from->coalesced()) to->set_coalesced(from->coalesced());
}

void set_parts(SparseCsrTensorImpl* to, const SparseCsrTensorImpl* from, const Parts& parts) {
  if (to->sizes() != from->sizes() || !to->compressed_indices().is_same(parts[0]) ||
      !to->plain_indices().is_same(parts[1]) || !to->values().is_same(parts[2]))
    to->set_member_tensors(parts[0], parts[1], parts[2], from->sizes());
}

// The structure of a nested tensor is read on the host. What a boxed op allocated for it is memory of the device.
at::Tensor host_structure(const at::Tensor& t, c10::Device device) {
  at::StorageImpl* from = t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  if (device.type() != kFlagos ||
      from->_mutable_data_ptr_no_checks().get_deleter() != device_allocator()->raw_deleter())
    return t;
  const size_t bytes = from->nbytes();
  auto to = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, c10::GetCPUAllocator(),
                                                  /*resizable=*/true);
  if (bytes != 0) {
    attach(device.index());
    FL_CHECK(
        vendor().api.memcpy_sync(to->mutable_data(), bytes, -1, from->data(), bytes, device.index(), bytes, FL_D2H),
        "memcpy(device=", device.index(), ", bytes=", bytes, ", device to host)");
  }
  at::Tensor host = at::detail::make_tensor_base<at::TensorImpl>(c10::Storage(std::move(to)),
                                                                 c10::DispatchKeySet(DispatchKey::CPU), t.dtype());
  host.unsafeGetTensorImpl()->set_sizes_and_strides(t.sizes(), t.strides(), t.storage_offset());
  return host;
}

}  // namespace

Parts parts_of(const at::Tensor& t) {
  if (t.is_sparse()) {
    const auto* impl = impl_of<SparseTensorImpl>(t);
    return {impl->indices(), impl->values()};
  }
  if (t.is_nested()) return {impl_of<NestedTensorImpl>(t)->get_unsafe_storage_as_tensor()};
  const auto* impl = impl_of<SparseCsrTensorImpl>(t);
  return {impl->compressed_indices(), impl->plain_indices(), impl->values()};
}

at::Tensor compose(const at::Tensor& like, c10::Device device, const Parts& parts) {
  if (like.is_nested()) {
    const auto* impl = impl_of<NestedTensorImpl>(like);
    return at::detail::make_tensor<NestedTensorImpl>(parts[0], host_structure(impl->get_nested_sizes(), device),
                                                     host_structure(impl->get_nested_strides(), device),
                                                     host_structure(impl->get_storage_offsets(), device));
  }
  // PyTorch makes empty parts first, on the current device, and takes that for the tensor's.
  const c10::OptionalDeviceGuard guard(device.has_index() ? std::optional<c10::Device>(device) : std::nullopt);
  if (like.is_sparse()) {
    at::Tensor t = at::detail::make_tensor<SparseTensorImpl>(
        c10::DispatchKeySet(key_on(DispatchKey::Sparse, device.type())), like.dtype());
    set_parts(impl_of<SparseTensorImpl>(t), impl_of<SparseTensorImpl>(like), parts);
    return t;
  }
  at::Tensor t = at::detail::make_tensor<SparseCsrTensorImpl>(
      c10::DispatchKeySet(key_on(DispatchKey::SparseCsr, device.type())), device, like.layout(), like.dtype());
  set_parts(impl_of<SparseCsrTensorImpl>(t), impl_of<SparseCsrTensorImpl>(like), parts);
  return t;
}

void recompose(const at::Tensor& to, const at::Tensor& from, const Parts& parts) {
  if (to.is_sparse())
    set_parts(impl_of<SparseTensorImpl>(to), impl_of<SparseTensorImpl>(from), parts);
  else if (!to.is_nested())  // a nested tensor keeps its structure for life
    set_parts(impl_of<SparseCsrTensorImpl>(to), impl_of<SparseCsrTensorImpl>(from), parts);
}

}  // namespace torch_fl
