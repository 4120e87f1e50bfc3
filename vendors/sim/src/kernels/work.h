// Launching the work of a kernel.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "stream.h"

namespace torch_fl_sim {

// Work of any kind behind one type per size. launch() is compiled for each type of work, and there are hundreds of
// kernels: this keeps the build short.
template <size_t Bytes>
struct Work {
  void (*run)(const void* closure);
  alignas(16) unsigned char closure[Bytes];

  void operator()() const { run(closure); }
};

// Enqueues `f` on the call's stream: a closure that holds plain values only, and none of the call's own pointers to
// sizes, strides or lists.
template <class F>
inline fl_status enqueue(const fl_call* call, const char* name, const F& f) {
  static_assert(std::is_trivially_copyable_v<F>, "work holds plain values only");
  constexpr size_t kBytes = sizeof(F) <= 256 ? 256 : (sizeof(F) + 1023) / 1024 * 1024;
  Work<kBytes> work;
  work.run = [](const void* closure) { (*static_cast<const F*>(closure))(); };
  new (work.closure) F(f);
  return launch(call, name, work);
}

}  // namespace torch_fl_sim
