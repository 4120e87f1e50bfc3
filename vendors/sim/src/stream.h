// Streams, and how a kernel puts work on one. This is all that a kernel includes of the runtime:
//
//   fl_status run_add_Tensor(const fl_call* call, void*) {
//     ... copy pointers, sizes and strides out of `call` by value ...
//     return launch(call, "add", [=] { ... the loop ... });
//   }
//
// A stream runs its work in order. While it is idle, work runs at once on the calling thread: handing it to another
// thread would cost more than most kernels. While it is busy (it waits for an event, another thread runs work on it,
// or FLAGOS_SIM_ASYNC=1 makes every stream busy) work is queued, and the stream's own thread runs it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "kit.h"
#include "profiler.h"
#include "torch_fl/vendor.h"

namespace torch_fl_sim {

// Remembers an error that work found while it ran, when no function can return it any more. The next synchronize or
// query of the stream returns it, once; the first error wins. For use inside work.
void stream_set_error(fl_stream stream, fl_status status, const char* text) noexcept;

// Waits until everything enqueued on the stream is done: before a kernel with a data-dependent output reads its
// input. Returns the error that the work left, if any.
fl_status drain(fl_stream stream) noexcept;

// Makes the memory of a device readable and writable for as long as it lives. Work runs with its device's memory open
// already; a kernel needs it only to look at device memory after drain().
class DeviceOpen {
 public:
  explicit DeviceOpen(int32_t device) noexcept;
  ~DeviceOpen();
  DeviceOpen(const DeviceOpen&) = delete;
  DeviceOpen& operator=(const DeviceOpen&) = delete;

 private:
  int32_t device_;
};

// One piece of queued work.
struct Task {
  Activity activity;
  Task* next = nullptr;

  virtual ~Task() = default;
  virtual void run() = 0;
  // For markers: what happens when the stream counts this and all before it as finished.
  virtual void counted() noexcept {}
};

template <class F>
struct TaskOf final : Task {
  F work;
  explicit TaskOf(F&& f) : work(std::move(f)) {}
  explicit TaskOf(const F& f) : work(f) {}
  void run() override { work(); }
};

class Stream {
 public:
  Stream(int32_t device, int32_t priority, bool always_queue);
  ~Stream();

  int32_t device() const { return device_; }
  int32_t priority() const { return priority_; }

  // Runs `work` here and now if the stream is idle, else queues it. Returns an error that the work left when it ran
  // here; that of queued work comes from synchronize() or query(). `name` must outlive the work.
  template <class F>
  fl_status submit(ActivityKind kind, const char* name, uint64_t bytes, F&& work) noexcept {
    if (__builtin_expect(is_host(), 0)) {
      run(work);
      return failed() ? take_error() : FL_OK;
    }
    if (!try_take()) return enqueue(kind, name, bytes, std::forward<F>(work));
    const bool failed_before = failed();
    if (__builtin_expect(profiling(), 0)) {
      Activity activity;
      activity.begin(kind, name, device_, this, bytes);
      activity.start();
      run(work);
      give();
      activity.finish();
    } else {
      run(work);
      give();
    }
    return __builtin_expect(failed(), 0) && !failed_before ? take_error() : FL_OK;
  }

  // Queues a task for the stream's own thread, idle or not.
  fl_status push(std::unique_ptr<Task> task);
  // Queues `work`.
  template <class F>
  fl_status enqueue(ActivityKind kind, const char* name, uint64_t bytes, F&& work) noexcept {
    try {
      auto task = std::make_unique<TaskOf<std::decay_t<F>>>(std::forward<F>(work));
      task->activity.begin(kind, name, device_, this, bytes);
      return push(std::move(task));
    } catch (const std::exception& e) {
      return fail(FL_FAILED, "%s could not be queued: %s", name, e.what());
    }
  }

  // Everything enqueued so far is done, and nothing runs.
  bool idle() const noexcept {
    return pending_.load(std::memory_order_acquire) == 0 && turn_.load(std::memory_order_acquire) == kFree;
  }
  // The host works on the device's memory in the stream's place: what was enqueued is done, and what other threads
  // enqueue waits until host_end(), so that no memory changes hands in between. Calls nest; what the thread itself
  // enqueues runs at once.
  void host_begin() noexcept;
  void host_end() noexcept;

