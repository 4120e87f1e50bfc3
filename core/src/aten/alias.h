// Aliases: a tensor of another key over the same bytes. The caller's tensor is never changed.
//
// The rules of a right alias: a storage of its own (views of the alias take their device from it) over the whole of the
// original storage, non-owning, resizable; arguments that share a storage share one alias storage, so that overlap
// checks see what they should; sizes, strides, offset, the wrapped-number, conjugate and negative bits are the
// original's.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <utility>

#include "runtime/runtime.h"

namespace torch_fl {

inline at::StorageImpl* storage_of(const at::Tensor& t) {
  return t.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

// Sizes, strides, offset and the bits that go with them.
void copy_geometry(const at::TensorImpl* from, at::TensorImpl* to);

inline c10::Device device_on(c10::DeviceType type, const at::Tensor& t) {
  return type == c10::DeviceType::CPU || type == c10::DeviceType::Meta ? c10::Device(type)
                                                                       : c10::Device(type, t.device().index());
}

inline void* data_of(at::StorageImpl* storage, bool written) {
  return written ? storage->mutable_data() : const_cast<void*>(storage->data());
}

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

// The device that this thread's allocations for the host key come from, or -1: the host's own.
extern constinit FL_TLS int32_t t_redirect;

// While alive, allocations of this thread for the host key come from the device's memory, so that what a boxed
// operator allocates is memory of the device: counted, limited and protected like any other.
class HostAllocationsOnDevice {
 public:
  explicit HostAllocationsOnDevice(int32_t device) noexcept : previous_(t_redirect) { t_redirect = device; }
  ~HostAllocationsOnDevice() { t_redirect = previous_; }
  HostAllocationsOnDevice(const HostAllocationsOnDevice&) = delete;
  HostAllocationsOnDevice& operator=(const HostAllocationsOnDevice&) = delete;

 private:
  int32_t previous_;
};
// Puts the allocator behind HostAllocationsOnDevice in place; once, for vendors that box to CPU.
void install_host_redirect();

// Aliases that are used again: making an alias costs two allocations, resetting one costs none. A thread has a pool for
// the key that runs operators, and one for Meta, under which plans ask for layouts in between. Never destroyed before
// its thread: a tensor may be freed after the thread's other variables are gone.
struct AliasPool {
  static constexpr size_t kDepth = 8;
  static constexpr int kTypes = 64;

  c10::DeviceType type = c10::DeviceType::CPU;
  uint8_t count[kTypes] = {};
  at::Tensor shells[kTypes][kDepth];

  // Starts over for another key.
  void become(c10::DeviceType other);
};
extern constinit FL_TLS AliasPool* t_pools;
AliasPool* make_pools();

inline AliasPool& alias_pool(c10::DeviceType type) {
  AliasPool* pools = C10_LIKELY(t_pools != nullptr) ? t_pools : make_pools();
  return pools[type == c10::DeviceType::Meta ? 1 : 0];
}

// A fresh alias over `data`, where the original's storage would begin.
at::Tensor alias_over(const at::Tensor& t, void* data, c10::Device device);

// The same out of the thread's pool.
inline at::Tensor borrow_alias_over(const at::Tensor& t, void* data, c10::Device device) {
  AliasPool& p = alias_pool(device.type());
  const int dtype = static_cast<int>(t.scalar_type());
  if (C10_UNLIKELY(p.type != device.type())) p.become(device.type());
  if (C10_UNLIKELY(dtype >= AliasPool::kTypes || p.count[dtype] == 0)) return alias_over(t, data, device);
  at::Tensor alias = std::move(p.shells[dtype][--p.count[dtype]]);
  at::StorageImpl* alias_storage = storage_of(alias);
  alias_storage->set_data_ptr_noswap(at::DataPtr(data, device));
  alias_storage->unsafe_set_nbytes(storage_of(t)->nbytes());
  const at::TensorImpl* from = t.unsafeGetTensorImpl();
  at::TensorImpl* to = alias.unsafeGetTensorImpl();
  constexpr c10::DispatchKeySet bits({c10::DispatchKey::Conjugate, c10::DispatchKey::Negative});
  if (from->sizes() != to->sizes() || from->strides() != to->strides() ||
      from->storage_offset() != to->storage_offset() || from->is_wrapped_number() || to->is_wrapped_number() ||
      (from->key_set() | to->key_set()).has_any(bits))
    copy_geometry(from, to);
  return alias;
}

inline at::Tensor borrow_alias(const at::Tensor& t, c10::DeviceType type, bool written) {
  return borrow_alias_over(t, data_of(storage_of(t), written), device_on(type, t));
}

// Returns an alias to its pool; false, and nothing done, where somebody kept it.
inline bool reclaim(at::Tensor& alias) {
  at::TensorImpl* impl = alias.unsafeGetTensorImpl();
  if (C10_UNLIKELY(alias.use_count() != 1 || impl->unsafe_storage().use_count() != 1)) return false;
  const int dtype = static_cast<int>(alias.scalar_type());
  if (dtype >= AliasPool::kTypes) return true;
  const c10::DeviceType type = storage_of(alias)->device_type();
  AliasPool& p = alias_pool(type);
  // The pointer stays behind: nobody looks at a shell before borrow_alias() has set another.
  if (p.count[dtype] < AliasPool::kDepth && p.type == type) p.shells[dtype][p.count[dtype]++] = std::move(alias);
  return true;
}

// The memory behind an alias that somebody kept lives as long as the alias does.
void keep_alias(const at::Tensor& alias, const at::Tensor& original);

// Returns an alias to its pool, unless somebody kept it.
inline void give_back(at::Tensor&& alias, const at::Tensor& original) {
  if (C10_UNLIKELY(!reclaim(alias))) keep_alias(alias, original);
}

}  // namespace torch_fl
