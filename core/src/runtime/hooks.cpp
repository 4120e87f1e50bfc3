// What PyTorch asks of the accelerator in general.
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include "runtime/device_memory.h"
#include "runtime/generator.h"

namespace torch_fl {

namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  // True only once a device was used: autograd looks at the current streams of such devices.
  bool hasPrimaryContext(c10::DeviceIndex device) const override { return device_in_use(device); }
  void init() const override { vendor(); }

  c10::DeviceIndex deviceCount() const override { return static_cast<c10::DeviceIndex>(device_count()); }
  c10::DeviceIndex getCurrentDevice() const override { return static_cast<c10::DeviceIndex>(current_device()); }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_current_device(device); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    const auto before = static_cast<c10::DeviceIndex>(current_device());
    if (device != before) set_current_device(device);
    return before;
  }
  // As exchangeDevice, and -1 means "leave it".
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return device < 0 ? static_cast<c10::DeviceIndex>(current_device()) : exchangeDevice(device);
  }

  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override { return default_generator(device); }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    const int32_t index = device < 0 ? current_device() : device;
    check_device(index);
    return make_philox(index);
  }

  at::Device getDeviceFromPtr(void* data) const override {
    const int32_t device = device_of(data);
    TORCH_CHECK(device >= 0, "the pointer ", data, " is not in memory that the flagos allocator made");
    return at::Device(kFlagos, static_cast<c10::DeviceIndex>(device));
  }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  at::Allocator* getPinnedMemoryAllocator() const override { return at::getHostAllocator(kFlagos); }

  // Keeps the bytes that fit. They are moved by the device, in the order of its current stream.
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    auto* impl = storage.unsafeGetStorageImpl();
    TORCH_CHECK(impl->resizable(), "Trying to resize storage that is not resizable");
    const int32_t device = impl->device().index();
    note_work();
    at::DataPtr fresh = allocate(device, bytes);
    const size_t kept = std::min(bytes, impl->nbytes());
    if (kept > 0 && impl->data()) {
      const c10::Stream stream = current_stream(device);
      copy_bytes(fresh.get(), device, impl->data(), device, kept, stream);
      // The old memory may belong to another stream.
      device_allocator()->recordStream(impl->data_ptr(), stream);
    }
    impl->set_data_ptr_noswap(std::move(fresh));
    impl->set_nbytes(bytes);
  }
};

[[maybe_unused]] const bool kRegistered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

}  // namespace
}  // namespace torch_fl
