// Streams and events, and graphs of what was enqueued. An fl_stream is the hipStream_t, an fl_event the hipEvent_t.
#include "kernels/fault.h"
#include "runtime.h"

namespace torch_fl_dcu {
namespace {

hipEvent_t event_of(fl_event event) { return static_cast<hipEvent_t>(event); }

// Of a query: not ready is no failure.
fl_status readiness(hipError_t code, const char* call) {
  if (code == hipSuccess) return FL_OK;
  if (code != hipErrorNotReady) return failed(code, call);
  (void)hipGetLastError();
  return FL_NOT_READY;
}

// HIP counts downwards: the greatest priority is the lowest number.
fl_status priority_range(int32_t device, int32_t* max_priority) {
  int least = 0, greatest = 0;
  FL_ON_DEVICE(device);
  FL_HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
  // Where the range reaches above zero, zero is normal.
  *max_priority = -greatest;
  return FL_OK;
}

fl_status stream_create(int32_t device, int32_t priority, fl_stream* stream) {
  int32_t most = 0;
  if (const fl_status status = priority_range(device, &most)) return status;
  if (priority < 0 || priority > most)
    return fail(FL_INVALID_VALUE, "a stream's priority is 0 to %d, not %d", most, priority);
  hipStream_t made = nullptr;
  FL_ON_DEVICE(device);
  FL_HIP(hipStreamCreateWithPriority(&made, hipStreamNonBlocking, -priority));
  *stream = made;
  return FL_OK;
}

fl_status stream_destroy(int32_t device, fl_stream stream) { FL_ON(device, hipStreamDestroy(stream_of(stream))); }

fl_status stream_synchronize(int32_t device, fl_stream stream) {
  FL_ON_DEVICE(device);
  FL_HIP(hipStreamSynchronize(stream_of(stream)));
  return take_fault(device);
}

fl_status stream_query(int32_t device, fl_stream stream) {
  FL_ON_DEVICE(device);
  return readiness(hipStreamQuery(stream_of(stream)), "hipStreamQuery");
}

fl_status stream_wait_event(int32_t device, fl_stream stream, fl_event event) {
  FL_ON(device, hipStreamWaitEvent(stream_of(stream), event_of(event), 0));
}

fl_status native_handle(int32_t, fl_stream stream, void** handle) {
  *handle = stream_of(stream);
  return FL_OK;
}

fl_status host_callback(int32_t device, fl_stream stream, void (*fn)(void* user), void* user) {
  FL_ON(device, launch_host(stream_of(stream), fn, user));
}

fl_status event_create(int32_t device, uint32_t want, fl_event* event) {
  const bool timing = (want & FL_EVENT_TIMING) != 0, ipc = (want & FL_EVENT_IPC) != 0;
  if (timing && ipc) return fail(FL_UNSUPPORTED, "HIP's events for other processes take no time");
  const unsigned flags = (timing ? 0u : hipEventDisableTiming) | (ipc ? hipEventInterprocess : 0u) |
                         ((want & FL_EVENT_BLOCKING) != 0 ? hipEventBlockingSync : 0u);
  hipEvent_t made = nullptr;
  FL_ON_DEVICE(device);
  FL_HIP(hipEventCreateWithFlags(&made, flags));
  *event = made;
  return FL_OK;
}

fl_status event_destroy(int32_t device, fl_event event) { FL_ON(device, hipEventDestroy(event_of(event))); }

fl_status event_record(int32_t device, fl_event event, fl_stream stream) {
  FL_ON(device, hipEventRecord(event_of(event), stream_of(stream)));
}

fl_status event_query(int32_t device, fl_event event) {
  FL_ON_DEVICE(device);
  return readiness(hipEventQuery(event_of(event)), "hipEventQuery");
}

fl_status event_synchronize(int32_t device, fl_event event) {
  FL_ON_DEVICE(device);
  FL_HIP(hipEventSynchronize(event_of(event)));
  return take_fault(device);
}

fl_status event_elapsed(int32_t device, fl_event start, fl_event end, double* milliseconds) {
  float elapsed = 0;
  FL_ON_DEVICE(device);
  const hipError_t code = hipEventElapsedTime(&elapsed, event_of(start), event_of(end));
  if (code != hipSuccess) (void)hipGetLastError();
  if (code == hipErrorNotReady)
    return fail_code(FL_INVALID_VALUE, code, "an event is not complete: synchronize it first");
  if (code == hipErrorInvalidHandle)
    return fail_code(FL_INVALID_VALUE, code, "an event was never recorded, or was created without enable_timing=True");
  if (code != hipSuccess) return failed(code, "hipEventElapsedTime");
  *milliseconds = elapsed;
  return FL_OK;
}

// ---- extensions

// A mistake of this thread while it records is an error; other threads go on as ever.
fl_status capture_begin(int32_t device, fl_stream stream) {
  FL_ON(device, hipStreamBeginCapture(stream_of(stream), hipStreamCaptureModeThreadLocal));
}

fl_status capture_end(int32_t device, fl_stream stream, void** graph) {
  hipGraph_t recorded = nullptr;
  hipGraphExec_t executable = nullptr;
  FL_ON_DEVICE(device);
  FL_HIP(hipStreamEndCapture(stream_of(stream), &recorded));
  const hipError_t code = hipGraphInstantiate(&executable, recorded, nullptr, nullptr, 0);
  (void)hipGraphDestroy(recorded);
  if (code != hipSuccess) return failed(code, "hipGraphInstantiate");
  *graph = executable;
  return FL_OK;
}

fl_status is_capturing(int32_t device, fl_stream stream, int32_t* capturing) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  FL_ON_DEVICE(device);
  FL_HIP(hipStreamIsCapturing(stream_of(stream), &status));
  *capturing = status != hipStreamCaptureStatusNone;
  return FL_OK;
}

fl_status replay(int32_t device, void* graph, fl_stream stream) {
  FL_ON(device, hipGraphLaunch(static_cast<hipGraphExec_t>(graph), stream_of(stream)));
}

fl_status graph_destroy(int32_t device, void* graph) {
  FL_ON(device, hipGraphExecDestroy(static_cast<hipGraphExec_t>(graph)));
}

fl_status adopt_stream(int32_t device, void* native, fl_stream* stream) {
  *stream = native == nullptr ? kDefaultStream : native;
  return check_device(device);
}

#if !FL_HIP_HAS_HOST_FUNC
struct Callback {
  void (*fn)(void* user);
  void* user;
};
void call_back(hipStream_t, hipError_t, void* data) {
  const Callback callback = *static_cast<Callback*>(data);
  delete static_cast<Callback*>(data);
  callback.fn(callback.user);
}
#endif

}  // namespace

#if FL_HIP_HAS_HOST_FUNC
hipError_t launch_host(hipStream_t stream, void (*fn)(void* user), void* user) {
  return hipLaunchHostFunc(stream, fn, user);
}
#else
hipError_t launch_host(hipStream_t stream, void (*fn)(void* user), void* user) {
  auto* data = new Callback{fn, user};
  const hipError_t code = hipStreamAddCallback(stream, call_back, data, 0);
  if (code != hipSuccess) delete data;
  return code;
}
#endif

const fl_ext_capture* capture_extension() noexcept {
  static const fl_ext_capture table{sizeof(fl_ext_capture), guarded<capture_begin>, guarded<capture_end>,
                                    guarded<is_capturing>,  guarded<replay>,        guarded<graph_destroy>};
  return &table;
}

const fl_ext_key_runtime* key_runtime_extension() noexcept {
  static const fl_ext_key_runtime table{sizeof(fl_ext_key_runtime), guarded<adopt_stream>};
  return &table;
}

void stream_slots(fl_vendor_api& api) {
  api.stream_priority_range = guarded<priority_range>;
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

}  // namespace torch_fl_dcu
