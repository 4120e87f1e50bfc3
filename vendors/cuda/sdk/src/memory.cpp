// Memory of devices and of the host. New and freed memory is full of 0xFF (NaN, -1), and freed memory keeps its
// addresses for a while, so that work which still reaches it meets nothing else.
#include <cstdlib>
#include <cstring>
#include <map>

#include "exports.h"
#include "more.h"
#include "standin.h"

namespace torch_fl_cuda {
namespace {

struct Block {
  size_t bytes;
  Context* context;  // null: page-locked memory of the host
  bool ours;         // false: registered
};
using Blocks = std::map<CUdeviceptr, Block>;
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

// The block that holds `bytes` from `ptr` on, or the end.
Blocks::iterator find(CUdeviceptr ptr, size_t bytes) {
  auto after = blocks().upper_bound(ptr);
  if (after == blocks().begin()) return blocks().end();
  --after;
  const bool inside = ptr - after->first < after->second.bytes && bytes <= after->second.bytes - (ptr - after->first);
  return inside ? after : blocks().end();
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

void* at(CUdeviceptr ptr) { return reinterpret_cast<void*>(ptr); }

// A copy that names memory of its own context on both sides, or of the peer's on one.
CUresult copy(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream handle) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([=] { std::memmove(at(dst), at(src), bytes); });
}

}  // namespace

bool on_device(Context* context, CUdeviceptr ptr, size_t bytes) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = find(ptr, bytes);
  if (found == blocks().end() || found->second.context == nullptr) return false;
  if (found->second.context == context) return true;
  for (size_t i = 0; i < contexts().size(); i++)
    if (contexts()[i].get() == found->second.context) return context->peers[i];
  return false;
}

bool on_host(const void* ptr, size_t bytes) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = find(reinterpret_cast<CUdeviceptr>(ptr), 1);
  return ptr != nullptr && bytes > 0 && (found == blocks().end() || found->second.context == nullptr);
}

bool piece_of(Context* context, CUdeviceptr ptr, CUdeviceptr* start, size_t* bytes) {
  const bool there = on_device(context, ptr, 1) || pinned(at(ptr), 1);
  const std::lock_guard<std::mutex> lock(world());
  const auto found = find(ptr, 1);
  if (!there || found == blocks().end()) return false;
  *start = found->first;
  *bytes = found->second.bytes;
  return true;
}

bool pinned(const void* ptr, size_t bytes) {
  const std::lock_guard<std::mutex> lock(world());
  const auto found = find(reinterpret_cast<CUdeviceptr>(ptr), bytes);
  return found != blocks().end() && found->second.context == nullptr;
}

}  // namespace torch_fl_cuda

