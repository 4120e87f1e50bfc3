// The library's one exported function, and how failures reach core.
#include "runtime.h"

#include <cstring>

#include "torch_fl/version.h"

#ifdef TOPS_STANDIN
#define FL_GCU_SDK TOPS_STANDIN
#else
#define FL_GCU_SDK "topsrt and topsaten"
#endif

namespace torch_fl_gcu {
namespace {

const void* get_extension(const char* name, uint32_t version) {
  if (version != 1) return nullptr;
  if (std::strcmp(name, "module") == 0) return module_extension();
  if (std::strcmp(name, "host_register") == 0) return host_register_extension();
  return nullptr;
}

fl_status status_of(topsError_t code) {
  if (code == topsErrorInvalidValue) return FL_INVALID_VALUE;
  if (code == topsErrorOutOfMemory) return FL_OOM;
  if (code == topsErrorNoDevice || code == topsErrorInsufficientDriver) return FL_NO_DEVICE;
  if (code == topsErrorInvalidDevice) return FL_INVALID_DEVICE;
  return code == topsErrorNotSupported ? FL_UNSUPPORTED : FL_FAILED;
}

void fill(fl_vendor_api& api) {
  api.name = "gcu";
  api.version = TORCH_FL_VERSION " (" FL_GCU_SDK ")";
  device_slots(api);
  memory_slots(api);
  stream_slots(api);
  row_slots(api);
  api.get_extension = get_extension;
}

}  // namespace

fl_status failed(topsError_t code, const char* call) noexcept {
  const char* words = topsGetErrorString(code);
  (void)topsGetLastError();
  // The function's name is enough: its arguments are ours.
  return fail_code(status_of(code), code, "%.*s: %s", static_cast<int>(std::strcspn(call, "(")), call,
                   words != nullptr ? words : "a status without words");
}

}  // namespace torch_fl_gcu

extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor) {
  return torch_fl_kit::offer(core, vendor, torch_fl_gcu::fill);
}
