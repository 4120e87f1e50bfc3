#include "event.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "device.h"
#include "kit.h"
#include "stream.h"

namespace torch_fl_sim {
namespace {

// One record of an event that had to queue. It outlives the event where work still waits for it.
class Recording {
 public:
  void complete() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      done_ns_ = now_ns();
    }
    completed_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    completed_.wait(lock, [this] { return done_ns_ != 0; });
  }
  // When it completed; 0: not yet.
  uint64_t done_ns() {
    std::lock_guard<std::mutex> lock(mutex_);
    return done_ns_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable completed_;
  uint64_t done_ns_ = 0;
};

// An event is complete when its stream counts the record as finished: the stream then says so too.
struct RecordTask final : Task {
  std::shared_ptr<Recording> recording;
  explicit RecordTask(std::shared_ptr<Recording> r) : recording(std::move(r)) {}
  void run() override {}
  void counted() noexcept override { recording->complete(); }
};

struct Event {
  const int32_t device;
  const uint32_t want;

  std::mutex mutex;  // guards all below
  bool recorded = false;
  uint64_t done_ns = 0;                // of a record on an idle stream, which completes at once
  std::shared_ptr<Recording> pending;  // of a record that had to queue

  Event(int32_t device, uint32_t want) : device(device), want(want) {}

  // What there is to wait for; null where the event is complete or was never recorded.
  std::shared_ptr<Recording> unfinished() {
    std::lock_guard<std::mutex> lock(mutex);
    return pending != nullptr && pending->done_ns() == 0 ? pending : nullptr;
  }
};

fl_status find_event(fl_event handle, Event** event) {
  if (handle == nullptr) return fail(FL_INVALID_VALUE, "the event is null");
  *event = static_cast<Event*>(handle);
  return FL_OK;
}

fl_status completion_time(Event* event, const char* which, uint64_t* ns) {
  if (!(event->want & FL_EVENT_TIMING)) {
    return fail(FL_INVALID_VALUE, "the %s event was created without timing: create it with enable_timing=True", which);
  }
  std::lock_guard<std::mutex> lock(event->mutex);
  if (!event->recorded) return fail(FL_INVALID_VALUE, "the %s event was never recorded", which);
  *ns = event->pending != nullptr ? event->pending->done_ns() : event->done_ns;
  if (*ns == 0) return fail(FL_INVALID_VALUE, "the %s event is not complete: synchronize it first", which);
  return FL_OK;
}

}  // namespace

fl_status event_create(int32_t device, uint32_t want, fl_event* event) {
  if (find_device(device) == nullptr) return FL_INVALID_DEVICE;
  if (want & FL_EVENT_IPC) return fail(FL_UNSUPPORTED, "events of sim cannot be shared between processes");
  *event = new Event(device, want);
  return FL_OK;
}

fl_status event_destroy(int32_t, fl_event event) {
  delete static_cast<Event*>(event);
  return FL_OK;
}

fl_status event_record(int32_t device, fl_event event, fl_stream stream) {
  Event* found = nullptr;
  Stream* on = nullptr;
  if (fl_status s = find_event(event, &found)) return s;
  if (fl_status s = find_stream(stream, device, device, &on)) return s;
  if (found->device != device) {
    return fail(FL_INVALID_VALUE, "the event belongs to device %d, the stream to device %d", found->device, device);
  }
  std::lock_guard<std::mutex> lock(found->mutex);
  if (on->idle()) {
    found->pending.reset();
    found->done_ns = (found->want & FL_EVENT_TIMING) ? now_ns() : 1;
  } else {
    auto recording = std::make_shared<Recording>();
    auto task = std::make_unique<RecordTask>(recording);
    task->activity.begin(ActivityKind::marker, "event record", device, on, 0);
    if (fl_status s = on->push(std::move(task))) return s;
    found->pending = std::move(recording);
  }
  found->recorded = true;
  return FL_OK;
}

fl_status event_query(int32_t, fl_event event) {
  Event* found = nullptr;
  if (fl_status s = find_event(event, &found)) return s;
  return found->unfinished() == nullptr ? FL_OK : FL_NOT_READY;
}

// Errors of the work before the event stay with its stream.
fl_status event_synchronize(int32_t, fl_event event) {
  Event* found = nullptr;
  if (fl_status s = find_event(event, &found)) return s;
  if (auto recording = found->unfinished()) {
    if (forked()) return fail(FL_FAILED, "a forked process cannot wait for work of its parent");
    recording->wait();
  }
  return FL_OK;
}

fl_status event_elapsed(int32_t, fl_event start, fl_event end, double* milliseconds) {
  Event *from = nullptr, *to = nullptr;
  if (fl_status s = find_event(start, &from)) return s;
  if (fl_status s = find_event(end, &to)) return s;
  uint64_t from_ns = 0, to_ns = 0;
  if (fl_status s = completion_time(from, "start", &from_ns)) return s;
  if (fl_status s = completion_time(to, "end", &to_ns)) return s;
  *milliseconds = (static_cast<double>(to_ns) - static_cast<double>(from_ns)) * 1e-6;
  return FL_OK;
}

fl_status stream_wait_event(int32_t device, fl_stream stream, fl_event event) {
  Event* found = nullptr;
  Stream* on = nullptr;
  if (fl_status s = find_event(event, &found)) return s;
  if (fl_status s = find_stream(stream, device, device, &on)) return s;
  auto recording = found->unfinished();
  if (recording == nullptr) return FL_OK;
  // The stream's own thread waits; whatever is launched behind it queues.
  return on->enqueue(ActivityKind::marker, "event wait", 0, [recording] { recording->wait(); });
}

}  // namespace torch_fl_sim
