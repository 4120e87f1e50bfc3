#include "runtime/device_memory.h"

#include <bit>

namespace torch_fl {
namespace {

using c10::CachingAllocator::format_size;

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

size_t segment_size(size_t size) {
  if (size <= kSmallLimit) return kSmallSegment;
  return size < kLargeLimit ? kLargeSegment : round_up(size, kLargeRound);
}

// What remains of a block is worth a block of its own.
bool worth_splitting(bool small, size_t rest) { return small ? rest >= kMinBlock : rest > kSmallLimit; }

}  // namespace

DeviceMemory::DeviceMemory(int32_t device) : device_(device), state_(device_state(device)) {}

// ------------------------------------------------------------------------------------------------------ allocate

void* DeviceMemory::allocate(CurrentStream stream, size_t bytes) {
  TORCH_CHECK_WITH(OutOfMemoryError, bytes <= (size_t{1} << 62), "flagos out of memory. Tried to allocate ", bytes,
                   " bytes, more than any device has; a size was probably computed from a negative number");
  const size_t size = std::max(kMinBlock, round_up(bytes, kMinBlock));
  const bool small = size <= kSmallLimit;
  std::lock_guard lock(mutex_);
  if (C10_UNLIKELY(!waiting_.empty())) poll_waiting();
  StreamPool& from = pool(stream);
  Block* block = nullptr;
  if (C10_LIKELY(size <= kBinLimit)) {
    const size_t bin = size / kMinBlock - 1;
    block = from.bins[bin];
    if (C10_LIKELY(block != nullptr)) {
      from.bins[bin] = block->link;
      if (!block->link) from.filled[bin / 64] &= ~(uint64_t{1} << (bin % 64));
      if (block->is_split()) stats_.split_out(0, size);
    }
  }
  if (C10_UNLIKELY(block == nullptr)) {
    block = find_free(from, small, size);
    if (!block) block = new_segment(from, small, size, bytes);
    if (worth_splitting(small, block->size - size)) split(block, size);
  }
  block->state = Block::State::allocated;
  block->requested = bytes;
  stats_.allocate(MemoryStats::pool(small), block->size, bytes);
  return block->ptr;
}

StreamPool& DeviceMemory::pool(CurrentStream stream) {
  if (C10_UNLIKELY(stream.id < 0)) return foreign_;
  auto& slot = pools_[stream.id];
  if (C10_UNLIKELY(!slot)) {
    slot = std::make_unique<StreamPool>();
    slot->stream = stream.handle;
  }
  return *slot;
}

// Takes the best block out of the free ones: not counted as split any more.
Block* DeviceMemory::take_sorted(StreamPool& from, bool small, size_t size) {
  Block inner, last;  // keys
  inner.size = last.size = size;
  inner.small = last.small = small;
  inner.next = &inner;
  auto& blocks = from.sorted(small);
  auto it = blocks.lower_bound(&inner);
  if (it == blocks.end() || (*it)->size < size) it = blocks.lower_bound(&last);
  if (it == blocks.end()) return nullptr;
  Block* block = *it;
  blocks.erase(it);
  if (block->is_split()) stats_.split_out(MemoryStats::pool(small), block->size);
  return block;
}

Block* DeviceMemory::find_free(StreamPool& from, bool small, size_t size) {
  if (Block* block = take_sorted(from, small, size)) return block;
  if (!small) return nullptr;
  flush_bins(from);
  return take_sorted(from, small, size);
}

// The block keeps the first `size` bytes; the rest becomes a free block.
void DeviceMemory::split(Block* block, size_t size) {
  Block* rest = new_block();
  rest->ptr = block->ptr + size;
  rest->size = block->size - size;
  rest->prev = block;
  rest->next = block->next;
  rest->pool = block->pool;
  rest->device = device_;
  rest->small = block->small;
  rest->state = Block::State::free;
  if (rest->next) rest->next->prev = rest;
  block->next = rest;
  block->size = size;
  g_blocks.set(rest->ptr, rest);
  rest->pool->sorted(rest->small).insert(rest);
  stats_.split_in(MemoryStats::pool(rest->small), rest->size);
}

fl_status DeviceMemory::vendor_malloc(size_t bytes, void** ptr) {
  const auto held = static_cast<size_t>(stats_.now(MemoryStats::reserved));
  take_error_text();  // what the vendor said before is not about this
  if (bytes > limit_ || held > limit_ - bytes) return FL_OOM;
  attach(device_);
  const fl_status status = vendor().api.malloc(device_, bytes, ptr);
  if (status == FL_OK) ++stats_.num_device_alloc;
  return status;
}

Block* DeviceMemory::new_segment(StreamPool& owner, bool small, size_t size, size_t wanted) {
  const size_t bytes = segment_size(size);
  void* ptr = nullptr;
  fl_status status = vendor_malloc(bytes, &ptr);
  if (status == FL_OOM) {
    // What is cached for other streams and sizes may be all that is missing.
    ++stats_.num_alloc_retries;
    release_cached();
    status = vendor_malloc(bytes, &ptr);
    if (status == FL_OOM) out_of_memory(wanted, bytes);
  }
  FL_CHECK(status, "malloc(device=", device_, ", bytes=", bytes, ")");
  if (!BlockTable::covers(static_cast<char*>(ptr) + bytes - 1) || reinterpret_cast<uintptr_t>(ptr) % 256 != 0) {
    vendor().api.free(device_, ptr);
    TORCH_CHECK(false, "torch_fl[", vendor().facts.name, "]: malloc(device=", device_, ", bytes=", bytes, ") gave ",
                ptr, ", which is not an address of 48 bits aligned to 256; report it to the vendor");
  }
  Block* block = new_block();
  block->ptr = static_cast<char*>(ptr);
  block->size = bytes;
  block->pool = &owner;
  block->device = device_;
  block->small = small;
  g_blocks.set(ptr, block);
  segments().insert(ptr, bytes, device_);
  stats_.segment_in(MemoryStats::pool(small), bytes);
  return block;
}

std::string DeviceMemory::size_report(size_t wanted) {
  const Vendor& v = vendor();
  uint64_t free_bytes = 0;
  uint64_t total = device_properties(device_).total_memory;
  const bool known = v.api.mem_info && v.api.mem_info(device_, &free_bytes, &total) == FL_OK;
  const auto allocated = static_cast<uint64_t>(stats_.now(MemoryStats::bytes));
  const auto reserved = static_cast<uint64_t>(stats_.now(MemoryStats::reserved));
  return c10::str("flagos out of memory. Tried to allocate ", format_size(wanted), ". flagos:", device_, " (",
                  device_properties(device_).name, ") has a total capacity of ", format_size(total),
                  known ? c10::str(" of which ", format_size(free_bytes), " is free") : std::string(), ". ",
                  limit_ != SIZE_MAX
                      ? c10::str(format_size(limit_), " allowed by the memory fraction ", fraction_, ". ")
                      : std::string(),
                  "Of the memory of this process ", format_size(allocated), " is allocated by tensors, and ",
                  format_size(reserved - std::min(reserved, allocated)), " is reserved by the cache but unallocated");
}

void DeviceMemory::out_of_memory(size_t wanted, size_t segment) {
  ++stats_.num_ooms;
  const std::string vendor_text = take_error_text();
  const auto allocated = static_cast<size_t>(stats_.now(MemoryStats::bytes));
  const auto reserved = static_cast<size_t>(stats_.now(MemoryStats::reserved));
  c10::reportOutOfMemoryToProfiler(static_cast<int64_t>(segment), allocated, reserved,
                                   c10::Device(kFlagos, static_cast<c10::DeviceIndex>(device_)));
  TORCH_CHECK_WITH(
      OutOfMemoryError, false, size_report(wanted),
      ". If other programs use the device, stop them; if reserved but unallocated memory is large, give it back with "
      "torch.flagos.empty_cache(); torch.flagos.memory_summary() shows where memory went",
      vendor_text.empty() ? "" : ". The vendor says: ", vendor_text);
  __builtin_unreachable();
}

// ----------------------------------------------------------------------------------------------------------- free

void DeviceMemory::free(Block* block) noexcept {
  std::lock_guard lock(mutex_);
  if (C10_UNLIKELY(block->state != Block::State::allocated)) return;
  stats_.free(MemoryStats::pool(block->small), block->size, block->requested);
  if (C10_UNLIKELY(block->users != nullptr || block->pool == &foreign_)) {
    wait_for_users(block);
    if (block->state == Block::State::waiting) return;
  }
  release(block);
}

// The block may be used again on its own stream.
void DeviceMemory::release(Block* block) {
  if (C10_LIKELY(block->small && block->size <= kBinLimit)) {
    to_bin(block);
  } else {
    to_sorted(block);
  }
}

void DeviceMemory::to_bin(Block* block) {
  const size_t bin = block->size / kMinBlock - 1;
  StreamPool& to = *block->pool;
  block->state = Block::State::binned;
  block->link = to.bins[bin];
  to.bins[bin] = block;
  to.filled[bin / 64] |= uint64_t{1} << (bin % 64);
  if (block->is_split()) stats_.split_in(0, block->size);
}

// Merges the block, which nobody counts as split, with free neighbours.
void DeviceMemory::to_sorted(Block* block) {
  block = merge(block, block->prev);
  block = merge(block, block->next);
  block->state = Block::State::free;
  block->pool->sorted(block->small).insert(block);
  if (block->is_split()) stats_.split_in(MemoryStats::pool(block->small), block->size);
}

// `neighbour` becomes part of `block` where it is free; gives the block that is left.
Block* DeviceMemory::merge(Block* block, Block* neighbour) {
  if (!neighbour || neighbour->state != Block::State::free) return block;
  neighbour->pool->sorted(neighbour->small).erase(neighbour);
  stats_.split_out(MemoryStats::pool(neighbour->small), neighbour->size);
  Block* first = neighbour == block->prev ? neighbour : block;
  Block* second = neighbour == block->prev ? block : neighbour;
  g_blocks.set(second->ptr, nullptr);
  first->size += second->size;
  first->next = second->next;
  if (first->next) first->next->prev = first;
  second->link = spare_;
  spare_ = second;
  return first;
}

void DeviceMemory::flush_bins(StreamPool& of) {
  for (size_t word = 0; word < of.filled.size(); ++word) {
    while (of.filled[word]) {
      const size_t bin = word * 64 + static_cast<size_t>(std::countr_zero(of.filled[word]));
      of.filled[word] &= of.filled[word] - 1;
      Block* block = std::exchange(of.bins[bin], nullptr);
      while (block) {
        Block* next = block->link;
        if (block->is_split()) stats_.split_out(0, block->size);
        to_sorted(block);
        block = next;
      }
    }
  }
}

Block* DeviceMemory::new_block() {
  if (!spare_) return new Block;
  Block* block = spare_;
  spare_ = block->link;
  *block = Block{};
  return block;
}

// ------------------------------------------------------------------------------------------------- other streams

void DeviceMemory::record_stream(Block* block, c10::Stream stream) {
  const fl_stream handle = stream_handle(stream);
  std::lock_guard lock(mutex_);
  if (block->state != Block::State::allocated || block->pool->stream == handle) return;
  if (!block->users) block->users = new std::vector<c10::Stream>;
  if (std::find(block->users->begin(), block->users->end(), stream) == block->users->end()) {
    block->users->push_back(stream);
  }
}

// Leaves the block waiting until all streams that use it are done, or done with at once where nothing can tell.
void DeviceMemory::wait_for_users(Block* block) noexcept {
  const Vendor* v = loaded_vendor();
  if (!v) return;
  if (block->pool == &foreign_) {
    attach_quietly(device_);
    const fl_status status = v->api.device_synchronize ? v->api.device_synchronize(device_) : FL_OK;
    if (status != FL_OK) keep_error(state_, status);
  }
  std::unique_ptr<std::vector<c10::Stream>> users(std::exchange(block->users, nullptr));
  if (!users) return;
  for (const c10::Stream& stream : *users) {
    const int32_t device = stream.device_index();
    DeviceState* state = known_device_state(device);
    fl_stream handle = known_stream_handle(stream);
    if (!handle || stream_idle(*state, handle)) continue;
    if (fl_event event = events_[device].record(*v, device, handle)) {
      waiting_.push_back({event, device, block});
      ++block->events;
    } else {
      wait_stream_quietly(*state, handle);
    }
  }
  if (block->events == 0) return;
  block->state = Block::State::waiting;
  stats_.wait(MemoryStats::pool(block->small), block->size);
}

void DeviceMemory::poll_waiting() {
  const Vendor& v = vendor();
  for (size_t i = 0; i < waiting_.size();) {
    const Waiting entry = waiting_[i];
    attach(entry.device);
    const fl_status status = v.api.event_query(entry.device, entry.event);
    if (status == FL_NOT_READY) {
      ++i;
      continue;
    }
    if (status != FL_OK) keep_error(state_, status);
    waiting_[i] = waiting_.back();
    waiting_.pop_back();
    events_[entry.device].give_back(entry.event);
    if (--entry.block->events == 0) {
      stats_.wait_done(MemoryStats::pool(entry.block->small), entry.block->size);
      release(entry.block);
    }
  }
}

void DeviceMemory::finish_waiting() {
  if (waiting_.empty()) return;
  const Vendor& v = vendor();
  ++stats_.num_sync_all_streams;
  for (const Waiting& entry : waiting_) {
    attach(entry.device);
    const fl_status status = v.api.event_synchronize(entry.device, entry.event);
    if (status != FL_OK) keep_error(state_, status);
  }
  poll_waiting();
}

// ------------------------------------------------------------------------------------------------ back to the vendor

// Called with the lock held, and keeps it while it waits: else another thread could use, and free again, a block of a
// segment that has just been found idle. Streams finish without core's allocator.
void DeviceMemory::release_cached() {
  const Vendor& v = vendor();
  finish_waiting();
  attach(device_);
  const auto give_back = [&](StreamPool& from) {
    flush_bins(from);
    bool waited = false;
    for (const bool small : {true, false}) {
      auto& blocks = from.sorted(small);
      for (auto it = blocks.begin(); it != blocks.end();) {
        Block* block = *it;
        if (block->is_split()) {
          ++it;
          continue;
        }
        // Freed in the order of its stream does not mean done.
        if (!waited && from.stream) wait_stream_quietly(state_, from.stream);
        waited = true;
        it = blocks.erase(it);
        g_blocks.set(block->ptr, nullptr);
        segments().erase(block->ptr);
        stats_.segment_out(MemoryStats::pool(small), block->size);
        const fl_status status = v.api.free(device_, block->ptr);
        ++stats_.num_device_free;
        if (status != FL_OK) keep_error(state_, status);
        block->link = spare_;
        spare_ = block;
      }
    }
  };
  for (auto& slot : pools_) {
    if (slot) give_back(*slot);
  }
  give_back(foreign_);
}

void DeviceMemory::empty_cache() {
  std::lock_guard lock(mutex_);
  release_cached();
}

// ------------------------------------------------------------------------------------------------------- questions

size_t DeviceMemory::capacity(const void* ptr, const void* segment) {
  std::lock_guard lock(mutex_);
  const char* address = static_cast<const char*>(ptr);
  for (const Block* block = g_blocks.find(segment); block; block = block->next) {
    if (address < block->ptr + block->size) return static_cast<size_t>(block->ptr + block->size - address);
  }
  return 0;
}

void DeviceMemory::set_fraction(double fraction) {
  TORCH_CHECK_VALUE(fraction > 0 && fraction <= 1, "memory fraction must be above 0 and at most 1, got ", fraction);
  const size_t total = info().second;
  std::lock_guard lock(mutex_);
  fraction_ = fraction;
  limit_ = fraction == 1.0 ? SIZE_MAX : static_cast<size_t>(fraction * static_cast<double>(total));
}

c10::CachingDeviceAllocator::DeviceStats DeviceMemory::report() {
  std::lock_guard lock(mutex_);
  if (!waiting_.empty()) poll_waiting();
  return stats_.report();
}

void DeviceMemory::reset_accumulated() {
  std::lock_guard lock(mutex_);
  stats_.reset_accumulated();
}

void DeviceMemory::reset_peaks() {
  std::lock_guard lock(mutex_);
  stats_.reset_peaks();
}

std::pair<size_t, size_t> DeviceMemory::info() {
  const Vendor& v = vendor();
  uint64_t free_bytes = 0;
  uint64_t total = 0;
  if (v.api.mem_info) {
    attach(device_);
    FL_CHECK(v.api.mem_info(device_, &free_bytes, &total), "mem_info(device=", device_, ")");
  } else {
    total = device_properties(device_).total_memory;
    const auto reserved = static_cast<uint64_t>(stats_.now(MemoryStats::reserved));
    free_bytes = total - std::min(total, reserved);
  }
  return {free_bytes, total};
}

}  // namespace torch_fl
