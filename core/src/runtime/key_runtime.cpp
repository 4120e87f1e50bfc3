#include "runtime/key_runtime.h"

#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>
#include <torch/headeronly/version.h>

#include "runtime/state.h"

namespace torch_fl {

std::atomic<const KeyRuntime*> g_key_runtime{nullptr};

KeyRuntime::KeyRuntime(c10::DeviceType type, int32_t device_count, const fl_ext_key_runtime* extension)
    : type(type),
      guard(type),
      allocator(c10::getDeviceAllocator(type)),
      single(device_count == 1),
      extension_(extension) {}

fl_stream KeyRuntime::handle(c10::Stream theirs) const {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
  // A thread mostly asks for the stream that it asked for last.
  struct Known {
    c10::StreamId id = -1;
    c10::DeviceIndex device = -1;
    fl_stream handle = nullptr;
  };
  thread_local Known known;
  const c10::DeviceIndex index = theirs.device_index();
  if (C10_LIKELY(known.handle != nullptr && known.id == theirs.id() && known.device == index)) return known.handle;
  fl_stream handle = nullptr;
  FL_CHECK(extension_->adopt_stream(index, guard.getStreamNativeHandle(theirs), &handle),
           "adopt_stream(device=", static_cast<int>(index), ", stream=", theirs.id(), ")");
  known = {theirs.id(), index, handle};
  return handle;
#else
  TORCH_CHECK_NOT_IMPLEMENTED(false, "torch ", TORCH_VERSION, " does not tell the handles of its streams, which ",
                              vendor().facts.name, " shares; it needs torch 2.11 or newer");
#endif
}

at::DataPtr KeyRuntime::allocate(int32_t index, size_t bytes) const {
  c10::OptionalDeviceGuard on;
  if (C10_UNLIKELY(!single)) on.reset_device(device(index));
  at::DataPtr data = allocator->allocate(bytes);
  data.unsafe_set_device(c10::Device(kFlagos, static_cast<c10::DeviceIndex>(index)));
  return data;
}

int32_t KeyRuntime::device_of(void* ptr) const { return at::globalContext().getDeviceFromPtr(ptr, type).index(); }

bool KeyRuntime::is_pinned(const void* ptr) const { return at::globalContext().isPinnedPtr(ptr, type); }

const at::Generator& KeyRuntime::default_generator(int32_t index) const {
  return at::globalContext().defaultGenerator(device(index));
}

at::Generator KeyRuntime::new_generator(int32_t index) const {
  return at::globalContext().getAcceleratorHooksInterface(type).getNewGenerator(static_cast<c10::DeviceIndex>(index));
}

void share_key_runtime(const Vendor& vendor) {
  if (!vendor.key_ready || vendor.api.get_extension == nullptr) return;
  const auto* extension = static_cast<const fl_ext_key_runtime*>(vendor.api.get_extension("key_runtime", 1));
  if (extension == nullptr) return;
  g_key_runtime.store(new KeyRuntime(*vendor.facts.boxing, vendor.device_count, extension), std::memory_order_release);
  // A seed that was given before now reaches the key's generators, which its kernels draw from without asking ours.
  for (int32_t device = 0; device < vendor.device_count; device++) torch_fl::default_generator(device);
}

}  // namespace torch_fl
