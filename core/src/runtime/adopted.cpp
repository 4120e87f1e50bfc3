// Memory that the boxing key's own allocator made for a result, and that now belongs to a tensor of the device.
//
// The block keeps its context and, underneath, its deleter: only the label and the bookkeeping are ours. It is not
// ordered by streams, as our own memory is, so it is given back only when no stream of the device has work left that
// may use it.
#include <c10/core/CPUAllocator.h>
#include <malloc.h>

#include <algorithm>
#include <utility>

#include "runtime/allocator.h"
#include "runtime/device_memory.h"

namespace torch_fl {
namespace {

// Blocks whose streams were busy when they were freed.
struct Leftover {
  void* ptr;
  std::vector<std::pair<fl_event, int32_t>> events;  // event, stream id
};
struct Leftovers {
  std::atomic<size_t> count{0};
  std::mutex mutex;
  std::vector<Leftover> blocks;
  EventPool events;
};
std::array<Leftovers, kMaxDevices>& leftovers() {
  static auto* l = new std::array<Leftovers, kMaxDevices>;
  return *l;
}

// The deleter of the allocator that adopted blocks come from; the same for all of them.
std::atomic<c10::DeleterFnPtr> g_original{nullptr};

void free_now(void* ptr) noexcept {
  if (auto original = g_original.load(std::memory_order_relaxed)) original(ptr);
}

// Puts the block aside behind an event on every busy stream. False where all streams are idle.
bool put_aside(DeviceState& state, void* ptr) noexcept {
  const Vendor* v = loaded_vendor();
  if (!v) return false;
  Leftover left{ptr, {}};
  const int end = state.streams_end.load(std::memory_order_acquire);
  for (int id = 0; id < end; ++id) {
    fl_stream stream = state.streams[id].load(std::memory_order_acquire);
    if (!stream || stream_idle(state, stream)) continue;
    fl_event event = nullptr;
    {
      Leftovers& l = leftovers()[state.index];
      std::lock_guard<std::mutex> lock(l.mutex);
      event = l.events.record(*v, state.index, stream);
    }
    if (event) {
      left.events.emplace_back(event, id);
    } else {
      wait_stream_quietly(state, stream);
    }
  }
  if (left.events.empty()) return false;
  Leftovers& l = leftovers()[state.index];
  std::lock_guard<std::mutex> lock(l.mutex);
  l.blocks.push_back(std::move(left));
  l.count.store(l.blocks.size(), std::memory_order_relaxed);
  return true;
}

void free_adopted(int32_t device, void* ptr) noexcept {
  // In a forked child and at exit no stream can be asked; the child has its own copy, the exit frees everything.
  if (C10_UNLIKELY(phase() != Phase::live)) {
    if (phase() == Phase::forked) free_now(ptr);
    return;
  }
  const size_t size = ::malloc_usable_size(ptr);
  if (DeviceMemory* memory = known_device_memory(device)) {
    memory->stats().release_adopted(MemoryStats::pool(size <= kSmallLimit), size);
  }
  if (C10_UNLIKELY(leftovers()[device].count.load(std::memory_order_relaxed) != 0)) collect_adopted(device);
  DeviceState* state = known_device_state(device);
  if (C10_UNLIKELY(state && put_aside(*state, ptr))) return;
  free_now(ptr);
}

// A deleter knows nothing but the pointer, so each device has its own.
template <int device>
void deleter(void* ptr) {
  free_adopted(device, ptr);
}
template <int... devices>
constexpr std::array<c10::DeleterFnPtr, sizeof...(devices)> make_deleters(std::integer_sequence<int, devices...>) {
  return {&deleter<devices>...};
}
constexpr auto kDeleters = make_deleters(std::make_integer_sequence<int, kMaxDevices>());

}  // namespace

void collect_adopted(int32_t device) noexcept {
  const Vendor* v = loaded_vendor();
  Leftovers& l = leftovers()[device];
  if (!v || l.count.load(std::memory_order_relaxed) == 0) return;
  attach_quietly(device);
  std::vector<void*> done;
  {
    std::lock_guard<std::mutex> lock(l.mutex);
    for (size_t i = 0; i < l.blocks.size();) {
      auto& events = l.blocks[i].events;
      std::erase_if(events, [&](const auto& event) {
        const fl_status status = v->api.event_query(device, event.first);
        if (status == FL_NOT_READY) return false;
        if (DeviceState* state = known_device_state(device); status != FL_OK && state) keep_error(*state, status);
        l.events.give_back(event.first);
        return true;
      });
      if (!events.empty()) {
        ++i;
        continue;
      }
      done.push_back(l.blocks[i].ptr);
      l.blocks[i] = std::move(l.blocks.back());
      l.blocks.pop_back();
    }
    l.count.store(l.blocks.size(), std::memory_order_relaxed);
  }
  for (void* ptr : done) free_now(ptr);
}

void adopt_data_ptr(at::DataPtr& data, int32_t device, size_t /*bytes*/) {
  data.unsafe_set_device(c10::Device(kFlagos, static_cast<c10::DeviceIndex>(device)));
  void* ptr = data.get();
  if (!ptr || data.get_context() != ptr) return;
  c10::DeleterFnPtr original = g_original.load(std::memory_order_relaxed);
  if (C10_UNLIKELY(original == nullptr)) {
    original = c10::GetDefaultCPUAllocator()->raw_deleter();
    if (!original) return;
    g_original.store(original, std::memory_order_relaxed);
  }
  if (!data.compare_exchange_deleter(original, kDeleters[device])) return;
  const size_t size = ::malloc_usable_size(ptr);
  device_memory(device).stats().adopt(MemoryStats::pool(size <= kSmallLimit), size);
}

}  // namespace torch_fl
