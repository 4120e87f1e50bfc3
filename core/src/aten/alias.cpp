#include "aten/alias.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/TensorOptions.h>

#include <utility>

namespace torch_fl {
namespace {

c10::DispatchKeySet keys_of(c10::DeviceType type) {
  switch (type) {
    case c10::DeviceType::CPU:
      return c10::DispatchKeySet(c10::DispatchKey::CPU);
    case c10::DeviceType::Meta:
      return c10::DispatchKeySet(c10::DispatchKey::Meta);
    default:
      return c10::DispatchKeySet(c10::computeDispatchKey(std::nullopt, std::nullopt, c10::Device(type, 0)));
  }
}

class RedirectingAllocator final : public c10::Allocator {
 public:
  explicit RedirectingAllocator(c10::Allocator* host) : host_(host) {}
  at::DataPtr allocate(size_t bytes) override {
    if (C10_LIKELY(t_redirect < 0)) return host_->allocate(bytes);
    at::DataPtr data = torch_fl::allocate(t_redirect, bytes);
    data.unsafe_set_device(c10::Device(c10::DeviceType::CPU));
    return data;
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return t_redirect < 0 ? host_->raw_deleter() : device_allocator()->raw_deleter();
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { host_->copy_data(to, from, bytes); }

 private:
  c10::Allocator* host_;
};

}  // namespace

constinit FL_TLS int32_t t_redirect = -1;
constinit FL_TLS AliasPool* t_pools = nullptr;

AliasPool* make_pools() {
  thread_local struct Owner {
    ~Owner() {
      delete[] t_pools;
      t_pools = nullptr;
    }
  } owner;
  (void)owner;
  return t_pools = new AliasPool[3];
}

at::Tensor AliasPool::borrow_on(const at::Tensor& t, const at::Tensor& other) {
  if (bare_.empty()) return make_alias_on(t, other);
  at::Tensor alias = std::move(bare_.back());
  bare_.pop_back();
  impl_of(alias)->mirror(t.unsafeGetTensorImpl(), other.unsafeGetTensorImpl()->unsafe_storage());
  return alias;
}

bool AliasPool::reclaim_shared(at::Tensor& alias) {
  if (C10_UNLIKELY(alias.use_count() != 1)) return false;
  if (bare_.size() == kSpare) return true;
  impl_of(alias)->forget_storage();
  bare_.push_back(std::move(alias));
  return true;
}

// As _change_backend_component_keys() does, which looks its sets up anew; and the device, which
// set_storage_keep_dtype() would take from the storage.
[[gnu::hot]] void AliasImpl::move_to(at::TensorImpl* t, c10::Device device) {
  const auto bits = [](c10::DeviceType type) {
    const c10::DispatchKey dense = c10::computeDispatchKey(std::nullopt, std::nullopt, c10::Device(type, 0));
    const c10::BackendComponent backend = c10::toBackendComponent(dense);
    return (c10::DispatchKeySet(backend) | c10::getAutocastRelatedKeySetFromBackend(backend)).raw_repr();
  };
  c10::DispatchKeySet& keys = t->*(&AliasImpl::key_set_);
  std::optional<c10::Device>& place = t->*(&AliasImpl::device_opt_);
  const c10::DeviceType from = place->type();
  static const c10::DeviceType usual = from;  // the key that this process boxes to
  static const uint64_t drop = bits(usual), add = bits(kFlagos);
  const uint64_t dropped = C10_LIKELY(from == usual) ? drop : bits(from);
  keys = c10::DispatchKeySet(c10::DispatchKeySet::RAW, (keys.raw_repr() & ~dropped) | add);
  place = device;
}

void copy_geometry(const at::TensorImpl* from, at::TensorImpl* to) {
  to->set_sizes_and_strides(from->sizes(), from->strides(), from->storage_offset());
  if (C10_UNLIKELY(from->is_wrapped_number() != to->is_wrapped_number()))
    to->set_wrapped_number(from->is_wrapped_number());
  if (C10_UNLIKELY(from->is_conj() != to->is_conj())) to->_set_conj(from->is_conj());
  if (C10_UNLIKELY(from->is_neg() != to->is_neg())) to->_set_neg(from->is_neg());
}

at::Tensor alias_over(const at::Tensor& t, void* data, c10::Device device) {
  // An ordinary tensor whatever the mode: it may be used again in the other one.
  c10::InferenceMode ordinary(false);
  auto alias_storage =
      c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), storage_of(t)->nbytes(),
                                            at::DataPtr(data, device), c10::GetAllocator(device.type()),
                                            /*resizable=*/true);
  at::Tensor alias = at::detail::make_tensor_base<AliasImpl>(c10::Storage(std::move(alias_storage)),
                                                             keys_of(device.type()), t.dtype());
  copy_geometry(t.unsafeGetTensorImpl(), alias.unsafeGetTensorImpl());
  return alias;
}

