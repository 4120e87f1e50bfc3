// What the rest of core needs of the runtime: the loaded vendor, devices, streams, memory, generators.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Device.h>
#include <c10/core/DeviceType.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "torch_fl/vendor.h"

// Small thread-local variables of hot paths: no call to find them, though the library is dlopen'ed.
#define FL_TLS thread_local __attribute__((tls_model("initial-exec")))

#define FL_API __attribute__((visibility("default")))

namespace torch_fl {

constexpr c10::DeviceType kFlagos = c10::DeviceType::PrivateUse1;

// ---------------------------------------------------------------------------------------------------- the vendor

// What Python knows about the chosen vendor before its library is loaded (vendor.toml).
struct VendorFacts {
  std::string name;
  std::string library;                                      // path of the shared library
  std::optional<c10::DeviceType> boxing;                    // the key that sees the same memory
  std::vector<std::string> lanes;                           // lane order, best first
  std::vector<std::pair<std::string, std::string>> fences;  // work of .first is not seen by .second
  std::string spare;                                        // an installed vendor that needs no device, or ""
};

struct Vendor {
  VendorFacts facts;
  fl_vendor_api api{};
  std::string version;
  int32_t device_count = 0;
  const fl_ext_host_access* host_access = nullptr;
  bool key_ready = false;  // there is a boxing key, and this PyTorch has it
};

// Python's choice. Loads nothing. Throws when another vendor is loaded already.
FL_API void set_vendor(VendorFacts facts);
// Why there is no vendor; told at first use of the device.
FL_API void set_no_vendor(std::string why);
// The vendor; the first call loads its library (dlopen, fl_vendor_init, init). Throws with the reason and the fix.
FL_API const Vendor& vendor();
FL_API extern std::atomic<const Vendor*> g_vendor;
FL_API const Vendor* loading_vendor() noexcept;  // on the thread that loads
// The vendor if it is loaded already, else null. Never loads, never throws.
inline const Vendor* loaded_vendor() noexcept {
  const Vendor* v = g_vendor.load(std::memory_order_acquire);
  return C10_LIKELY(v != nullptr) ? v : loading_vendor();
}
// Called once with the vendor, right after it was loaded and before vendor() returns to anybody.
void on_vendor_loaded(std::function<void(const Vendor&)> callback);
// True where a vendor was chosen (it may still fail to load).
FL_API bool has_vendor() noexcept;

// True in a forked child of a process whose runtime was live: the device cannot be used here, the CPU can.
FL_API bool in_bad_fork() noexcept;
// False in such a child and while the process exits: no call may go to the vendor any more.
bool runtime_alive() noexcept;

// The table given to the vendor. `alloc_output` belongs to dispatch, which sets it before a vendor is loaded.
fl_core_api& core_api();

// Throws unless FL_OK: `torch_fl[acme]: malloc(device=1, bytes=4096) -> OUT_OF_MEMORY: <vendor text>`.
// FL_OOM throws c10::OutOfMemoryError, FL_INDEX_ERROR c10::IndexError.
[[noreturn]] FL_API void throw_status(fl_status status, const std::string& call);
FL_API const char* status_name(fl_status status);
// What the vendor said last on this thread (core_api().set_error), and forgets it. Empty when it said nothing.
std::string take_error_text();
#define FL_CHECK(expr, ...)                                                                               \
  do {                                                                                                    \
    const fl_status fl_status_ = (expr);                                                                  \
    if (C10_UNLIKELY(fl_status_ != FL_OK)) ::torch_fl::throw_status(fl_status_, ::c10::str(__VA_ARGS__)); \
  } while (0)

// ------------------------------------------------------------------------------------------------ devices, streams

// Devices beyond this are not used. Per-device tables have fixed size, so that hot paths read them without a lock.
constexpr int kMaxDevices = 64;

struct CurrentStream {
  fl_stream handle = nullptr;
  c10::StreamId id = 0;
};

struct ThreadState {
  CurrentStream current[kMaxDevices];  // handle is null until the device is used on this thread
  int32_t attached = -1;               // the vendor's current device on this thread
  bool known = false;                  // thread_attach was called
};
// Null until the thread first uses a device. Cleared in a forked child, so that hot paths need no check of the phase.
extern constinit FL_TLS ThreadState* t_thread;

// Number of devices; 0 (never a throw) where no vendor can be loaded.
FL_API int32_t device_count() noexcept;
FL_API int32_t current_device();
FL_API void set_current_device(int32_t device);
void attach_anew(int32_t device);
// Makes `device` current for the vendor on this thread (thread_attach, set_device) before a call into it.
inline void attach(int32_t device) {
  if (C10_UNLIKELY(t_thread == nullptr || t_thread->attached != device)) attach_anew(device);
}

// Throws "flagos:9: there are 2 devices" unless `device` exists.
FL_API void check_device(int32_t device);
// What the vendor says about a device; asked once.
FL_API const fl_device_properties& device_properties(int32_t device);
FL_API fl_device_map device_map(int32_t device);
FL_API bool can_access_peer(int32_t device, int32_t peer);
// True where the device has been used by this process.
FL_API bool device_in_use(int32_t device) noexcept;

FL_API c10::Stream current_stream(int32_t device);
// Makes `stream` current for its device on this thread; gives the one before.
FL_API c10::Stream exchange_stream(c10::Stream stream);
FL_API c10::Stream default_stream(int32_t device);
// A stream of the device's pools (32 per priority). PyTorch's sign: 0 is normal, negative is more urgent.
FL_API c10::Stream pool_stream(int32_t device, int priority);
FL_API int stream_priority(c10::Stream stream);
// {least urgent, most urgent}, PyTorch's sign: {0, -1}.
FL_API std::pair<int, int> stream_priority_range(int32_t device);
// The vendor SDK's own handle.
FL_API void* stream_native_handle(c10::Stream stream);
// True when all work enqueued on the stream so far is done.
FL_API bool query_stream(c10::Stream stream);
CurrentStream& first_stream_entry(int32_t device);
// The vendor's current stream of a device and its id, as fast as possible.
inline CurrentStream& current_stream_entry(int32_t device) {
  if (C10_LIKELY(t_thread != nullptr && static_cast<uint32_t>(device) < kMaxDevices)) {
    CurrentStream& entry = t_thread->current[device];
    if (C10_LIKELY(entry.handle != nullptr)) return entry;
  }
  return first_stream_entry(device);
}
inline fl_stream current_stream_handle(int32_t device) { return current_stream_entry(device).handle; }
fl_stream stream_handle(c10::Stream stream);
FL_API void synchronize_stream(c10::Stream stream);
FL_API void synchronize_device(int32_t device);

// ---------------------------------------------------------------------------------------------------------- memory

// The caching allocator, registered for PrivateUse1. DataPtr: context == data pointer, raw_deleter() is real.
FL_API c10::DeviceAllocator* device_allocator();
// allocate() on a given device and its current stream.
at::DataPtr allocate(int32_t device, size_t bytes);
// Where this thread's allocations are noted while a call is recorded (replay/replay.h), else null.
struct Allocation {
  const void* ptr;
  size_t bytes;
};
extern constinit FL_TLS std::vector<Allocation>* t_allocations;
// Bytes from ptr to the end of its allocation; 0 where the pointer is not ours.
size_t capacity_of(int32_t device, const void* ptr);
// The device that owns an address of device memory, or -1.
int32_t device_of(const void* ptr);

// While alive, the host may touch the memory of a device, where a call boxes to the CPU: what was enqueued on the
// device's current stream is done.
class OpenMemory {
 public:
  OpenMemory(bool to_host, int32_t device)
      : access_(to_host ? loaded_vendor()->host_access : nullptr), device_(device) {
    if (access_ != nullptr) begin();
  }
  ~OpenMemory() {
    if (access_ != nullptr && access_->end != nullptr) access_->end(device_, stream_);
  }
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;

