// Copies of bytes between devices and the host.
#include "runtime/state.h"

namespace torch_fl {
namespace {

// Once per ordered pair of devices that can see each other's memory. Where they cannot, the vendor stages the copy.
void enable_peer(int32_t device, int32_t peer) {
  static auto* asked = new std::array<std::array<std::atomic<bool>, kMaxDevices>, kMaxDevices>{};
  auto& done = (*asked)[device][peer];
  if (C10_LIKELY(done.load(std::memory_order_acquire))) return;
  const Vendor& v = vendor();
  if (v.api.enable_peer_access && can_access_peer(device, peer)) {
    attach(device);
    FL_CHECK(v.api.enable_peer_access(device, peer), "enable_peer_access(device=", device, ", peer=", peer, ")");
  }
  done.store(true, std::memory_order_release);
}

// Of memory that we did not make (the host's) all that is known is that the copy fits.
size_t capacity(int32_t device, const void* ptr, size_t bytes) {
  const size_t known = device < 0 ? 0 : capacity_of(device, ptr);
  return known ? known : bytes;
}

}  // namespace

void OpenMemory::begin() {
  attach(device_);
  stream_ = current_stream_handle(device_);
  FL_CHECK(access_->begin(device_, stream_), "host_access(device=", device_, ")");
}

void copy_bytes(void* dst, int32_t dst_device, const void* src, int32_t src_device, size_t bytes, c10::Stream stream) {
  if (bytes == 0 || (dst == src && dst_device == src_device)) return;
  TORCH_CHECK(dst_device >= 0 || src_device >= 0, "torch_fl: a copy from host to host is not the device's business");
  const Vendor& v = vendor();
  const fl_stream handle = stream_handle(stream);
  const fl_copy_kind kind = dst_device < 0 ? FL_D2H : src_device < 0 ? FL_H2D : FL_D2D;
  if (kind == FL_D2D && dst_device != src_device) {
    enable_peer(dst_device, src_device);
    enable_peer(src_device, dst_device);
  }
  const int32_t device = stream.device_index();
  attach(device);
  const size_t dst_capacity = capacity(dst_device, dst, bytes);
  const size_t src_capacity = capacity(src_device, src, bytes);
  const char* name = v.api.memcpy_async ? "memcpy_async" : "memcpy_sync";
  const fl_status status =
      v.api.memcpy_async
          ? v.api.memcpy_async(dst, dst_capacity, dst_device, src, src_capacity, src_device, bytes, kind, handle)
          : v.api.memcpy_sync(dst, dst_capacity, dst_device, src, src_capacity, src_device, bytes, kind);
  FL_CHECK(status, name, "(dst=", dst, " on device ", dst_device, ", src=", src, " on device ", src_device,
           ", bytes=", bytes, ")");
  if (kind == FL_H2D) record_pinned(src, stream);
  if (kind == FL_D2H) record_pinned(dst, stream);
}

}  // namespace torch_fl
