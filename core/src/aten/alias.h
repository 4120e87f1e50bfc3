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
#include <vector>

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
// The same over `data`, where the original's storage would begin.
at::Tensor alias_over(const at::Tensor& t, void* data, c10::Device device);
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

// The tensor behind an alias. It takes the geometry of another tensor over as it stands, where a plain tensor would
// derive contiguity and the like from sizes and strides anew.
class AliasImpl final : public c10::TensorImpl {
 public:
  using c10::TensorImpl::TensorImpl;

  // Becomes `from` over the bytes at `data`, where the storage of `from` would begin.
  void mirror(at::TensorImpl* from, void* data, c10::Device device) {
    at::StorageImpl* own = storage_.unsafeGetStorageImpl();
    at::DataPtr& bytes = own->_mutable_data_ptr_no_checks();
    // Memory that an operator gave the alias is another's by now.
    if (C10_UNLIKELY(!bytes.unsafe_reset_data_and_ctx(data))) bytes = at::DataPtr(data, device);
    bytes.unsafe_set_device(device);
    own->unsafe_set_nbytes(from->unsafe_storage().unsafeGetStorageImpl()->nbytes());
    device_opt_ = device;
    mirror_geometry(from);
  }

  // The same over a storage that is another alias' as well.
  void mirror(at::TensorImpl* from, const c10::Storage& shared) {
    storage_ = shared;
    device_opt_ = shared.device();
    mirror_geometry(from);
  }
  void forget_storage() { storage_ = c10::Storage(); }

  // The device of a plain tensor, without a call.
  static c10::Device device_of(const at::TensorImpl* t) { return *(t->*(&AliasImpl::device_opt_)); }
  // Makes a plain tensor of another key one of `device`; its storage's device is set already.
  static void move_to(at::TensorImpl* t, c10::Device device);

 private:
  // All is read before anything is written: flags that share a byte are one store then.
  [[gnu::hot]] void mirror_geometry(at::TensorImpl* from) {
    using at::MemoryFormat;
    constexpr c10::DispatchKeySet bits({c10::DispatchKey::Conjugate, c10::DispatchKey::Negative});
    const bool images = from->sizes_and_strides().size() >= 4;  // of four dimensions, or of five
    const bool wrapped = from->is_wrapped_number(), dense = from->is_non_overlapping_and_dense_default(),
               contiguous = from->is_contiguous_default(MemoryFormat::Contiguous),
               last = images && from->is_strides_like_default(MemoryFormat::ChannelsLast),
               last_contiguous = images && from->is_contiguous_default(MemoryFormat::ChannelsLast),
               last_3d = images && from->is_strides_like_default(MemoryFormat::ChannelsLast3d),
               last_3d_contiguous = images && from->is_contiguous_default(MemoryFormat::ChannelsLast3d);
    sizes_and_strides_ = from->sizes_and_strides();
    numel_ = from->numel();
    storage_offset_ = from->storage_offset();
    data_type_ = from->dtype();
    key_set_ = (key_set_ - bits) | (from->key_set() & bits);
    is_wrapped_number_ = wrapped;
    is_non_overlapping_and_dense_ = dense;
    is_contiguous_ = contiguous;
    is_channels_last_ = last;
    is_channels_last_contiguous_ = last_contiguous;
    is_channels_last_3d_ = last_3d;
    is_channels_last_3d_contiguous_ = last_3d_contiguous;
  }
};

inline AliasImpl* impl_of(const at::Tensor& alias) { return static_cast<AliasImpl*>(alias.unsafeGetTensorImpl()); }

// True where an operator gave the storage of an alias memory: an alias has none of its own.
inline bool owns_memory(const at::StorageImpl* alias) {
  return alias->data_ptr().get_deleter() != &c10::detail::deleteNothing;
}

