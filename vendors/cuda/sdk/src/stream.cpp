// Streams, events and graphs.
#include <algorithm>
#include <set>
#include <utility>

#include "exports.h"
#include "standin.h"

namespace torch_fl_cuda {

struct Graph {
  std::vector<Work> work;
};
struct GraphExec {
  std::vector<Work> work;
};

namespace {

// The handles that are live: one that was destroyed, or never made, is told.
std::set<Stream*>& streams() {
  static auto& all = *new std::set<Stream*>;
  return all;
}
std::set<Event*>& events() {
  static auto& all = *new std::set<Event*>;
  return all;
}
bool live(Event* event) {
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
std::shared_ptr<Mark> mark_of(Event* event) {
  const std::lock_guard<std::mutex> lock(world());
  return event->mark;
}
bool done(const std::shared_ptr<Mark>& mark) {
  const std::lock_guard<std::mutex> lock(world());
  return mark == nullptr || mark->done;
}

}  // namespace

Stream::~Stream() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

CUresult Stream::enqueue(Work work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (capturing) {
    captured.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  queue_.push_back(std::move(work));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
  return CUDA_SUCCESS;
}

CUresult Stream::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  changed_.wait(lock, [&] { return queue_.empty(); });
  return std::exchange(failure_, CUDA_SUCCESS);
}

void Stream::fail(CUresult code) {
  const std::lock_guard<std::mutex> lock(mutex_);
  failure_ = code;
}

bool Stream::idle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return queue_.empty();
}

void Stream::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Work& work = queue_.front();  // a deque moves nothing when more is added
    lock.unlock();
    if (settings().delay.count() > 0) std::this_thread::sleep_for(settings().delay);
    work();
    lock.lock();
    queue_.pop_front();
    changed_.notify_all();
  }
}

CUresult resolve(CUstream handle, Stream** stream) {
  if (handle == nullptr || handle == STREAM_LEGACY) {
    FL_CURRENT(context);
    *stream = &context->legacy;
    return CUDA_SUCCESS;
  }
  const std::lock_guard<std::mutex> lock(world());
  *stream = handle;
  return streams().count(handle) != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult wait_all(Context* context) {
  std::vector<Stream*> mine{&context->legacy};
  {
    const std::lock_guard<std::mutex> lock(world());
    std::copy_if(streams().begin(), streams().end(), std::back_inserter(mine),
                 [&](Stream* stream) { return stream->context == context && !stream->capturing; });
  }
  for (Stream* stream : mine) FL_RETURN(stream->wait());
  return CUDA_SUCCESS;
}

}  // namespace torch_fl_cuda

FL_DRIVER cuStreamCreateWithPriority(CUstream* stream, unsigned, int priority) {
  FL_CURRENT(context);
  auto made = std::make_unique<Stream>(context, priority);
  const std::lock_guard<std::mutex> lock(world());
  streams().insert(*stream = made.release());
  return CUDA_SUCCESS;
}

// The driver would return at once, and finish the work meanwhile.
FL_DRIVER cuStreamDestroy_v2(CUstream handle) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  {
    const std::lock_guard<std::mutex> lock(world());
    if (streams().erase(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;  // the default one
  }
  delete stream;
  return CUDA_SUCCESS;
}

FL_DRIVER cuStreamSynchronize(CUstream handle) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->wait();
}

FL_DRIVER cuStreamQuery(CUstream handle) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  if (stream->capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return stream->idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

FL_DRIVER cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  if (!live(event)) return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<Mark> mark = mark_of(event);
  return mark == nullptr ? CUDA_SUCCESS : stream->enqueue([mark] { wait_for(mark); });
}

FL_DRIVER cuStreamGetCtx(CUstream handle, CUcontext* context) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  *context = stream->context;
  return CUDA_SUCCESS;
}

FL_DRIVER cuLaunchHostFunc(CUstream handle, void (*function)(void* user), void* user) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([=] { function(user); });
}

FL_DRIVER cuEventCreate(CUevent* event, unsigned flags) {
  FL_CURRENT(context);
  if ((flags & EVENT_INTERPROCESS) != 0 && (flags & EVENT_DISABLE_TIMING) == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(world());
  events().insert(*event = new Event{context, flags, nullptr});
  return CUDA_SUCCESS;
}

FL_DRIVER cuEventDestroy_v2(CUevent event) {
  const std::lock_guard<std::mutex> lock(world());
  if (events().erase(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

FL_DRIVER cuEventRecord(CUevent event, CUstream handle) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  if (!live(event) || event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
  auto mark = std::make_shared<Mark>();
  {
    const std::lock_guard<std::mutex> lock(world());
    event->mark = mark;
  }
  return stream->enqueue([mark] {
    const std::lock_guard<std::mutex> lock(world());
    mark->when = std::chrono::steady_clock::now();
    mark->done = true;
    marked().notify_all();
  });
}

FL_DRIVER cuEventQuery(CUevent event) {
  if (!live(event)) return CUDA_ERROR_INVALID_HANDLE;
  return done(mark_of(event)) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

FL_DRIVER cuEventSynchronize(CUevent event) {
  if (!live(event)) return CUDA_ERROR_INVALID_HANDLE;
  if (const std::shared_ptr<Mark> mark = mark_of(event)) wait_for(mark);
  return CUDA_SUCCESS;
}

FL_DRIVER cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  if (!live(start) || !live(end) || ((start->flags | end->flags) & EVENT_DISABLE_TIMING) != 0)
    return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<Mark> from = mark_of(start), to = mark_of(end);
  if (from == nullptr || to == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!done(from) || !done(to)) return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return CUDA_SUCCESS;
}

FL_DRIVER cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const std::lock_guard<std::mutex> lock(world());
  if (streams().count(stream) == 0 || stream->capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  stream->capturing = true;
  return CUDA_SUCCESS;
}

FL_DRIVER cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const std::lock_guard<std::mutex> lock(world());
  if (!stream->capturing) return CUDA_ERROR_INVALID_VALUE;
  stream->capturing = false;
  *graph = new Graph{std::move(stream->captured)};
  stream->captured.clear();
  return CUDA_SUCCESS;
}

FL_DRIVER cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const std::lock_guard<std::mutex> lock(world());
  *status = stream->capturing ? STREAM_CAPTURE_STATUS_ACTIVE : STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

FL_DRIVER cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = new GraphExec{graph->work};
  return CUDA_SUCCESS;
}

FL_DRIVER cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

FL_DRIVER cuGraphLaunch(CUgraphExec executable, CUstream handle) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  return stream->enqueue([work = executable->work] {
    for (const Work& piece : work) piece();
  });
}

FL_DRIVER cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return CUDA_SUCCESS;
}
