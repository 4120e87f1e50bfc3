// A stream has a thread that runs its work in order. The default stream and the streams made without
// topsStreamNonBlocking order each other, as CUDA's legacy default stream does (chosen: the facts are silent).
//
// A kernel launched by the module API does not run in its turn. It waits, with the events recorded behind it, for a
// synchronisation, a copy or another piece of work that is no topsaten op: a topsaten op passes by and sees memory as
// it was before the kernel (section 7: 40 of 40 times on the device).
#include "stream.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <unordered_map>

namespace tops_standin {
namespace {

uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

struct Streams {
  std::mutex mutex;
  std::condition_variable ended;
  std::unordered_map<topsStream_t, std::shared_ptr<Stream>> live;
  std::unordered_map<int, std::shared_ptr<Stream>> defaults;
  size_t threads = 0;
};

Streams& streams() {
  static Streams* const made = [] {
    // Work that still runs while a program ends would use libraries that are gone.
    std::atexit([] {
      if (forked()) return;
      Streams& all = streams();
      std::unique_lock<std::mutex> lock(all.mutex);
      std::vector<std::shared_ptr<Stream>> open;
      for (auto& one : all.live) open.push_back(one.second);
      for (auto& one : all.defaults) open.push_back(one.second);
      lock.unlock();
      for (auto& one : open) one->close();
      lock.lock();
      all.ended.wait_for(lock, std::chrono::seconds(5), [&] { return all.threads == 0; });
    });
    return new Streams;
  }();
  return *made;
}

std::vector<std::shared_ptr<Stream>> of_device(int device, bool blocking_only) {
  Streams& all = streams();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<std::shared_ptr<Stream>> found;
  for (auto& one : all.live) {
    if (one.second->device() == device && (!blocking_only || one.second->blocking())) found.push_back(one.second);
  }
  return found;
}

// Makes `stream` wait for what `other` has now.
void follow(const std::shared_ptr<Stream>& stream, const std::shared_ptr<Stream>& other) {
  if (other == nullptr || other == stream || other->idle()) return;
  std::shared_ptr<Marker> marker = mark(other);
  stream->submit({Work::other, "default stream", [marker] {
                    marker->wait();
                    return topsSuccess;
                  }});
}

}  // namespace

void Marker::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  done = true;
  nanoseconds = now();
  changed.notify_all();
}

bool Marker::is_done() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (done) return true;
  }
  if (auto source = stream.lock()) source->flush();
  std::lock_guard<std::mutex> lock(mutex);
  return done;
}

void Marker::wait() {
  if (is_done()) return;
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [this] { return done; });
}

void Stream::start_locked() {
  if (started_) return;
  started_ = true;
  Streams& all = streams();
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    ++all.threads;
  }
  std::thread([self = shared_from_this()] {
    self->loop();
    Streams& all = streams();
    std::lock_guard<std::mutex> lock(all.mutex);
    --all.threads;
    all.ended.notify_all();
  }).detach();
}

void Stream::submit(Item item) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (graph_ != nullptr) {
    graph_->items.push_back(std::move(item));
    return;
  }
  start_locked();
  ++submitted_;
  ++unfinished_;
  queue_.push_back(std::move(item));
  changed_.notify_all();
}

void Stream::flush() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (unfinished_ == 0) return;
  ++submitted_;
  queue_.push_back({Work::other, "flush", nullptr});
  changed_.notify_all();
}

bool Stream::idle() {
  std::lock_guard<std::mutex> lock(mutex_);
  return unfinished_ == 0;
}

topsError_t Stream::take_error() {
  std::lock_guard<std::mutex> lock(mutex_);
  const topsError_t error = error_;
  error_ = topsSuccess;
  return error;
}

topsError_t Stream::drain() {
  flush();
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t target = submitted_;
  changed_.wait(lock, [&] { return taken_ >= target; });
  const topsError_t error = error_;
  error_ = topsSuccess;
  return error;
}

void Stream::close() {
  flush();
  std::lock_guard<std::mutex> lock(mutex_);
  closing_ = true;
  changed_.notify_all();
}

void Stream::capture(std::shared_ptr<Graph> graph) {
  std::lock_guard<std::mutex> lock(mutex_);
  graph_ = std::move(graph);
}

std::shared_ptr<Graph> Stream::captured() {
  std::lock_guard<std::mutex> lock(mutex_);
  return graph_;
}

void Stream::run(Item& item) {
  if (item.kind == Work::marker) {
    // Who hears from an event that the work is done hears the same from the stream.
    std::lock_guard<std::mutex> lock(mutex_);
    --unfinished_;
    item.work();
    return;
  }
  const topsError_t error = item.work();
  item.work = nullptr;  // what it holds goes before anybody hears that it is done
  if (error != topsSuccess) explain("%s failed on its stream with %d", item.name.c_str(), error);
  std::lock_guard<std::mutex> lock(mutex_);
  --unfinished_;
  if (error_ == topsSuccess) error_ = error;
}

