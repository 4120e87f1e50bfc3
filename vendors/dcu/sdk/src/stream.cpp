// Streams, events and graphs.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "standin.h"

namespace hip_standin {

// Where an event was recorded last.
struct Mark {
  bool done = false;
  std::chrono::steady_clock::time_point when;
};

}  // namespace hip_standin

using namespace hip_standin;

struct ihipEvent_t {
  const int device;
  const unsigned flags;
  std::shared_ptr<Mark> mark;
};
struct ihipGraph {
  std::vector<Work> work;
};
struct hipGraphExec {
  std::vector<Work> work;
};

namespace {

// The handles that are live: one that was destroyed, or never made, is told.
std::set<ihipStream_t*>& streams() {
  static auto& all = *new std::set<ihipStream_t*>;
  return all;
}
std::set<ihipEvent_t*>& events() {
  static auto& all = *new std::set<ihipEvent_t*>;
  return all;
}
bool live(hipEvent_t event) {
  const std::lock_guard<std::mutex> lock(world());
  return events().count(event) != 0;
}

// Told whenever a mark is done.
std::condition_variable& marked() {
  static auto& changed = *new std::condition_variable;
  return changed;
}
void wait_for(const std::shared_ptr<Mark>& mark) {
  std::unique_lock<std::mutex> lock(world());
  marked().wait(lock, [&] { return mark->done; });
}
// Null where the event was never recorded.
std::shared_ptr<Mark> mark_of(hipEvent_t event) {
  const std::lock_guard<std::mutex> lock(world());
  return event->mark;
}
bool done(const std::shared_ptr<Mark>& mark) {
  const std::lock_guard<std::mutex> lock(world());
  return mark == nullptr || mark->done;
}

}  // namespace

ihipStream_t::~ihipStream_t() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

hipError_t ihipStream_t::enqueue(Work work, bool mark) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (capturing) {
    captured.push_back(std::move(work));
    return hipSuccess;
  }
  queue_.push_back({std::move(work), mark});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
  return hipSuccess;
}

hipError_t ihipStream_t::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (capturing) return hipErrorStreamCaptureUnsupported;
  changed_.wait(lock, [&] { return queue_.empty(); });
  return hipSuccess;
}

bool ihipStream_t::idle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return queue_.empty();
}

void ihipStream_t::run() {
  (void)hipSetDevice(device);
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Piece& piece = queue_.front();  // a deque moves nothing when more is added
    lock.unlock();
    if (settings().delay.count() > 0) std::this_thread::sleep_for(settings().delay);
    if (!piece.mark) piece.work();
    lock.lock();
    if (piece.mark) piece.work();
    queue_.pop_front();
    changed_.notify_all();
  }
}

namespace hip_standin {

hipError_t resolve(hipStream_t handle, ihipStream_t** stream) {
  if (devices().empty()) return hipErrorInvalidDevice;
  if (handle == nullptr) {
    *stream = &devices()[static_cast<size_t>(current())]->standard;
    return hipSuccess;
  }
  const std::lock_guard<std::mutex> lock(world());
  *stream = handle;
  return streams().count(handle) != 0 ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t wait_all(int device) {
  if (devices().empty()) return hipErrorInvalidDevice;
  std::vector<ihipStream_t*> mine{&devices()[static_cast<size_t>(device)]->standard};
  {
    const std::lock_guard<std::mutex> lock(world());
    std::copy_if(streams().begin(), streams().end(), std::back_inserter(mine),
                 [&](ihipStream_t* stream) { return stream->device == device && !stream->capturing; });
  }
  for (ihipStream_t* stream : mine) FL_RETURN(stream->wait());
  return hipSuccess;
}

}  // namespace hip_standin

FL_HIP_EXPORT hipStreamCreateWithPriority(hipStream_t* stream, unsigned, int) {
  if (devices().empty()) return remember(hipErrorInvalidDevice);
  auto made = std::make_unique<ihipStream_t>(current());
  const std::lock_guard<std::mutex> lock(world());
  streams().insert(*stream = made.release());
  return hipSuccess;
}

// HIP would return at once, and finish the work meanwhile.
FL_HIP_EXPORT hipStreamDestroy(hipStream_t handle) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  {
    const std::lock_guard<std::mutex> lock(world());
    if (streams().erase(stream) == 0) return remember(hipErrorInvalidHandle);  // the default one
  }
  delete stream;
  return hipSuccess;
}

