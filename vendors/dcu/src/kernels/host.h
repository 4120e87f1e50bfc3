// Kernels on the host: a block's threads one after the other, or, where they wait for each other, as fibers that change
// places at every sync() and shuffle(). Numbers, shared memory and barriers are then those of the kernel's own source;
// speed, memory coalescing and races are not.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace torch_fl_dcu {

// Where the calling thread is in the grid.
struct HostPlace {
  int thread = 0, threads = 1, warp = 64;
  int64_t block_x = 0, block_y = 0, blocks_x = 1;
};

namespace host {

inline thread_local HostPlace t_place;

// The fibers of one block, kept for the next one: each runs bodies for ever, one per block.
class Fibers {
 public:
  static Fibers& mine() {
    static thread_local Fibers fibers;
    return fibers;
  }

  // Runs body() for every thread of the block.
  template <class Body>
  void run(int threads, const Body& body) {
    call_ = [](const void* b) { (*static_cast<const Body*>(b))(); };
    body_ = &body;
    while (static_cast<int>(fibers_.size()) < threads) fibers_.push_back(std::make_unique<Fiber>());
    int left = threads;
    for (int i = 0; i < threads; i++) fibers_[i]->done = false;
    while (left > 0) {
      for (int i = 0; i < threads; i++) {
        Fiber& fiber = *fibers_[i];
        if (fiber.done) continue;
        t_place.thread = i;
        resume(fiber);
        left -= fiber.done;
      }
    }
  }

  // Gives the processor to the block's next thread; comes back when all have got as far.
  __attribute__((noinline)) void yield() {
    Fiber& self = *running_;
    if (_setjmp(self.at) == 0) _longjmp(scheduler_, 1);
  }

  // A word for each thread, twice: who is ahead by one exchange writes the other one.
  uint32_t exchange(uint32_t word, int with) {
    const int turn = running_->turn ^= 1;
    words_[turn][t_place.thread] = word;
    yield();
    return words_[turn][with];
  }

 private:
  static constexpr size_t kStack = 64 << 10;
  struct Fiber {
    jmp_buf at;
    std::unique_ptr<char[]> stack;
    ucontext_t context;
    bool started = false, done = false;
    int turn = 0;
  };

  __attribute__((noinline)) void resume(Fiber& fiber) {
    running_ = &fiber;
    if (_setjmp(scheduler_) != 0) return;
    if (fiber.started) _longjmp(fiber.at, 1);
    fiber.started = true;
    fiber.stack.reset(new char[kStack]);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &Fibers::live, 0);
    setcontext(&fiber.context);
  }

  static void live() {
    Fibers& all = mine();
    for (;;) {
      Fiber& self = *all.running_;
      self.turn = 0;
      all.call_(all.body_);
      self.done = true;
      all.yield();
    }
  }

  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber* running_ = nullptr;
  jmp_buf scheduler_;
  void (*call_)(const void*) = nullptr;
  const void* body_ = nullptr;
  uint32_t words_[2][1024];
};

// Streams are threads of the host, which may meet in memory.
template <class T, class F>
T atomic_update(T* to, const F& update) {
  T old, wanted;
  __atomic_load(to, &old, __ATOMIC_RELAXED);
  do wanted = update(old);
  while (!__atomic_compare_exchange(to, &old, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}

}  // namespace host

inline int thread_id() { return host::t_place.thread; }
inline int block_threads() { return host::t_place.threads; }
inline int64_t block_id() { return host::t_place.block_x; }
inline int64_t block_id_y() { return host::t_place.block_y; }
inline int64_t block_count() { return host::t_place.blocks_x; }
inline int warp_size() { return host::t_place.warp; }
inline void sync() { host::Fibers::mine().yield(); }
inline uint32_t shuffle_word(uint32_t word, int lane_mask) {
  return host::Fibers::mine().exchange(word, host::t_place.thread ^ lane_mask);
}

}  // namespace torch_fl_dcu
