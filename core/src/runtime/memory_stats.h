// Statistics of one device's memory: cheap to keep, complete to read.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace torch_fl {

// Counted under the allocator's lock, so a number changes by a plain load and a plain store; now() may be asked by
// anybody.
class MemoryStats {
 public:
  enum Quantity { blocks, bytes, requested, split_blocks, split_bytes, segments, reserved, kQuantities };
  static constexpr int kPools = 2;  // small, large
  static constexpr int pool(bool small) { return small ? 0 : 1; }

  // --- under the allocator's lock
  void allocate(int p, size_t size, size_t wanted) noexcept {
    add(blocks, p, 1);
    add(bytes, p, static_cast<int64_t>(size));
    add(requested, p, static_cast<int64_t>(wanted));
    peak_of(blocks, p);
    peak_of(bytes, p);
    peak_of(requested, p);
    if (C10_UNLIKELY(waiting_[0].blocks != 0 || waiting_[1].blocks != 0)) peak_of_active(p);
  }
  void free(int p, size_t size, size_t wanted) noexcept {
    take(blocks, p, 1);
    take(bytes, p, static_cast<int64_t>(size));
    take(requested, p, static_cast<int64_t>(wanted));
  }
  // Freed, but streams still use it.
  void wait(int p, size_t size) noexcept {
    waiting_[p].blocks += 1;
    waiting_[p].bytes += static_cast<int64_t>(size);
  }
  void wait_done(int p, size_t size) noexcept {
    waiting_[p].blocks -= 1;
    waiting_[p].bytes -= static_cast<int64_t>(size);
  }
  void split_in(int p, size_t size) noexcept {
    add(split_blocks, p, 1);
    add(split_bytes, p, static_cast<int64_t>(size));
    peak_of(split_blocks, p);
    peak_of(split_bytes, p);
  }
  void split_out(int p, size_t size) noexcept {
    take(split_blocks, p, 1);
    take(split_bytes, p, static_cast<int64_t>(size));
  }
  void segment_in(int p, size_t size) noexcept {
    add(segments, p, 1);
    add(reserved, p, static_cast<int64_t>(size));
    peak_of(segments, p);
    peak_of(reserved, p);
  }
  void segment_out(int p, size_t size) noexcept {
    take(segments, p, 1);
    take(reserved, p, static_cast<int64_t>(size));
  }
  int64_t num_alloc_retries = 0;
  int64_t num_ooms = 0;
  int64_t num_sync_all_streams = 0;
  int64_t num_device_alloc = 0;
  int64_t num_device_free = 0;

  // --- by anybody
  // Of both pools.
  int64_t now(Quantity q) const noexcept { return now(q, 0) + now(q, 1); }

  // --- for reports, under the allocator's lock
  c10::CachingDeviceAllocator::DeviceStats report() const {
    c10::CachingDeviceAllocator::DeviceStats stats;
    fill(stats.allocation, blocks);
    fill(stats.allocated_bytes, bytes);
    fill(stats.requested_bytes, requested);
    fill(stats.inactive_split, split_blocks);
    fill(stats.inactive_split_bytes, split_bytes);
    fill(stats.segment, segments);
    fill(stats.reserved_bytes, reserved);
    fill_active(stats.active, stats.allocation, &Waiting::blocks, 0);
    fill_active(stats.active_bytes, stats.allocated_bytes, &Waiting::bytes, 1);
    stats.num_alloc_retries = num_alloc_retries;
    stats.num_ooms = num_ooms;
    stats.num_sync_all_streams = num_sync_all_streams;
    stats.num_device_alloc = num_device_alloc;
    stats.num_device_free = num_device_free;
    stats.max_split_size = -1;  // every block may be split
    return stats;
  }
  void reset_accumulated() noexcept {
    for (int q = 0; q < kQuantities; ++q) {
      for (int p = 0; p < kPools; ++p) base_[q][p] = total_in(static_cast<Quantity>(q), p);
    }
    num_alloc_retries = num_ooms = num_sync_all_streams = num_device_alloc = num_device_free = 0;
    for (int p = 0; p < kPools; ++p) waiting_base_[p] = waiting_[p];
    for (int q = 0; q < kQuantities; ++q) {
      for (int p = 0; p < kPools; ++p) base_out_[q][p] = base_[q][p] - now(static_cast<Quantity>(q), p);
    }
  }
  void reset_peaks() noexcept {
    for (int q = 0; q < kQuantities; ++q) {
      for (int p = 0; p < kPools; ++p) peaks_[q][1 + p] = now(static_cast<Quantity>(q), p);
      peaks_[q][0] = now(static_cast<Quantity>(q));
    }
    for (auto& quantity : active_peaks_) std::fill(std::begin(quantity), std::end(quantity), 0);
    peak_of_active(0);
    peak_of_active(1);
  }

