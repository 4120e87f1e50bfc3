// The library's one exported function, and how failures reach core.
#include "runtime.h"

#include <cstring>

#include "torch_fl/version.h"

namespace torch_fl_cuda {
namespace {

const void* get_extension(const char* name, uint32_t version) {
  if (version != 1) return nullptr;
  const auto is = [&](const char* ours) { return std::strcmp(name, ours) == 0; };
  if (is("module")) return module_extension();
  if (is("host_register")) return host_register_extension();
  if (is("ipc")) return ipc_extension();
  if (is("capture")) return capture_extension();
  if (is("key_runtime")) return key_runtime_extension();
  return nullptr;
}

fl_status status_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return FL_OOM;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
    case CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED:
      return FL_INVALID_VALUE;
    case CUDA_ERROR_INVALID_DEVICE:
      return FL_INVALID_DEVICE;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return FL_NO_DEVICE;
    case CUDA_ERROR_NOT_SUPPORTED:
      return FL_UNSUPPORTED;
    default:
      return FL_FAILED;
  }
}

void fill(fl_vendor_api& api) {
  api.name = "cuda";
  api.version = TORCH_FL_VERSION;
  device_slots(api);
  memory_slots(api);
  stream_slots(api);
  // No rows: PyTorch's own kernels serve this device, on the lane `boxing`.
  api.row_size = sizeof(fl_row);
  api.get_extension = get_extension;
}

}  // namespace

fl_status failed(CUresult code, const char* call) noexcept {
  const char *name = nullptr, *words = nullptr;
  (void)driver().cuGetErrorName(code, &name);
  (void)driver().cuGetErrorString(code, &words);
  // The function's name is enough: its arguments are ours.
  return fail_code(status_of(code), code, "%.*s: %s: %s", static_cast<int>(std::strcspn(call, "(")), call,
                   name != nullptr ? name : "a code that the driver does not know",
                   words != nullptr ? words : "no words for it");
}

}  // namespace torch_fl_cuda

extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor) {
  return torch_fl_kit::offer(core, vendor, torch_fl_cuda::fill);
}
