// Device and page-locked memory, copies between them, and sharing with other processes.
#include <cstring>

#include "kernels/fault.h"
#include "runtime.h"

namespace torch_fl_dcu {
namespace {

using torch_fl_kit::check_room;

fl_status device_malloc(int32_t device, size_t bytes, void** ptr) {
  *ptr = nullptr;
  FL_ON_DEVICE(device);
  if (bytes != 0) FL_HIP(hipMalloc(ptr, bytes));
  return FL_OK;
}

fl_status device_free(int32_t device, void* ptr) {
  if (ptr == nullptr) return FL_OK;
  FL_ON(device, hipFree(ptr));
}

fl_status mem_info(int32_t device, uint64_t* free_bytes, uint64_t* total_bytes) {
  size_t free = 0, total = 0;
  FL_ON_DEVICE(device);
  FL_HIP(hipMemGetInfo(&free, &total));
  *free_bytes = free;
  *total_bytes = total;
  return FL_OK;
}

fl_status host_malloc(size_t bytes, void** ptr) {
  *ptr = nullptr;
  if (bytes != 0) FL_HIP(hipHostMalloc(ptr, bytes, hipHostMallocPortable));
  return FL_OK;
}

fl_status host_free(void* ptr) {
  if (ptr != nullptr) FL_HIP(hipHostFree(ptr));
  return FL_OK;
}

// An event of the current device for a moment; destroying it while it is waited for is allowed.
struct Moment {
  hipEvent_t event = nullptr;
  ~Moment() {
    if (event != nullptr) (void)hipEventDestroy(event);
  }
};

// What is enqueued on the default stream of `device` from now on waits for what is on that of `before`.
fl_status follow(int32_t device, int32_t before) {
  Moment moment;
  {
    FL_ON_DEVICE(before);
    FL_HIP(hipEventCreateWithFlags(&moment.event, hipEventDisableTiming));
    FL_HIP(hipEventRecord(moment.event, nullptr));
  }
  FL_ON(device, hipStreamWaitEvent(nullptr, moment.event, 0));
}

fl_status copy_peer(void* dst, int32_t dst_device, const void* src, int32_t src_device, size_t bytes,
                    hipStream_t stream) {
  // The default stream is that of the current device: those of both take part.
  const bool either = stream == nullptr;
  if (either)
    if (const fl_status status = follow(src_device, dst_device)) return status;
  {
    FL_ON_DEVICE(src_device);
    FL_HIP(hipMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, stream));
  }
  return either ? follow(dst_device, src_device) : FL_OK;
}

// HIP stages pageable memory before it returns, so that the caller may reuse it at once.
fl_status copy(void* dst, int32_t dst_device, const void* src, int32_t src_device, size_t bytes, fl_copy_kind kind,
               hipStream_t stream) {
  if (bytes == 0) return FL_OK;
  if (kind == FL_H2D) {
    FL_ON(dst_device, hipMemcpyAsync(dst, src, bytes, hipMemcpyHostToDevice, stream));
  }
  if (kind == FL_D2H) {
    FL_ON(src_device, hipMemcpyAsync(dst, src, bytes, hipMemcpyDeviceToHost, stream));
  }
  if (dst_device != src_device) return copy_peer(dst, dst_device, src, src_device, bytes, stream);
  FL_ON(dst_device, hipMemcpyAsync(dst, src, bytes, hipMemcpyDeviceToDevice, stream));
}

fl_status memcpy_async(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                       int32_t src_device, size_t bytes, fl_copy_kind kind, fl_stream stream) {
  if (const fl_status status = check_room(bytes, dst_capacity, src_capacity)) return status;
  return copy(dst, dst_device, src, src_device, bytes, kind, stream_of(stream));
}

// HIP's own synchronous calls wait for no stream of ours (they are non-blocking ones), and those between devices do not
// even wait for themselves.
fl_status memcpy_sync(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                      int32_t src_device, size_t bytes, fl_copy_kind kind) {
  if (const fl_status status = check_room(bytes, dst_capacity, src_capacity)) return status;
  for (const int32_t device : {dst_device, src_device})
    if (device >= 0)
      if (const fl_status status = device_synchronize(device)) return status;
  if (const fl_status status = copy(dst, dst_device, src, src_device, bytes, kind, nullptr)) return status;
  FL_ON(dst_device >= 0 ? dst_device : src_device, hipStreamSynchronize(nullptr));
}

fl_status memset_async(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes, fl_stream stream) {
  if (const fl_status status = check_room(bytes, capacity, bytes)) return status;
  if (bytes == 0) return FL_OK;
  FL_ON(device, hipMemsetAsync(dst, value, bytes, stream_of(stream)));
}

fl_status memset_sync(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes) {
  if (const fl_status status = device_synchronize(device)) return status;
  if (const fl_status status = memset_async(dst, capacity, device, value, bytes, kDefaultStream)) return status;
  FL_ON(device, hipStreamSynchronize(nullptr));
}

// ---- extensions

fl_status pin(void* ptr, size_t bytes) {
  FL_HIP(hipHostRegister(ptr, bytes, hipHostRegisterPortable));
  return FL_OK;
}
fl_status unpin(void* ptr) {
  FL_HIP(hipHostUnregister(ptr));
  return FL_OK;
}

static_assert(sizeof(hipIpcMemHandle_t) == sizeof(hipIpcEventHandle_t), "both are plain bytes of one length to core");

fl_status memory_export(int32_t device, void* ptr, void* handle) {
  FL_ON(device, hipIpcGetMemHandle(static_cast<hipIpcMemHandle_t*>(handle), ptr));
}

fl_status memory_open(int32_t device, const void* handle, void** ptr) {
  hipIpcMemHandle_t theirs;
  std::memcpy(&theirs, handle, sizeof(theirs));
  FL_ON(device, hipIpcOpenMemHandle(ptr, theirs, hipIpcMemLazyEnablePeerAccess));
}

fl_status memory_close(int32_t device, void* ptr) { FL_ON(device, hipIpcCloseMemHandle(ptr)); }

fl_status event_export(int32_t device, fl_event event, void* handle) {
  FL_ON(device, hipIpcGetEventHandle(static_cast<hipIpcEventHandle_t*>(handle), static_cast<hipEvent_t>(event)));
}

fl_status event_open(int32_t device, const void* handle, fl_event* event) {
  hipIpcEventHandle_t theirs;
  std::memcpy(&theirs, handle, sizeof(theirs));
  FL_ON(device, hipIpcOpenEventHandle(reinterpret_cast<hipEvent_t*>(event), theirs));
}

}  // namespace

const fl_ext_host_register* host_register_extension() noexcept {
  static const fl_ext_host_register table{sizeof(fl_ext_host_register), guarded<pin>, guarded<unpin>};
  return &table;
}

const fl_ext_ipc* ipc_extension() noexcept {
  static const fl_ext_ipc table{sizeof(fl_ext_ipc),   sizeof(hipIpcMemHandle_t), guarded<memory_export>,
                                guarded<memory_open>, guarded<memory_close>,     guarded<event_export>,
                                guarded<event_open>};
  return &table;
}

void memory_slots(fl_vendor_api& api) {
  api.malloc = guarded<device_malloc>;
  api.free = guarded<device_free>;
  api.mem_info = guarded<mem_info>;
  api.host_malloc = guarded<host_malloc>;
  api.host_free = guarded<host_free>;
  api.memcpy_async = guarded<memcpy_async>;
  api.memcpy_sync = guarded<memcpy_sync>;
  api.memset_async = guarded<memset_async>;
  api.memset_sync = guarded<memset_sync>;
}

}  // namespace torch_fl_dcu
