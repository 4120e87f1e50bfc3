// Events.
#include <mutex>
#include <unordered_map>

#include "standin.h"
#include "stream.h"

namespace tops_standin {
namespace {

struct Event {
  unsigned flags = 0;
  int device = -1;
  std::mutex mutex;
  std::shared_ptr<Marker> marker;  // null: never recorded

  std::shared_ptr<Marker> recorded() {
    std::lock_guard<std::mutex> lock(mutex);
    return marker;
  }
};

struct Events {
  std::mutex mutex;
  std::unordered_map<topsEvent_t, std::shared_ptr<Event>> live;
};

Events& events() {
  static Events* const made = new Events;
  return *made;
}

std::shared_ptr<Event> find(topsEvent_t handle) {
  if (forked()) return nullptr;
  Events& all = events();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.live.find(handle);
  return found == all.live.end() ? nullptr : found->second;
}

// The error that the work before an event left, once.
topsError_t error_before(const Marker& marker) {
  auto stream = marker.stream.lock();
  return stream == nullptr ? topsSuccess : stream->take_error();
}

}  // namespace
}  // namespace tops_standin

using namespace tops_standin;

topsError_t topsEventCreate(topsEvent_t* event) { return topsEventCreateWithFlags(event, topsEventDefault); }

topsError_t topsEventCreateWithFlags(topsEvent_t* event, unsigned flags) {
  if (forked()) return remember(topsErrorNotInitialized);
  if (device_count() == 0) return remember(topsErrorNoDevice);
  if ((flags & ~63u) != 0) return remember(topsErrorInvalidValue);
  if ((flags & topsEventInterprocess) != 0) return remember(topsErrorNotSupported);
  auto made = std::make_shared<Event>();
  made->flags = flags;
  made->device = current_device();
  Events& all = events();
  std::lock_guard<std::mutex> lock(all.mutex);
  *event = reinterpret_cast<topsEvent_t>(made.get());
  all.live[*event] = made;
  return topsSuccess;
}

topsError_t topsEventDestroy(topsEvent_t event) {
  Events& all = events();
  std::lock_guard<std::mutex> lock(all.mutex);
  return remember(all.live.erase(event) == 1 ? topsSuccess : topsErrorInvalidHandle);
}

topsError_t topsEventRecord(topsEvent_t event, topsStream_t stream) {
  auto found = find(event);
  auto on = find_stream(stream);
  if (found == nullptr || on == nullptr || found->device != on->device()) return remember(topsErrorInvalidHandle);
  auto marker = std::make_shared<Marker>();
  marker->stream = on;
  {
    std::lock_guard<std::mutex> lock(found->mutex);
    found->marker = marker;
  }
  submit(on, Work::marker, "event", [marker] {
    marker->finish();
    return topsSuccess;
  });
  return topsSuccess;
}

topsError_t topsEventQuery(topsEvent_t event) {
  auto found = find(event);
  if (found == nullptr) return remember(topsErrorInvalidHandle);
  if ((found->flags & topsEventDisableQueryAndSync) != 0) return remember(topsErrorNotSupported);
  auto marker = found->recorded();
  if (marker == nullptr) return topsSuccess;
  if (!marker->is_done()) return remember(topsErrorNotReady);
  return remember(error_before(*marker));
}

topsError_t topsEventSynchronize(topsEvent_t event) {
  auto found = find(event);
  if (found == nullptr) return remember(topsErrorInvalidHandle);
  if ((found->flags & topsEventDisableQueryAndSync) != 0) return remember(topsErrorNotSupported);
  auto marker = found->recorded();
  if (marker == nullptr) return topsSuccess;
  marker->wait();
  return remember(error_before(*marker));
}

topsError_t topsEventElapsedTime(float* ms, topsEvent_t start, topsEvent_t stop) {
  auto first = find(start);
  auto second = find(stop);
  if (first == nullptr || second == nullptr) return remember(topsErrorInvalidHandle);
  if (((first->flags | second->flags) & topsEventDisableTiming) != 0) return remember(topsErrorInvalidHandle);
  auto from = first->recorded();
  auto to = second->recorded();
  if (from == nullptr || to == nullptr) return remember(topsErrorInvalidHandle);
  if (!from->is_done() || !to->is_done()) return remember(topsErrorNotReady);
  *ms = static_cast<float>((static_cast<double>(to->nanoseconds) - static_cast<double>(from->nanoseconds)) * 1e-6);
  return topsSuccess;
}

topsError_t topsStreamWaitEvent(topsStream_t stream, topsEvent_t event, unsigned int flags) {
  if (flags != 0) return remember(topsErrorInvalidValue);
  auto found = find(event);
  auto on = find_stream(stream);
  if (found == nullptr || on == nullptr) return remember(topsErrorInvalidHandle);
  auto marker = found->recorded();
  if (marker == nullptr) return topsSuccess;
  submit(on, Work::other, "wait for an event", [marker] {
    marker->wait();
    return topsSuccess;
  });
  return topsSuccess;
}

// "not supported in TOPS", says the header about events between processes.
topsError_t topsIpcGetEventHandle(topsIpcEventHandle_t* handle, topsEvent_t) {
  *handle = {};
  return remember(topsErrorNotSupported);
}
topsError_t topsIpcOpenEventHandle(topsEvent_t* event, topsIpcEventHandle_t) {
  *event = nullptr;
  return remember(topsErrorNotSupported);
}
