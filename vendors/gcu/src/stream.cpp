// Streams and events of topsrt.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime.h"

namespace torch_fl_gcu {
namespace {

// Never freed: calls may come while the process exits.
std::mutex& g_mutex = *new std::mutex;
auto& g_streams = *new std::vector<std::unique_ptr<Stream>>;

using Callback = std::pair<void (*)(void*), void*>;
// On a thread of the SDK; fn runs whatever became of the stream, as vendor.h promises.
void call_back(topsStream_t, topsError_t, void* data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(data));
  callback->first(callback->second);
}

struct Event {
  int32_t device;
  topsEvent_t handle;
  std::atomic<bool> recorded{false};  // vendor.h: one that never was is complete, whatever the SDK says of it
};
Event& event_of(fl_event event) { return *static_cast<Event*>(event); }

// NotReady would stay and be taken for the next call's.
bool not_ready(topsError_t code) {
  if (code != topsErrorNotReady) return false;
  (void)topsGetLastError();
  return true;
}

// topsrt has no priorities, so api.stream_priority_range stays empty.
fl_status stream_create(int32_t device, int32_t, fl_stream* stream) {
  FL_ON_DEVICE(device);
  topsStream_t handle = nullptr;
  FL_TOPS(topsStreamCreateWithFlags(&handle, topsStreamNonBlocking));
  std::lock_guard<std::mutex> lock(g_mutex);
  g_streams.push_back(std::make_unique<Stream>(device, handle));
  *stream = g_streams.back().get();
  return FL_OK;
}

fl_status stream_synchronize(int32_t device, fl_stream stream) {
  FL_ON_DEVICE(device);
  return synchronized(device, &stream_of(stream), topsStreamSynchronize(stream_of(stream).handle));
}

fl_status stream_destroy(int32_t device, fl_stream stream) {
  const fl_status status = stream_synchronize(device, stream);
  FL_ON_DEVICE(device);
  const topsError_t code = topsStreamDestroy(stream_of(stream).handle);
  std::lock_guard<std::mutex> lock(g_mutex);
  const auto gone = [&](const auto& s) { return s.get() == stream; };
  g_streams.erase(std::remove_if(g_streams.begin(), g_streams.end(), gone), g_streams.end());
  return code == topsSuccess ? status : failed(code, "topsStreamDestroy");
}

fl_status stream_query(int32_t device, fl_stream stream) {
  FL_ON_DEVICE(device);
  const topsError_t code = topsStreamQuery(stream_of(stream).handle);
  return not_ready(code) ? FL_NOT_READY : synchronized(device, &stream_of(stream), code);
}

fl_status native_handle(int32_t, fl_stream stream, void** handle) {
  *handle = stream_of(stream).handle;
  return FL_OK;
}

fl_status host_callback(int32_t device, fl_stream stream, void (*fn)(void* user), void* user) {
  FL_ON_DEVICE(device);
  auto callback = std::make_unique<Callback>(fn, user);
  FL_TOPS(topsStreamAddCallback(stream_of(stream).handle, call_back, callback.get(), 0));
  callback.release();
  return FL_OK;
}

fl_status event_create(int32_t device, uint32_t want, fl_event* event) {
  if ((want & FL_EVENT_IPC) != 0) return fail(FL_UNSUPPORTED, "topsrt does not share events between processes");
  FL_ON_DEVICE(device);
  const unsigned flags = ((want & FL_EVENT_TIMING) != 0 ? topsEventDefault : topsEventDisableTiming) |
                         ((want & FL_EVENT_BLOCKING) != 0 ? topsEventBlockingSync : topsEventDefault);
  topsEvent_t handle = nullptr;
  FL_TOPS(topsEventCreateWithFlags(&handle, flags));
  *event = new Event{device, handle};
  return FL_OK;
}

fl_status event_destroy(int32_t, fl_event event) {
  const std::unique_ptr<Event> gone(&event_of(event));
  FL_ON(gone->device, topsEventDestroy(gone->handle));
}

fl_status event_record(int32_t device, fl_event event, fl_stream stream) {
  FL_ON_DEVICE(device);
  FL_TOPS(topsEventRecord(event_of(event).handle, stream_of(stream).handle));
  event_of(event).recorded.store(true, std::memory_order_release);
  return FL_OK;
}

fl_status event_query(int32_t, fl_event event) {
  if (!event_of(event).recorded.load(std::memory_order_acquire)) return FL_OK;
  FL_ON_DEVICE(event_of(event).device);
  const topsError_t code = topsEventQuery(event_of(event).handle);
  if (not_ready(code)) return FL_NOT_READY;
  FL_TOPS(code);
  return FL_OK;
}

fl_status event_synchronize(int32_t, fl_event event) {
  if (!event_of(event).recorded.load(std::memory_order_acquire)) return FL_OK;
  FL_ON(event_of(event).device, topsEventSynchronize(event_of(event).handle));
}

fl_status event_elapsed(int32_t, fl_event start, fl_event end, double* milliseconds) {
  FL_ON_DEVICE(event_of(start).device);
  float elapsed = 0;
  const topsError_t code = topsEventElapsedTime(&elapsed, event_of(start).handle, event_of(end).handle);
  if (not_ready(code)) return fail_code(FL_INVALID_VALUE, code, "an event is not complete: synchronize it first");
  if (code == topsErrorInvalidHandle)
    return fail_code(FL_INVALID_VALUE, code, "an event was never recorded, or was created without enable_timing=True");
  FL_TOPS(code);
  *milliseconds = elapsed;
  return FL_OK;
}

fl_status stream_wait_event(int32_t device, fl_stream stream, fl_event event) {
  if (!event_of(event).recorded.load(std::memory_order_acquire)) return FL_OK;
  FL_ON(device, topsStreamWaitEvent(stream_of(stream).handle, event_of(event).handle, 0));
}

}  // namespace

