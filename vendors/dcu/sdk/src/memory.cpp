// Memory of devices and of the host. New and freed memory is full of 0xFF (NaN, -1), and freed memory keeps its
// addresses for a while, so that work which still reaches it meets nothing else.
#include <cstdlib>
#include <cstring>
#include <map>

#include "standin.h"

namespace hip_standin {
namespace {

struct Block {
  size_t bytes;
  int device;  // -1: page-locked memory of the host
  bool ours;   // false: registered
};
using Blocks = std::map<uintptr_t, Block>;
Blocks& blocks() {
  static auto& all = *new Blocks;
  return all;
}
struct Freed {
  void* ptr;
  size_t bytes;
};
std::deque<Freed>& freed() {
  static auto& all = *new std::deque<Freed>;
  return all;
}
constexpr size_t kKept = 64;
constexpr size_t kAlignment = 512;

uintptr_t address(const void* ptr) { return reinterpret_cast<uintptr_t>(ptr); }

// The block that holds `bytes` from `ptr` on, or the end.
Blocks::iterator find(const void* ptr, size_t bytes) {
  auto after = blocks().upper_bound(address(ptr));
  if (after == blocks().begin()) return blocks().end();
  --after;
  const uintptr_t in = address(ptr) - after->first;
  return in < after->second.bytes && bytes <= after->second.bytes - in ? after : blocks().end();
}

void* make(size_t bytes) {
  void* ptr = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (ptr != nullptr) std::memset(ptr, 0xFF, bytes);
  return ptr;
}

void bury(void* ptr, size_t bytes) {
  std::memset(ptr, 0xFF, bytes);
  freed().push_back({ptr, bytes});
  if (freed().size() <= kKept) return;
  std::free(freed().front().ptr);
  freed().pop_front();
}

hipError_t copy(void* dst, const void* src, size_t bytes, hipStream_t handle) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([=] { std::memmove(dst, src, bytes); });
}

}  // namespace

bool on_device(int device, const void* ptr, size_t bytes) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = find(ptr, bytes);
  if (found == blocks().end() || found->second.device < 0) return false;
  return found->second.device == device ||
         devices()[static_cast<size_t>(device)]->peers[static_cast<size_t>(found->second.device)];
}

bool on_host(const void* ptr, size_t bytes) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = find(ptr, 1);
  return ptr != nullptr && bytes > 0 && (found == blocks().end() || found->second.device < 0);
}

bool pinned(const void* ptr, size_t bytes) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = find(ptr, bytes);
  return found != blocks().end() && found->second.device < 0;
}

}  // namespace hip_standin

using namespace hip_standin;

FL_HIP_EXPORT hipMalloc(void** ptr, size_t bytes) {
  *ptr = nullptr;
  if (devices().empty()) return remember(hipErrorInvalidDevice);
  if (bytes == 0) return hipSuccess;
  const std::lock_guard<std::mutex> lock(world());
  Device& device = *devices()[static_cast<size_t>(current())];
  if (bytes > settings().memory - device.used) return remember(hipErrorOutOfMemory);
  *ptr = make(bytes);
  if (*ptr == nullptr) return remember(hipErrorOutOfMemory);
  device.used += bytes;
  blocks()[address(*ptr)] = {bytes, current(), true};
  return hipSuccess;
}

FL_HIP_EXPORT hipFree(void* ptr) {
  if (ptr == nullptr) return hipSuccess;
  const std::lock_guard<std::mutex> lock(world());
  const auto found = blocks().find(address(ptr));
  if (found == blocks().end() || found->second.device != current()) return remember(hipErrorInvalidValue);
  devices()[static_cast<size_t>(current())]->used -= found->second.bytes;
  bury(ptr, found->second.bytes);
  blocks().erase(found);
  return hipSuccess;
}

FL_HIP_EXPORT hipMemGetInfo(size_t* free, size_t* total) {
  if (devices().empty()) return remember(hipErrorInvalidDevice);
  const std::lock_guard<std::mutex> lock(world());
  *total = settings().memory;
  *free = settings().memory - devices()[static_cast<size_t>(current())]->used;
  return hipSuccess;
}