FL_HIP_EXPORT hipStreamSynchronize(hipStream_t handle) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return remember(stream->wait());
}

FL_HIP_EXPORT hipStreamQuery(hipStream_t handle) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  if (stream->capturing) return remember(hipErrorStreamCaptureUnsupported);
  return remember(stream->idle() ? hipSuccess : hipErrorNotReady);
}

FL_HIP_EXPORT hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  if (!live(event)) return remember(hipErrorInvalidHandle);
  const std::shared_ptr<Mark> mark = mark_of(event);
  return mark == nullptr ? hipSuccess : stream->enqueue([mark] { wait_for(mark); });
}

FL_HIP_EXPORT hipLaunchHostFunc(hipStream_t handle, void (*fn)(void* user), void* user) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([=] { fn(user); });
}

FL_HIP_EXPORT hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  if (devices().empty()) return remember(hipErrorInvalidDevice);
  if ((flags & hipEventInterprocess) != 0 && (flags & hipEventDisableTiming) == 0)
    return remember(hipErrorInvalidValue);
  const std::lock_guard<std::mutex> lock(world());
  events().insert(*event = new ihipEvent_t{current(), flags, nullptr});
  return hipSuccess;
}

FL_HIP_EXPORT hipEventDestroy(hipEvent_t event) {
  const std::lock_guard<std::mutex> lock(world());
  if (events().erase(event) == 0) return remember(hipErrorInvalidHandle);
  delete event;
  return hipSuccess;
}

FL_HIP_EXPORT hipEventRecord(hipEvent_t event, hipStream_t handle) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  if (!live(event) || event->device != stream->device) return remember(hipErrorInvalidHandle);
  auto mark = std::make_shared<Mark>();
  {
    const std::lock_guard<std::mutex> lock(world());
    event->mark = mark;
  }
  const auto finish = [mark] {
    const std::lock_guard<std::mutex> lock(world());
    mark->when = std::chrono::steady_clock::now();
    mark->done = true;
    marked().notify_all();
  };
  return stream->enqueue(finish, true);
}

FL_HIP_EXPORT hipEventQuery(hipEvent_t event) {
  if (!live(event)) return remember(hipErrorInvalidHandle);
  return remember(done(mark_of(event)) ? hipSuccess : hipErrorNotReady);
}

FL_HIP_EXPORT hipEventSynchronize(hipEvent_t event) {
  if (!live(event)) return remember(hipErrorInvalidHandle);
  if (const std::shared_ptr<Mark> mark = mark_of(event)) wait_for(mark);
  return hipSuccess;
}

FL_HIP_EXPORT hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end) {
  if (!live(start) || !live(end) || ((start->flags | end->flags) & hipEventDisableTiming) != 0)
    return remember(hipErrorInvalidHandle);
  const std::shared_ptr<Mark> from = mark_of(start), to = mark_of(end);
  if (from == nullptr || to == nullptr) return remember(hipErrorInvalidHandle);
  if (!done(from) || !done(to)) return remember(hipErrorNotReady);
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return hipSuccess;
}

FL_HIP_EXPORT hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const std::lock_guard<std::mutex> lock(world());
  if (streams().count(stream) == 0 || stream->capturing) return remember(hipErrorStreamCaptureUnsupported);
  stream->capturing = true;
  return hipSuccess;
}

FL_HIP_EXPORT hipStreamEndCapture(hipStream_t handle, hipGraph_t* graph) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const std::lock_guard<std::mutex> lock(world());
  if (!stream->capturing) return remember(hipErrorInvalidValue);
  stream->capturing = false;
  *graph = new ihipGraph{std::move(stream->captured)};
  stream->captured.clear();
  return hipSuccess;
}

FL_HIP_EXPORT hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus* status) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const std::lock_guard<std::mutex> lock(world());
  *status = stream->capturing ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  return hipSuccess;
}

FL_HIP_EXPORT hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t*, char*, size_t) {
  *executable = new hipGraphExec{graph->work};
  return hipSuccess;
}

FL_HIP_EXPORT hipGraphDestroy(hipGraph_t graph) {
  delete graph;
  return hipSuccess;
}

FL_HIP_EXPORT hipGraphLaunch(hipGraphExec_t executable, hipStream_t handle) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([work = executable->work] {
    for (const Work& piece : work) piece();
  });
}

FL_HIP_EXPORT hipGraphExecDestroy(hipGraphExec_t executable) {
  delete executable;
  return hipSuccess;
}