at::Tensor make_alias(const at::Tensor& t, c10::DeviceType type, bool written) {
  return alias_over(t, data_of(storage_of(t), written), device_on(type, t));
}

at::Tensor make_alias_on(const at::Tensor& t, const at::Tensor& other_alias) {
  c10::InferenceMode ordinary(false);
  at::Tensor alias =
      at::detail::make_tensor_base<AliasImpl>(c10::Storage(other_alias.unsafeGetTensorImpl()->unsafe_storage()),
                                              keys_of(other_alias.device().type()), t.dtype());
  copy_geometry(t.unsafeGetTensorImpl(), alias.unsafeGetTensorImpl());
  return alias;
}

at::Tensor wrap(const c10::Storage& storage, const at::Tensor& like) {
  at::Tensor t = at::detail::make_tensor_base<at::TensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), like.dtype());
  copy_geometry(like.unsafeGetTensorImpl(), t.unsafeGetTensorImpl());
  return t;
}

namespace {

// The memory of `data` becomes the device's: by its label where core's allocator made it, else by a copy (memory that
// a library made on its own is not the device's).
void own(at::StorageImpl* storage, int32_t device) {
  at::DataPtr& data = storage->_mutable_data_ptr_no_checks();
  const c10::Device flagos(kFlagos, static_cast<c10::DeviceIndex>(device));
  static const c10::DeleterFnPtr ours = device_allocator()->raw_deleter();
  if (C10_UNLIKELY(data.get() != nullptr && data.get_deleter() != ours) &&
      storage->device_type() == c10::DeviceType::CPU) {
    const size_t bytes = storage->nbytes();
    at::DataPtr fresh = torch_fl::allocate(device, bytes);
    attach(device);
    FL_CHECK(vendor().api.memcpy_sync(fresh.get(), bytes, device, data.get(), bytes, -1, bytes, FL_H2D),
             "memcpy(device=", device, ", bytes=", bytes, ", host to device)");
    storage->set_data_ptr_noswap(std::move(fresh));
  } else {
    data.unsafe_set_device(flagos);
  }
}

}  // namespace

[[gnu::hot]] at::Tensor adopt(at::Tensor&& fresh, int32_t device) {
  static c10::Allocator* const allocator = device_allocator();
  at::TensorImpl* impl = fresh.unsafeGetTensorImpl();
  at::StorageImpl* storage = impl->unsafe_storage().unsafeGetStorageImpl();
  const c10::Device flagos(kFlagos, static_cast<c10::DeviceIndex>(device));
  const c10::DeviceType made_on = storage->device_type();
  if (made_on != kFlagos) {
    if (made_on == c10::DeviceType::CPU)
      own(storage, device);
    else
      storage->_mutable_data_ptr_no_checks().unsafe_set_device(flagos);
    storage->set_allocator(allocator);
  }
  if (C10_UNLIKELY(fresh.use_count() != 1)) return wrap(impl->unsafe_storage(), fresh);
  AliasImpl::move_to(impl, flagos);
  return std::move(fresh);
}

void take_storage(at::StorageImpl* from, at::StorageImpl* to, int32_t device) {
  own(from, device);
  at::DataPtr data = from->set_data_ptr(at::DataPtr(nullptr, c10::Device(c10::DeviceType::CPU)));
  const size_t bytes = from->nbytes();
  from->set_nbytes(0);
  to->set_data_ptr_noswap(std::move(data));
  to->set_nbytes(bytes);
}

void install_host_redirect() {
  static RedirectingAllocator* const redirect = new RedirectingAllocator(c10::GetCPUAllocator());
  c10::SetCPUAllocator(redirect);
}

void keep_alias(const at::Tensor& alias, const at::Tensor& original) {
  at::StorageImpl* storage = storage_of(alias);
  if (storage->data() != storage_of(original)->data() || storage->data() == nullptr) return;
  auto* keeper = new c10::Storage(original.unsafeGetTensorImpl()->unsafe_storage());
  storage->set_data_ptr_noswap(at::DataPtr(
      const_cast<void*>(storage->data()), keeper, [](void* k) { delete static_cast<c10::Storage*>(k); },
      storage->device()));
}

}  // namespace torch_fl