  // Waits for what is enqueued so far.
  void wait() noexcept;
  fl_status synchronize() noexcept {
    if (!idle()) wait();
    return failed() ? take_error() : FL_OK;
  }

  // Work left an error that nobody has taken yet.
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  void set_error(fl_status status, const char* text) noexcept;
  // Returns the error that work left, told to core, and forgets it.
  fl_status take_error() noexcept;

 private:
  // Says in the error that queued work left which kernel it was: the call that gets it is another one.
  void blame(const char* name) noexcept;

  enum Turn : uint32_t { kFree, kCaller, kWorker, kHost };

  // This thread is between host_begin() and host_end().
  bool is_host() const noexcept {
    return turn_.load(std::memory_order_relaxed) == kHost && host_.load(std::memory_order_relaxed) == &t_self;
  }

  // Takes the stream's turn if no work is queued or running. Only one thread at a time has the turn, so that work of
  // two threads on one stream never overlaps.
  bool try_take() noexcept {
    if (always_queue_) return false;
    uint32_t expected = kFree;
    if (!turn_.compare_exchange_strong(expected, kCaller, std::memory_order_acquire)) return false;
    if (pending_.load(std::memory_order_acquire) == 0) return true;
    give();
    return false;
  }
  void host_leave() noexcept;
  fl_status run_now(Task& task) noexcept;
  // A plain store: whoever waits for the turn looks again by itself.
  void give() noexcept { turn_.store(kFree, std::memory_order_release); }

  template <class F>
  void run(F& work) noexcept {
    try {
      work();
    } catch (const std::exception& e) {
      set_error(FL_FAILED, e.what());
    }
  }
  void work_loop() noexcept;

  const int32_t device_;
  const int32_t priority_;
  const bool always_queue_;
  std::atomic<bool> failed_{false};
  std::atomic<uint32_t> turn_{kFree};
  std::atomic<uint64_t> pending_{0};           // queued tasks that are not finished, and threads about to queue one
  static inline thread_local char t_self = 0;  // its address tells threads apart
  std::atomic<const char*> host_{nullptr};     // the thread that has the turn kHost
  uint32_t host_depth_ = 0;                    // that thread's alone
  std::atomic<uint32_t> kept_out_{0};          // threads that wait for host_end()

  std::mutex mutex_;  // guards all below
  std::condition_variable pushed_;
  std::condition_variable finished_some_;
  std::condition_variable host_ended_;
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  uint64_t pushed_count_ = 0;
  uint64_t finished_count_ = 0;
  bool stopping_ = false;
  std::thread worker_;  // started by the first task
  fl_status error_ = FL_OK;
  std::string error_text_;
};

// Enqueues a kernel on the call's stream. `work` is a closure that holds everything by value: the pointers inside
// `call` are gone when the kernel function returns. `name` is a literal.
template <class F>
fl_status launch(const fl_call* call, const char* name, F&& work) noexcept {
  return static_cast<Stream*>(call->stream)->submit(ActivityKind::kernel, name, 0, std::forward<F>(work));
}

// The stream of a handle, if it belongs to `device` or to `peer`; else an error told to core.
fl_status find_stream(fl_stream handle, int32_t device, int32_t peer, Stream** stream) noexcept;

// --- slots of fl_vendor_api
fl_status stream_priority_range(int32_t device, int32_t* max_priority);
fl_status stream_create(int32_t device, int32_t priority, fl_stream* stream);
fl_status stream_destroy(int32_t device, fl_stream stream);
fl_status stream_synchronize(int32_t device, fl_stream stream);
fl_status stream_query(int32_t device, fl_stream stream);
fl_status stream_native_handle(int32_t device, fl_stream stream, void** handle);
fl_status host_callback(int32_t device, fl_stream stream, void (*fn)(void* user), void* user);

}  // namespace torch_fl_sim
