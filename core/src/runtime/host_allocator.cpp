// Page-locked host memory, cached: a block that asynchronous copies use is not given out again before they are done.
#include <ATen/core/CachingHostAllocator.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <map>
#include <unordered_map>

#include "runtime/key_runtime.h"
#include "runtime/state.h"

namespace torch_fl {
namespace {

using c10::CachingAllocator::Stat;

constexpr size_t kRoundLimit = size_t{64} << 20;
constexpr size_t kLargeRound = size_t{2} << 20;

struct HostBlock {
  void* ptr = nullptr;
  size_t size = 0;
  bool used = false;
  int events = 0;  // still to come before it may be given out again
  std::vector<c10::Stream> users;
};

class PinnedMemory {
 public:
  void* allocate(size_t bytes) {
    if (bytes == 0) return nullptr;
    const Vendor& v = vendor();
    FL_REQUIRE_SLOT(v, host_malloc, "page-locked host memory");
    FL_REQUIRE_SLOT(v, host_free, "page-locked host memory");
    TORCH_CHECK_WITH(OutOfMemoryError, bytes <= (size_t{1} << 62), "cannot page-lock ", bytes, " bytes of host memory");
    // Powers of two are found again more often; of large blocks they would waste too much.
    const size_t size = bytes <= kRoundLimit ? std::bit_ceil(std::max<size_t>(bytes, 512))
                                             : (bytes + kLargeRound - 1) / kLargeRound * kLargeRound;
    std::lock_guard<std::mutex> lock(mutex_);
    poll();
    HostBlock* block = take_free(size);
    if (!block) block = make(v, size);
    block->used = true;
    active_requests_.increase(1);
    active_bytes_.increase(size);
    return block->ptr;
  }

  void free(void* ptr) noexcept {
    if (!ptr || !runtime_alive()) return;
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = blocks_.find(reinterpret_cast<uintptr_t>(ptr));
    if (it == blocks_.end() || !it->second->used) return;
    HostBlock* block = it->second.get();
    block->used = false;
    active_requests_.decrease(1);
    active_bytes_.decrease(block->size);
    wait_for_users(block);
    if (block->events == 0) free_.emplace(block->size, block);
  }

  bool record(const void* ptr, c10::Stream stream) {
    if (empty_.load(std::memory_order_acquire)) return false;
    stream_handle(stream);  // throws where there is no such stream
    std::lock_guard<std::mutex> lock(mutex_);
    HostBlock* block = find(ptr);
    if (!block || !block->used) return false;
    auto& users = block->users;
    if (std::find(users.begin(), users.end(), stream) == users.end()) users.push_back(stream);
    return true;
  }

  bool contains(const void* ptr) {
    // Asked for every tensor that is copied: no lock before the first block is made.
    if (empty_.load(std::memory_order_acquire) || phase() == Phase::forked) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    return find(ptr) != nullptr;
  }

  void empty_cache() {
    check_phase();
    const Vendor* v = loaded_vendor();
    if (!v) return;
    std::lock_guard<std::mutex> lock(mutex_);
    finish(*v);
    release_free(*v);
  }

