// Streams and events, and graphs of what was enqueued. An fl_stream is the CUstream, an fl_event the CUevent.
#include "runtime.h"

namespace torch_fl_cuda {
namespace {

CUevent event_of(fl_event event) { return static_cast<CUevent>(event); }

// Of a query: not ready is no failure.
fl_status readiness(CUresult code, const char* call) {
  if (code == CUDA_ERROR_NOT_READY) return FL_NOT_READY;
  return code == CUDA_SUCCESS ? FL_OK : failed(code, call);
}

// The driver counts downwards: the greatest priority is the lowest number.
fl_status priority_range(int32_t device, int32_t* max_priority) {
  int least = 0, greatest = 0;
  FL_ON_DEVICE(device);
  FL_CU(cuCtxGetStreamPriorityRange(&least, &greatest));
  *max_priority = least - greatest;
  return FL_OK;
}

fl_status stream_create(int32_t device, int32_t priority, fl_stream* stream) {
  int least = 0, greatest = 0;
  CUstream made = nullptr;
  FL_ON_DEVICE(device);
  FL_CU(cuCtxGetStreamPriorityRange(&least, &greatest));
  if (priority < 0 || priority > least - greatest)
    return fail(FL_INVALID_VALUE, "a stream's priority is 0 to %d, not %d", least - greatest, priority);
  FL_CU(cuStreamCreateWithPriority(&made, STREAM_NON_BLOCKING, least - priority));
  *stream = made;
  return FL_OK;
}

fl_status stream_destroy(int32_t device, fl_stream stream) { FL_ON(device, cuStreamDestroy_v2(stream_of(stream))); }
fl_status stream_synchronize(int32_t device, fl_stream stream) {
  FL_ON(device, cuStreamSynchronize(stream_of(stream)));
}

fl_status stream_query(int32_t device, fl_stream stream) {
  FL_ON_DEVICE(device);
  return readiness(driver().cuStreamQuery(stream_of(stream)), "cuStreamQuery");
}

fl_status stream_wait_event(int32_t device, fl_stream stream, fl_event event) {
  FL_ON(device, cuStreamWaitEvent(stream_of(stream), event_of(event), 0));
}

// What torch.cuda.Stream.cuda_stream is: zero for the default stream.
fl_status native_handle(int32_t, fl_stream stream, void** handle) {
  *handle = stream_of(stream) == STREAM_LEGACY ? nullptr : stream;
  return FL_OK;
}

fl_status host_callback(int32_t device, fl_stream stream, void (*fn)(void* user), void* user) {
  FL_ON(device, cuLaunchHostFunc(stream_of(stream), fn, user));
}

fl_status event_create(int32_t device, uint32_t want, fl_event* event) {
  const bool timing = (want & FL_EVENT_TIMING) != 0, ipc = (want & FL_EVENT_IPC) != 0;
  if (timing && ipc) return fail(FL_UNSUPPORTED, "CUDA's events for other processes take no time");
  const unsigned flags = (timing ? 0 : EVENT_DISABLE_TIMING) | (ipc ? EVENT_INTERPROCESS : 0) |
                         ((want & FL_EVENT_BLOCKING) != 0 ? EVENT_BLOCKING_SYNC : 0);
  CUevent made = nullptr;
  FL_ON_DEVICE(device);
  FL_CU(cuEventCreate(&made, flags));
  *event = made;
  return FL_OK;
}

fl_status event_destroy(int32_t device, fl_event event) { FL_ON(device, cuEventDestroy_v2(event_of(event))); }

fl_status event_record(int32_t device, fl_event event, fl_stream stream) {
  FL_ON(device, cuEventRecord(event_of(event), stream_of(stream)));
}

fl_status event_query(int32_t device, fl_event event) {
  FL_ON_DEVICE(device);
  return readiness(driver().cuEventQuery(event_of(event)), "cuEventQuery");
}

fl_status event_synchronize(int32_t device, fl_event event) { FL_ON(device, cuEventSynchronize(event_of(event))); }

fl_status event_elapsed(int32_t device, fl_event start, fl_event end, double* milliseconds) {
  float elapsed = 0;
  FL_ON_DEVICE(device);
  const CUresult code = driver().cuEventElapsedTime(&elapsed, event_of(start), event_of(end));
  if (code == CUDA_ERROR_NOT_READY)
    return fail_code(FL_INVALID_VALUE, code, "an event is not complete: synchronize it first");
  if (code == CUDA_ERROR_INVALID_HANDLE)
    return fail_code(FL_INVALID_VALUE, code, "an event was never recorded, or was created without enable_timing=True");
  if (code != CUDA_SUCCESS) return failed(code, "cuEventElapsedTime");
  *milliseconds = elapsed;
  return FL_OK;
}

// ---- extensions

// A mistake of this thread while it records is an error; other threads go on as ever.
fl_status capture_begin(int32_t device, fl_stream stream) {
  FL_ON(device, cuStreamBeginCapture_v2(stream_of(stream), STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

fl_status capture_end(int32_t device, fl_stream stream, void** graph) {
  CUgraph recorded = nullptr;
  CUgraphExec executable = nullptr;
  FL_ON_DEVICE(device);
  FL_CU(cuStreamEndCapture(stream_of(stream), &recorded));
  const CUresult code = driver().cuGraphInstantiateWithFlags(&executable, recorded, 0);
  (void)driver().cuGraphDestroy(recorded);
  if (code != CUDA_SUCCESS) return failed(code, "cuGraphInstantiateWithFlags");
  *graph = executable;
  return FL_OK;
}

fl_status is_capturing(int32_t device, fl_stream stream, int32_t* capturing) {
  CUstreamCaptureStatus status = STREAM_CAPTURE_STATUS_NONE;
  FL_ON_DEVICE(device);
  FL_CU(cuStreamIsCapturing(stream_of(stream), &status));
  *capturing = status != STREAM_CAPTURE_STATUS_NONE;
  return FL_OK;
}

fl_status replay(int32_t device, void* graph, fl_stream stream) {
  FL_ON(device, cuGraphLaunch(static_cast<CUgraphExec>(graph), stream_of(stream)));
}

fl_status graph_destroy(int32_t device, void* graph) {
  FL_ON(device, cuGraphExecDestroy(static_cast<CUgraphExec>(graph)));
}

fl_status adopt_stream(int32_t device, void* native, fl_stream* stream) {
  *stream = native == nullptr ? STREAM_LEGACY : native;
  if (native == nullptr) return FL_OK;
  CUcontext ours = nullptr, theirs = nullptr;
  if (const fl_status status = context_of(device, &ours)) return status;
  FL_ON_DEVICE(device);
  FL_CU(cuStreamGetCtx(stream_of(*stream), &theirs));
  if (theirs == ours) return FL_OK;
  return fail(FL_INVALID_VALUE, "the stream %p is not one of device %d's primary context", native, device);
}

}  // namespace

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

}  // namespace torch_fl_cuda
