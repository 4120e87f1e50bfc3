// The extension "module": compiled kernels of other compilers. An image is what hipModuleLoadData takes: a code object
// (.hsaco), or on NVIDIA's platform a cubin or PTX.
#include "runtime.h"

namespace torch_fl_dcu {
namespace {

// The rest of the function runs on `device`, in its context. HIP's functions for modules are NVIDIA's driver's there,
// which has none on a thread whose first call it is; the runtime's, behind all others, see to that by themselves.
#ifdef __HIP_PLATFORM_NVIDIA__
#define FL_IN_CONTEXT(device) \
  FL_ON_DEVICE(device);       \
  FL_HIP(hipSetDevice(device))
#else
#define FL_IN_CONTEXT(device) FL_ON_DEVICE(device)
#endif

fl_status load(int32_t device, const void* image, size_t, void** module) {
  FL_IN_CONTEXT(device);
  FL_HIP(hipModuleLoadData(reinterpret_cast<hipModule_t*>(module), image));
  return FL_OK;
}

fl_status unload(int32_t device, void* module) {
  FL_IN_CONTEXT(device);
  FL_HIP(hipModuleUnload(static_cast<hipModule_t>(module)));
  return FL_OK;
}

#ifdef __HIP_PLATFORM_NVIDIA__
// A kernel may have 48 KiB of shared memory unless it is told that it may have more. HIP tells that to none of a
// module.
fl_status allow_shared_memory(int32_t device, hipFunction_t function) {
  int most = 0, own = 0;
  FL_HIP(hipCUDAErrorTohipError(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)));
  FL_HIP(hipCUResultTohipError(cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function)));
  constexpr int kDefault = 48 << 10;
  if (most > kDefault && most > own)
    FL_HIP(hipCUResultTohipError(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - own)));
  return FL_OK;
}
#else
fl_status allow_shared_memory(int32_t, hipFunction_t) { return FL_OK; }  // all of it is anybody's
#endif

fl_status get_function(int32_t device, void* module, const char* name, void** function) {
  hipFunction_t found = nullptr;
  FL_IN_CONTEXT(device);
  FL_HIP(hipModuleGetFunction(&found, static_cast<hipModule_t>(module), name));
  if (const fl_status status = allow_shared_memory(device, found)) return status;
  *function = found;
  return FL_OK;
}

fl_status launch_function(int32_t device, void* function, const fl_launch* launch, fl_stream stream) {
  auto** values = const_cast<void**>(launch->args);  // only read: HIP copies the values
  const uint32_t *grid = launch->grid, *block = launch->block;
  FL_IN_CONTEXT(device);
  FL_HIP(hipModuleLaunchKernel(static_cast<hipFunction_t>(function), grid[0], grid[1], grid[2], block[0], block[1],
                               block[2], launch->shared_bytes, stream_of(stream), values, nullptr));
  return FL_OK;
}

}  // namespace

const fl_ext_module* module_extension() noexcept {
  // Neither clusters nor descriptions of tensors: AMD's devices have neither.
  static const fl_ext_module table{sizeof(fl_ext_module),
                                   guarded<load>,
                                   guarded<unload>,
                                   guarded<get_function>,
                                   guarded<launch_function>,
                                   0,
                                   0,
                                   nullptr};
  return &table;
}

}  // namespace torch_fl_dcu
