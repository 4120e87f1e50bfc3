#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "device.h"
#include "kit.h"
#include "stream.h"

namespace torch_fl_sim {
namespace {

constexpr int32_t kHost = -1;
// A larger copy of pinned memory is always left to the stream's thread: the caller has better things to do.
constexpr size_t kInlinePinnedBytes = 1 << 20;
// A larger copy from pageable memory that must queue blocks; a smaller one copies its source first.
constexpr size_t kStagedBytes = 1 << 20;

// Who holds a range of memory that sim knows: a device, or the host, which has pinned it.
struct Holder {
  int32_t device = kHost;
  bool registered = false;  // pinned by host_register, so not ours to free
};
using Registry = torch_fl_kit::Ranges<Holder>;
Registry& registry() {
  static Registry* made = new Registry;  // never destroyed: see device.cpp
  return *made;
}

size_t page_size() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t whole_pages(size_t bytes) { return (std::max<size_t>(bytes, 1) + page_size() - 1) & ~(page_size() - 1); }

// What an address is.
struct Place {
  bool known = false;
  int32_t device = kHost;
  size_t capacity = 0;  // bytes from the address to the end of its range
};
Place locate(const void* ptr) {
  const Registry::Range range = registry().find(ptr);
  return range ? Place{true, range.what.device, range.room(ptr)} : Place{};
}

// One side of a copy or memset. Says on which side the mistake is, and what the pointer really is.
fl_status check_side(const char* side, const void* ptr, size_t capacity, int32_t device, size_t bytes, Place* place) {
  if (ptr == nullptr) return fail(FL_INVALID_VALUE, "the %s of a copy of %zu bytes is null", side, bytes);
  if (bytes > capacity) {
    return fail(FL_INVALID_VALUE, "the %s has %zu bytes, %zu are asked of it", side, capacity, bytes);
  }
  if (device != kHost && find_device(device) == nullptr) return FL_INVALID_DEVICE;
  *place = locate(ptr);
  if (place->known && bytes > place->capacity) {
    return fail(FL_INVALID_VALUE, "the %s %p has %zu bytes up to the end of its allocation, %zu are asked of it", side,
                ptr, place->capacity, bytes);
  }
  if (device == kHost && place->device != kHost) {
    return fail(FL_INVALID_VALUE, "the %s %p is given as host memory, but belongs to device %d", side, ptr,
                place->device);
  }
  if (device != kHost && place->device != device) {
    if (place->device != kHost) {
      return fail(FL_INVALID_VALUE, "the %s %p is given as memory of device %d, but belongs to device %d", side, ptr,
                  device, place->device);
    }
    return fail(FL_INVALID_VALUE, "the %s %p is given as memory of device %d, but is %shost memory", side, ptr, device,
                place->known ? "pinned " : "");
  }
  return FL_OK;
}

struct Copy {
  void* dst;
  const void* src;
  size_t bytes;
  int32_t dst_device;
  int32_t src_device;

