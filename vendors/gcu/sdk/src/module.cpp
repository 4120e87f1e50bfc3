// The module API, for kernels that a compiler for this stand-in makes. An image is the bytes of a shared object; a
// kernel `name` in it is two C symbols:
//
//   void name(const void* const* args, const uint32_t grid[3], const uint32_t block[3], const uint32_t index[3]);
//   const uint32_t name_arg_sizes[];   the bytes of each argument's value, and a 0
//
// The function is called once per block of the grid, x fastest, on one thread; `index` is the block's place. args[i]
// points at the value of argument i as it was when the kernel was launched; a device pointer is an address at which the
// kernel finds the bytes. Pointers inside device memory are not translated.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "memory.h"
#include "standin.h"
#include "stream.h"

namespace tops_standin {
namespace {

// ancestor 3.4; the third as the second (chosen)
constexpr unsigned kGrid[3] = {65535, 255, 255};

using Kernel = void (*)(const void* const*, const uint32_t*, const uint32_t*, const uint32_t*);

struct Image {
  void* handle = nullptr;
  ~Image() {
    if (handle != nullptr) dlclose(handle);
  }
};

struct Function {
  std::shared_ptr<Image> image;
  Kernel kernel = nullptr;
  std::vector<uint32_t> sizes;
  std::string name;
};

struct Module {
  std::shared_ptr<Image> image;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Modules {
  std::mutex mutex;
  std::map<topsModule_t, std::unique_ptr<Module>> live;
  std::set<topsFunction_t> functions;
};

Modules& modules() {
  static Modules* const made = new Modules;
  return *made;
}

topsError_t open_image(const char* path, topsModule_t* module) {
  auto made = std::make_unique<Module>();
  made->image = std::make_shared<Image>();
  made->image->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (made->image->handle == nullptr) {
    explain("topsModuleLoad: %s", dlerror());
    return topsErrorInvalidValue;
  }
  Modules& all = modules();
  std::lock_guard<std::mutex> lock(all.mutex);
  *module = reinterpret_cast<topsModule_t>(made.get());
  all.live[*module] = std::move(made);
  return topsSuccess;
}

// The launch's arguments: their values, one behind the other, each aligned as malloc would.
struct Arguments {
  std::vector<std::max_align_t> values;
  std::vector<const void*> pointers;
  std::vector<uint64_t> allocations;
};

topsError_t gather(const Function& function, void** parameters, int device, Arguments* made) {
  constexpr size_t kUnit = sizeof(std::max_align_t);
  size_t units = 0;
  for (uint32_t size : function.sizes) units += (size + kUnit - 1) / kUnit;
  made->values.resize(units);
  size_t at = 0;
  for (size_t i = 0; i < function.sizes.size(); ++i) {
    std::max_align_t* value = made->values.data() + at;
    std::memcpy(value, parameters[i], function.sizes[i]);
    if (function.sizes[i] == sizeof(void*)) {
      void* pointer = nullptr;
      std::memcpy(&pointer, value, sizeof(pointer));
      const Place place = resolve(pointer);
      if (place.host != nullptr) {
        if (place.device != device) {
          explain("%s: argument %zu was not allocated in the stream's device %d", function.name.c_str(), i, device);
          return topsErrorInvalidDevicePointer;
        }
        std::memcpy(value, &place.host, sizeof(pointer));
        made->allocations.push_back(place.allocation);
      }
    }
    made->pointers.push_back(value);
    at += (function.sizes[i] + kUnit - 1) / kUnit;
  }
  return topsSuccess;
}

}  // namespace
}  // namespace tops_standin

using namespace tops_standin;

topsError_t topsModuleLoad(topsModule_t* module, const char* fname) { return remember(open_image(fname, module)); }

topsError_t topsModuleLoadData(topsModule_t* module, const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    explain("topsModuleLoadData: the image is no shared object");
    return remember(topsErrorInvalidValue);
  }
  const size_t bytes = header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
  const int file = memfd_create("tops_standin_module", MFD_CLOEXEC);
  if (file < 0) return remember(topsErrorUnknown);
  const char* at = static_cast<const char*>(image);
  for (size_t left = bytes; left > 0;) {
    const ssize_t written = write(file, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      close(file);
      return remember(topsErrorUnknown);
    }
    at += written;
    left -= static_cast<size_t>(written);
  }
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  const topsError_t error = open_image(path, module);
  close(file);
  return remember(error);
}

