#include "profiler.h"

#include <time.h>

#include <mutex>
#include <thread>

#include "device.h"
#include "kit.h"

namespace torch_fl_sim {

std::atomic<bool> profiling_on{false};

namespace {

using Callback = void (*)(const fl_activity* activity, void* user);

std::mutex g_switch;  // start and stop, one at a time
Callback g_callback = nullptr;
void* g_user = nullptr;
std::atomic<uint64_t> g_next{1};
// Activities between begin() and their report; stop() waits until there is none, so that the callback is never called
// after it returned.
std::atomic<uint64_t> g_open{0};

fl_status start(Callback callback, void* user) {
  if (callback == nullptr) return fail(FL_INVALID_VALUE, "the profiler's callback is null");
  std::lock_guard<std::mutex> lock(g_switch);
  if (profiling_on.load()) return fail(FL_INVALID_VALUE, "the profiler runs already: stop it first");
  g_callback = callback;
  g_user = user;
  profiling_on.store(true);
  return FL_OK;
}

fl_status stop() {
  std::lock_guard<std::mutex> lock(g_switch);
  profiling_on.store(false);
  while (g_open.load() != 0 && !forked()) std::this_thread::yield();
  return FL_OK;
}

}  // namespace

uint64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

void Activity::begin(ActivityKind a_kind, const char* a_name, int32_t a_device, fl_stream a_stream,
                     uint64_t a_bytes) noexcept {
  kind = a_kind;
  name = a_name;
  if (!profiling() || kind == ActivityKind::marker) return;
  // Counted before the second look: either stop() sees this activity and waits, or it is not recorded.
  g_open.fetch_add(1);
  if (!profiling_on.load()) {
    g_open.fetch_sub(1);
    return;
  }
  device = a_device;
  stream = a_stream;
  bytes = a_bytes;
  correlation = g_next.fetch_add(1, std::memory_order_relaxed);
  enqueue_ns = now_ns();
}

void Activity::report() noexcept {
  fl_activity out{};
  out.struct_size = sizeof(out);
  out.name = name;
  out.device = device;
  out.kind = static_cast<uint32_t>(kind);
  out.stream = stream;
  out.correlation = correlation;
  out.enqueue_ns = enqueue_ns;
  out.start_ns = start_ns;
  out.end_ns = now_ns();
  out.bytes = bytes;
  g_callback(&out, g_user);
  g_open.fetch_sub(1);
}

const fl_ext_profiler* profiler_extension() noexcept {
  static const fl_ext_profiler table{sizeof(fl_ext_profiler), guarded<start>, guarded<stop>};
  return &table;
}

}  // namespace torch_fl_sim
