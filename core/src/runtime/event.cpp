// Events that the runtime itself uses, to know when memory may be reused. Those of users are in guard.cpp.
#include "runtime/state.h"

namespace torch_fl {

bool has_events(const Vendor& v) noexcept {
  return v.api.event_create && v.api.event_destroy && v.api.event_record && v.api.event_query &&
         v.api.event_synchronize;
}

fl_event EventPool::record(const Vendor& v, int32_t device, fl_stream stream) noexcept {
  if (!has_events(v)) return nullptr;
  attach_quietly(device);
  fl_event event = nullptr;
  if (!free_.empty()) {
    event = free_.back();
    free_.pop_back();
  } else if (v.api.event_create(device, 0, &event) != FL_OK || !event) {
    return nullptr;
  }
  if (v.api.event_record(device, event, stream) != FL_OK) {
    v.api.event_destroy(device, event);
    return nullptr;
  }
  return event;
}

}  // namespace torch_fl
