// The allocator that PyTorch knows: c10::DeviceAllocator over DeviceMemory.
#include "runtime/allocator.h"
#include "runtime/device_memory.h"
#include "runtime/key_runtime.h"
#include "runtime/twin_storage.h"

namespace torch_fl {

BlockTable g_blocks;

SegmentMap& segments() {
  static auto* map = new SegmentMap;
  return *map;
}

namespace {

std::array<std::atomic<DeviceMemory*>, kMaxDevices> g_memory{};
std::mutex g_memory_mutex;

c10::Device flagos(int32_t index) { return c10::Device(kFlagos, static_cast<c10::DeviceIndex>(index)); }

// A profiler has asked for memory since the process began. Frees look at this, which is cheaper than asking it.
std::atomic<bool> g_profiled{false};

void report_to_profiler(void* ptr, int64_t size, int32_t device) {
  if (C10_LIKELY(!c10::memoryProfilingEnabled())) return;
  g_profiled.store(true, std::memory_order_relaxed);
  const MemoryStats& stats = device_memory(device).stats();
  c10::reportMemoryUsageToProfiler(ptr, size, static_cast<size_t>(stats.now(MemoryStats::bytes)),
                                   static_cast<size_t>(stats.now(MemoryStats::reserved)), flagos(device));
}

void* allocate_bytes(int32_t device, CurrentStream stream, size_t bytes) {
  void* ptr = device_memory(device).allocate(stream, bytes);
  report_to_profiler(ptr, static_cast<int64_t>(bytes), device);
  return ptr;
}

struct CachingAllocator final : c10::DeviceAllocator {
  at::DataPtr allocate(size_t bytes) override { return torch_fl::allocate(current_device(), bytes); }
  c10::DeleterFnPtr raw_deleter() const override {
    const KeyRuntime* key = key_runtime();
    return key != nullptr ? key->allocator->raw_deleter() : &raw_free_deleter;
  }
  static void raw_free_deleter(void* ptr) { raw_free(ptr); }

  // Of clone(): new memory of the current device, and a source that may be anywhere on the devices.
  void copy_data(void* dst, const void* src, size_t bytes) const override {
    if (const KeyRuntime* key = key_runtime()) return key->allocator->copy_data(dst, src, bytes);
    const int32_t device = device_of(dst);
    const int32_t from = device_of(src);
    const int32_t to = device < 0 ? current_device() : device;
    copy_bytes(dst, to, src, from < 0 ? to : from, bytes, current_stream(to));
  }

  bool initialized() override { return loaded_vendor() != nullptr; }

  void emptyCache(c10::MempoolId_t /*mempool*/ = {0, 0}) override {
    check_phase();
    if (const KeyRuntime* key = key_runtime()) return key->allocator->emptyCache();
    for (int32_t device = 0; device < kMaxDevices; ++device) {
      if (DeviceMemory* memory = known_device_memory(device)) memory->empty_cache();
    }
  }

  void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
    if (const KeyRuntime* key = key_runtime())
      return key->allocator->recordStream(data_behind(data), key->theirs(stream));
    Block* block = data.get() ? g_blocks.find(data.get()) : nullptr;
    if (block) device_memory(block->device).record_stream(block, stream);
  }

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    const KeyRuntime* key = key_runtime_of(device);
    return key != nullptr ? key->allocator->getDeviceStats(device) : device_memory(device).report();
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    if (const KeyRuntime* key = key_runtime_of(device)) return key->allocator->resetAccumulatedStats(device);
    device_memory(device).reset_accumulated();
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    if (const KeyRuntime* key = key_runtime_of(device)) return key->allocator->resetPeakStats(device);
    device_memory(device).reset_peaks();
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    const KeyRuntime* key = key_runtime_of(device);
    return key != nullptr ? key->allocator->getMemoryInfo(device) : device_memory(device).info();
  }

 private:
  // For calls that name a device, and may be the first to use it.
  static const KeyRuntime* key_runtime_of(int32_t device) {
    vendor();
    check_device(device);
    return key_runtime();
  }
};

CachingAllocator& instance() {
  static auto* allocator = new CachingAllocator;
  return *allocator;
}

REGISTER_ALLOCATOR(kFlagos, &instance())

}  // namespace