 private:
  using Number = std::atomic<int64_t>;
  struct Own {
    Number now{0};
    Number in{0};  // ever
  };
  struct Waiting {
    int64_t blocks = 0;
    int64_t bytes = 0;
  };
  static int64_t get(const Number& n) noexcept { return n.load(std::memory_order_relaxed); }

  void add(Quantity q, int p, int64_t n) noexcept {
    Own& o = own_[q][p];
    o.now.store(get(o.now) + n, std::memory_order_relaxed);
    o.in.store(get(o.in) + n, std::memory_order_relaxed);
  }
  void take(Quantity q, int p, int64_t n) noexcept {
    Own& o = own_[q][p];
    o.now.store(get(o.now) - n, std::memory_order_relaxed);
  }
  int64_t now(Quantity q, int p) const noexcept { return get(own_[q][p].now); }
  int64_t total_in(Quantity q, int p) const noexcept { return get(own_[q][p].in); }

  void peak_of(Quantity q, int p) noexcept {
    const int64_t here = now(q, p);
    peaks_[q][1 + p] = std::max(peaks_[q][1 + p], here);
    peaks_[q][0] = std::max(peaks_[q][0], here + now(q, 1 - p));
  }
  // Only while blocks wait can the active peak be above that of the allocated blocks.
  void peak_of_active(int p) noexcept {
    int64_t all[2] = {0, 0};
    for (int i = 0; i < kPools; ++i) {
      const int64_t here[2] = {now(blocks, i) + waiting_[i].blocks, now(bytes, i) + waiting_[i].bytes};
      for (int k = 0; k < 2; ++k) {
        all[k] += here[k];
        if (i == p) active_peaks_[k][1 + i] = std::max(active_peaks_[k][1 + i], here[k]);
      }
    }
    for (int k = 0; k < 2; ++k) active_peaks_[k][0] = std::max(active_peaks_[k][0], all[k]);
  }

  void fill(c10::CachingAllocator::StatArray& stat, Quantity q) const {
    for (int p = 0; p < kPools; ++p) {
      auto& s = stat[1 + p];
      s.current = now(q, p);
      s.allocated = total_in(q, p) - base_[q][p];
      s.freed = total_in(q, p) - now(q, p) - base_out_[q][p];
      s.peak = std::max(peaks_[q][1 + p], s.current);
      stat[0].current += s.current;
      stat[0].allocated += s.allocated;
      stat[0].freed += s.freed;
    }
    stat[0].peak = std::max(peaks_[q][0], stat[0].current);
  }
  void fill_active(c10::CachingAllocator::StatArray& stat, const c10::CachingAllocator::StatArray& allocated,
                   int64_t Waiting::* number, int k) const {
    stat = allocated;
    for (int p = 0; p < kPools; ++p) {
      for (const int i : {0, 1 + p}) {
        stat[i].current += waiting_[p].*number;
        stat[i].freed -= waiting_[p].*number - waiting_base_[p].*number;
      }
    }
    for (int i = 0; i < 1 + kPools; ++i) {
      stat[i].peak = std::max({stat[i].peak, active_peaks_[k][i], stat[i].current});
    }
  }

  Own own_[kQuantities][kPools];
  int64_t peaks_[kQuantities][1 + kPools]{};
  Waiting waiting_[kPools];
  Waiting waiting_base_[kPools];           // at the last reset
  int64_t active_peaks_[2][1 + kPools]{};  // blocks, bytes
  int64_t base_[kQuantities][kPools]{};    // at the last reset
  int64_t base_out_[kQuantities][kPools]{};
};

}  // namespace torch_fl
