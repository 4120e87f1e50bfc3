// Device memory without a c10::DataPtr around it.
#pragma once

#include "runtime/runtime.h"

namespace torch_fl {

// Memory ordered by `stream`, which must be one of the runtime's (a vendor's own stream gets memory that is waited
// for when it is freed). Null for 0 bytes. Throws c10::OutOfMemoryError.
void* raw_allocate(int32_t device, fl_stream stream, size_t bytes);
// Null is fine. Never throws; at exit and in a forked child it does nothing.
void raw_free(void* ptr) noexcept;

}  // namespace torch_fl
