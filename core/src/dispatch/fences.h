// Some lanes do not see each other's work on one stream (vendor.toml: fences). Core drains the stream exactly where
// consecutive ops cross such a pair.
#pragma once

#include <atomic>

#include "dispatch/api.h"

namespace torch_fl {

extern std::atomic<bool> fences_exist;
void fence_slow(Lane lane, int32_t device, fl_stream stream);

inline void fence_before(Lane lane, int32_t device, fl_stream stream) {
  if (C10_UNLIKELY(fences_exist.load(std::memory_order_relaxed))) fence_slow(lane, device, stream);
}

}  // namespace torch_fl
