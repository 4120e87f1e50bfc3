// The cached memory of one device.
//
// Blocks are cut out of segments and belong to the stream that they were made for: on that stream a freed block may be
// used again at once. Small requests (up to 1 MiB) share segments of 2 MiB, larger ones segments of 20 MiB or more.
// A freed block of up to 32 KiB goes into a bin of its exact size first, where the next request of that size takes it
// without any search; bins are emptied into the sorted free blocks, and neighbours merged, when a search finds nothing.
// A search takes the smallest block that is large enough. In small segments the end, which may never have been used,
// comes last: a tensor that grows step by step then moves back and forth in memory that caches still hold, not on
// through all of it.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <vector>

#include "runtime/block.h"
#include "runtime/memory_stats.h"
#include "runtime/state.h"

namespace torch_fl {

constexpr size_t kMinBlock = 512;                   // sizes are multiples of this
constexpr size_t kSmallLimit = size_t{1} << 20;     // largest small request
constexpr size_t kSmallSegment = size_t{2} << 20;   // small requests share these
constexpr size_t kLargeSegment = size_t{20} << 20;  // requests below kLargeLimit share these
constexpr size_t kLargeLimit = size_t{10} << 20;
constexpr size_t kLargeRound = size_t{2} << 20;  // other segments are multiples of this
constexpr size_t kBinLimit = size_t{32} << 10;
constexpr size_t kBins = kBinLimit / kMinBlock;

struct StreamPool {
  static bool last(const Block* block) { return block->small && block->next == nullptr; }
  struct BySize {
    bool operator()(const Block* a, const Block* b) const {
      if (last(a) != last(b)) return last(b);
      return a->size != b->size ? a->size < b->size : a->ptr < b->ptr;
    }
  };
  using FreeBlocks = std::set<Block*, BySize>;

  // Null for memory of a stream that is not the runtime's: it is waited for before it is freed, and not reused.
  fl_stream stream = nullptr;
  std::array<Block*, kBins> bins{};
  std::array<uint64_t, kBins / 64> filled{};  // a bit per bin
  FreeBlocks small;
  FreeBlocks large;
  FreeBlocks& sorted(bool is_small) { return is_small ? small : large; }
};

class DeviceMemory {
 public:
  explicit DeviceMemory(int32_t device);

  void* allocate(CurrentStream stream, size_t bytes);
  void free(Block* block) noexcept;
  void record_stream(Block* block, c10::Stream stream);
  // Bytes from an address inside of a segment to the end of its block.
  size_t capacity(const void* ptr, const void* segment);
  // Gives segments without used blocks back to the vendor; waits for the streams that used them.
  void empty_cache();
  void set_fraction(double fraction);

  c10::CachingDeviceAllocator::DeviceStats report();
  void reset_accumulated();
  void reset_peaks();
  std::pair<size_t, size_t> info();
  const MemoryStats& stats() const { return stats_; }

 private:
  struct Waiting {
    fl_event event;
    int32_t device;  // of the event
    Block* block;
  };

  StreamPool& pool(CurrentStream stream);
  Block* find_free(StreamPool& pool, bool small, size_t size);
  Block* take_sorted(StreamPool& pool, bool small, size_t size);
  Block* new_segment(StreamPool& pool, bool small, size_t size, size_t wanted);
  fl_status vendor_malloc(size_t bytes, void** ptr);
  [[noreturn]] void out_of_memory(size_t wanted, size_t segment);
  void split(Block* block, size_t size);
  void to_bin(Block* block);
  void to_sorted(Block* block);
  Block* merge(Block* block, Block* neighbour);
  void flush_bins(StreamPool& pool);
  void release(Block* block);
  void wait_for_users(Block* block) noexcept;
  void poll_waiting();
  void finish_waiting();
  void release_cached();
  Block* new_block();
  std::string size_report(size_t wanted);

  const int32_t device_;
  DeviceState& state_;
  LightMutex mutex_;
  std::array<std::unique_ptr<StreamPool>, kMaxStreams> pools_;
  StreamPool foreign_;
  std::vector<Waiting> waiting_;
  std::array<EventPool, kMaxDevices> events_;
  Block* spare_ = nullptr;  // blocks that describe nothing, by `link`
  size_t limit_ = SIZE_MAX;
  double fraction_ = 1.0;
  MemoryStats stats_;
};

// Made at the device's first use.
DeviceMemory& device_memory(int32_t device);
DeviceMemory* known_device_memory(int32_t device) noexcept;

}  // namespace torch_fl