topsError_t topsModuleUnload(topsModule_t module) {
  Modules& all = modules();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.live.find(module);
  if (found == all.live.end()) return remember(topsErrorInvalidHandle);
  for (auto& one : found->second->functions) all.functions.erase(reinterpret_cast<topsFunction_t>(one.second.get()));
  all.live.erase(found);
  return topsSuccess;
}

topsError_t topsModuleGetFunction(topsFunction_t* function, topsModule_t module, const char* kname) {
  Modules& all = modules();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.live.find(module);
  if (found == all.live.end()) return remember(topsErrorInvalidHandle);
  std::unique_ptr<Function>& made = found->second->functions[kname];
  if (made == nullptr) {
    void* handle = found->second->image->handle;
    void* kernel = dlsym(handle, kname);
    const auto* sizes = static_cast<const uint32_t*>(dlsym(handle, (std::string(kname) + "_arg_sizes").c_str()));
    if (kernel == nullptr || sizes == nullptr) {
      explain("topsModuleGetFunction: the image lacks %s or %s_arg_sizes", kname, kname);
      return remember(topsErrorInvalidValue);
    }
    made = std::make_unique<Function>();
    made->image = found->second->image;
    made->kernel = reinterpret_cast<Kernel>(reinterpret_cast<uintptr_t>(kernel));
    made->name = kname;
    for (; *sizes != 0; ++sizes) made->sizes.push_back(*sizes);
  }
  *function = reinterpret_cast<topsFunction_t>(made.get());
  all.functions.insert(*function);
  return topsSuccess;
}

topsError_t topsModuleLaunchKernel(topsFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                   unsigned int blockDimZ, unsigned int, topsStream_t stream, void** kernelParams,
                                   void** extra) {
  const uint32_t grid[3] = {gridDimX, gridDimY, gridDimZ};
  const uint32_t block[3] = {blockDimX, blockDimY, blockDimZ};
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0 || block[i] == 0 || grid[i] > kGrid[i]) {
      explain("topsModuleLaunchKernel: dimension %d of the grid is %u, at most %u are possible", i, grid[i], kGrid[i]);
      return remember(topsErrorInvalidValue);
    }
  }
  if (extra != nullptr) return remember(topsErrorNotSupported);
  auto on = find_stream(stream);
  if (on == nullptr || on->device() != current_device()) return remember(topsErrorInvalidHandle);
  struct Launch {
    Function function;
    Arguments arguments;
    uint32_t grid[3];
    uint32_t block[3];
  };
  auto launch = std::make_shared<Launch>();
  {
    Modules& all = modules();
    std::lock_guard<std::mutex> lock(all.mutex);
    if (all.functions.count(f) == 0) return remember(topsErrorInvalidHandle);
    launch->function = *reinterpret_cast<Function*>(f);
  }
  std::memcpy(launch->grid, grid, sizeof(grid));
  std::memcpy(launch->block, block, sizeof(block));
  if (topsError_t error = gather(launch->function, kernelParams, on->device(), &launch->arguments)) {
    return remember(error);
  }
  const Failure failure = next_failure("topsModuleLaunchKernel", topsErrorLaunchFailure);
  if (failure.wanted && !failure.late) return remember(static_cast<topsError_t>(failure.status));
  submit(on, Work::launch, launch->function.name.c_str(), [launch, failure]() -> topsError_t {
    if (failure.wanted) return static_cast<topsError_t>(failure.status);
    for (uint64_t allocation : launch->arguments.allocations) {
      if (!alive(allocation)) {
        explain("%s uses memory that was freed before it ran", launch->function.name.c_str());
        return topsErrorLaunchFailure;
      }
    }
    uint32_t index[3];
    for (index[2] = 0; index[2] < launch->grid[2]; ++index[2]) {
      for (index[1] = 0; index[1] < launch->grid[1]; ++index[1]) {
        for (index[0] = 0; index[0] < launch->grid[0]; ++index[0]) {
          launch->function.kernel(launch->arguments.pointers.data(), launch->grid, launch->block, index);
        }
      }
    }
    return topsSuccess;
  });
  return topsSuccess;
}
