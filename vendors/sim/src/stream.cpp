#include "stream.h"

#include <algorithm>
#include <chrono>

#include "device.h"

namespace torch_fl_sim {
namespace {

constexpr int32_t kMaxPriority = 1;

// For waits that are nearly always over at once: look again, then let others run, then sleep.
void pause_briefly(int* rounds) {
  if (++*rounds < 64) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

// FLAGOS_SIM_ASYNC: now and then work starts late, so that whoever forgot to wait is found out.
void delay_sometimes(uint64_t* random) {
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  if (*random % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(*random / 4 % 64));
}

}  // namespace

Stream::Stream(int32_t device, int32_t priority, bool always_queue)
    : device_(device), priority_(priority), always_queue_(always_queue) {}

Stream::~Stream() {
  wait();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  pushed_.notify_one();
  if (worker_.joinable()) worker_.join();
}

fl_status Stream::push(std::unique_ptr<Task> task) {
  if (forked()) {
    return fail(FL_FAILED, "a forked process cannot queue work: start it with the spawn method instead");
  }
  if (is_host()) return run_now(*task);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    // Counted first: host_begin() looks the other way round, so that one of the two sees the other.
    pending_.fetch_add(1, std::memory_order_seq_cst);
    while (turn_.load(std::memory_order_seq_cst) == kHost) {
      pending_.fetch_sub(1, std::memory_order_seq_cst);
      if (task->activity.kind == ActivityKind::marker) {  // all before it is done
        lock.unlock();
        return run_now(*task);
      }
      kept_out_.fetch_add(1, std::memory_order_seq_cst);
      host_ended_.wait(lock, [this] { return turn_.load(std::memory_order_seq_cst) != kHost; });
      kept_out_.fetch_sub(1, std::memory_order_seq_cst);
      pending_.fetch_add(1, std::memory_order_seq_cst);
    }
    if (!worker_.joinable()) worker_ = std::thread([this] { work_loop(); });
    Task* added = task.release();
    if (last_ == nullptr) {
      first_ = added;
    } else {
      last_->next = added;
    }
    last_ = added;
    ++pushed_count_;
  }
  pushed_.notify_one();
  return FL_OK;
}

void Stream::work_loop() noexcept {
  uint64_t random = now_ns() | 1;
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    pushed_.wait(lock, [this] { return first_ != nullptr || stopping_; });
    if (first_ == nullptr) return;
    std::unique_ptr<Task> task(first_);
    first_ = task->next;
    if (first_ == nullptr) last_ = nullptr;
    lock.unlock();

    if (always_queue_) delay_sometimes(&random);
    // A caller's thread may be in the middle of work of its own.
    uint32_t expected = kFree;
    for (int rounds = 0; !turn_.compare_exchange_weak(expected, kWorker, std::memory_order_acquire);) {
      expected = kFree;
      pause_briefly(&rounds);
    }
    const bool failed_before = failed();
    task->activity.start();
    auto work = [&task] { task->run(); };
    if (task->activity.kind <= ActivityKind::memset) {
      DeviceOpen open(device_);
      run(work);
    } else {
      run(work);
    }
    task->activity.finish();
    if (failed() && !failed_before) blame(task->activity.name);
    // What work holds is gone before anybody is told that it is done.
    if (task->activity.kind != ActivityKind::marker) task.reset();
    give();

    lock.lock();
    ++finished_count_;
    pending_.fetch_sub(1, std::memory_order_acq_rel);
    if (task != nullptr) task->counted();
    task.reset();
    finished_some_.notify_all();
  }
}

fl_status Stream::run_now(Task& task) noexcept {
  task.activity.start();
  auto work = [&task] { task.run(); };
  run(work);
  task.activity.finish();
  task.counted();
  return failed() ? take_error() : FL_OK;
}

void Stream::host_begin() noexcept {
  if (is_host()) {
    ++host_depth_;
    return;
  }
  for (int rounds = 0;; pause_briefly(&rounds)) {
    uint32_t expected = kFree;
    if (!turn_.compare_exchange_weak(expected, kHost, std::memory_order_seq_cst)) continue;
    if (pending_.load(std::memory_order_seq_cst) == 0) break;
    host_leave();
    wait();
  }
  host_.store(&t_self, std::memory_order_relaxed);
  host_depth_ = 1;
}

void Stream::host_end() noexcept {
  if (--host_depth_ != 0) return;
  host_.store(nullptr, std::memory_order_relaxed);
  host_leave();
}

void Stream::host_leave() noexcept {
  turn_.store(kFree, std::memory_order_seq_cst);
  if (kept_out_.load(std::memory_order_seq_cst) == 0) return;
  std::lock_guard<std::mutex> lock(mutex_);
  host_ended_.notify_all();
}

