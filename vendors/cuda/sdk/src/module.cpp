// The module functions, for kernels that a compiler for this stand-in makes. An image is the bytes of a shared object
// with these C symbols for a kernel `name`:
//
//   void name(const void* const* args, const uint32_t grid[3], const uint32_t block[3], const uint32_t index[3]);
//   const uint32_t name_arg_sizes[];   the bytes of each argument's value, and a 0
//   const uint32_t name_shared;        optional: the bytes of shared memory that it has without being asked
//
// The function is called once per block of the grid, x fastest, on the stream's thread; `index` is the block's place.
// args[i] points at the value of argument i as it was when the kernel was launched.
//
// Where somebody runs their kernels (flCudaStandinRunner), an image may also be a cubin. Nothing of its code is used;
// its runner gets the bytes of each parameter, as long as the cubin says that they are.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "cubin.h"
#include "exports.h"
#include "more.h"
#include "standin.h"

namespace torch_fl_cuda {

using Kernel = void (*)(const void* const*, const uint32_t*, const uint32_t*, const uint32_t*);

// What is loaded; launches that wait keep it.
struct Image {
  explicit Image(void* library) : library(library) {}
  ~Image() { dlclose(library); }
  Image(const Image&) = delete;
  void* const library;
};
struct Function {
  std::shared_ptr<Image> image;
  Kernel kernel;  // null: of a cubin
  std::vector<uint32_t> sizes;
  int shared;
  int threads = 1024;
  int most = 48 << 10;  // bytes of shared memory that a launch may ask for
};
struct Module {
  std::shared_ptr<Image> image;  // null: a cubin
  Context* context;
  std::map<std::string, CubinKernel> kernels;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

namespace {

// The arguments' values, one behind the other, each aligned as malloc would.
struct Values {
  std::vector<std::max_align_t> bytes;
  std::vector<size_t> offsets;
};
std::shared_ptr<Values> gather(const Function& function, void** args) {
  auto made = std::make_shared<Values>();
  constexpr size_t kUnit = sizeof(std::max_align_t);
  for (size_t i = 0; i < function.sizes.size(); i++) {
    const size_t at = made->bytes.size();
    made->offsets.push_back(at);
    made->bytes.resize(at + (function.sizes[i] + kUnit - 1) / kUnit);
    std::memcpy(made->bytes.data() + at, args[i], function.sizes[i]);
  }
  return made;
}

std::atomic<Runner> g_runner{nullptr};

CUresult launch(CUfunction function, const CUlaunchConfig& config, bool extended, void** args) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(config.stream, &stream));
  const unsigned threads = config.block_x * config.block_y * config.block_z;
  const bool fits = config.shared_bytes <= static_cast<unsigned>(function->most);
  if (!fits || config.grid_x == 0 || config.grid_y == 0 || config.grid_z == 0 || threads == 0 ||
      threads > static_cast<unsigned>(function->threads) || config.grid_y > 65535 || config.grid_z > 65535)
    return CUDA_ERROR_INVALID_VALUE;
  return stream->enqueue([=, image = function->image, values = gather(*function, args)] {
    std::vector<const void*> pointers;
    for (const size_t at : values->offsets) pointers.push_back(values->bytes.data() + at);
    const uint32_t grid[3] = {config.grid_x, config.grid_y, config.grid_z};
    const uint32_t block[3] = {config.block_x, config.block_y, config.block_z};
    if (function->kernel == nullptr) {
      const Launch told{function,
                        stream,
                        {grid[0], grid[1], grid[2]},
                        {block[0], block[1], block[2]},
                        config.shared_bytes,
                        config.attribute_count,
                        extended,
                        static_cast<uint32_t>(pointers.size()),
                        pointers.data(),
                        function->sizes.data()};
      const Runner runner = g_runner;
      const bool pushed = cuCtxPushCurrent_v2(stream->context) == CUDA_SUCCESS;
      if (runner == nullptr || runner(&told) != 0) stream->fail(CUDA_ERROR_LAUNCH_FAILED);
      CUcontext popped = nullptr;
      if (pushed) cuCtxPopCurrent_v2(&popped);
      return;
    }
    uint32_t index[3];
    for (index[2] = 0; index[2] < grid[2]; index[2]++)
      for (index[1] = 0; index[1] < grid[1]; index[1]++)
        for (index[0] = 0; index[0] < grid[0]; index[0]++) function->kernel(pointers.data(), grid, block, index);
  });
}

}  // namespace
}  // namespace torch_fl_cuda

// Runs the kernels of cubins from now on, which may be loaded while there is one; null: nobody.
extern "C" __attribute__((visibility("default"))) void flCudaStandinRunner(Runner runner) { g_runner = runner; }

