// Device and page-locked memory, and copies between them.
#include <cstring>

#include "runtime.h"

namespace torch_fl_gcu {
namespace {

using torch_fl_kit::check_room;

// Page-locked memory of the host: an asynchronous copy reads it after the call has returned. Never freed.
auto& g_pinned = *new torch_fl_kit::Ranges<>;

fl_status device_malloc(int32_t device, size_t bytes, void** ptr) { FL_ON(device, topsMalloc(ptr, bytes)); }
fl_status device_free(int32_t device, void* ptr) { FL_ON(device, topsFree(ptr)); }

fl_status mem_info(int32_t device, uint64_t* free_bytes, uint64_t* total_bytes) {
  size_t free = 0, total = 0;
  FL_ON_DEVICE(device);
  FL_TOPS(topsMemGetInfo(&free, &total));
  *free_bytes = free;
  *total_bytes = total;
  return FL_OK;
}

fl_status host_malloc(size_t bytes, void** ptr) {
  FL_TOPS(topsHostMalloc(ptr, bytes, topsHostMallocDefault));
  if (*ptr != nullptr) g_pinned.add(*ptr, bytes);  // of no bytes there is no memory
  return FL_OK;
}

fl_status host_free(void* ptr) {
  if (ptr == nullptr) return FL_OK;
  g_pinned.remove(ptr);
  FL_TOPS(topsHostFree(ptr));
  return FL_OK;
}

// A few bytes (a number that a kernel takes as a tensor) travel in the commands themselves: the stream keeps running.
constexpr size_t kInline = 16;
fl_status write_inline(char* dst, const char* src, size_t bytes, topsStream_t stream) {
  for (; bytes >= 4; dst += 4, src += 4, bytes -= 4) {
    int32_t word;
    std::memcpy(&word, src, 4);
    FL_TOPS(topsMemsetD32Async(dst, word, 1, stream));
  }
  for (; bytes > 0; dst++, src++, bytes--) FL_TOPS(topsMemsetD8Async(dst, static_cast<unsigned char>(*src), 1, stream));
  return FL_OK;
}

fl_status memcpy_async(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                       int32_t src_device, size_t bytes, fl_copy_kind kind, fl_stream stream) {
  if (const fl_status status = check_room(bytes, dst_capacity, src_capacity)) return status;
  Stream& on = stream_of(stream);
  FL_ON_DEVICE(on.device);
  if (kind == FL_H2D) {
    const bool pageable = !g_pinned.holds(src, bytes);
    if (pageable && bytes <= kInline)
      return write_inline(static_cast<char*>(dst), static_cast<const char*>(src), bytes, on.handle);
    FL_TOPS(topsMemcpyAsync(dst, src, bytes, topsMemcpyHostToDevice, on.handle));
    // The caller may reuse pageable memory as soon as we return.
    return pageable ? synchronized(on.device, &on, topsStreamSynchronize(on.handle)) : FL_OK;
  }
  if (kind == FL_D2H)
    FL_TOPS(topsMemcpyAsync(dst, src, bytes, topsMemcpyDeviceToHost, on.handle));
  else if (dst_device != src_device)  // the plain copy would look both pointers up on one device
    FL_TOPS(topsMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, on.handle));
  else
    FL_TOPS(topsMemcpyAsync(dst, src, bytes, topsMemcpyDeviceToDevice, on.handle));
  return FL_OK;
}

fl_status memcpy_sync(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                      int32_t src_device, size_t bytes, fl_copy_kind kind) {
  if (const fl_status status = check_room(bytes, dst_capacity, src_capacity)) return status;
  // topsMemcpy waits for no stream of ours: they are non-blocking ones.
  for (const int32_t device : {dst_device, src_device})
    if (device >= 0)
      if (const fl_status status = device_synchronize(device)) return status;
  FL_ON_DEVICE(dst_device >= 0 ? dst_device : src_device);
  if (kind == FL_D2D && dst_device != src_device)
    FL_TOPS(topsMemcpyPeer(dst, dst_device, src, src_device, bytes));
  else
    FL_TOPS(topsMemcpy(dst, src, bytes, static_cast<topsMemcpyKind>(kind)));  // the numbers are the same
  return FL_OK;
}

fl_status memset_async(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes, fl_stream stream) {
  if (const fl_status status = check_room(bytes, capacity, bytes)) return status;
  FL_ON(device, topsMemsetAsync(dst, value, bytes, stream_of(stream).handle));
}

fl_status memset_sync(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes) {
  if (const fl_status status = check_room(bytes, capacity, bytes)) return status;
  if (const fl_status status = device_synchronize(device)) return status;
  FL_ON_DEVICE(device);
  FL_TOPS(topsMemset(dst, value, bytes));
  return device_synchronize(device);
}

fl_status pin(void* ptr, size_t bytes) {
  FL_TOPS(topsHostRegister(ptr, bytes, 0));
  g_pinned.add(ptr, bytes);
  return FL_OK;
}

fl_status unpin(void* ptr) {
  g_pinned.remove(ptr);
  FL_TOPS(topsHostUnregister(ptr));
  return FL_OK;
}

}  // namespace

const fl_ext_host_register* host_register_extension() noexcept {
  static const fl_ext_host_register table{sizeof(fl_ext_host_register), guarded<pin>, guarded<unpin>};
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

}  // namespace torch_fl_gcu
