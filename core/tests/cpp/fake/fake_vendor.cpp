// A vendor for runtime_test.cpp, over malloc. Its work is done at once, but the test can hold streams "busy": then
// queries of streams and events say FL_NOT_READY, and waiting lets go. FAKE_CASE builds the broken ones.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "torch_fl/vendor.h"

#ifndef FAKE_CASE
#define FAKE_CASE ""
#endif

namespace {

constexpr uint64_t kTotal = uint64_t{64} << 20;  // bytes per device

const fl_core_api* g_core = nullptr;
std::atomic<bool> g_busy{false};
std::atomic<int> g_mallocs{0};
std::mutex g_mutex;
std::map<void*, size_t> g_blocks[2];
uint64_t g_used[2] = {0, 0};

bool is(const char* name) { return std::strcmp(FAKE_CASE, name) == 0; }

fl_status fail(fl_status status, const char* text) {
  g_core->set_error(42, text);
  return status;
}

fl_status init() {
  if (is("init_fails")) return fail(FL_FAILED, "the driver is on strike");
  if (is("no_device")) return fail(FL_NO_DEVICE, "/dev/fake0 is missing");
  return FL_OK;
}
fl_status device_count(int32_t* count) {
  *count = 2;
  return FL_OK;
}
fl_status device_synchronize(int32_t) {
  g_busy = false;
  return FL_OK;
}
fl_status get_properties(int32_t, fl_device_properties* p) {
  std::strcpy(p->name, "Fake 1");
  std::strcpy(p->architecture, "fake");
  p->total_memory = kTotal;
  p->supported_dtypes = FL_MASK(FL_F32) | FL_MASK(FL_I64);
  return FL_OK;
}

fl_status device_malloc(int32_t device, size_t bytes, void** ptr) {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (g_used[device] + bytes > kTotal) return fail(FL_OOM, "fake memory is full");
  *ptr = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  g_blocks[device][*ptr] = bytes;
  g_used[device] += bytes;
  ++g_mallocs;
  return FL_OK;
}
fl_status device_free(int32_t device, void* ptr) {
  std::lock_guard<std::mutex> lock(g_mutex);
  auto it = g_blocks[device].find(ptr);
  if (it == g_blocks[device].end()) return fail(FL_INVALID_VALUE, "not a block of this device");
  g_used[device] -= it->second;
  g_blocks[device].erase(it);
  std::free(ptr);
  return FL_OK;
}
fl_status mem_info(int32_t device, uint64_t* free_bytes, uint64_t* total) {
  std::lock_guard<std::mutex> lock(g_mutex);
  *total = kTotal;
  *free_bytes = kTotal - g_used[device];
  return FL_OK;
}
fl_status host_malloc(size_t bytes, void** ptr) {
  *ptr = std::malloc(bytes);
  return *ptr ? FL_OK : FL_OOM;
}
fl_status host_free(void* ptr) {
  std::free(ptr);
  return FL_OK;
}
fl_status memcpy_sync(void* dst, size_t dst_capacity, int32_t, const void* src, size_t src_capacity, int32_t,
                      size_t bytes, fl_copy_kind) {
  if (bytes > dst_capacity || bytes > src_capacity) return fail(FL_INVALID_VALUE, "the copy does not fit");
  std::memmove(dst, src, bytes);
  return FL_OK;
}
fl_status memcpy_async(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                       int32_t src_device, size_t bytes, fl_copy_kind kind, fl_stream) {
  return memcpy_sync(dst, dst_capacity, dst_device, src, src_capacity, src_device, bytes, kind);
}

fl_status priority_range(int32_t, int32_t* most) {
  *most = 1;
  return FL_OK;
}
fl_status stream_create(int32_t, int32_t priority, fl_stream* stream) {
  *stream = new int32_t(priority);
  return FL_OK;
}
fl_status stream_destroy(int32_t, fl_stream stream) {
  delete static_cast<int32_t*>(stream);
  return FL_OK;
}
fl_status stream_synchronize(int32_t, fl_stream) {
  g_busy = false;
  return FL_OK;
}
fl_status stream_query(int32_t, fl_stream) { return g_busy ? FL_NOT_READY : FL_OK; }
fl_status stream_wait_event(int32_t, fl_stream, fl_event) { return FL_OK; }

fl_status event_create(int32_t, uint32_t want, fl_event* event) {
  *event = new uint32_t(want);
  return FL_OK;
}
fl_status event_destroy(int32_t, fl_event event) {
  delete static_cast<uint32_t*>(event);
  return FL_OK;
}
fl_status event_record(int32_t, fl_event, fl_stream) { return FL_OK; }
fl_status event_query(int32_t, fl_event) { return g_busy ? FL_NOT_READY : FL_OK; }
fl_status event_synchronize(int32_t, fl_event) {
  g_busy = false;
  return FL_OK;
}
fl_status event_elapsed(int32_t, fl_event start, fl_event end, double* milliseconds) {
  if (!(*static_cast<uint32_t*>(start) & *static_cast<uint32_t*>(end) & FL_EVENT_TIMING)) {
    return fail(FL_INVALID_VALUE, "an event without timing");
  }
  *milliseconds = 1.5;
  return FL_OK;
}

}  // namespace

extern "C" FL_EXPORT void fake_set_busy(int busy) { g_busy = busy != 0; }
extern "C" FL_EXPORT int fake_mallocs() { return g_mallocs; }
extern "C" FL_EXPORT const fl_core_api* fake_core() { return g_core; }

#ifndef FAKE_NO_SYMBOL
extern "C" FL_EXPORT fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* v) {
  g_core = core;
  v->struct_size = sizeof(fl_vendor_api);
  v->abi_major = is("other_major") ? FL_ABI_MAJOR + 1 : FL_ABI_MAJOR;
  v->abi_minor = is("newer_minor") ? FL_ABI_MINOR + 1 : FL_ABI_MINOR;
  v->name = is("other_name") ? "mallory" : "fake";
  v->version = "1.0";
  v->init = init;
  v->device_count = device_count;
  v->device_synchronize = device_synchronize;
  v->device_get_properties = get_properties;
  v->malloc = is("no_malloc") ? nullptr : device_malloc;
  v->free = device_free;
  v->mem_info = mem_info;
  v->host_malloc = host_malloc;
  v->host_free = host_free;
  v->memcpy_sync = memcpy_sync;
  v->memcpy_async = memcpy_async;
  v->stream_priority_range = priority_range;
  v->stream_create = stream_create;
  v->stream_destroy = stream_destroy;
  v->stream_synchronize = stream_synchronize;
  v->stream_query = stream_query;
  v->stream_wait_event = stream_wait_event;
  v->event_create = event_create;
  v->event_destroy = event_destroy;
  v->event_record = event_record;
  v->event_query = event_query;
  v->event_synchronize = event_synchronize;
  v->event_elapsed = event_elapsed;
  return FL_OK;
}
#endif
