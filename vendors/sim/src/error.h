// How sim reports a failure to core: one call that records the words and gives the status back.
#pragma once

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

// Core's table, from fl_vendor_init on.
const fl_core_api* core() noexcept;

// Tells core why the current function is about to return `status`, and returns it:
//   if (bytes > capacity) return fail(FL_INVALID_VALUE, "the copy of %zu bytes ...", bytes);
__attribute__((format(printf, 2, 3))) fl_status fail(fl_status status, const char* format, ...) noexcept;

}  // namespace torch_fl_sim
