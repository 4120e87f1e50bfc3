// The extension "module": compiled kernels of other compilers.
#include "runtime.h"

namespace torch_fl_gcu {
namespace {

fl_status load(int32_t device, const void* image, size_t, void** module) {
  FL_ON(device, topsModuleLoadData(reinterpret_cast<topsModule_t*>(module), image));
}

fl_status unload(int32_t device, void* module) { FL_ON(device, topsModuleUnload(static_cast<topsModule_t>(module))); }
fl_status get_function(int32_t device, void* module, const char* name, void** function) {
  FL_ON(device,
        topsModuleGetFunction(reinterpret_cast<topsFunction_t*>(function), static_cast<topsModule_t>(module), name));
}

fl_status launch(int32_t device, void* function, const fl_launch* launch, fl_stream stream) {
  FL_ON_DEVICE(device);
  stream_of(stream).enqueued("a compiled kernel");
  auto** values = const_cast<void**>(launch->args);  // only read: the SDK copies the values
  const uint32_t *grid = launch->grid, *block = launch->block;
  FL_TOPS(topsModuleLaunchKernel(static_cast<topsFunction_t>(function), grid[0], grid[1], grid[2], block[0], block[1],
                                 block[2], launch->shared_bytes, stream_of(stream).handle, values, nullptr));
  return FL_OK;
}

}  // namespace

const fl_ext_module* module_extension() noexcept {
  static const fl_ext_module table{
      sizeof(fl_ext_module), guarded<load>, guarded<unload>, guarded<get_function>, guarded<launch>, 0, 0, nullptr};
  return &table;
}

}  // namespace torch_fl_gcu
