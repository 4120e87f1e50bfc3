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

fl_status launch_with_attributes(int32_t device, CUfunction function, const fl_launch& launch, fl_stream stream,
                                 void** values) {
  FL_ON_DEVICE(device);
  CUlaunchAttribute attributes[4] = {};
  unsigned count = 0;
  const auto add = [&](CUlaunchAttributeID id, uint32_t value) {
    attributes[count].id = id;
    attributes[count].value[0] = value;
    return attributes[count++].value;
  };
  if ((launch.features & FL_LAUNCH_PROGRAMMATIC) != 0) add(LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 1);
  if ((launch.features & FL_LAUNCH_COOPERATIVE) != 0) add(LAUNCH_ATTRIBUTE_COOPERATIVE, 1);
  if (launch.cluster > 1) {
    uint32_t* size = add(LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, launch.cluster);
    size[1] = size[2] = 1;
    add(LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CLUSTER_SCHEDULING_POLICY_SPREAD);
    // More than every device of the architecture can have, so the kernel has to be told that it may.
    if (launch.cluster > 8) FL_CU(cuFuncSetAttribute(function, FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  }
  const uint32_t *grid = launch.grid, *block = launch.block;
  const CUlaunchConfig config{grid[0],           grid[1],    grid[2], block[0], block[1], block[2], launch.shared_bytes,
                              stream_of(stream), attributes, count};
  FL_CU(cuLaunchKernelEx(&config, function, values, nullptr));
  return FL_OK;
}

fl_status launch(int32_t device, void* kernel, const fl_launch* launch, fl_stream stream) {
  auto** values = const_cast<void**>(launch->args);  // only read: the driver copies the values
  auto* function = static_cast<CUfunction>(kernel);
  // A core from before the attributes has a shorter struct.
  if (launch->struct_size >= sizeof(fl_launch) && (launch->cluster > 1 || launch->features != 0))
    return launch_with_attributes(device, function, *launch, stream, values);
  const uint32_t *grid = launch->grid, *block = launch->block;
  FL_ON(device, cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], launch->shared_bytes,
                               stream_of(stream), values, nullptr));
}

// As Triton describes a tensor: neither interleaved nor with gaps, fetched to the second cache by 128 bytes.
fl_status encode_tensor_map(int32_t, const fl_tensor_map* map, void* out) {
  const uint32_t steps[5] = {1, 1, 1, 1, 1};
  FL_CU(cuTensorMapEncodeTiled(static_cast<CUtensorMap*>(out), static_cast<int>(map->element_type), map->rank,
                               map->address, map->sizes, map->strides, map->box, steps, TENSOR_MAP_INTERLEAVE_NONE,
                               static_cast<int>(map->swizzle), TENSOR_MAP_L2_PROMOTION_L2_128B,
                               static_cast<int>(map->fill)));
  return FL_OK;
}

}  // namespace

const fl_ext_module* module_extension() noexcept {
  static const fl_ext_module table{sizeof(fl_ext_module),
                                   guarded<load>,
                                   guarded<unload>,
                                   guarded<get_function>,
                                   guarded<launch>,
                                   driver().cuLaunchKernelEx != nullptr
                                       ? uint64_t{FL_LAUNCH_CLUSTER | FL_LAUNCH_COOPERATIVE | FL_LAUNCH_PROGRAMMATIC}
                                       : 0,
                                   sizeof(CUtensorMap),
                                   driver().cuTensorMapEncodeTiled != nullptr ? guarded<encode_tensor_map> : nullptr};
  return &table;
}

}  // namespace torch_fl_cuda