 private:
  void begin();

  const fl_ext_host_access* access_;
  int32_t device_;
  fl_stream stream_ = nullptr;
};

// Limits what the allocator may reserve on a device to `fraction` of its memory (0 < fraction <= 1).
FL_API void set_memory_fraction(int32_t device, double fraction);

// Enqueues a copy of bytes on `stream`. A device of -1 means host memory. It takes care of capacities, of peer access
// and of vendors without asynchronous copies. Page-locked host memory is kept from reuse until the copy is done.
void copy_bytes(void* dst, int32_t dst_device, const void* src, int32_t src_device, size_t bytes, c10::Stream stream);

// True for page-locked host memory of ours.
FL_API bool is_pinned(const void* ptr);
// Work on `stream` uses page-locked memory of ours: it is not reused before that work is done. False where the memory
// is not ours.
bool record_pinned(const void* ptr, c10::Stream stream);

// Count what this thread has enqueued on a device, and read of it: a package's function that fails after it may have
// written is not tried elsewhere, and one that did more than can be done again is not replayed
// (dispatch/package_lane.h, replay/replay.h).
FL_API extern constinit FL_TLS uint64_t t_work, t_reads;
inline void note_work() { t_work++; }
// What writes nothing, and may yet be another the next time: numbers that are read back, random ones.
inline void note_read() { t_reads++; }

// ------------------------------------------------------------------------------------------------------ generators

FL_API const at::Generator& default_generator(int32_t device);
// Of all devices. Before the vendor is loaded the seed is kept for them, and nothing is loaded.
FL_API void seed_default_generators(uint64_t seed);
// Reserves `increment` offsets (rounded up to 4): {seed, offset before}. Undefined generator = the device's default.
std::pair<uint64_t, uint64_t> reserve_philox(const std::optional<at::Generator>& generator, int32_t device,
                                             uint64_t increment);

}  // namespace torch_fl
