// What the files of the runtime share: failures, the current device, streams.
#pragma once

#include "hip.h"
#include "torch_fl/vendor_kit.h"

namespace torch_fl_dcu {

using torch_fl_kit::fail, torch_fl_kit::fail_code, torch_fl_kit::guarded;

// The status for a code of HIP; the name of the call and HIP's words go to core with the code. Clears HIP's last error,
// which a later launch would take for its own.
fl_status failed(hipError_t code, const char* call) noexcept;

// Makes `device` the thread's current one for a scope; what was current before, PyTorch's say, comes back.
class OnDevice {
 public:
  explicit OnDevice(int32_t device) noexcept;
  ~OnDevice() {
    if (before_ >= 0) (void)hipSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  fl_status status;  // FL_OK where the device is current

 private:
  int before_ = -1;
};

// A device's default stream, which is null in HIP: an fl_stream never is.
inline fl_stream const kDefaultStream = reinterpret_cast<fl_stream>(uintptr_t{1});
inline hipStream_t stream_of(fl_stream stream) noexcept {
  return stream == kDefaultStream ? nullptr : static_cast<hipStream_t>(stream);
}

fl_status check_device(int32_t device);
fl_status device_synchronize(int32_t device);
// Calls fn(user) on a thread of the host in the stream's order; the device is current.
hipError_t launch_host(hipStream_t stream, void (*fn)(void* user), void* user);

// Each file fills the slots that it serves.
void device_slots(fl_vendor_api& api), memory_slots(fl_vendor_api& api), stream_slots(fl_vendor_api& api);
const fl_ext_module* module_extension() noexcept;
const fl_ext_host_register* host_register_extension() noexcept;
const fl_ext_ipc* ipc_extension() noexcept;
const fl_ext_capture* capture_extension() noexcept;
const fl_ext_key_runtime* key_runtime_extension() noexcept;

}  // namespace torch_fl_dcu

// Returns from the current function where a call of HIP fails: FL_HIP(hipStreamQuery(stream)).
#define FL_HIP(call)                                                                               \
  do {                                                                                             \
    const hipError_t fl_code = (call);                                                             \
    if (__builtin_expect(fl_code != hipSuccess, 0)) return ::torch_fl_dcu::failed(fl_code, #call); \
  } while (false)
// The rest of the function runs on `device`.
#define FL_ON_DEVICE(device)                           \
  const ::torch_fl_dcu::OnDevice fl_on_device(device); \
  if (__builtin_expect(fl_on_device.status != FL_OK, 0)) return fl_on_device.status
// The whole body of a slot that is one call on `device`.
#define FL_ON(device, call) \
  FL_ON_DEVICE(device);     \
  FL_HIP(call);             \
  return FL_OK
