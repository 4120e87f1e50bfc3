// What the files of the runtime share: failures, the current device, streams.
#pragma once

#include <tops/tops_runtime_api.h>

#include <array>
#include <atomic>
#include <string>

#include "torch_fl/vendor_kit.h"

namespace torch_fl_gcu {

using torch_fl_kit::core, torch_fl_kit::fail, torch_fl_kit::fail_code, torch_fl_kit::guarded;

// The status for a code of topsrt; the name of the call and the SDK's words go to core, with the code itself, which may
// be one that the SDK never documented. Clears the SDK's sticky last error.
fl_status failed(topsError_t code, const char* call) noexcept;

// Makes `device` current for a scope; the one before comes back. The current device is the thread's, and pointers
// resolve only on it: every call that names one stands in such a scope.
class OnDevice {
 public:
  explicit OnDevice(int32_t device) noexcept : code(topsGetDevice(&before_)) {
    if (code != topsSuccess || before_ == device) return;
    code = topsSetDevice(device);
    restore_ = code == topsSuccess;
  }
  ~OnDevice() {
    if (restore_) (void)topsSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool restore_ = false;

 public:
  topsError_t code;
};

// A stream, and the ops that were enqueued on it lately: topsrt reports a kernel's failure at the next synchronisation
// and does not say whose it is.
class Stream {
 public:
  Stream(int32_t device, topsStream_t handle) : device(device), handle(handle) {}
  const int32_t device;
  const topsStream_t handle;

  // `op` lives as long as the library. Two threads on one stream may lose a name; it is only for messages.
  void enqueued(const char* op) noexcept {
    const uint32_t n = next_.load(std::memory_order_relaxed);
    names_[n % kNames].store(op, std::memory_order_relaxed);
    next_.store(n + 1, std::memory_order_relaxed);
  }
  void drain() noexcept { done_.store(next_.load(std::memory_order_relaxed), std::memory_order_relaxed); }
  bool drained() const noexcept {
    return done_.load(std::memory_order_relaxed) == next_.load(std::memory_order_relaxed);
  }
  // Appends what may have failed, the latest first.
  void suspects(std::string& text) const;
  // A byte on the device that kernels set where an index lies outside of its dimension; null before the first such op.
  std::atomic<char*> fault{nullptr};

 private:
  static constexpr uint32_t kNames = 8;
  std::array<std::atomic<const char*>, kNames> names_{};
  std::atomic<uint32_t> next_{0}, done_{0};
};
inline Stream& stream_of(fl_stream stream) noexcept { return *static_cast<Stream*>(stream); }
// The stream that the SDK means; null for one that is not ours.
Stream* find_stream(int32_t device, topsStream_t handle);
// What became of a synchronisation of one stream, or of all of a device (null).
fl_status synchronized(int32_t device, Stream* stream, topsError_t code);
fl_status device_synchronize(int32_t device);

// Each file fills the slots that it serves.
void device_slots(fl_vendor_api& api), memory_slots(fl_vendor_api& api), stream_slots(fl_vendor_api& api),
    row_slots(fl_vendor_api& api);
const fl_ext_module* module_extension() noexcept;
const fl_ext_host_register* host_register_extension() noexcept;

}  // namespace torch_fl_gcu

// Returns from the current function where a call of topsrt fails.
#define FL_TOPS(call)                                                                    \
  do {                                                                                   \
    if (const topsError_t fl_code = (call); __builtin_expect(fl_code != topsSuccess, 0)) \
      return ::torch_fl_gcu::failed(fl_code, #call);                                     \
  } while (false)
// The rest of the function runs on `device`.
#define FL_ON_DEVICE(device)                           \
  const ::torch_fl_gcu::OnDevice fl_on_device(device); \
  FL_TOPS(fl_on_device.code)
// The whole body of a slot that is one call on `device`.
#define FL_ON(device, call) \
  FL_ON_DEVICE(device);     \
  FL_TOPS(call);            \
  return FL_OK