void Stream::wait() noexcept {
  if (is_host()) return;
  for (int rounds = 0; turn_.load(std::memory_order_acquire) == kCaller;) pause_briefly(&rounds);
  if (pending_.load(std::memory_order_acquire) == 0 || forked()) return;
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t target = pushed_count_;
  finished_some_.wait(lock, [&] { return finished_count_ >= target; });
}

void Stream::set_error(fl_status status, const char* text) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (error_ != FL_OK) return;
  error_ = status;
  error_text_ = text;
  failed_.store(true, std::memory_order_release);
}

void Stream::blame(const char* name) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  if (error_ == FL_OK) return;
  try {
    error_text_ = std::string(name) + ", which was queued before: " + error_text_;
  } catch (const std::exception&) {
    // The text stays without the name.
  }
}

fl_status Stream::take_error() noexcept {
  if (!failed()) return FL_OK;
  std::lock_guard<std::mutex> lock(mutex_);
  const fl_status status = error_;
  if (status != FL_OK) fail(status, "%s", error_text_.c_str());
  error_ = FL_OK;
  error_text_.clear();
  failed_.store(false, std::memory_order_release);
  return status;
}

void stream_set_error(fl_stream stream, fl_status status, const char* text) noexcept {
  static_cast<Stream*>(stream)->set_error(status, text);
}

fl_status drain(fl_stream stream) noexcept { return static_cast<Stream*>(stream)->synchronize(); }

fl_status find_stream(fl_stream handle, int32_t device, int32_t peer, Stream** stream) noexcept {
  if (handle == nullptr) return fail(FL_INVALID_VALUE, "the stream is null");
  Stream* found = static_cast<Stream*>(handle);
  if (found->device() != device && found->device() != peer) {
    return fail(FL_INVALID_VALUE, "the stream belongs to device %d, the call is for device %d", found->device(),
                std::max(device, peer));
  }
  *stream = found;
  return FL_OK;
}

fl_status stream_priority_range(int32_t device, int32_t* max_priority) {
  if (find_device(device) == nullptr) return FL_INVALID_DEVICE;
  *max_priority = kMaxPriority;
  return FL_OK;
}

fl_status stream_create(int32_t device, int32_t priority, fl_stream* stream) {
  Device* found = find_device(device);
  if (found == nullptr) return FL_INVALID_DEVICE;
  if (priority < 0 || priority > kMaxPriority) {
    return fail(FL_INVALID_VALUE, "there is no priority %d; 0 is normal, %d is the most urgent", priority,
                kMaxPriority);
  }
  auto made = std::make_shared<Stream>(device, priority, settings().async);
  *stream = made.get();
  std::lock_guard<std::mutex> lock(found->streams_mutex);
  found->streams.push_back(std::move(made));
  return FL_OK;
}

fl_status stream_destroy(int32_t device, fl_stream stream) {
  Device* found = find_device(device);
  if (found == nullptr) return FL_INVALID_DEVICE;
  std::shared_ptr<Stream> gone;  // its destructor, which finishes the work, runs outside of the lock
  {
    std::lock_guard<std::mutex> lock(found->streams_mutex);
    auto at = std::find_if(found->streams.begin(), found->streams.end(),
                           [stream](const std::shared_ptr<Stream>& s) { return s.get() == stream; });
    if (at == found->streams.end()) {
      return fail(FL_INVALID_VALUE, "%p is no stream of device %d", stream, device);
    }
    gone = std::move(*at);
    found->streams.erase(at);
  }
  return FL_OK;
}

fl_status stream_synchronize(int32_t device, fl_stream stream) {
  Stream* found = nullptr;
  if (fl_status s = find_stream(stream, device, device, &found)) return s;
  return found->synchronize();
}

fl_status stream_query(int32_t device, fl_stream stream) {
  Stream* found = nullptr;
  if (fl_status s = find_stream(stream, device, device, &found)) return s;
  return found->idle() ? found->take_error() : FL_NOT_READY;
}

// There is no other library that could do anything with sim's streams, so the handle is the stream itself.
fl_status stream_native_handle(int32_t device, fl_stream stream, void** handle) {
  Stream* found = nullptr;
  if (fl_status s = find_stream(stream, device, device, &found)) return s;
  *handle = found;
  return FL_OK;
}

fl_status host_callback(int32_t device, fl_stream stream, void (*fn)(void* user), void* user) {
  Stream* found = nullptr;
  if (fl_status s = find_stream(stream, device, device, &found)) return s;
  // Never on the caller's thread, which may hold a lock that fn takes.
  return found->enqueue(ActivityKind::host_callback, "host callback", 0, [fn, user] { fn(user); });
}

}  // namespace torch_fl_sim
