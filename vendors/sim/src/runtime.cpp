// The library's one exported function: fills the vendor's table. Each slot is defined in the file of its concept.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "device.h"
#include "error.h"
#include "event.h"
#include "memory.h"
#include "module.h"
#include "profiler.h"
#include "rows.h"
#include "stream.h"
#include "torch_fl/vendor.h"
#include "torch_fl/version.h"

namespace torch_fl_sim {
namespace {

const fl_core_api* g_core = nullptr;

const void* get_extension(const char* name, uint32_t version) {
  if (version != 1) return nullptr;
  if (std::strcmp(name, "module") == 0) return module_extension();
  if (std::strcmp(name, "profiler") == 0) return profiler_extension();
  if (std::strcmp(name, "host_register") == 0) return host_register_extension();
  if (std::strcmp(name, "host_access") == 0) return host_access_extension();
  return nullptr;
}

fl_vendor_api make_api() {
  fl_vendor_api api{};
  api.struct_size = sizeof(api);
  api.abi_major = FL_ABI_MAJOR;
  api.abi_minor = FL_ABI_MINOR;
  api.name = "sim";
  api.version = TORCH_FL_VERSION " (simulated device over host memory)";

  api.init = guarded<init>;
  api.shutdown = shutdown;
  api.thread_attach = guarded<thread_attach>;

  api.device_count = guarded<device_count>;
  api.set_device = guarded<set_device>;
  api.device_synchronize = guarded<device_synchronize>;
  api.device_get_properties = guarded<device_get_properties>;
  api.device_get_map = guarded<device_get_map>;
  api.can_access_peer = guarded<can_access_peer>;
  api.enable_peer_access = guarded<enable_peer_access>;

  api.malloc = guarded<device_malloc>;
  api.free = guarded<device_free>;
  api.mem_info = guarded<mem_info>;
  api.host_malloc = guarded<host_malloc>;
  api.host_free = guarded<host_free>;
  api.memcpy_async = guarded<memcpy_async>;
  api.memcpy_sync = guarded<memcpy_sync>;
  api.memset_async = guarded<memset_async>;
  api.memset_sync = guarded<memset_sync>;

  api.stream_priority_range = guarded<stream_priority_range>;
  api.stream_create = guarded<stream_create>;
  api.stream_destroy = guarded<stream_destroy>;
  api.stream_synchronize = guarded<stream_synchronize>;
  api.stream_query = guarded<stream_query>;
  api.stream_wait_event = guarded<stream_wait_event>;
  api.stream_native_handle = guarded<stream_native_handle>;
  api.host_callback = guarded<host_callback>;

  api.event_create = guarded<event_create>;
  api.event_destroy = guarded<event_destroy>;
  api.event_record = guarded<event_record>;
  api.event_query = guarded<event_query>;
  api.event_synchronize = guarded<event_synchronize>;
  api.event_elapsed = guarded<event_elapsed>;

  api.rows = kRows;
  api.row_count = kRowCount;
  api.row_size = sizeof(fl_row);

  api.get_extension = get_extension;
  return api;
}

}  // namespace

const fl_core_api* core() noexcept { return g_core; }

fl_status fail(fl_status status, const char* format, ...) noexcept {
  char text[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  core()->set_error(status, text);
  return status;
}

}  // namespace torch_fl_sim

extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor) {
  const fl_vendor_api ours = torch_fl_sim::make_api();
  if (vendor->abi_major != FL_ABI_MAJOR) {
    // Of another major nothing is known but the version, so nothing else is filled.
    vendor->abi_major = FL_ABI_MAJOR;
    vendor->abi_minor = FL_ABI_MINOR;
    return FL_ABI_MISMATCH;
  }
  torch_fl_sim::g_core = core;
  // An older core has a shorter table: it gets what it knows of.
  std::memcpy(vendor, &ours, std::min(vendor->struct_size, sizeof(ours)));
  return FL_OK;
}
