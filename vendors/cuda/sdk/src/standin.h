// What the files of the stand-in driver share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "driver.h"

namespace torch_fl_cuda {

using Work = std::function<void()>;

// A stream's work, in order, on a thread of its own that starts with the first piece of it.
struct Stream {
  explicit Stream(Context* context, int priority = 0) : context(context), priority(priority) {}
  ~Stream();
  CUresult enqueue(Work work);  // or records it, while the stream is captured
  CUresult wait();              // until the stream is idle; tells once that a kernel failed
  void fail(CUresult code);
  bool idle();

  Context* const context;
  const int priority;
  bool capturing = false;
  std::vector<Work> captured;

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;  // its first piece may be running
  CUresult failure_ = CUDA_SUCCESS;
  bool ends_ = false;
  std::thread thread_;
};

// A device's primary context.
struct Context {
  int device = 0;
  bool active = false;
  size_t used = 0;  // bytes
  Stream legacy{this};
  std::vector<bool> peers;
};

// Where an event was recorded last.
struct Mark {
  bool done = false;
  std::chrono::steady_clock::time_point when;
};
struct Event {
  Context* const context;
  const unsigned flags;
  std::shared_ptr<Mark> mark;
};

// Of the variables CUDA_STANDIN_*, read once.
struct Settings {
  int devices;
  size_t memory;                    // bytes of each device
  std::chrono::milliseconds delay;  // before each piece of a stream's work
};
const Settings& settings();

// One lock for what is not a stream's own: contexts, memory, events, handles.
std::mutex& world();

Context* current();                                  // the thread's context, or null
std::vector<std::unique_ptr<Context>>& contexts();   // of the devices that are visible
CUresult resolve(CUstream handle, Stream** stream);  // 0 and STREAM_LEGACY: the current context's
CUresult wait_all(Context* context);                 // for every stream of the context

// Whether `bytes` from `ptr` on lie in one piece of memory of the context's device, or of a peer that it may see.
bool on_device(Context* context, CUdeviceptr ptr, size_t bytes);
bool on_host(const void* ptr, size_t bytes);  // in none of any device
// The piece of memory that holds the address and a kernel of the context may touch: of its device, of a peer's, or of
// the host where that is page-locked.
bool piece_of(Context* context, CUdeviceptr ptr, CUdeviceptr* start, size_t* bytes);
bool pinned(const void* ptr,
            size_t bytes);  // page-locked: read and written when the copy runs, not when it is asked for

}  // namespace torch_fl_cuda

// The current context; the function ends where there is none.
#define FL_CURRENT(name)                                             \
  ::torch_fl_cuda::Context* const name = ::torch_fl_cuda::current(); \
  if (name == nullptr) return ::torch_fl_cuda::CUDA_ERROR_INVALID_CONTEXT
#define FL_RETURN(call) \
  if (const ::torch_fl_cuda::CUresult fl_code = (call); fl_code != ::torch_fl_cuda::CUDA_SUCCESS) return fl_code