void Stream::suspects(std::string& text) const {
  const uint32_t end = next_.load(std::memory_order_relaxed), done = done_.load(std::memory_order_relaxed);
  for (uint32_t n = end; n != done && end - n < kNames; n--)
    if (const char* op = names_[(n - 1) % kNames].load(std::memory_order_relaxed))
      text.append(text.empty() ? "" : ", ").append(op);
}

Stream* find_stream(int32_t device, topsStream_t handle) {
  std::lock_guard<std::mutex> lock(g_mutex);
  for (const auto& s : g_streams)
    if (s->device == device && s->handle == handle) return s.get();
  return nullptr;
}

fl_status synchronized(int32_t device, Stream* stream, topsError_t code) {
  std::string suspects;
  char outside = 0;
  const auto settle = [&](Stream& s) {
    char* const at = s.drained() ? nullptr : s.fault.load();
    char fault = 0;
    if (code == topsSuccess && at != nullptr) code = topsMemcpy(&fault, at, 1, topsMemcpyDeviceToHost);
    if (code == topsSuccess && fault != 0) code = topsMemset(at, 0, 1);
    // What failed may have set it too; the next synchronisation is not about that.
    if (code != topsSuccess && at != nullptr) (void)topsMemset(at, 0, 1);
    if (code != topsSuccess || fault != 0) s.suspects(suspects);
    outside |= fault;
    s.drain();
  };
  if (stream != nullptr) {
    settle(*stream);
  } else {
    std::lock_guard<std::mutex> lock(g_mutex);
    for (const auto& s : g_streams)
      if (s->device == device) settle(*s);
  }
  const char* const listed = suspects.empty() ? "copies only" : suspects.c_str();
  if (code == topsSuccess && outside == 0) return FL_OK;
  if (code == topsSuccess)
    return fail(FL_INDEX_ERROR,
                "an index is out of bounds for its dimension; enqueued since the last synchronisation: %s", listed);
  const char* words = topsGetErrorString(code);
  (void)topsGetLastError();
  return fail_code(FL_FAILED, code, "work failed on the device: %s; enqueued since the last synchronisation: %s",
                   words != nullptr ? words : "a status without words", listed);
}

void stream_slots(fl_vendor_api& api) {
  api.stream_create = guarded<stream_create>;
  api.stream_destroy = guarded<stream_destroy>;
  api.stream_synchronize = guarded<stream_synchronize>;
  api.stream_query = guarded<stream_query>;
  api.stream_wait_event = guarded<stream_wait_event>;
  api.stream_native_handle = guarded<native_handle>;
  api.host_callback = guarded<host_callback>;
  api.event_create = guarded<event_create>;
  api.event_destroy = guarded<event_destroy>;
  api.event_record = guarded<event_record>;
  api.event_query = guarded<event_query>;
  api.event_synchronize = guarded<event_synchronize>;
  api.event_elapsed = guarded<event_elapsed>;
}

}  // namespace torch_fl_gcu
