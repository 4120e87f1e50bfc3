// The library's one exported function: fills the vendor's table. Each slot is defined in the file of its concept.
#include <cstring>

#include "device.h"
#include "event.h"
#include "kit.h"
#include "memory.h"
#include "module.h"
#include "profiler.h"
#include "rows.h"
#include "stream.h"
#include "torch_fl/version.h"

namespace torch_fl_sim {
namespace {

const void* get_extension(const char* name, uint32_t version) {
  if (version != 1) return nullptr;
  if (std::strcmp(name, "module") == 0) return module_extension();
  if (std::strcmp(name, "profiler") == 0) return profiler_extension();
  if (std::strcmp(name, "host_register") == 0) return host_register_extension();
  if (std::strcmp(name, "host_access") == 0) return host_access_extension();
  return nullptr;
}

void fill(fl_vendor_api& api) {
  api.name = "sim";
  api.version = TORCH_FL_VERSION " (simulated device over host memory)";

  api.init = guarded<init>;
  api.shutdown = guarded<shutdown>;
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
}

}  // namespace

}  // namespace torch_fl_sim

extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor) {
  return torch_fl_kit::offer(core, vendor, torch_fl_sim::fill);
}