// True where nobody but the caller holds the tensor, or its storage.
inline bool sole_owner(const at::Tensor& t) {
  return t.use_count() == 1 && t.unsafeGetTensorImpl()->unsafe_storage().use_count() == 1;
}

// Aliases that are used again: making one costs two allocations, taking over a tensor costs none. A thread has a pool
// per key. The last one back is the next one out: a model has thousands of tensors, and an alias that is kept for one
// of them would be cold when that one is met again.
class AliasPool {
 public:
  // Aliases that a call uses where they lie. A call within the call uses those behind.
  static constexpr uint32_t kPlaces = 32;
  bool can_lend() const { return lent_ < kPlaces; }
  // An alias of `t`, whose storage would begin at `data`, until end_loan().
  at::Tensor& lend(const at::Tensor& t, void* data, c10::Device device) {
    at::Tensor& place = places_[lent_];
    if (C10_LIKELY(place.defined()))
      impl_of(place)->mirror(t.unsafeGetTensorImpl(), data, device);
    else
      place = alias_over(t, data, device);
    lent_++;
    return place;
  }
  // Of the last one that is lent; false: somebody kept it, and the caller empties its place.
  bool end_loan(const at::Tensor& place) {
    lent_--;
    return sole_owner(place);
  }

  // The same, to hold and to reclaim().
  at::Tensor borrow(const at::Tensor& t, void* data, c10::Device device) {
    if (C10_UNLIKELY(spare_.empty())) return alias_over(t, data, device);
    at::Tensor alias = std::move(spare_.back());
    spare_.pop_back();
    impl_of(alias)->mirror(t.unsafeGetTensorImpl(), data, device);
    return alias;
  }
  // An alias of `t` over the storage of another.
  at::Tensor borrow_on(const at::Tensor& t, const at::Tensor& other);

  // Takes one back; false, and nothing done, where somebody kept it.
  bool reclaim(at::Tensor& alias) {
    if (C10_UNLIKELY(!sole_owner(alias))) return false;
    if (C10_LIKELY(spare_.size() < kSpare)) spare_.push_back(std::move(alias));
    return true;
  }
  // One of borrow_on().
  bool reclaim_shared(at::Tensor& alias);

 private:
  static constexpr size_t kSpare = 1024;  // an optimizer's call has lists of hundreds of tensors

  uint32_t lent_ = 0;
  at::Tensor places_[kPlaces];
  std::vector<at::Tensor> spare_;
  std::vector<at::Tensor> bare_;  // without a storage of their own
};
// Of a thread: for the host, for Meta, under which plans ask for layouts, for any other key. Never destroyed before its
// thread: a tensor may be freed after the thread's other variables are gone.
extern constinit FL_TLS AliasPool* t_pools;
AliasPool* make_pools();

inline AliasPool& alias_pool(c10::DeviceType type) {
  AliasPool* pools = C10_LIKELY(t_pools != nullptr) ? t_pools : make_pools();
  return pools[type == c10::DeviceType::CPU ? 0 : type == c10::DeviceType::Meta ? 1 : 2];
}

inline at::Tensor borrow_alias_over(const at::Tensor& t, void* data, c10::Device device) {
  return alias_pool(device.type()).borrow(t, data, device);
}

inline at::Tensor borrow_alias(const at::Tensor& t, c10::DeviceType type, bool written) {
  return borrow_alias_over(t, data_of(storage_of(t), written), device_on(type, t));
}

// Returns an alias to its pool; false, and nothing done, where somebody kept it.
inline bool reclaim(at::Tensor& alias) { return alias_pool(alias.device().type()).reclaim(alias); }

// The memory behind an alias that somebody kept lives as long as the alias does.
void keep_alias(const at::Tensor& alias, const at::Tensor& original);

// Returns an alias to its pool, unless somebody kept it.
inline void give_back(at::Tensor&& alias, const at::Tensor& original) {
  if (C10_UNLIKELY(!reclaim(alias))) keep_alias(alias, original);
}

}  // namespace torch_fl