FL_DRIVER cuModuleLoadData(CUmodule* module, const void* image) {
  FL_CURRENT(context);
  Elf64_Ehdr header;
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return CUDA_ERROR_INVALID_IMAGE;
  if (is_cubin(image)) {
    if (g_runner == nullptr) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    *module = new Module{nullptr, context, kernels_of(image), {}};
    return CUDA_SUCCESS;
  }
  std::memcpy(&header, image, sizeof(header));
  const size_t bytes = header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
  const int file = memfd_create("cuda_standin_module", MFD_CLOEXEC);
  const bool written = file >= 0 && write(file, image, bytes) == static_cast<ssize_t>(bytes);
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  void* library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (file >= 0) close(file);
  if (library == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  *module = new Module{std::make_shared<Image>(library), context, {}, {}};
  return CUDA_SUCCESS;
}

FL_DRIVER cuModuleUnload(CUmodule module) {
  FL_CURRENT(context);
  if (module->context != context) return CUDA_ERROR_INVALID_HANDLE;
  delete module;
  return CUDA_SUCCESS;
}

FL_DRIVER cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const std::lock_guard<std::mutex> lock(world());
  std::unique_ptr<Function>& made = module->functions[name];
  if (made == nullptr && module->image == nullptr) {
    const auto found = module->kernels.find(name);
    if (found == module->kernels.end()) return CUDA_ERROR_NOT_FOUND;
    made.reset(new Function{nullptr, nullptr, found->second.sizes, found->second.shared, found->second.threads});
  } else if (made == nullptr) {
    void* library = module->image->library;
    void* kernel = dlsym(library, name);
    const auto* sizes = static_cast<const uint32_t*>(dlsym(library, (std::string(name) + "_arg_sizes").c_str()));
    if (kernel == nullptr || sizes == nullptr) return CUDA_ERROR_NOT_FOUND;
    const auto* shared = static_cast<const uint32_t*>(dlsym(library, (std::string(name) + "_shared").c_str()));
    made.reset(new Function{module->image, reinterpret_cast<Kernel>(kernel), {}, 0});
    while (*sizes != 0) made->sizes.push_back(*sizes++);
    made->shared = shared != nullptr ? static_cast<int>(*shared) : 0;
  }
  *function = made.get();
  return CUDA_SUCCESS;
}

FL_DRIVER cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  switch (static_cast<int>(attribute)) {
    case FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = function->shared;
      return CUDA_SUCCESS;
    case FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = function->most;
      return CUDA_SUCCESS;
    case FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = function->threads;
      return CUDA_SUCCESS;
    case FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      return CUDA_SUCCESS;
    case FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = 0;
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

FL_DRIVER cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  FL_CURRENT(context);
  int limit = 0;
  FL_RETURN(cuDeviceGetAttribute(&limit, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
  if (static_cast<int>(attribute) == FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) return CUDA_SUCCESS;
  if (attribute != FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > limit - function->shared)
    return CUDA_ERROR_INVALID_VALUE;
  function->most = value;
  return CUDA_SUCCESS;
}

FL_DRIVER cuFuncSetCacheConfig(CUfunction, int) { return CUDA_SUCCESS; }

FL_DRIVER cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** args,
                         void**) {
  const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, nullptr, 0};
  return launch(function, config, false, args);
}

FL_DRIVER cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** args, void**) {
  return launch(function, *config, true, args);
}

FL_DRIVER cuOccupancyMaxActiveClusters(int* clusters, CUfunction, const CUlaunchConfig*) {
  *clusters = 1;
  return CUDA_SUCCESS;
}

// Strides are one less than the rank: of all dimensions but the fastest.
FL_DRIVER cuTensorMapEncodeTiled(void* map, int type, uint32_t rank, void* address, const uint64_t* shape,
                                 const uint64_t* strides, const uint32_t* box, const uint32_t*, int, int, int,
                                 int fill) {
  if (rank == 0 || rank > 5 || (reinterpret_cast<uintptr_t>(address) & 15) != 0) return CUDA_ERROR_INVALID_VALUE;
  TensorMap made{reinterpret_cast<uint64_t>(address), rank, static_cast<uint32_t>(type), {}, {}, {}, 0};
  made.fill = static_cast<uint32_t>(fill);
  for (uint32_t i = 0; i < rank; i++) {
    made.shape[i] = shape[i];
    made.box[i] = box[i];
    if (i + 1 < rank) made.strides[i] = strides[i];
    if (i + 1 < rank && strides[i] % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  }
  std::memset(map, 0, 128);
  std::memcpy(map, &made, sizeof(made));
  return CUDA_SUCCESS;
}
