// Device and page-locked memory, copies between them, and sharing with other processes.
#include <cstring>

#include "runtime.h"

namespace torch_fl_cuda {
namespace {

using torch_fl_kit::check_room;

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

fl_status device_malloc(int32_t device, size_t bytes, void** ptr) {
  CUdeviceptr made = 0;
  FL_ON_DEVICE(device);
  if (bytes != 0) FL_CU(cuMemAlloc_v2(&made, bytes));  // the driver refuses to make nothing
  *ptr = pointer(made);
  return FL_OK;
}

fl_status device_free(int32_t device, void* ptr) {
  if (ptr == nullptr) return FL_OK;
  FL_ON(device, cuMemFree_v2(address(ptr)));
}

fl_status mem_info(int32_t device, uint64_t* free_bytes, uint64_t* total_bytes) {
  size_t free = 0, total = 0;
  FL_ON_DEVICE(device);
  FL_CU(cuMemGetInfo_v2(&free, &total));
  *free_bytes = free;
  *total_bytes = total;
  return FL_OK;
}

fl_status host_malloc(size_t bytes, void** ptr) {
  *ptr = nullptr;
  if (bytes == 0) return FL_OK;
  FL_ON(any_device(), cuMemHostAlloc(ptr, bytes, MEMHOSTALLOC_PORTABLE));
}

fl_status host_free(void* ptr) {
  if (ptr == nullptr) return FL_OK;
  FL_ON(any_device(), cuMemFreeHost(ptr));
}

// An event of the current device for a moment; destroying it while it is waited for is allowed.
struct Moment {
  CUevent event = nullptr;
  ~Moment() {
    if (event != nullptr) (void)driver().cuEventDestroy_v2(event);
  }
};

// What is enqueued on `stream` of one device from now on waits for what is on that of another.
fl_status follow(int32_t device, int32_t before, CUstream stream) {
  Moment moment;
  {
    FL_ON_DEVICE(before);
    FL_CU(cuEventCreate(&moment.event, EVENT_DISABLE_TIMING));
    FL_CU(cuEventRecord(moment.event, stream));
  }
  FL_ON(device, cuStreamWaitEvent(stream, moment.event, 0));
}

fl_status copy_peer(void* dst, int32_t dst_device, const void* src, int32_t src_device, size_t bytes, CUstream stream) {
  CUcontext to = nullptr, from = nullptr;
  if (const fl_status status = context_of(dst_device, &to)) return status;
  if (const fl_status status = context_of(src_device, &from)) return status;
  // The handle of a default stream does not say of which device it is: those of both take part.
  const bool either = stream == STREAM_LEGACY;
  if (either)
    if (const fl_status status = follow(src_device, dst_device, stream)) return status;
  {
    FL_ON_DEVICE(src_device);
    FL_CU(cuMemcpyPeerAsync(address(dst), to, address(src), from, bytes, stream));
  }
  return either ? follow(dst_device, src_device, stream) : FL_OK;
}

// The driver stages pageable memory before it returns, so that the caller may reuse it at once.
fl_status copy(void* dst, int32_t dst_device, const void* src, int32_t src_device, size_t bytes, fl_copy_kind kind,
               CUstream stream) {
  if (bytes == 0) return FL_OK;
  if (kind == FL_H2D) {
    FL_ON(dst_device, cuMemcpyHtoDAsync_v2(address(dst), src, bytes, stream));
  }
  if (kind == FL_D2H) {
    FL_ON(src_device, cuMemcpyDtoHAsync_v2(dst, address(src), bytes, stream));
  }
  if (dst_device != src_device) return copy_peer(dst, dst_device, src, src_device, bytes, stream);
  FL_ON(dst_device, cuMemcpyDtoDAsync_v2(address(dst), address(src), bytes, stream));
}

fl_status memcpy_async(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                       int32_t src_device, size_t bytes, fl_copy_kind kind, fl_stream stream) {
  if (const fl_status status = check_room(bytes, dst_capacity, src_capacity)) return status;
  return copy(dst, dst_device, src, src_device, bytes, kind, stream_of(stream));
}

// The driver's own synchronous calls wait for no stream of ours (they are non-blocking ones), and those between devices
// do not even wait for themselves.
fl_status memcpy_sync(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                      int32_t src_device, size_t bytes, fl_copy_kind kind) {
  if (const fl_status status = check_room(bytes, dst_capacity, src_capacity)) return status;
  for (const int32_t device : {dst_device, src_device})
    if (device >= 0)
      if (const fl_status status = device_synchronize(device)) return status;
  if (const fl_status status = copy(dst, dst_device, src, src_device, bytes, kind, STREAM_LEGACY)) return status;
  FL_ON(dst_device >= 0 ? dst_device : src_device, cuStreamSynchronize(STREAM_LEGACY));
}

fl_status memset_async(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes, fl_stream stream) {
  if (const fl_status status = check_room(bytes, capacity, bytes)) return status;
  if (bytes == 0) return FL_OK;
  FL_ON(device, cuMemsetD8Async(address(dst), static_cast<unsigned char>(value), bytes, stream_of(stream)));
}

fl_status memset_sync(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes) {
  if (const fl_status status = device_synchronize(device)) return status;
  if (const fl_status status = memset_async(dst, capacity, device, value, bytes, STREAM_LEGACY)) return status;
  FL_ON(device, cuStreamSynchronize(STREAM_LEGACY));
}

// ---- extensions

fl_status pin(void* ptr, size_t bytes) {
  FL_ON(any_device(), cuMemHostRegister_v2(ptr, bytes, MEMHOSTREGISTER_PORTABLE));
}
fl_status unpin(void* ptr) { FL_ON(any_device(), cuMemHostUnregister(ptr)); }

static_assert(sizeof(CUipcMemHandle) == sizeof(CUipcEventHandle), "both are plain bytes of one length to core");

fl_status memory_export(int32_t device, void* ptr, void* handle) {
  FL_ON(device, cuIpcGetMemHandle(static_cast<CUipcMemHandle*>(handle), address(ptr)));
}

fl_status memory_open(int32_t device, const void* handle, void** ptr) {
  CUipcMemHandle theirs;
  std::memcpy(&theirs, handle, sizeof(theirs));
  CUdeviceptr opened = 0;
  FL_ON_DEVICE(device);
  FL_CU(cuIpcOpenMemHandle_v2(&opened, theirs, IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  *ptr = pointer(opened);
  return FL_OK;
}

fl_status memory_close(int32_t device, void* ptr) { FL_ON(device, cuIpcCloseMemHandle(address(ptr))); }

fl_status event_export(int32_t device, fl_event event, void* handle) {
  FL_ON(device, cuIpcGetEventHandle(static_cast<CUipcEventHandle*>(handle), static_cast<CUevent>(event)));
}

fl_status event_open(int32_t device, const void* handle, fl_event* event) {
  CUipcEventHandle theirs;
  std::memcpy(&theirs, handle, sizeof(theirs));
  FL_ON(device, cuIpcOpenEventHandle(reinterpret_cast<CUevent*>(event), theirs));
}

}  // namespace

const fl_ext_host_register* host_register_extension() noexcept {
  static const fl_ext_host_register table{sizeof(fl_ext_host_register), guarded<pin>, guarded<unpin>};
  return &table;
}

const fl_ext_ipc* ipc_extension() noexcept {
  static const fl_ext_ipc table{sizeof(fl_ext_ipc),   sizeof(CUipcMemHandle), guarded<memory_export>,
                                guarded<memory_open>, guarded<memory_close>,  guarded<event_export>,
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

}  // namespace torch_fl_cuda