void Stream::run_waiting() {
  for (Item& item : waiting_) run(item);
  waiting_.clear();
}

void Stream::loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !queue_.empty() || closing_; });
    if (queue_.empty()) break;
    Item item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    if (int wait = delay()) std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    if (item.kind == Work::launch || (item.kind == Work::marker && !waiting_.empty())) {
      waiting_.push_back(std::move(item));
    } else {
      if (item.kind == Work::other) run_waiting();
      if (item.work != nullptr) run(item);
    }
    lock.lock();
    ++taken_;
    changed_.notify_all();
  }
  lock.unlock();
  run_waiting();
}

std::shared_ptr<Stream> default_stream(int device) {
  Streams& all = streams();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::shared_ptr<Stream>& found = all.defaults[device];
  if (found == nullptr) found = std::make_shared<Stream>(device, topsStreamDefault);
  return found;
}

std::shared_ptr<Stream> find_stream(topsStream_t handle) {
  if (forked() || device_count() == 0) return nullptr;
  if (handle == nullptr) return default_stream(current_device());
  Streams& all = streams();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.live.find(handle);
  return found == all.live.end() ? nullptr : found->second;
}

int device_of(const Stream& stream) { return stream.device(); }

void submit(const std::shared_ptr<Stream>& stream, Work kind, const char* name, std::function<topsError_t()> work) {
  const std::shared_ptr<Stream> by_default = default_stream(stream->device());
  if (stream == by_default) {
    for (auto& other : of_device(stream->device(), true)) follow(stream, other);
  } else if (stream->blocking()) {
    follow(stream, by_default);
  }
  stream->submit({kind, name, std::move(work)});
}

topsError_t drain(const std::shared_ptr<Stream>& stream) { return stream->drain(); }

std::shared_ptr<Marker> mark(const std::shared_ptr<Stream>& stream) {
  auto marker = std::make_shared<Marker>();
  marker->stream = stream;
  stream->submit({Work::marker, "event", [marker] {
                    marker->finish();
                    return topsSuccess;
                  }});
  return marker;
}

topsError_t drain_device(int device) {
  topsError_t error = default_stream(device)->drain();
  for (auto& stream : of_device(device, false)) {
    const topsError_t other = stream->drain();
    if (error == topsSuccess) error = other;
  }
  return error;
}

}  // namespace tops_standin

using namespace tops_standin;

topsError_t topsDeviceSynchronize(void) {
  if (forked()) return remember(topsErrorNotInitialized);
  if (device_count() == 0) return remember(topsErrorNoDevice);
  return remember(drain_device(current_device()));
}

topsError_t topsStreamCreate(topsStream_t* stream) { return topsStreamCreateWithFlags(stream, topsStreamDefault); }

topsError_t topsStreamCreateWithFlags(topsStream_t* stream, unsigned int flags) {
  if (forked()) return remember(topsErrorNotInitialized);
  if (device_count() == 0) return remember(topsErrorNoDevice);
  if ((flags & ~7u) != 0) return remember(topsErrorInvalidValue);
  auto made = std::make_shared<Stream>(current_device(), flags);
  Streams& all = streams();
  std::lock_guard<std::mutex> lock(all.mutex);
  *stream = reinterpret_cast<topsStream_t>(made.get());
  all.live[*stream] = made;
  return topsSuccess;
}

topsError_t topsStreamDestroy(topsStream_t stream) {
  Streams& all = streams();
  std::shared_ptr<Stream> gone;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    auto found = all.live.find(stream);
    if (found == all.live.end()) return remember(topsErrorInvalidHandle);
    gone = found->second;
    all.live.erase(found);
  }
  gone->close();
  return topsSuccess;
}

topsError_t topsStreamQuery(topsStream_t stream) {
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  if (on->captured() != nullptr) return remember(topsErrorStreamCaptureUnsupported);
  if (topsError_t error = on->take_error()) return remember(error);
  if (on->idle()) return topsSuccess;
  on->flush();
  return remember(topsErrorNotReady);
}

topsError_t topsStreamSynchronize(topsStream_t stream) {
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  if (on->captured() != nullptr) return remember(topsErrorStreamCaptureUnsupported);
  return remember(on->drain());
}

topsError_t topsStreamAddCallback(topsStream_t stream, topsStreamCallback_t callback, void* userData,
                                  unsigned int flags) {
  if (callback == nullptr || flags != 0) return remember(topsErrorInvalidValue);
  auto on = find_stream(stream);
  if (on == nullptr) return remember(topsErrorInvalidHandle);
  submit(on, Work::other, "callback", [=] {
    callback(stream, topsSuccess, userData);
    return topsSuccess;
  });
  return topsSuccess;
}
