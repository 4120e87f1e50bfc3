// The library's one exported function, and how failures reach core.
#include "runtime.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "torch_fl/version.h"

#ifdef TOPS_STANDIN
#define FL_GCU_SDK TOPS_STANDIN
#else
#define FL_GCU_SDK "topsrt and topsaten"
#endif

namespace torch_fl_gcu {
namespace {

const fl_core_api* g_core = nullptr;

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

}  // namespace

const fl_core_api* core() noexcept { return g_core; }

fl_status fail(fl_status status, int64_t code, const char* format, ...) noexcept {
  char text[1024];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  core()->set_error(code, text);
  return status;
}

fl_status failed(topsError_t code, const char* call) noexcept {
  const char* words = topsGetErrorString(code);
  (void)topsGetLastError();
  // The function's name is enough: its arguments are ours.
  return fail(status_of(code), code, "%.*s: %s", static_cast<int>(std::strcspn(call, "(")), call,
              words != nullptr ? words : "a status without words");
}

}  // namespace torch_fl_gcu

extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor) {
  using namespace torch_fl_gcu;
  if (vendor->abi_major != FL_ABI_MAJOR) {
    // Of another major nothing is known but the version, so nothing else is filled.
    vendor->abi_major = FL_ABI_MAJOR;
    vendor->abi_minor = FL_ABI_MINOR;
    return FL_ABI_MISMATCH;
  }
  g_core = core;
  fl_vendor_api ours{};
  ours.struct_size = sizeof(ours);
  ours.abi_major = FL_ABI_MAJOR;
  ours.abi_minor = FL_ABI_MINOR;
  ours.name = "gcu";
  ours.version = TORCH_FL_VERSION " (" FL_GCU_SDK ")";
  device_slots(ours);
  memory_slots(ours);
  stream_slots(ours);
  row_slots(ours);
  ours.get_extension = get_extension;
  // An older core has a shorter table: it gets what it knows of.
  std::memcpy(vendor, &ours, std::min(vendor->struct_size, sizeof(ours)));
  return FL_OK;
}
