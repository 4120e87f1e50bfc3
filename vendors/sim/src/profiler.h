// What ran when: the "profiler" extension. While nobody listens, an activity costs one look at a flag.
#pragma once

#include <atomic>
#include <cstdint>

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

// The numbers of fl_activity.kind; a marker (event record, event wait) is not reported.
enum class ActivityKind : uint32_t { kernel = 0, copy = 1, memset = 2, host_callback = 3, marker = 4 };

extern std::atomic<bool> profiling_on;
inline bool profiling() noexcept { return profiling_on.load(std::memory_order_relaxed); }

// CLOCK_MONOTONIC in nanoseconds.
uint64_t now_ns() noexcept;

// One piece of work as the profiler sees it. begin() when it is enqueued, start() and finish() around its run.
struct Activity {
  ActivityKind kind = ActivityKind::kernel;
  int32_t device = 0;
  fl_stream stream = nullptr;
  const char* name = nullptr;
  uint64_t bytes = 0;
  uint64_t correlation = 0;  // 0: not recorded
  uint64_t enqueue_ns = 0;
  uint64_t start_ns = 0;

  void begin(ActivityKind kind, const char* name, int32_t device, fl_stream stream, uint64_t bytes) noexcept;
  void start() noexcept {
    if (correlation != 0) start_ns = now_ns();
  }
  void finish() noexcept {
    if (correlation != 0) report();
  }

 private:
  void report() noexcept;
};

const fl_ext_profiler* profiler_extension() noexcept;

}  // namespace torch_fl_sim
