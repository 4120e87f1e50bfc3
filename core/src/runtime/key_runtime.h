// The runtime of the boxing key, where the vendor's device is that key's device too (the extension "key_runtime"): its
// allocator, streams, current device and generators are PyTorch's own, and flagos only names them anew. Tensors of both
// then share one pool of memory and one order of work. Reached through c10's interfaces for any device.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "runtime/runtime.h"

namespace torch_fl {

class KeyRuntime {
 public:
  KeyRuntime(c10::DeviceType type, int32_t device_count, const fl_ext_key_runtime* extension);

  const c10::DeviceType type;
  const c10::impl::VirtualGuardImpl guard;
  c10::DeviceAllocator* const allocator;
  const bool single;  // there is one device, so that none has to be made current

  c10::Device device(int32_t index) const { return {type, static_cast<c10::DeviceIndex>(index)}; }
  // A stream of flagos as the key's, and back: the ids are the same.
  c10::Stream theirs(c10::Stream stream) const {
    return c10::Stream(c10::Stream::UNSAFE, device(stream.device_index()), stream.id());
  }
  static c10::Stream ours(c10::Stream stream) {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(kFlagos, stream.device_index()), stream.id());
  }
  // The vendor's handle of a stream of the key.
  fl_stream handle(c10::Stream theirs) const;

  at::DataPtr allocate(int32_t index, size_t bytes) const;
  // Of an address that the key's allocator made.
  int32_t device_of(void* ptr) const;
  bool is_pinned(const void* ptr) const;
  const at::Generator& default_generator(int32_t index) const;
  at::Generator new_generator(int32_t index) const;

 private:
  const fl_ext_key_runtime* extension_;
};

// Null where the device has a runtime of its own.
FL_API extern std::atomic<const KeyRuntime*> g_key_runtime;
inline const KeyRuntime* key_runtime() noexcept { return g_key_runtime.load(std::memory_order_acquire); }
// While the vendor is loaded: takes the key's runtime where the vendor shares it and this PyTorch has the key.
void share_key_runtime(const Vendor& vendor);

}  // namespace torch_fl