DeviceMemory* known_device_memory(int32_t device) noexcept {
  return static_cast<uint32_t>(device) < kMaxDevices ? g_memory[device].load(std::memory_order_acquire) : nullptr;
}

DeviceMemory& device_memory(int32_t device) {
  if (DeviceMemory* memory = known_device_memory(device); C10_LIKELY(memory != nullptr)) return *memory;
  vendor();
  check_device(device);
  device_state(device);
  std::lock_guard<std::mutex> lock(g_memory_mutex);
  if (DeviceMemory* memory = g_memory[device].load()) return *memory;
  auto* memory = new DeviceMemory(device);  // lives as long as the process
  g_memory[device].store(memory, std::memory_order_release);
  return *memory;
}

c10::DeviceAllocator* device_allocator() { return &instance(); }

constinit FL_TLS std::vector<Allocation>* t_allocations = nullptr;

at::DataPtr allocate(int32_t device, size_t bytes) {
  at::DataPtr data;
  if (const KeyRuntime* key = key_runtime()) {
    check_phase();
    device_state(device);
    data = key->allocate(device, bytes);
  } else if (C10_UNLIKELY(bytes == 0)) {
    check_device(device);
    return {nullptr, nullptr, &CachingAllocator::raw_free_deleter, flagos(device)};
  } else {
    // Asked first: it raises in a forked child and at exit.
    const CurrentStream stream = current_stream_entry(device);
    void* ptr = allocate_bytes(device, stream, bytes);
    data = {ptr, ptr, &CachingAllocator::raw_free_deleter, flagos(device)};
  }
  if (C10_UNLIKELY(t_allocations != nullptr)) t_allocations->push_back({data.get(), bytes});
  return data;
}

void* raw_allocate(int32_t device, fl_stream stream, size_t bytes) {
  CurrentStream entry = current_stream_entry(device);
  if (bytes == 0) return nullptr;
  if (const KeyRuntime* key = key_runtime()) {
    TORCH_CHECK(entry.handle == stream, "memory of ", c10::DeviceTypeName(key->type, /*lower_case=*/true),
                " belongs to the current stream; make the stream current first");
    return key->allocate(device, bytes).release_context();
  }
  if (entry.handle != stream) entry = {stream, stream_id_of(device, stream)};
  return allocate_bytes(device, entry, bytes);
}

void raw_free(void* ptr) noexcept {
  // At exit and in a forked child the memory goes with the process.
  if (C10_UNLIKELY(ptr == nullptr || phase() != Phase::live)) return;
  if (const KeyRuntime* key = key_runtime()) return key->allocator->raw_deleter()(ptr);
  Block* block = g_blocks.find(ptr);
  if (C10_UNLIKELY(block == nullptr)) return;
  DeviceMemory* memory = known_device_memory(block->device);
  if (C10_UNLIKELY(g_profiled.load(std::memory_order_relaxed))) {
    const auto size = static_cast<int64_t>(block->requested);
    const int32_t device = block->device;
    memory->free(block);
    report_to_profiler(ptr, -size, device);
    return;
  }
  memory->free(block);
}

int32_t device_of(const void* ptr) {
  if (const KeyRuntime* key = key_runtime()) return key->device_of(const_cast<void*>(ptr));
  if (const Block* block = g_blocks.find(ptr)) return block->device;
  return segments().find(ptr).device;
}

size_t capacity_of(int32_t device, const void* ptr) {
  if (const Block* block = g_blocks.find(ptr)) return block->device == device ? block->size : 0;
  const SegmentMap::Segment segment = segments().find(ptr);
  if (segment.device != device || segment.device < 0) return 0;
  return device_memory(device).capacity(ptr, reinterpret_cast<const void*>(segment.begin));
}

void set_memory_fraction(int32_t device, double fraction) {
  const KeyRuntime* key = key_runtime();
  TORCH_CHECK_NOT_IMPLEMENTED(key == nullptr,
                              "flagos shares the memory of another device of PyTorch, and its limit: use "
                              "torch.",
                              key == nullptr ? "" : c10::DeviceTypeName(key->type, /*lower_case=*/true),
                              ".set_per_process_memory_fraction");
  device_memory(device).set_fraction(fraction);
}

}  // namespace torch_fl