FL_HIP_EXPORT hipHostMalloc(void** ptr, size_t bytes, unsigned) {
  *ptr = nullptr;
  if (devices().empty()) return remember(hipErrorInvalidDevice);
  if (bytes == 0) return remember(hipErrorInvalidValue);
  const std::lock_guard<std::mutex> lock(world());
  *ptr = make(bytes);
  if (*ptr == nullptr) return remember(hipErrorOutOfMemory);
  blocks()[address(*ptr)] = {bytes, -1, true};
  return hipSuccess;
}

FL_HIP_EXPORT hipHostFree(void* ptr) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = blocks().find(address(ptr));
  if (found == blocks().end() || found->second.device >= 0 || !found->second.ours)
    return remember(hipErrorInvalidValue);
  bury(ptr, found->second.bytes);
  blocks().erase(found);
  return hipSuccess;
}

FL_HIP_EXPORT hipHostRegister(void* ptr, size_t bytes, unsigned) {
  if (ptr == nullptr || bytes == 0) return remember(hipErrorInvalidValue);
  const std::lock_guard<std::mutex> lock(world());
  const auto next = blocks().lower_bound(address(ptr));
  if (find(ptr, 1) != blocks().end() || (next != blocks().end() && next->first - address(ptr) < bytes))
    return remember(hipErrorHostMemoryAlreadyRegistered);
  blocks()[address(ptr)] = {bytes, -1, false};
  return hipSuccess;
}

FL_HIP_EXPORT hipHostUnregister(void* ptr) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = blocks().find(address(ptr));
  if (found == blocks().end() || found->second.ours) return remember(hipErrorHostMemoryNotRegistered);
  blocks().erase(found);
  return hipSuccess;
}

FL_HIP_EXPORT hipHostGetDevicePointer(void** device_ptr, void* ptr, unsigned) {
  if (!pinned(ptr, 1)) return remember(hipErrorInvalidValue);
  *device_ptr = ptr;
  return hipSuccess;
}

FL_HIP_EXPORT hipMemcpyAsync(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, hipStream_t handle) {
  const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  if (devices().empty()) return remember(hipErrorInvalidDevice);
  if (!(to_device ? on_device(current(), dst, bytes) : on_host(dst, bytes)) ||
      !(from_device ? on_device(current(), src, bytes) : on_host(src, bytes)))
    return remember(hipErrorInvalidValue);
  if (!from_device && !pinned(src, bytes)) {
    ihipStream_t* stream = nullptr;
    FL_RETURN(resolve(handle, &stream));
    // Pageable memory is the caller's again when this returns.
    const auto* from = static_cast<const char*>(src);
    return stream->enqueue(
        [dst, staged = std::vector<char>(from, from + bytes)] { std::memcpy(dst, staged.data(), staged.size()); });
  }
  FL_RETURN(copy(dst, src, bytes, handle));
  return to_device || pinned(dst, bytes) ? hipSuccess : hipStreamSynchronize(handle);
}

FL_HIP_EXPORT hipMemcpyPeerAsync(void* dst, int dst_device, const void* src, int src_device, size_t bytes,
                                 hipStream_t handle) {
  if (!on_device(dst_device, dst, bytes) || !on_device(src_device, src, bytes)) return remember(hipErrorInvalidValue);
  return copy(dst, src, bytes, handle);
}

FL_HIP_EXPORT hipMemsetAsync(void* dst, int value, size_t bytes, hipStream_t handle) {
  if (devices().empty()) return remember(hipErrorInvalidDevice);
  if (!on_device(current(), dst, bytes)) return remember(hipErrorInvalidValue);
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([=] { std::memset(dst, value, bytes); });
}

// The memory is one process's own.
FL_HIP_EXPORT hipIpcGetMemHandle(hipIpcMemHandle_t*, void*) { return remember(hipErrorNotSupported); }
FL_HIP_EXPORT hipIpcOpenMemHandle(void**, hipIpcMemHandle_t, unsigned) { return remember(hipErrorNotSupported); }
FL_HIP_EXPORT hipIpcCloseMemHandle(void*) { return remember(hipErrorNotSupported); }
FL_HIP_EXPORT hipIpcGetEventHandle(hipIpcEventHandle_t*, hipEvent_t) { return remember(hipErrorNotSupported); }
FL_HIP_EXPORT hipIpcOpenEventHandle(hipEvent_t*, hipIpcEventHandle_t) { return remember(hipErrorNotSupported); }
