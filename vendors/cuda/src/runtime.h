// What the files of the runtime share: failures, contexts, streams.
#pragma once

#include "driver.h"
#include "torch_fl/vendor_kit.h"

namespace torch_fl_cuda {

using torch_fl_kit::fail, torch_fl_kit::fail_code, torch_fl_kit::guarded;

// The status for a code of the driver; the name of the call and the driver's words go to core with the code.
fl_status failed(CUresult code, const char* call) noexcept;

// The primary context of a device, which PyTorch's CUDA runtime uses too. It costs hundreds of MB of the device, so it
// is taken at the first call that needs it, and kept: what it holds may be in use until the process ends.
fl_status context_of(int32_t device, CUcontext* context);
// The driver's handle of a device that exists.
CUdevice device_handle(int32_t device) noexcept;
// The device for calls that need a context and do not care whose: one that has a context already, else the first.
int32_t any_device();

// Makes `device` the thread's current one for a scope; what was current before, PyTorch's say, comes back.
class OnDevice {
 public:
  explicit OnDevice(int32_t device) noexcept;
  ~OnDevice() {
    CUcontext ours = nullptr;
    if (pushed_) (void)driver().cuCtxPopCurrent_v2(&ours);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  fl_status status;  // FL_OK where the device is current

 private:
  bool pushed_ = false;
};

inline CUstream stream_of(fl_stream stream) noexcept { return static_cast<CUstream>(stream); }
inline CUdeviceptr address(const void* ptr) noexcept { return reinterpret_cast<CUdeviceptr>(ptr); }
fl_status device_synchronize(int32_t device);

// Each file fills the slots that it serves.
void device_slots(fl_vendor_api& api), memory_slots(fl_vendor_api& api), stream_slots(fl_vendor_api& api);
const fl_ext_module* module_extension() noexcept;
const fl_ext_host_register* host_register_extension() noexcept;
const fl_ext_ipc* ipc_extension() noexcept;
const fl_ext_capture* capture_extension() noexcept;
const fl_ext_key_runtime* key_runtime_extension() noexcept;

}  // namespace torch_fl_cuda

// Returns from the current function where a call of the driver fails: FL_CU(cuStreamQuery(stream)).
#define FL_CU(call)                                                                                                    \
  do {                                                                                                                 \
    const ::torch_fl_cuda::CUresult fl_code = ::torch_fl_cuda::driver().call;                                          \
    if (__builtin_expect(fl_code != ::torch_fl_cuda::CUDA_SUCCESS, 0)) return ::torch_fl_cuda::failed(fl_code, #call); \
  } while (false)
// The rest of the function runs on `device`.
#define FL_ON_DEVICE(device)                            \
  const ::torch_fl_cuda::OnDevice fl_on_device(device); \
  if (__builtin_expect(fl_on_device.status != FL_OK, 0)) return fl_on_device.status
// The whole body of a slot that is one call on `device`.
#define FL_ON(device, call) \
  FL_ON_DEVICE(device);     \
  FL_CU(call);              \
  return FL_OK