  at::HostStats stats() {
    std::lock_guard<std::mutex> lock(mutex_);
    at::HostStats stats;
    fill(stats);
    return stats;
  }
  void reset_accumulated() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Stat* stat : all()) stat->reset_accumulated();
    alloc_time_.reset_accumulated();
    free_time_.reset_accumulated();
    num_alloc_ = num_free_ = 0;
  }
  void reset_peaks() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Stat* stat : all()) stat->reset_peak();
    alloc_time_.reset_peak();
    free_time_.reset_peak();
  }

 private:
  struct Waiting {
    fl_event event;
    int32_t device;
    HostBlock* block;
  };

  HostBlock* take_free(size_t size) {
    auto it = free_.find(size);
    if (it == free_.end()) return nullptr;
    HostBlock* block = it->second;
    free_.erase(it);
    return block;
  }

  HostBlock* make(const Vendor& v, size_t size) {
    attach(current_device());
    void* ptr = nullptr;
    const auto begin = std::chrono::steady_clock::now();
    fl_status status = v.api.host_malloc(size, &ptr);
    if (status == FL_OOM) {
      finish(v);
      release_free(v);
      status = v.api.host_malloc(size, &ptr);
    }
    FL_CHECK(status, "host_malloc(bytes=", size, ")");
    alloc_time_.increase(microseconds_since(begin));
    ++num_alloc_;
    auto block = std::make_unique<HostBlock>();
    block->ptr = ptr;
    block->size = size;
    HostBlock* result = block.get();
    blocks_[reinterpret_cast<uintptr_t>(ptr)] = std::move(block);
    allocations_.increase(1);
    allocated_bytes_.increase(size);
    empty_.store(false, std::memory_order_release);
    return result;
  }

  HostBlock* find(const void* ptr) {
    const auto address = reinterpret_cast<uintptr_t>(ptr);
    auto it = blocks_.upper_bound(address);
    if (it == blocks_.begin()) return nullptr;
    HostBlock* block = (--it)->second.get();
    return address < it->first + block->size ? block : nullptr;
  }

  void wait_for_users(HostBlock* block) noexcept {
    const Vendor* v = loaded_vendor();
    for (const c10::Stream& stream : std::exchange(block->users, {})) {
      const int32_t device = stream.device_index();
      DeviceState* state = known_device_state(device);
      fl_stream handle = known_stream_handle(stream);
      if (!v || !handle || stream_idle(*state, handle)) continue;
      if (fl_event event = events_[device].record(*v, device, handle)) {
        waiting_.push_back({event, device, block});
        ++block->events;
      } else {
        wait_stream_quietly(*state, handle);
      }
    }
  }

  void poll() {
    for (size_t i = 0; i < waiting_.size();) {
      const Waiting entry = waiting_[i];
      attach(entry.device);
      const fl_status status = vendor().api.event_query(entry.device, entry.event);
      if (status == FL_NOT_READY) {
        ++i;
        continue;
      }
      DeviceState* state = known_device_state(entry.device);
      if (status != FL_OK && state) keep_error(*state, status);
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
      events_[entry.device].give_back(entry.event);
      if (--entry.block->events == 0) free_.emplace(entry.block->size, entry.block);
    }
  }

  void finish(const Vendor& v) {
    for (const Waiting& entry : waiting_) {
      attach(entry.device);
      v.api.event_synchronize(entry.device, entry.event);
    }
    poll();
  }

  void release_free(const Vendor& v) {
    for (auto& [size, block] : free_) {
      const auto begin = std::chrono::steady_clock::now();
      v.api.host_free(block->ptr);
      free_time_.increase(microseconds_since(begin));
      ++num_free_;
      allocations_.decrease(1);
      allocated_bytes_.decrease(size);
      blocks_.erase(reinterpret_cast<uintptr_t>(block->ptr));
    }
    free_.clear();
  }

  static int64_t microseconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
  }

  std::array<Stat*, 4> all() { return {&active_requests_, &active_bytes_, &allocations_, &allocated_bytes_}; }

  // The names differ between releases of PyTorch: the ones that are not there are passed over.
  template <class Stats>
  void fill(Stats& stats) {
    if constexpr (requires { stats.active_requests; }) {
      stats.active_requests = active_requests_;
      stats.active_bytes = active_bytes_;
    }
    if constexpr (requires { stats.allocations; }) stats.allocations = allocations_;
    if constexpr (requires { stats.allocated_bytes; }) stats.allocated_bytes = allocated_bytes_;
    stats.host_alloc_time = alloc_time_;
    stats.host_free_time = free_time_;
    stats.num_host_alloc = num_alloc_;
    stats.num_host_free = num_free_;
    if constexpr (requires { stats.bucket_allocation; }) {
      for (const auto& entry : blocks_) {
        const auto bucket = static_cast<size_t>(std::bit_width(entry.second->size) - 1);
        if (bucket < stats.bucket_allocation.size()) ++stats.bucket_allocation[bucket];
      }
    }
  }

  std::mutex mutex_;
  std::atomic<bool> empty_{true};  // no block was ever made
  std::map<uintptr_t, std::unique_ptr<HostBlock>> blocks_;
  std::unordered_multimap<size_t, HostBlock*> free_;
  std::vector<Waiting> waiting_;
  std::array<EventPool, kMaxDevices> events_;
  Stat active_requests_;
  Stat active_bytes_;
  Stat allocations_;
  Stat allocated_bytes_;
  c10::CachingAllocator::DurationStat alloc_time_;
  c10::CachingAllocator::DurationStat free_time_;
  int64_t num_alloc_ = 0;
  int64_t num_free_ = 0;
};

PinnedMemory& pinned() {
  static auto* memory = new PinnedMemory;
  return *memory;
}

// Of a device that is a key's too, PyTorch itself takes the key's page-locked memory here and there.
at::HostAllocator* keys_allocator() {
  const KeyRuntime* key = key_runtime();
  return key != nullptr ? at::getHostAllocator(key->type) : nullptr;
}

struct PinnedAllocator final : at::HostAllocator {
  at::DataPtr allocate(size_t bytes) override {
    vendor();
    if (at::HostAllocator* keys = keys_allocator()) return keys->allocate(bytes);
    void* ptr = pinned().allocate(bytes);
    return {ptr, ptr, &free_pinned, c10::Device(c10::DeviceType::CPU)};
  }
  static void free_pinned(void* ptr) { pinned().free(ptr); }
  c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
  void copy_data(void* dst, const void* src, size_t bytes) const override { std::memcpy(dst, src, bytes); }
  bool record_event(void* ptr, void* ctx, c10::Stream stream) override {
    at::HostAllocator* keys = keys_allocator();
    return keys != nullptr ? keys->record_event(ptr, ctx, key_runtime()->theirs(stream)) : pinned().record(ptr, stream);
  }
  void empty_cache() override {
    at::HostAllocator* keys = keys_allocator();
    keys != nullptr ? keys->empty_cache() : pinned().empty_cache();
  }
  at::HostStats get_stats() override {
    at::HostAllocator* keys = keys_allocator();
    return keys != nullptr ? keys->get_stats() : pinned().stats();
  }
  void reset_accumulated_stats() override {
    at::HostAllocator* keys = keys_allocator();
    keys != nullptr ? keys->reset_accumulated_stats() : pinned().reset_accumulated();
  }
  void reset_peak_stats() override {
    at::HostAllocator* keys = keys_allocator();
    keys != nullptr ? keys->reset_peak_stats() : pinned().reset_peaks();
  }
};

at::HostAllocator* instance() {
  static auto* allocator = new PinnedAllocator;
  return allocator;
}

REGISTER_HOST_ALLOCATOR(kFlagos, instance())

}  // namespace

bool is_pinned(const void* ptr) {
  const KeyRuntime* key = key_runtime();
  return key != nullptr ? key->is_pinned(ptr) : pinned().contains(ptr);
}

bool record_pinned(const void* ptr, c10::Stream stream) {
  // The key's allocator wants the block that a pointer lies in, which only its owner knows: copies of whole tensors
  // tell it (aten/copy.cpp).
  return key_runtime() == nullptr && pinned().record(ptr, stream);
}

}  // namespace torch_fl
