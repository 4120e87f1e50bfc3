// What the two stand-in libraries share: memory, streams and the settings. Nothing of it exists in the real SDK.
//
// The memory of a device is host memory that is mapped twice. The address that topsMalloc() returns is mapped without
// any access, so that a host that follows a device pointer dies as it does on a real device; the work on a stream
// reaches the same bytes through a second, private address (`resolve`).
#pragma once

#include <tops/tops_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tops_standin {

#define TOPS_STANDIN_API __attribute__((visibility("default")))

// ------------------------------------------------------------------------------------------------------- settings

// The environment variables of README.md, read once.
struct Settings {
  int cards = 2;
  bool partitioned = false;
  size_t memory_bytes = size_t{8} << 30;  // of a card
  bool null = false;
  bool log = false;
  bool s60_computes = false;
};
TOPS_STANDIN_API const Settings& settings();

// Milliseconds that every piece of work waits before it starts.
TOPS_STANDIN_API int delay();

// Says on stderr why something is refused, where TOPS_STANDIN_LOG=1.
TOPS_STANDIN_API void explain(const char* format, ...) __attribute__((format(printf, 1, 2)));

// A failure that a test asked for.
struct Failure {
  bool wanted = false;
  int status = 0;
  bool late = false;
};
// Counts a call of `function`, and says whether this one is to fail, with `fallback` where no status was asked for.
TOPS_STANDIN_API Failure next_failure(const char* function, int fallback);

// --------------------------------------------------------------------------------------------------------- memory

// Where a device pointer points.
struct Place {
  char* host = nullptr;  // where work finds the bytes; null: no live device memory
  int device = -1;
  size_t capacity = 0;      // bytes up to the end of the allocation
  size_t slack = 0;         // bytes behind it that a faulty kernel may overwrite without being noticed
  uint64_t allocation = 0;  // another number for every allocation
};
TOPS_STANDIN_API Place resolve(const void* pointer);
// Whether the allocation still exists.
TOPS_STANDIN_API bool alive(uint64_t allocation);

// -------------------------------------------------------------------------------------------------------- streams

class Stream;
// The stream behind a handle, null for a handle that is none; a null handle is the current device's default stream.
TOPS_STANDIN_API std::shared_ptr<Stream> find_stream(topsStream_t handle);
TOPS_STANDIN_API int device_of(const Stream& stream);

enum class Work {
  op,      // a topsaten op: passes by kernels that wait for a synchronisation
  launch,  // a kernel of the module API: runs at the next synchronisation
  marker,  // an event: done when the work before it is, waiting kernels included
  other    // copies, callbacks: run the waiting kernels first
};
// Puts work behind what the stream has. The work returns topsSuccess, or the error that the next synchronisation of the
// stream reports.
TOPS_STANDIN_API void submit(const std::shared_ptr<Stream>& stream, Work kind, const char* name,
                             std::function<topsError_t()> work);
// Waits for everything that was submitted so far; returns the first error that it left, once.
TOPS_STANDIN_API topsError_t drain(const std::shared_ptr<Stream>& stream);

// The calling thread's current device.
TOPS_STANDIN_API int current_device();
int device_count();
int card_of(int device);

// Remembers an error for topsGetLastError().
topsError_t remember(topsError_t error);

// Whether this process was forked from one that had used the devices: no call works in it.
bool forked();

}  // namespace tops_standin
