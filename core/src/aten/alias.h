// Aliases: a tensor of another key over the same bytes. The caller's tensor is never changed.
//
// The rules of a right alias: a storage of its own (views of the alias take their device from it) over the whole of the
// original storage, non-owning, resizable; arguments that share a storage share one alias storage, so that overlap
// checks see what they should; sizes, strides, offset, the wrapped-number, conjugate and negative bits are the
// original's.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include "runtime/runtime.h"

namespace torch_fl {

inline at::StorageImpl* storage_of(const at::Tensor& t) {
  return t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

// Sizes, strides, offset and the bits that go with them.
void copy_geometry(const at::TensorImpl* from, at::TensorImpl* to);

// A fresh alias of `t` for `type` (CPU, Meta, a boxing key). `written`: copy-on-write data is made our own first.
at::Tensor make_alias(const at::Tensor& t, c10::DeviceType type, bool written = false);
// An alias of `t` over the alias storage of another tensor of the same storage.
at::Tensor make_alias_on(const at::Tensor& t, const at::Tensor& other_alias);

// The reverse: a fresh result of the other key becomes a tensor of flagos:`device`, without a copy where the memory
// is the device's already.
at::Tensor adopt(at::Tensor&& fresh, int32_t device);
// A tensor of flagos over `storage` with the geometry and dtype of `like`.
at::Tensor wrap(const c10::Storage& storage, const at::Tensor& like);

// Moves a storage that an operator reallocated behind the alias `from` into the original `to`.
void take_storage(at::StorageImpl* from, at::StorageImpl* to, int32_t device);

// While alive, allocations of this thread for the host key come from the device's memory, so that what a boxed
// operator allocates is memory of the device: counted, limited and protected like any other.
class HostAllocationsOnDevice {
 public:
  explicit HostAllocationsOnDevice(int32_t device) noexcept;
  ~HostAllocationsOnDevice();
  HostAllocationsOnDevice(const HostAllocationsOnDevice&) = delete;
  HostAllocationsOnDevice& operator=(const HostAllocationsOnDevice&) = delete;

 private:
  int32_t previous_;
};
// Puts the allocator behind HostAllocationsOnDevice in place; once, for vendors that box to CPU.
void install_host_redirect();

// A pool of aliases that are used again: making an alias costs two allocations, resetting one costs none.
// borrow() and give_back() are per thread.
at::Tensor borrow_alias(const at::Tensor& t, c10::DeviceType type, bool written);
// The same over other memory than the original's: a host copy, which starts where the original's storage would.
at::Tensor borrow_alias_over(const at::Tensor& t, void* data, c10::Device device);
// Returns an alias to the pool, unless somebody kept it; then its memory is made to live as long as it does.
void give_back(at::Tensor&& alias, const at::Tensor& original);
// Returns an alias to the pool; false, and nothing done, where somebody kept it.
bool reclaim(at::Tensor& alias);

}  // namespace torch_fl
