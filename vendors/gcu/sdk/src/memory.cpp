// Device memory (standin.h says how it is mapped), host memory, and handles to share it between processes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

#include "memory.h"
#include "standin.h"
#include "stream.h"

namespace tops_standin {
namespace {

constexpr size_t kPage = 4096;
// Bytes behind every allocation that it does not own, but may overwrite without dying.
constexpr size_t kSlack = kPage;
// Every float of it is a NaN, every integer -1: memory that nobody wrote.
constexpr int kPoison = 0xFF;
// Addresses per byte of memory: freed ones are used again as late as possible.
constexpr size_t kAddresses = 16;

size_t pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

struct Allocation {
  size_t bytes = 0;
  size_t mapped = 0;  // with the slack
  char* host = nullptr;
  int device = -1;
  uint64_t number = 0;
  bool foreign = false;  // another process's
};

// The addresses of one device.
struct Arena {
  int file = -1;
  char* base = nullptr;  // no access
  char* host = nullptr;
  size_t size = 0;
  size_t next = 0;  // where the next search starts
  size_t used = 0;
};

struct Memory {
  std::shared_mutex mutex;
  std::vector<Arena> arenas;
  std::map<char*, Allocation> live;  // by the address that the caller has
  std::unordered_set<uint64_t> numbers;
  uint64_t counter = 0;
  std::map<char*, size_t> host;  // page-locked: by its start
};

Memory& memory() {
  static Memory* const made = new Memory;
  return *made;
}

bool open_arena(int device, Arena* arena) {
  if (arena->base != nullptr) return true;
  arena->size = pages(memory_of(device)) * kAddresses;
  arena->file = memfd_create("tops_standin", MFD_CLOEXEC);
  if (arena->file < 0 || ftruncate(arena->file, static_cast<off_t>(arena->size)) != 0) return false;
  void* base = mmap(nullptr, arena->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* host = mmap(nullptr, arena->size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, arena->file, 0);
  if (base == MAP_FAILED || host == MAP_FAILED) return false;
  arena->host = static_cast<char*>(host);
  arena->base = static_cast<char*>(base);
  return true;
}

// The first gap from `start` on, up to the end of the arena; the caller holds the lock.
bool find_gap(const Memory& all, const Arena& arena, size_t start, size_t bytes, size_t* offset) {
  char* at = arena.base + start;
  char* const end = arena.base + arena.size;
  auto next = all.live.lower_bound(at);
  if (next != all.live.begin()) {
    auto before = std::prev(next);
    char* const used = before->first + before->second.mapped;
    if (used > at && used <= end) at = used;
  }
  for (;; ++next) {
    char* const limit = next == all.live.end() || next->first >= end ? end : next->first;
    if (static_cast<size_t>(limit - at) >= bytes) {
      *offset = static_cast<size_t>(at - arena.base);
      return true;
    }
    if (limit == end) return false;
    at = next->first + next->second.mapped;
  }
}

topsError_t allocate(void** pointer, size_t bytes, int device) {
  if (forked()) return topsErrorNotInitialized;
  if (device_count() == 0) return topsErrorNoDevice;
  *pointer = nullptr;
  if (bytes == 0) return topsSuccess;
  const Failure failure = next_failure("topsMalloc", topsErrorOutOfMemory);
  if (failure.wanted) return static_cast<topsError_t>(failure.status);
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  if (all.arenas.empty()) all.arenas.resize(static_cast<size_t>(device_count()));
  Arena& arena = all.arenas[static_cast<size_t>(device)];
  if (!open_arena(device, &arena)) return topsErrorOutOfMemory;
  if (bytes > memory_of(device) || arena.used + pages(bytes) > memory_of(device)) {
    explain("topsMalloc: %zu bytes of device %d, which has %zu and uses %zu", bytes, device, memory_of(device),
            arena.used);
    return topsErrorOutOfMemory;
  }
  Allocation made;
  made.bytes = bytes;
  made.mapped = pages(bytes) + kSlack;
  made.device = device;
  made.number = ++all.counter;
  size_t offset = 0;
  if (!find_gap(all, arena, arena.next, made.mapped, &offset) && !find_gap(all, arena, 0, made.mapped, &offset)) {
    return topsErrorOutOfMemory;
  }
  made.host = arena.host + offset;
  if (mprotect(made.host, made.mapped, PROT_READ | PROT_WRITE) != 0) return topsErrorOutOfMemory;
  std::memset(made.host, kPoison, made.mapped);
  arena.next = offset + made.mapped;
  arena.used += pages(bytes);
  *pointer = arena.base + offset;
  all.live[arena.base + offset] = made;
  all.numbers.insert(made.number);
  return topsSuccess;
}

// The caller holds the lock.
void drop(Memory& all, std::map<char*, Allocation>::iterator found) {
  const Allocation& gone = found->second;
  if (gone.foreign) {
    munmap(gone.host, gone.mapped);
    munmap(found->first, gone.mapped);
  } else {
    Arena& arena = all.arenas[static_cast<size_t>(gone.device)];
    arena.used -= pages(gone.bytes);
    madvise(gone.host, gone.mapped, MADV_REMOVE);
    mprotect(gone.host, gone.mapped, PROT_NONE);
  }
  all.numbers.erase(gone.number);
  all.live.erase(found);
}

const std::pair<char* const, Allocation>* find(const Memory& all, const void* pointer) {
  char* const at = const_cast<char*>(static_cast<const char*>(pointer));
  auto next = all.live.upper_bound(at);
  if (next == all.live.begin()) return nullptr;
  --next;
  return at < next->first + next->second.bytes ? &*next : nullptr;
}

struct Shared {
  char magic[8];
  int32_t process;
  int32_t file;
  uint64_t offset;
  uint64_t bytes;
};
constexpr char kMagic[8] = {'t', 'o', 'p', 's', 's', 'h', 'r', '1'};
static_assert(sizeof(Shared) <= sizeof(topsIpcMemHandle_t), "the handle has no room");

}  // namespace

Place resolve(const void* pointer) {
  Memory& all = memory();
  std::shared_lock<std::shared_mutex> lock(all.mutex);
  Place place;
  const auto* found = find(all, pointer);
  if (found == nullptr) return place;
  const size_t offset = static_cast<size_t>(static_cast<const char*>(pointer) - found->first);
  place.host = found->second.host + offset;
  place.device = found->second.device;
  place.capacity = found->second.bytes - offset;
  place.slack = found->second.mapped - found->second.bytes;
  place.allocation = found->second.number;
  return place;
}

bool alive(uint64_t allocation) {
  Memory& all = memory();
  std::shared_lock<std::shared_mutex> lock(all.mutex);
  return all.numbers.count(allocation) != 0;
}

topsError_t release(void* pointer, int device) {
  if (forked()) return topsErrorNotInitialized;
  if (pointer == nullptr) return topsSuccess;
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  auto found = all.live.find(static_cast<char*>(pointer));
  if (found == all.live.end() || found->second.device != device || found->second.foreign) {
    explain("topsFree: %p was not allocated in the current device %d", pointer, device);
    return topsErrorInvalidDevicePointer;
  }
  drop(all, found);
  return topsSuccess;
}

void release_all(int device) {
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  for (auto it = all.live.begin(); it != all.live.end();) {
    auto next = std::next(it);
    if (it->second.device == device) drop(all, it);
    it = next;
  }
}

bool pinned(const void* pointer) {
  Memory& all = memory();
  std::shared_lock<std::shared_mutex> lock(all.mutex);
  char* const at = const_cast<char*>(static_cast<const char*>(pointer));
  auto next = all.host.upper_bound(at);
  if (next == all.host.begin()) return false;
  --next;
  return at < next->first + next->second;
}

}  // namespace tops_standin

using namespace tops_standin;

topsError_t topsMalloc(void** ptr, size_t size) { return remember(allocate(ptr, size, current_device())); }

topsError_t topsExtMallocWithFlags(void** ptr, size_t sizeBytes, unsigned int flags) {
  const unsigned known = topsMallocTopDown | topsMallocForbidMergeMove | topsMallocPreferHighSpeedMem;
  if ((flags & ~known) != 0) return remember(topsErrorInvalidValue);
  return topsMalloc(ptr, sizeBytes);
}

topsError_t topsFree(void* ptr) { return remember(release(ptr, current_device())); }

topsError_t topsMallocAsync(void** dev_ptr, size_t size, topsStream_t stream, uint64_t flags) {
  if (flags != 0) return remember(topsErrorInvalidValue);
  auto on = find_stream(stream);
  if (on == nullptr || device_of(*on) != current_device()) return remember(topsErrorInvalidHandle);
  return topsMalloc(dev_ptr, size);
}

topsError_t topsFreeAsync(void* dev_ptr, topsStream_t stream) {
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  const int device = device_of(*on);
  if (dev_ptr != nullptr && resolve(dev_ptr).device != device) return remember(topsErrorInvalidDevicePointer);
  submit(on, Work::other, "topsFreeAsync", [=] { return release(dev_ptr, device); });
  return topsSuccess;
}

topsError_t topsMemGetInfo(size_t* free, size_t* total) {
  if (device_count() == 0) return remember(topsErrorNoDevice);
  const int device = current_device();
  Memory& all = memory();
  std::shared_lock<std::shared_mutex> lock(all.mutex);
  *total = memory_of(device);
  *free = *total - (all.arenas.empty() ? 0 : all.arenas[static_cast<size_t>(device)].used);
  return topsSuccess;
}

topsError_t topsPointerGetAttributes(topsPointerAttribute_t* attributes, const void* ptr) {
  *attributes = {};
  const Place place = resolve(ptr);
  if (place.host != nullptr) {
    if (place.device != current_device()) return remember(topsErrorInvalidDevicePointer);
    attributes->memoryType = topsMemoryTypeDevice;
    attributes->device = place.device;
    attributes->device_pointer = const_cast<void*>(ptr);
    return topsSuccess;
  }
  if (!pinned(ptr)) return remember(topsErrorInvalidValue);
  attributes->memoryType = topsMemoryTypeHost;
  attributes->device = current_device();
  attributes->host_pointer = const_cast<void*>(ptr);
  return topsSuccess;
}

topsError_t topsHostMalloc(void** ptr, size_t size, unsigned int flags) {
  if ((flags & ~7u) != 0) return remember(topsErrorInvalidValue);
  *ptr = nullptr;
  if (size == 0) return topsSuccess;
  const Failure failure = next_failure("topsHostMalloc", topsErrorOutOfMemory);
  if (failure.wanted) return remember(static_cast<topsError_t>(failure.status));
  void* made = std::aligned_alloc(kPage, pages(size));
  if (made == nullptr) return remember(topsErrorOutOfMemory);
  std::memset(made, kPoison, pages(size));
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  all.host[static_cast<char*>(made)] = pages(size);
  *ptr = made;
  return topsSuccess;
}

topsError_t topsHostFree(void* ptr) {
  if (ptr == nullptr) return topsSuccess;
  Memory& all = memory();
  {
    std::unique_lock<std::shared_mutex> lock(all.mutex);
    auto found = all.host.find(static_cast<char*>(ptr));
    if (found == all.host.end()) return remember(topsErrorInvalidValue);
    std::memset(ptr, kPoison, found->second);
    all.host.erase(found);
  }
  std::free(ptr);
  return topsSuccess;
}

topsError_t topsHostRegister(void* hostPtr, size_t sizeBytes, unsigned int flags) {
  if (hostPtr == nullptr || sizeBytes == 0 || flags != topsHostRegisterDefault) return remember(topsErrorInvalidValue);
  if (pinned(hostPtr) || resolve(hostPtr).host != nullptr) return remember(topsErrorInvalidValue);
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  all.host[static_cast<char*>(hostPtr)] = sizeBytes;
  return topsSuccess;
}

topsError_t topsHostUnregister(void* hostPtr) {
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  return remember(all.host.erase(static_cast<char*>(hostPtr)) == 1 ? topsSuccess : topsErrorInvalidValue);
}

// Device and host share no addresses.
topsError_t topsHostGetDevicePointer(void** devPtr, void*, unsigned int) {
  *devPtr = nullptr;
  return remember(topsErrorNotSupported);
}

topsError_t topsIpcGetMemHandle(topsIpcMemHandle_t* handle, void* devPtr) {
  Memory& all = memory();
  std::shared_lock<std::shared_mutex> lock(all.mutex);
  auto found = all.live.find(static_cast<char*>(devPtr));
  if (found == all.live.end() || found->second.foreign || found->second.device != current_device()) {
    return remember(topsErrorInvalidDevicePointer);
  }
  const Arena& arena = all.arenas[static_cast<size_t>(found->second.device)];
  Shared shared{};
  std::memcpy(shared.magic, kMagic, sizeof(kMagic));
  shared.process = getpid();
  shared.file = arena.file;
  shared.offset = static_cast<uint64_t>(found->second.host - arena.host);
  shared.bytes = found->second.bytes;
  *handle = {};
  std::memcpy(handle->reserved, &shared, sizeof(shared));
  return topsSuccess;
}

topsError_t topsIpcOpenMemHandle(void** devPtr, topsIpcMemHandle_t handle, unsigned int flags) {
  if (flags != topsIpcMemLazyEnablePeerAccess) return remember(topsErrorInvalidValue);
  Shared shared{};
  std::memcpy(&shared, handle.reserved, sizeof(shared));
  if (std::memcmp(shared.magic, kMagic, sizeof(kMagic)) != 0) return remember(topsErrorInvalidHandle);
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/fd/%d", shared.process, shared.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return remember(topsErrorInvalidHandle);
  Allocation made;
  made.bytes = shared.bytes;
  made.mapped = pages(shared.bytes);
  made.device = current_device();
  made.foreign = true;
  void* host = mmap(nullptr, made.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(shared.offset));
  void* base = mmap(nullptr, made.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  close(file);
  if (host == MAP_FAILED || base == MAP_FAILED) return remember(topsErrorOutOfMemory);
  made.host = static_cast<char*>(host);
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  made.number = ++all.counter;
  all.numbers.insert(made.number);
  all.live[static_cast<char*>(base)] = made;
  *devPtr = base;
  return topsSuccess;
}

topsError_t topsIpcCloseMemHandle(void* devPtr) {
  Memory& all = memory();
  std::unique_lock<std::shared_mutex> lock(all.mutex);
  auto found = all.live.find(static_cast<char*>(devPtr));
  if (found == all.live.end() || !found->second.foreign) return remember(topsErrorInvalidDevicePointer);
  drop(all, found);
  return topsSuccess;
}
