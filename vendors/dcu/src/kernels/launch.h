// Enqueueing a kernel.
#pragma once

#include "kernels/device.h"
#include "runtime.h"

namespace torch_fl_dcu {

// What a launch needs to know of a device; asked once.
struct DeviceFacts {
  int warp = 0;  // lanes of a warp
  int multiprocessors = 0;
};
const DeviceFacts& device_facts(int32_t device);

template <class Body, class = void>
constexpr bool kIsCooperative = false;
template <class Body>
constexpr bool kIsCooperative<Body, std::enable_if_t<Body::kCooperative>> = true;

#ifdef FL_KERNELS_ON_HOST

namespace host {

template <class Body>
struct Launch {
  Body body;
  int64_t grid_x, grid_y;
  int threads, warp;

  static void run(void* self) {
    const std::unique_ptr<Launch> launch(static_cast<Launch*>(self));
    HostPlace& place = t_place;
    place.threads = launch->threads;
    place.warp = launch->warp;
    place.blocks_x = launch->grid_x;
    for (place.block_y = 0; place.block_y < launch->grid_y; place.block_y++)
      for (place.block_x = 0; place.block_x < launch->grid_x; place.block_x++) {
        if constexpr (kIsCooperative<Body>)
          Fibers::mine().run(launch->threads, launch->body);
        else
          for (place.thread = 0; place.thread < launch->threads; place.thread++) launch->body();
      }
  }
};

}  // namespace host

#else

template <class Body, int threads>
__global__ void __launch_bounds__(threads) run_body(const Body body) {
  body();
}

#endif

// Runs `body` on grid_x * grid_y blocks of `threads` threads, no more than `Most`. The device is that of the call.
template <int Most = 256, class Body>
fl_status launch(const fl_call* call, const Body& body, int64_t grid_x, int threads = Most, int64_t grid_y = 1) {
  static_assert(sizeof(Body) <= 4096, "more than the arguments of a kernel may be");
  if (grid_x == 0 || grid_y == 0) return FL_OK;
  FL_ON_DEVICE(call->device);
  const hipStream_t stream = stream_of(call->stream);
#ifdef FL_KERNELS_ON_HOST
  auto* work = new host::Launch<Body>{body, grid_x, grid_y, threads, device_facts(call->device).warp};
  const hipError_t code = launch_host(stream, &host::Launch<Body>::run, work);
  if (code != hipSuccess) delete work;
#else
  (void)kIsCooperative<Body>;  // a block's threads always run side by side here
  run_body<Body, Most>
      <<<dim3(static_cast<unsigned>(grid_x), static_cast<unsigned>(grid_y)), dim3(threads), 0, stream>>>(body);
  const hipError_t code = hipGetLastError();
#endif
  return code == hipSuccess ? FL_OK : failed(code, "launch");
}

inline int64_t blocks_for(int64_t count, int64_t per_block) { return (count + per_block - 1) / per_block; }

}  // namespace torch_fl_dcu
