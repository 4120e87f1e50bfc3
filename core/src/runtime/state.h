// What the files of the runtime share: the phase of the process, per-thread state, per-device streams and events.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/runtime.h"

namespace torch_fl {

// ------------------------------------------------------------------------------------------------- process and thread

// live -> forked in a child of fork(), live -> down when the process exits. Never back.
enum class Phase : int { live = 0, forked = 1, down = 2 };
extern std::atomic<Phase> g_phase;
inline Phase phase() noexcept { return g_phase.load(std::memory_order_relaxed); }

// The slot of core_api(): what the vendor says about the status that it returns next on this thread.
void set_error_text(int64_t code, const char* text) noexcept;

// Throws why the device cannot be used in this phase; returns in a live process.
void check_phase();

ThreadState& thread_state();

// ---------------------------------------------------------------------------------------------------------- streams

// Stream ids: 0 is the default stream, 1 + 32 * urgency + n a stream of a pool.
constexpr int kStreamsPerPool = 32;
constexpr int kMaxUrgency = 7;
constexpr int kMaxStreams = 1 + kStreamsPerPool * (kMaxUrgency + 1);

struct DeviceState {
  int32_t index = 0;
  int32_t max_urgency = 0;
  std::array<std::atomic<fl_stream>, kMaxStreams> streams{};
  std::array<std::atomic<uint32_t>, kMaxUrgency + 1> next{};  // round robin
  std::mutex create;
  // What was asked of the key's pools, where streams are the key's: it does not tell. Under `create`.
  std::unordered_map<c10::StreamId, int> shared_priorities;
  // One past the largest id that was ever made, for walks over all streams.
  std::atomic<int> streams_end{0};

  // An error that a stream reported to a caller who could not raise it (a deleter); the next synchronize raises it.
  std::atomic<bool> has_error{false};
  std::mutex error_mutex;
  fl_status error = FL_OK;
  std::string error_text;
};
// Makes the state, with the default stream, at first use.
DeviceState& device_state(int32_t device);
// The state if there is one.
DeviceState* known_device_state(int32_t device) noexcept;
// The vendor's handle of a stream that was used before; null where there is none. For deleters.
fl_stream known_stream_handle(c10::Stream stream) noexcept;
// The id of a stream of ours, -1 for a handle that is not.
c10::StreamId stream_id_of(int32_t device, fl_stream handle) noexcept;

// attach() for deleters, which cannot raise.
void attach_quietly(int32_t device) noexcept;
// For deleters: is all work of the stream done? An error is kept for the next synchronize.
bool stream_idle(DeviceState& state, fl_stream stream) noexcept;
void wait_stream_quietly(DeviceState& state, fl_stream stream) noexcept;
void keep_error(DeviceState& state, fl_status status) noexcept;
void raise_kept_error(DeviceState& state);

// ----------------------------------------------------------------------------------------------------------- events

// True where the vendor offers what deferred frees need.
bool has_events(const Vendor& vendor) noexcept;

// Events without timing, reused. Not thread-safe: its owner has a lock.
class EventPool {
 public:
  // An event recorded on the stream; null where that failed (the caller waits for the stream instead).
  fl_event record(const Vendor& vendor, int32_t device, fl_stream stream) noexcept;
  void give_back(fl_event event) { free_.push_back(event); }

 private:
  std::vector<fl_event> free_;
};

// A slot that this vendor must have for what the caller asks.
#define FL_REQUIRE_SLOT(v, slot, what)                                                                                 \
  TORCH_CHECK_NOT_IMPLEMENTED((v).api.slot != nullptr, "torch_fl[", (v).facts.name, "]: this vendor offers no ", what, \
                              " (" #slot ")")

// --------------------------------------------------------------------------------------------------- small mutex

// A lock for sections of some ten nanoseconds, which are rarely wanted by two threads at once. Free, it costs one
// exchange to take and a plain store to give back.
class LightMutex {
 public:
  void lock() noexcept {
    if (C10_LIKELY(!taken_.exchange(true, std::memory_order_acquire))) return;
    lock_slow();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  void lock_slow() noexcept;
  std::atomic<bool> taken_{false};
};

}  // namespace torch_fl
