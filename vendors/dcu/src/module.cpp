// The extension "module": compiled kernels of other compilers. An image is what hipModuleLoadData takes: a code object
// (.hsaco), or on NVIDIA's platform a cubin or PTX.
#include "runtime.h"

namespace torch_fl_dcu {
namespace {

fl_status load(int32_t device, const void* image, size_t, void** module) {
  FL_ON(device, hipModuleLoadData(reinterpret_cast<hipModule_t*>(module), image));
}

fl_status unload(int32_t device, void* module) { FL_ON(device, hipModuleUnload(static_cast<hipModule_t>(module))); }

fl_status get_function(int32_t device, void* module, const char* name, void** function) {
  FL_ON(device,
        hipModuleGetFunction(reinterpret_cast<hipFunction_t*>(function), static_cast<hipModule_t>(module), name));
}

fl_status launch_function(int32_t device, void* function, const fl_launch* launch, fl_stream stream) {
  auto** values = const_cast<void**>(launch->args);  // only read: HIP copies the values
  const uint32_t *grid = launch->grid, *block = launch->block;
  FL_ON(device, hipModuleLaunchKernel(static_cast<hipFunction_t>(function), grid[0], grid[1], grid[2], block[0],
                                      block[1], block[2], launch->shared_bytes, stream_of(stream), values, nullptr));
}

}  // namespace

const fl_ext_module* module_extension() noexcept {
  static const fl_ext_module table{sizeof(fl_ext_module), guarded<load>, guarded<unload>, guarded<get_function>,
                                   guarded<launch_function>};
  return &table;
}

}  // namespace torch_fl_dcu