FL_DRIVER cuMemAlloc_v2(CUdeviceptr* ptr, size_t bytes) {
  FL_CURRENT(context);
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(world());
  if (bytes > settings().memory - context->used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* made = make(bytes);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  context->used += bytes;
  *ptr = reinterpret_cast<CUdeviceptr>(made);
  blocks()[*ptr] = {bytes, context, true};
  return CUDA_SUCCESS;
}

FL_DRIVER cuMemFree_v2(CUdeviceptr ptr) {
  FL_CURRENT(context);
  const std::lock_guard<std::mutex> lock(world());
  const auto found = blocks().find(ptr);
  if (found == blocks().end() || found->second.context != context) return CUDA_ERROR_INVALID_VALUE;
  context->used -= found->second.bytes;
  bury(at(ptr), found->second.bytes);
  blocks().erase(found);
  return CUDA_SUCCESS;
}

FL_DRIVER cuMemGetInfo_v2(size_t* free, size_t* total) {
  FL_CURRENT(context);
  const std::lock_guard<std::mutex> lock(world());
  *total = settings().memory;
  *free = settings().memory - context->used;
  return CUDA_SUCCESS;
}

FL_DRIVER cuMemHostAlloc(void** ptr, size_t bytes, unsigned) {
  FL_CURRENT(context);
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(world());
  *ptr = make(bytes);
  if (*ptr == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  blocks()[reinterpret_cast<CUdeviceptr>(*ptr)] = {bytes, nullptr, true};
  return CUDA_SUCCESS;
}

FL_DRIVER cuMemFreeHost(void* ptr) {
  FL_CURRENT(context);
  const std::lock_guard<std::mutex> lock(world());
  const auto found = blocks().find(reinterpret_cast<CUdeviceptr>(ptr));
  if (found == blocks().end() || found->second.context != nullptr || !found->second.ours)
    return CUDA_ERROR_INVALID_VALUE;
  bury(ptr, found->second.bytes);
  blocks().erase(found);
  return CUDA_SUCCESS;
}

FL_DRIVER cuMemHostRegister_v2(void* ptr, size_t bytes, unsigned) {
  FL_CURRENT(context);
  const auto begin = reinterpret_cast<CUdeviceptr>(ptr);
  if (ptr == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(world());
  const auto next = blocks().lower_bound(begin);
  const bool overlaps = find(begin, 1) != blocks().end() || (next != blocks().end() && next->first - begin < bytes);
  if (overlaps) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  blocks()[begin] = {bytes, nullptr, false};
  return CUDA_SUCCESS;
}

FL_DRIVER cuMemHostUnregister(void* ptr) {
  FL_CURRENT(context);
  const std::lock_guard<std::mutex> lock(world());
  const auto found = blocks().find(reinterpret_cast<CUdeviceptr>(ptr));
  if (found == blocks().end() || found->second.ours) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  blocks().erase(found);
  return CUDA_SUCCESS;
}

FL_DRIVER cuPointerGetAttribute(void* value, int attribute, CUdeviceptr ptr) {
  FL_CURRENT(context);
  CUdeviceptr start = 0;
  size_t bytes = 0;
  if (!piece_of(context, ptr, &start, &bytes)) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case POINTER_ATTRIBUTE_DEVICE_POINTER:
      std::memcpy(value, &ptr, sizeof(ptr));
      return CUDA_SUCCESS;
    case POINTER_ATTRIBUTE_RANGE_START_ADDR:
      std::memcpy(value, &start, sizeof(start));
      return CUDA_SUCCESS;
    case POINTER_ATTRIBUTE_RANGE_SIZE:
      std::memcpy(value, &bytes, sizeof(bytes));
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

FL_DRIVER cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t bytes, CUstream handle) {
  FL_CURRENT(context);
  if (!on_device(context, dst, bytes) || !on_host(src, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (pinned(src, bytes)) return copy(dst, reinterpret_cast<CUdeviceptr>(src), bytes, handle);
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  // Pageable memory is the caller's again when this returns.
  const auto* from = static_cast<const char*>(src);
  return stream->enqueue(
      [dst, staged = std::vector<char>(from, from + bytes)] { std::memcpy(at(dst), staged.data(), staged.size()); });
}

FL_DRIVER cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t bytes, CUstream handle) {
  FL_CURRENT(context);
  if (!on_device(context, src, bytes) || !on_host(dst, bytes)) return CUDA_ERROR_INVALID_VALUE;
  FL_RETURN(copy(reinterpret_cast<CUdeviceptr>(dst), src, bytes, handle));
  if (pinned(dst, bytes)) return CUDA_SUCCESS;
  return cuStreamSynchronize(handle);
}

FL_DRIVER cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream handle) {
  FL_CURRENT(context);
  if (!on_device(context, dst, bytes) || !on_device(context, src, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(dst, src, bytes, handle);
}

FL_DRIVER cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
                            size_t bytes, CUstream handle) {
  if (!on_device(dst_context, dst, bytes) || !on_device(src_context, src, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(dst, src, bytes, handle);
}

FL_DRIVER cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream handle) {
  FL_CURRENT(context);
  if (!on_device(context, dst, count)) return CUDA_ERROR_INVALID_VALUE;
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([=] { std::memset(at(dst), value, count); });
}

// The memory is one process's own.
FL_DRIVER cuIpcGetMemHandle(CUipcMemHandle*, CUdeviceptr) { return CUDA_ERROR_NOT_SUPPORTED; }
FL_DRIVER cuIpcOpenMemHandle_v2(CUdeviceptr*, CUipcMemHandle, unsigned) { return CUDA_ERROR_NOT_SUPPORTED; }
FL_DRIVER cuIpcCloseMemHandle(CUdeviceptr) { return CUDA_ERROR_NOT_SUPPORTED; }
FL_DRIVER cuIpcGetEventHandle(CUipcEventHandle*, CUevent) { return CUDA_ERROR_NOT_SUPPORTED; }
FL_DRIVER cuIpcOpenEventHandle(CUevent*, CUipcEventHandle) { return CUDA_ERROR_NOT_SUPPORTED; }
