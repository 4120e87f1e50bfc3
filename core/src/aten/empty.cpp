// empty.memory_format, empty_strided.
#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/TensorFactories.h>
#include <torch/library.h>

#include "aten/alias.h"
#include "aten/make.h"
#include "dispatch/registry.h"

namespace torch_fl {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

// The allocator allocates on the current device; factories name theirs.
class CurrentDevice {
 public:
  explicit CurrentDevice(int32_t device) : previous_(current_device()), changed_(previous_ != device) {
    if (C10_UNLIKELY(changed_)) set_current_device(device);
  }
  ~CurrentDevice() {
    if (C10_UNLIKELY(changed_)) set_current_device(previous_);
  }

 private:
  int32_t previous_;
  bool changed_;
};

at::Tensor fill_if_deterministic(at::Tensor t) {
  if (C10_UNLIKELY(at::globalContext().deterministicAlgorithms() &&
                   at::globalContext().deterministicFillUninitializedMemory() && t.numel() != 0)) {
    at::Tensor host = at::detail::empty_cpu(t.sizes(), t.scalar_type());
    at::native::fill_empty_deterministic_(host);
    copy_into(t, host, false);
  }
  return t;
}

void check_options(std::optional<at::Layout> layout, std::optional<bool> pin_memory) {
  TORCH_CHECK(c10::layout_or_default(layout) == at::kStrided, "flagos makes strided tensors; got layout ", *layout,
              ". Make a dense tensor and convert it.");
  TORCH_CHECK(!c10::pinned_memory_or_default(pin_memory), "Only dense CPU tensors can be pinned");
}

at::Tensor empty_memory_format(c10::SymIntArrayRef sizes, std::optional<at::ScalarType> dtype,
                               std::optional<at::Layout> layout, std::optional<at::Device> device,
                               std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format) {
  check_options(layout, pin_memory);
  return fill_if_deterministic(
      make_empty(C10_AS_INTARRAYREF_SLOW(sizes), c10::dtype_or_default(dtype), resolve_device(device), format));
}

at::Tensor empty_strided(c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> layout, std::optional<at::Device> device,
                         std::optional<bool> pin_memory) {
  check_options(layout, pin_memory);
  return fill_if_deterministic(make_strided(C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides),
                                            c10::dtype_or_default(dtype), resolve_device(device)));
}

// A module that moves to the device keeps its Parameter objects, and with them tied weights and optimizers: as on CUDA,
// their data is set to the new tensor. PyTorch's own answer knows the devices in its tree.
bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  const auto plain = [](const at::Tensor& t) {
    return t.layout() == at::kStrided && !t.is_nested() && !t.is_quantized() &&
           !t.unsafeGetTensorImpl()->is_python_dispatch();
  };
  return plain(self) && plain(from);
}

}  // namespace

int32_t resolve_device(std::optional<at::Device> device) {
  require_routes();
  const int32_t index = device.has_value() && device->has_index() ? device->index() : current_device();
  const int32_t count = vendor().device_count;
  TORCH_CHECK(index >= 0 && index < count, "flagos:", index, " does not exist: there ", count == 1 ? "is " : "are ",
              count, count == 1 ? " device" : " devices", ", flagos:0",
              count > 1 ? c10::str(" to flagos:", count - 1) : "");
  return index;
}

at::Tensor make_empty(c10::IntArrayRef sizes, at::ScalarType dtype, int32_t device,
                      std::optional<at::MemoryFormat> format) {
  CurrentDevice guard(device);
  return at::detail::empty_generic(sizes, device_allocator(), kKeys, dtype, format);
}

at::Tensor make_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides, at::ScalarType dtype, int32_t device) {
  CurrentDevice guard(device);
  return at::detail::empty_strided_generic(sizes, strides, device_allocator(), kKeys, dtype);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty_memory_format));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(has_compatible_shallow_copy_type));
}

}  // namespace torch_fl