  // Device memory of the device whose stream runs this is open already; opening it again only counts.
  void operator()() const {
    DeviceOpen open_dst(dst_device);
    DeviceOpen open_src(src_device);
    // Two ranges of one segment may overlap, which memcpy forbids.
    std::memmove(dst, src, bytes);
  }
};

fl_status check_copy(const Copy& copy, size_t dst_capacity, size_t src_capacity, fl_copy_kind kind, Place* dst,
                     Place* src) {
  const bool to_device = kind == FL_H2D || kind == FL_D2D;
  const bool from_device = kind == FL_D2H || kind == FL_D2D;
  if (!to_device && !from_device) return fail(FL_INVALID_VALUE, "there is no copy kind %d", static_cast<int>(kind));
  if (to_device != (copy.dst_device != kHost) || from_device != (copy.src_device != kHost)) {
    return fail(FL_INVALID_VALUE, "copy kind %d does not fit destination device %d and source device %d",
                static_cast<int>(kind), copy.dst_device, copy.src_device);
  }
  if (fl_status s = check_side("destination", copy.dst, dst_capacity, copy.dst_device, copy.bytes, dst)) return s;
  return check_side("source", copy.src, src_capacity, copy.src_device, copy.bytes, src);
}

fl_status check_memset(void* dst, size_t capacity, int32_t device, size_t bytes) {
  if (device == kHost) return fail(FL_INVALID_VALUE, "memset is for device memory; the device given is -1");
  Place place;
  return check_side("destination", dst, capacity, device, bytes, &place);
}

const char* name_of(fl_copy_kind kind) {
  return kind == FL_H2D ? "copy host to device" : kind == FL_D2H ? "copy device to host" : "copy device to device";
}

// mprotects every segment of the device. The caller holds the device's memory_mutex.
void protect_segments(int32_t device, int protection) {
  registry().each([&](const Registry::Range& range) {
    if (range.what.device != device) return;
    if (mprotect(const_cast<char*>(range.begin), whole_pages(range.bytes), protection) != 0)
      core()->log(3, "sim: mprotect failed; FLAGOS_SIM_PROTECT cannot be trusted in this process");
  });
}

}  // namespace

void open_device_memory(int32_t device) noexcept {
  Device* found = device == kHost ? nullptr : find_device(device);
  if (found == nullptr) return;
  std::lock_guard<std::mutex> lock(found->memory_mutex);
  if (found->open_count++ == 0) protect_segments(device, PROT_READ | PROT_WRITE);
}

void close_device_memory(int32_t device) noexcept {
  Device* found = device == kHost ? nullptr : find_device(device);
  if (found == nullptr) return;
  std::lock_guard<std::mutex> lock(found->memory_mutex);
  if (--found->open_count == 0) protect_segments(device, PROT_NONE);
}

DeviceOpen::DeviceOpen(int32_t device) noexcept : device_(device) {
  if (settings().protect) open_device_memory(device_);
}

DeviceOpen::~DeviceOpen() {
  if (settings().protect) close_device_memory(device_);
}

fl_status device_malloc(int32_t device, size_t bytes, void** ptr) {
  Device* found = find_device(device);
  if (found == nullptr) return FL_INVALID_DEVICE;
  const size_t size = whole_pages(bytes);
  std::lock_guard<std::mutex> lock(found->memory_mutex);
  if (size < bytes || size > settings().memory - found->used) {
    return fail(FL_OOM, "device %d has %llu of %llu bytes left, %zu were asked for", device,
                static_cast<unsigned long long>(settings().memory - found->used),
                static_cast<unsigned long long>(settings().memory), bytes);
  }
  const bool open = !settings().protect || found->open_count > 0;
  void* made = mmap(nullptr, size, open ? PROT_READ | PROT_WRITE : PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return fail(FL_OOM, "mmap of %zu bytes: %s", size, std::strerror(errno));
  registry().add(made, size, {device, false});
  found->used += size;
  *ptr = made;
  return FL_OK;
}

fl_status device_free(int32_t device, void* ptr) {
  if (ptr == nullptr) return FL_OK;
  Device* found = find_device(device);
  if (found == nullptr) return FL_INVALID_DEVICE;
  std::lock_guard<std::mutex> lock(found->memory_mutex);
  const Registry::Range range = registry().remove(ptr, [device](const Holder& h) { return h.device == device; });
  if (!range) {
    return fail(FL_INVALID_VALUE, "%p was not allocated on device %d, or is free already", ptr, device);
  }
  found->used -= range.bytes;
  if (settings().protect) {
    // The address is never used again, so that a late access faults instead of reading somebody else's data.
    mmap(ptr, range.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  } else {
    munmap(ptr, range.bytes);
  }
  return FL_OK;
}

fl_status mem_info(int32_t device, uint64_t* free_bytes, uint64_t* total_bytes) {
  Device* found = find_device(device);
  if (found == nullptr) return FL_INVALID_DEVICE;
  std::lock_guard<std::mutex> lock(found->memory_mutex);
  *free_bytes = settings().memory - found->used;
  *total_bytes = settings().memory;
  return FL_OK;
}

fl_status host_malloc(size_t bytes, void** ptr) {
  // Pinned memory that cannot be locked (RLIMIT_MEMLOCK) would do as well: sim has no hardware that reads it.
  const size_t size = whole_pages(bytes);
  void* made = std::aligned_alloc(page_size(), size);
  if (made == nullptr) return fail(FL_OOM, "%zu bytes of host memory cannot be allocated", bytes);
  registry().add(made, size);
  *ptr = made;
  return FL_OK;
}

fl_status host_free(void* ptr) {
  if (ptr == nullptr) return FL_OK;
  if (!registry().remove(ptr, [](const Holder& h) { return h.device == kHost && !h.registered; })) {
    return fail(FL_INVALID_VALUE, "%p was not made by host_malloc, or is free already", ptr);
  }
  std::free(ptr);
  return FL_OK;
}

fl_status memcpy_async(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                       int32_t src_device, size_t bytes, fl_copy_kind kind, fl_stream stream) {
  if (bytes == 0) return FL_OK;
  const Copy copy{dst, src, bytes, dst_device, src_device};
  Place dst_place, src_place;
  if (fl_status s = check_copy(copy, dst_capacity, src_capacity, kind, &dst_place, &src_place)) return s;
  Stream* on = nullptr;
  if (fl_status s = find_stream(stream, dst_device, src_device, &on)) return s;

  const bool pageable = (kind == FL_H2D && !src_place.known) || (kind == FL_D2H && !dst_place.known);
  if (!pageable) {
    const bool pinned = kind != FL_D2D;
    if (pinned && bytes > kInlinePinnedBytes) return on->enqueue(ActivityKind::copy, name_of(kind), bytes, copy);
    return on->submit(ActivityKind::copy, name_of(kind), bytes, copy);
  }
  // Pageable memory is the caller's again when the call returns, as with CUDA: it may be changed or freed at once.
  if (kind == FL_H2D && bytes <= kStagedBytes && !on->idle()) {
    std::shared_ptr<char> staged(new (std::nothrow) char[bytes], std::default_delete<char[]>());
    if (staged == nullptr) return fail(FL_OOM, "%zu bytes of host memory cannot be allocated", bytes);
    std::memcpy(staged.get(), src, bytes);
    return on->enqueue(ActivityKind::copy, name_of(kind), bytes, [copy, staged] {
      Copy from_staged = copy;
      from_staged.src = staged.get();
      from_staged();
    });
  }
  if (fl_status s = on->submit(ActivityKind::copy, name_of(kind), bytes, copy)) return s;
  on->wait();
  return FL_OK;
}

fl_status memcpy_sync(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                      int32_t src_device, size_t bytes, fl_copy_kind kind) {
  if (bytes == 0) return FL_OK;
  const Copy copy{dst, src, bytes, dst_device, src_device};
  Place dst_place, src_place;
  if (fl_status s = check_copy(copy, dst_capacity, src_capacity, kind, &dst_place, &src_place)) return s;
  for (int32_t device : {dst_device, src_device}) {
    if (device == kHost) continue;
    if (fl_status s = device_synchronize(device)) return s;
  }
  Activity activity;
  if (profiling()) activity.begin(ActivityKind::copy, name_of(kind), std::max(dst_device, src_device), nullptr, bytes);
  activity.start();
  copy();
  activity.finish();
  return FL_OK;
}

fl_status memset_async(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes, fl_stream stream) {
  if (bytes == 0) return FL_OK;
  if (fl_status s = check_memset(dst, capacity, device, bytes)) return s;
  Stream* on = nullptr;
  if (fl_status s = find_stream(stream, device, device, &on)) return s;
  return on->submit(ActivityKind::memset, "memset", bytes, [=] {
    DeviceOpen open(device);
    std::memset(dst, value, bytes);
  });
}

fl_status memset_sync(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes) {
  if (bytes == 0) return FL_OK;
  if (fl_status s = check_memset(dst, capacity, device, bytes)) return s;
  if (fl_status s = device_synchronize(device)) return s;
  Activity activity;
  if (profiling()) activity.begin(ActivityKind::memset, "memset", device, nullptr, bytes);
  activity.start();
  {
    DeviceOpen open(device);
    std::memset(dst, value, bytes);
  }
  activity.finish();
  return FL_OK;
}

// ------------------------------------------------------------------------------------------------- host_access, 1

namespace {

fl_status host_access_begin(int32_t device, fl_stream stream) {
  Stream* on = static_cast<Stream*>(stream);
  on->host_begin();
  if (on->failed()) {
    const fl_status status = on->take_error();
    on->host_end();
    return status;
  }
  if (settings().protect) open_device_memory(device);
  return FL_OK;
}

fl_status host_access_end(int32_t device, fl_stream stream) {
  if (settings().protect) close_device_memory(device);
  static_cast<Stream*>(stream)->host_end();
  return FL_OK;
}

// ----------------------------------------------------------------------------------------------- host_register, 1

fl_status host_register_pin(void* ptr, size_t bytes) {
  if (ptr == nullptr || bytes == 0) return fail(FL_INVALID_VALUE, "there is nothing to pin at %p", ptr);
  if (const Registry::Range there = registry().try_add(ptr, bytes, {kHost, true})) {
    return fail(FL_INVALID_VALUE, "%p and the %zu bytes behind it are %s already", ptr, bytes,
                there.what.device == kHost ? "pinned" : "device memory");
  }
  return FL_OK;
}

fl_status host_register_unpin(void* ptr) {
  if (!registry().remove(ptr, [](const Holder& h) { return h.registered; })) {
    return fail(FL_INVALID_VALUE, "%p was not pinned by host_register", ptr);
  }
  return FL_OK;
}

}  // namespace

const fl_ext_host_access* host_access_extension() noexcept {
  static const fl_ext_host_access table{sizeof(fl_ext_host_access), guarded<host_access_begin>,
                                        guarded<host_access_end>};
  return &table;
}

const fl_ext_host_register* host_register_extension() noexcept {
  static const fl_ext_host_register table{sizeof(fl_ext_host_register), guarded<host_register_pin>,
                                          guarded<host_register_unpin>};
  return &table;
}

}  // namespace torch_fl_sim
