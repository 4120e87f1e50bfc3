// What the files of the stand-in of HIP share.
#pragma once

#include <hip/hip_runtime_api.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hip_standin {

using Work = std::function<void()>;

}  // namespace hip_standin

// A stream's work, in order, on a thread of its own that starts with the first piece of it.
struct ihipStream_t {
  explicit ihipStream_t(int device) : device(device) {}
  ~ihipStream_t();
  // Or records it, while the stream is captured. `mark`: who hears of this work's end finds the stream done with it.
  hipError_t enqueue(hip_standin::Work work, bool mark = false);
  hipError_t wait();  // until the stream is idle
  bool idle();

  const int device;
  bool capturing = false;
  std::vector<hip_standin::Work> captured;

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  struct Piece {
    hip_standin::Work work;
    bool mark;
  };
  std::deque<Piece> queue_;  // its first piece may be running
  bool ends_ = false;
  std::thread thread_;
};

namespace hip_standin {

struct Device {
  explicit Device(int number, int among) : number(number), standard(among) {}
  const int number;  // before HIP_VISIBLE_DEVICES
  size_t used = 0;   // bytes
  ihipStream_t standard;
  std::vector<bool> peers;
};

// Of the variables HIP_STANDIN_*, read once.
struct Settings {
  int devices;
  size_t memory;                    // bytes of each device
  std::chrono::milliseconds delay;  // before each piece of a stream's work
  int warp;                         // lanes of a wavefront
};
const Settings& settings();

// One lock for what is not a stream's own: devices, memory, events, handles.
std::mutex& world();
std::vector<std::unique_ptr<Device>>& devices();  // that are visible
int current();                                    // the thread's device
hipError_t remember(hipError_t code);             // as the thread's last error, where it is one

hipError_t resolve(hipStream_t handle, ihipStream_t** stream);  // null: the current device's default stream
hipError_t wait_all(int device);                                // for every stream of the device

// Whether `bytes` from `ptr` on lie in one piece of memory of the device, or of a peer that it may see.
bool on_device(int device, const void* ptr, size_t bytes);
bool on_host(const void* ptr, size_t bytes);  // in none of any device
// Page-locked: read and written when the copy runs, not when it is asked for.
bool pinned(const void* ptr, size_t bytes);

}  // namespace hip_standin

#define FL_HIP_EXPORT extern "C" __attribute__((visibility("default"))) hipError_t
#define FL_RETURN(call) \
  if (const hipError_t fl_code = (call); fl_code != hipSuccess) return ::hip_standin::remember(fl_code)
