// Blocks of device memory, and where they are.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "runtime/runtime.h"

namespace torch_fl {

struct StreamPool;

// A piece of a segment; a segment is one vendor malloc(). Blocks are recycled, never deleted, so that a reader who
// comes late sees a stale block, not freed memory.
struct Block {
  enum class State : uint8_t { allocated, binned, free, waiting };

  char* ptr = nullptr;
  size_t size = 0;
  size_t requested = 0;
  Block* prev = nullptr;  // neighbours in the segment
  Block* next = nullptr;
  Block* link = nullptr;  // the next block in its bin
  StreamPool* pool = nullptr;
  std::vector<c10::Stream>* users = nullptr;  // streams besides its own that use it (record_stream)
  int32_t device = 0;
  int32_t events = 0;  // still to come before it may be reused
  State state = State::free;
  bool small = false;

  // A part of a segment, which cannot be given back to the vendor alone.
  bool is_split() const { return prev != nullptr || next != nullptr; }
};

// From the address where a block starts to the block: a radix tree over 48-bit addresses in units of 256 bytes.
// Readers take no lock.
class BlockTable {
 public:
  static bool covers(const void* ptr) noexcept { return (reinterpret_cast<uintptr_t>(ptr) >> 48) == 0; }

  Block* find(const void* ptr) const noexcept {
    const uintptr_t key = reinterpret_cast<uintptr_t>(ptr) >> kUnitBits;
    if (!covers(ptr)) return nullptr;
    const Middle* middle = root_[key >> (kMiddleBits + kLeafBits)].load(std::memory_order_acquire);
    if (!middle) return nullptr;
    const Leaf* leaf = middle->leaves[(key >> kLeafBits) & kMiddleMask].load(std::memory_order_acquire);
    if (!leaf) return nullptr;
    Block* block = leaf->blocks[key & kLeafMask].load(std::memory_order_acquire);
    return block && block->ptr == ptr ? block : nullptr;
  }

  void set(const void* ptr, Block* block) {
    const uintptr_t key = reinterpret_cast<uintptr_t>(ptr) >> kUnitBits;
    Middle* middle = grow(root_[key >> (kMiddleBits + kLeafBits)]);
    Leaf* leaf = grow(middle->leaves[(key >> kLeafBits) & kMiddleMask]);
    leaf->blocks[key & kLeafMask].store(block, std::memory_order_release);
  }

 private:
  static constexpr int kUnitBits = 8;
  static constexpr int kLeafBits = 14;
  static constexpr int kMiddleBits = 13;
  static constexpr int kRootBits = 48 - kUnitBits - kLeafBits - kMiddleBits;
  static constexpr uintptr_t kLeafMask = (uintptr_t{1} << kLeafBits) - 1;
  static constexpr uintptr_t kMiddleMask = (uintptr_t{1} << kMiddleBits) - 1;

  struct Leaf {
    std::atomic<Block*> blocks[1 << kLeafBits];
  };
  struct Middle {
    std::atomic<Leaf*> leaves[1 << kMiddleBits];
  };

  // Pages of zeros from the system: only those that hold a block ever become real memory.
  template <class Node>
  static Node* grow(std::atomic<Node*>& slot) {
    if (Node* node = slot.load(std::memory_order_acquire)) return node;
    void* pages =
        ::mmap(nullptr, sizeof(Node), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TORCH_CHECK(pages != MAP_FAILED, "torch_fl: no host memory for the allocator's table");
    Node* fresh = static_cast<Node*>(pages);
    Node* seen = nullptr;
    if (slot.compare_exchange_strong(seen, fresh, std::memory_order_acq_rel)) return fresh;
    ::munmap(pages, sizeof(Node));
    return seen;
  }

  std::atomic<Middle*> root_[1 << kRootBits]{};
};

// All segments of all devices, for addresses inside of blocks.
class SegmentMap {
 public:
  struct Segment {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    int32_t device = -1;
  };

  void insert(void* ptr, size_t size, int32_t device) {
    const auto begin = reinterpret_cast<uintptr_t>(ptr);
    std::unique_lock lock(mutex_);
    segments_[begin] = {begin, begin + size, device};
  }
  void erase(void* ptr) {
    std::unique_lock lock(mutex_);
    segments_.erase(reinterpret_cast<uintptr_t>(ptr));
  }
  // The segment that holds an address; device -1 where none does.
  Segment find(const void* ptr) const {
    const auto address = reinterpret_cast<uintptr_t>(ptr);
    std::shared_lock lock(mutex_);
    auto it = segments_.upper_bound(address);
    if (it == segments_.begin()) return {};
    --it;
    return address < it->second.end ? it->second : Segment{};
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Segment> segments_;
};

extern BlockTable g_blocks;
SegmentMap& segments();

}  // namespace torch_fl
