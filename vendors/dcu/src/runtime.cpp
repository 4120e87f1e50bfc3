// The library's one exported function, and how failures reach core.
#include "runtime.h"

#include <cstring>

#include "rows.h"
#include "torch_fl/version.h"

namespace torch_fl_dcu {
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

fl_status status_of(hipError_t code) {
  switch (code) {
    case hipErrorOutOfMemory:
      return FL_OOM;
    case hipErrorInvalidValue:
    case hipErrorInvalidHandle:
    case hipErrorInvalidImage:
    case hipErrorInvalidKernelFile:
    case hipErrorNoBinaryForGpu:
    case hipErrorNotFound:
    case hipErrorHostMemoryAlreadyRegistered:
    case hipErrorHostMemoryNotRegistered:
      return FL_INVALID_VALUE;
    case hipErrorInvalidDevice:
      return FL_INVALID_DEVICE;
    case hipErrorNoDevice:
    case hipErrorInsufficientDriver:
      return FL_NO_DEVICE;
    case hipErrorNotSupported:
      return FL_UNSUPPORTED;
    default:
      return FL_FAILED;
  }
}

void fill(fl_vendor_api& api) {
  api.name = "dcu";
#if defined(FL_HIP_STANDIN)
  api.version = TORCH_FL_VERSION " (stand-in of HIP)";
#elif defined(__HIP_PLATFORM_NVIDIA__)
  api.version = TORCH_FL_VERSION " (HIP on NVIDIA)";
#else
  api.version = TORCH_FL_VERSION;
#endif
  device_slots(api);
  memory_slots(api);
  stream_slots(api);
  api.rows = kRows;
  api.row_count = kRowCount;
  api.row_size = sizeof(fl_row);
  api.get_extension = get_extension;
}

}  // namespace

fl_status failed(hipError_t code, const char* call) noexcept {
  (void)hipGetLastError();
  const char *name = hipGetErrorName(code), *words = hipGetErrorString(code);
  // The function's name is enough: its arguments are ours.
  return fail_code(status_of(code), code, "%.*s: %s: %s", static_cast<int>(std::strcspn(call, "(")), call, name, words);
}

}  // namespace torch_fl_dcu

extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor) {
  return torch_fl_kit::offer(core, vendor, torch_fl_dcu::fill);
}
