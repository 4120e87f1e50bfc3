// Events: a point in a stream's work that can be asked about, waited for and timed.
#pragma once

#include <cstdint>

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

// --- slots of fl_vendor_api
fl_status event_create(int32_t device, uint32_t want, fl_event* event);
fl_status event_destroy(int32_t device, fl_event event);
fl_status event_record(int32_t device, fl_event event, fl_stream stream);
fl_status event_query(int32_t device, fl_event event);
fl_status event_synchronize(int32_t device, fl_event event);
fl_status event_elapsed(int32_t device, fl_event start, fl_event end, double* milliseconds);
fl_status stream_wait_event(int32_t device, fl_stream stream, fl_event event);

}  // namespace torch_fl_sim
