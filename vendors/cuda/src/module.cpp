// The extension "module": compiled kernels of other compilers. An image is what cuModuleLoadData takes: cubin, fatbin,
// or PTX as text that ends with a zero.
#include "runtime.h"

namespace torch_fl_cuda {
namespace {

fl_status load(int32_t device, const void* image, size_t, void** module) {
  FL_ON(device, cuModuleLoadData(reinterpret_cast<CUmodule*>(module), image));
}

fl_status unload(int32_t device, void* module) { FL_ON(device, cuModuleUnload(static_cast<CUmodule>(module))); }

// A kernel may have 48 KiB of shared memory unless it is told that it may have more: it is told so once, here, that it
// may have all that the device lets a block have.
fl_status allow_shared_memory(int32_t device, CUfunction function) {
  int most = 0, own = 0;
  FL_CU(cuDeviceGetAttribute(&most, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device_handle(device)));
  FL_CU(cuFuncGetAttribute(&own, FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  constexpr int kDefault = 48 << 10;
  if (most > kDefault && most > own)
    FL_CU(cuFuncSetAttribute(function, FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - own));
  return FL_OK;
}

fl_status get_function(int32_t device, void* module, const char* name, void** function) {
  CUfunction found = nullptr;
  FL_ON_DEVICE(device);
  FL_CU(cuModuleGetFunction(&found, static_cast<CUmodule>(module), name));
  if (const fl_status status = allow_shared_memory(device, found)) return status;
  *function = found;
  return FL_OK;
}

fl_status launch(int32_t device, void* function, const fl_launch* launch, fl_stream stream) {
  auto** values = const_cast<void**>(launch->args);  // only read: the driver copies the values
  const uint32_t *grid = launch->grid, *block = launch->block;
  FL_ON(device, cuLaunchKernel(static_cast<CUfunction>(function), grid[0], grid[1], grid[2], block[0], block[1],
                               block[2], launch->shared_bytes, stream_of(stream), values, nullptr));
}

}  // namespace

const fl_ext_module* module_extension() noexcept {
  static const fl_ext_module table{sizeof(fl_ext_module), guarded<load>, guarded<unload>, guarded<get_function>,
                                   guarded<launch>};
  return &table;
}

}  // namespace torch_fl_cuda
