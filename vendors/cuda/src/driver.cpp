// libcuda, opened by name: the driver brings it, and a machine without one shall still be able to load this library.
#include "driver.h"

#include <dlfcn.h>

#include <cstdio>

namespace torch_fl_cuda {
namespace {

Driver g_driver{};

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const Driver& driver() noexcept { return g_driver; }

const char* load_driver() noexcept {
  static char problem[512];
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    std::snprintf(problem, sizeof(problem),
                  "NVIDIA's driver is missing: %s. Install it; a container gets it with --gpus all",
                  why != nullptr ? why : "libcuda.so.1 cannot be opened");
    return problem;
  }
  const char* missing = nullptr;
#define FL_FIND(name, arguments) \
  if (!find(library, #name, g_driver.name)) missing = #name;
  FL_CUDA_FUNCTIONS(FL_FIND)
#undef FL_FIND
  (void)find(library, "cuDeviceGetUuid_v2", g_driver.cuDeviceGetUuid_v2);
  (void)find(library, "cuLaunchKernelEx", g_driver.cuLaunchKernelEx);
  (void)find(library, "cuTensorMapEncodeTiled", g_driver.cuTensorMapEncodeTiled);
  if (missing == nullptr) return nullptr;
  std::snprintf(problem, sizeof(problem), "NVIDIA's driver is too old: libcuda.so.1 has no %s. CUDA 11.4's is enough",
                missing);
  return problem;
}

}  // namespace torch_fl_cuda
