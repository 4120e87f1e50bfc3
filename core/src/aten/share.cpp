#include "aten/share.h"

#include <c10/core/InferenceMode.h>

#include <utility>

#include "aten/alias.h"
#include "runtime/key_runtime.h"
#include "runtime/twin_storage.h"

namespace torch_fl {
namespace {

void share_version(const at::Tensor& from, const at::Tensor& to) {
  if (from.is_inference()) return;  // it has none, and its alias is one, too
  to.unsafeGetTensorImpl()->set_version_counter(from.unsafeGetTensorImpl()->version_counter());
}

void check_shareable(const at::Tensor& t, const char* function) {
  TORCH_CHECK(!t.requires_grad(), "torch_fl.", function,
              ": the tensor requires grad, and autograd would not see what is done to the other one; give it "
              "tensor.detach()");
  const at::TensorImpl* impl = t.unsafeGetTensorImpl();
  TORCH_CHECK_TYPE(t.layout() == at::kStrided && !t.is_nested() && !t.is_quantized() && impl->has_storage() &&
                       !impl->key_set().has(c10::DispatchKey::Python),
                   "torch_fl.", function, ": only a plain strided tensor has one memory to share, not a ",
                   t.toString());
}

// Resizing would free memory that the other one has: it is an error from now on, as after tensor.numpy().
at::Tensor lent(const at::Tensor& t, at::Tensor&& alias) {
  storage_of(t)->set_resizable(false);
  return std::move(alias);
}

c10::Device device_behind(const at::Tensor& t) {
  int32_t index = key_runtime() != nullptr ? t.device().index() : device_of(storage_of(t)->data());
  if (index < 0) index = current_device();  // without any memory
  return c10::Device(kFlagos, static_cast<c10::DeviceIndex>(index));
}

}  // namespace

c10::DeviceType sharing_key() {
  const Vendor& v = vendor();
  TORCH_CHECK_NOT_IMPLEMENTED(v.key_ready, "torch_fl[", v.facts.name, "]: ",
                              v.facts.boxing.has_value() ? "this PyTorch is built without the vendor's boxing key"
                                                         : "the vendor has no boxing key",
                              ", so that no other device of PyTorch sees its memory; copy with tensor.to(\"cpu\"), or "
                              "lend it to a library that "
                              "knows the device with torch.utils.dlpack");
  return *v.facts.boxing;
}

at::Tensor alias_on_key(const at::Tensor& t, c10::DeviceType type) {
  const c10::Device device = device_on(type, t);
  const c10::InferenceMode as_it(t.is_inference());
  at::Tensor alias = at::detail::make_tensor_base<at::TensorImpl>(
      twin_on_key(t.storage(), device),
      c10::DispatchKeySet(c10::computeDispatchKey(std::nullopt, std::nullopt, device)), t.dtype());
  copy_geometry(t.unsafeGetTensorImpl(), alias.unsafeGetTensorImpl());
  share_version(t, alias);
  return alias;
}

at::Tensor alias_on_flagos(const at::Tensor& t) {
  c10::StorageImpl* storage = storage_of(t);
  c10::Storage ours = original_of(storage);
  TORCH_CHECK(!ours || (ours.data() == storage->data() && ours.nbytes() >= storage->nbytes()),
              "torch_fl: the tensor of flagos whose memory this one shares has got other memory since");
  const c10::InferenceMode as_it(t.is_inference());
  at::Tensor alias = wrap(ours ? ours : twin_on_flagos(t.storage(), device_behind(t)), t);
  share_version(t, alias);
  return alias;
}

void keep_with(const at::Tensor& ours, std::shared_ptr<void> other) {
  live_as_long(storage_of(ours), std::move(other));
}

at::Tensor share_as_key(const at::Tensor& t) {
  const c10::DeviceType type = sharing_key();
  TORCH_CHECK_VALUE(t.device().type() == kFlagos, "torch_fl.as_key: expected a tensor of flagos, got one of ",
                    t.device());
  check_shareable(t, "as_key");
  // The host does not wait for the device's streams by itself.
  if (type == c10::DeviceType::CPU) synchronize_stream(current_stream(t.device().index()));
  return lent(t, alias_on_key(t, type));
}

at::Tensor share_as_flagos(const at::Tensor& t) {
  const c10::DeviceType type = sharing_key();
  TORCH_CHECK_VALUE(t.device().type() == type, "torch_fl.from_key: expected a tensor of ",
                    c10::DeviceTypeName(type, /*lower_case=*/true), ", got one of ", t.device());
  check_shareable(t, "from_key");
  TORCH_CHECK_VALUE(is_device_memory(t),
                    "torch_fl.from_key: the tensor's memory is the host's and not the device's; copy it with "
                    "tensor.to(\"flagos\")");
  return lent(t, alias_on_flagos(t));
}

bool is_device_memory(const at::Tensor& t) {
  const c10::StorageImpl* storage = storage_of(t);
  return key_runtime() != nullptr || storage->nbytes() == 0 || device_of(storage->data()) >= 0;
}

void graph_has_run() { revoke_twins(); }

bool mirrors(const at::Tensor& alias, const at::Tensor& t) {
  return are_twins(storage_of(alias), storage_of(t)) && alias.dtype() == t.dtype() &&
         alias.storage_offset() == t.storage_offset() && alias.sizes() == t.sizes() && alias.strides() == t.strides() &&
         alias.is_conj() == t.is_conj() && alias.is_neg() == t.is_neg();
}

bool relabel(const at::Tensor& t, int32_t device) {
  at::TensorImpl* impl = t.unsafeGetTensorImpl();
  const c10::Storage& held = impl->unsafe_storage();
  // Compilers remember by weak references which of a graph's outputs are alive. All strong ones count as a weak one.
  if (t.use_count() != 1 || held.use_count() != 1 || held.getWeakStorageImpl().weak_use_count() != 2) return false;
  at::StorageImpl* storage = held.unsafeGetStorageImpl();
  const c10::Device ours = device_behind(t);
  at::DataPtr& data = storage->_mutable_data_ptr_no_checks();
  if (ours.index() != device || (data.get() != nullptr && data.get_deleter() != device_allocator()->raw_deleter()))
    return false;
  data.unsafe_set_device(ours);
  storage->set_allocator(device_allocator());
  impl->_change_backend_component_keys(ours);
  // Set anew, the tensor takes its device from its storage.
  impl->set_storage_keep_dtype(std::move(const_cast<c10::Storage&>(held)));
  return true;
}

}  // namespace torch_fl
