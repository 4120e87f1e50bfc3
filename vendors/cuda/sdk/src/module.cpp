// The module functions, for kernels that a compiler for this stand-in makes. An image is the bytes of a shared object
// with these C symbols for a kernel `name`:
//
//   void name(const void* const* args, const uint32_t grid[3], const uint32_t block[3], const uint32_t index[3]);
//   const uint32_t name_arg_sizes[];   the bytes of each argument's value, and a 0
//   const uint32_t name_shared;        optional: the bytes of shared memory that it has without being asked
//
// The function is called once per block of the grid, x fastest, on the stream's thread; `index` is the block's place.
// args[i] points at the value of argument i as it was when the kernel was launched.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "exports.h"
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
  Kernel kernel;
  std::vector<uint32_t> sizes;
  int shared;
  int most = 48 << 10;  // bytes of shared memory that a launch may ask for
};
struct Module {
  std::shared_ptr<Image> image;
  Context* context;
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

}  // namespace
}  // namespace torch_fl_cuda

FL_DRIVER cuModuleLoadData(CUmodule* module, const void* image) {
  FL_CURRENT(context);
  Elf64_Ehdr header;
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return CUDA_ERROR_INVALID_IMAGE;
  std::memcpy(&header, image, sizeof(header));
  const size_t bytes = header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
  const int file = memfd_create("cuda_standin_module", MFD_CLOEXEC);
  const bool written = file >= 0 && write(file, image, bytes) == static_cast<ssize_t>(bytes);
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  void* library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (file >= 0) close(file);
  if (library == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  *module = new Module{std::make_shared<Image>(library), context, {}};
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
  if (made == nullptr) {
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
  *value = attribute == FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? function->shared : function->most;
  return CUDA_SUCCESS;
}

FL_DRIVER cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  FL_CURRENT(context);
  int limit = 0;
  FL_RETURN(cuDeviceGetAttribute(&limit, DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
  if (attribute != FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > limit - function->shared)
    return CUDA_ERROR_INVALID_VALUE;
  function->most = value;
  return CUDA_SUCCESS;
}

FL_DRIVER cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream handle, void** args,
                         void**) {
  Stream* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const bool fits = shared_bytes <= static_cast<unsigned>(function->most);
  if (!fits || grid_x * grid_y * grid_z == 0 || block_x * block_y * block_z == 0 || block_x * block_y * block_z > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  return stream->enqueue([=, image = function->image, kernel = function->kernel, values = gather(*function, args)] {
    std::vector<const void*> pointers;
    for (const size_t at : values->offsets) pointers.push_back(values->bytes.data() + at);
    const uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    uint32_t index[3];
    for (index[2] = 0; index[2] < grid_z; index[2]++)
      for (index[1] = 0; index[1] < grid_y; index[1]++)
        for (index[0] = 0; index[0] < grid_x; index[0]++) kernel(pointers.data(), grid, block, index);
  });
}
