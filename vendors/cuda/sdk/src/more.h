// What other users of the driver call and this vendor does not: Triton's loader and launcher. Names as in driver.h.
#pragma once

#include "driver.h"

namespace torch_fl_cuda {

enum : int {
  DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  FUNC_ATTRIBUTE_NUM_REGS = 4,
  POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  POINTER_ATTRIBUTE_RANGE_SIZE = 12,
};

// What a kernel of an image without code of the host is launched with, for whoever runs it (flCudaStandinRunner).
struct Launch {
  void* function;
  void* stream;
  uint32_t grid[3], block[3];
  uint32_t shared_bytes;
  uint32_t attributes;  // how many
  uint32_t extended;    // 1: by cuLaunchKernelEx
  uint32_t count;       // of parameters
  const void* const* values;
  const uint32_t* sizes;  // bytes of each
};
// Called on the stream's thread, in the stream's order; not 0: the kernel failed.
using Runner = int (*)(const Launch* launch);

// A tensor map as cuTensorMapEncodeTiled of the stand-in writes it, in the 128 bytes that it has.
struct TensorMap {
  uint64_t address;
  uint32_t rank, type;
  uint64_t shape[5];    // the fastest first
  uint64_t strides[4];  // bytes, of all but the fastest
  uint32_t box[5];
  uint32_t fill;
};
static_assert(sizeof(TensorMap) <= 128);

}  // namespace torch_fl_cuda
