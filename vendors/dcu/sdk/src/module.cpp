// The module functions, for kernels that a compiler for this stand-in makes. An image is the bytes of a shared object
// with these C symbols for a kernel `name`:
//
//   void name(const void* const* args, const uint32_t grid[3], const uint32_t block[3], const uint32_t index[3]);
//   const uint32_t name_arg_sizes[];   the bytes of each argument's value, and a 0
//
// The function is called once per block of the grid, x fastest, on the stream's thread; `index` is the block's place.
// args[i] points at the value of argument i as it was when the kernel was launched.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "standin.h"

using namespace hip_standin;

using Kernel = void (*)(const void* const*, const uint32_t*, const uint32_t*, const uint32_t*);

namespace {

// What is loaded; launches that wait keep it.
struct Image {
  explicit Image(void* library) : library(library) {}
  ~Image() { dlclose(library); }
  Image(const Image&) = delete;
  void* const library;
};

}  // namespace

struct ihipModuleSymbol_t {
  std::shared_ptr<Image> image;
  Kernel kernel;
  std::vector<uint32_t> sizes;
};
struct ihipModule_t {
  std::shared_ptr<Image> image;
  const int device;
  std::map<std::string, std::unique_ptr<ihipModuleSymbol_t>> functions;
};

namespace {

// The arguments' values, one behind the other, each aligned as malloc would.
struct Values {
  std::vector<std::max_align_t> bytes;
  std::vector<size_t> offsets;
};
std::shared_ptr<Values> gather(const ihipModuleSymbol_t& function, void** args) {
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

FL_HIP_EXPORT hipModuleLoadData(hipModule_t* module, const void* image) {
  Elf64_Ehdr header;
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return remember(hipErrorInvalidImage);
  std::memcpy(&header, image, sizeof(header));
  const size_t bytes = header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
  const int file = memfd_create("hip_standin_module", MFD_CLOEXEC);
  const bool written = file >= 0 && write(file, image, bytes) == static_cast<ssize_t>(bytes);
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  void* library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (file >= 0) close(file);
  if (library == nullptr) return remember(hipErrorInvalidImage);
  *module = new ihipModule_t{std::make_shared<Image>(library), current(), {}};
  return hipSuccess;
}

FL_HIP_EXPORT hipModuleUnload(hipModule_t module) {
  if (module->device != current()) return remember(hipErrorInvalidHandle);
  delete module;
  return hipSuccess;
}

FL_HIP_EXPORT hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  const std::lock_guard<std::mutex> lock(world());
  std::unique_ptr<ihipModuleSymbol_t>& made = module->functions[name];
  if (made == nullptr) {
    void* library = module->image->library;
    void* kernel = dlsym(library, name);
    const auto* sizes = static_cast<const uint32_t*>(dlsym(library, (std::string(name) + "_arg_sizes").c_str()));
    if (kernel == nullptr || sizes == nullptr) return remember(hipErrorNotFound);
    made.reset(new ihipModuleSymbol_t{module->image, reinterpret_cast<Kernel>(kernel), {}});
    while (*sizes != 0) made->sizes.push_back(*sizes++);
  }
  *function = made.get();
  return hipSuccess;
}

FL_HIP_EXPORT hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                    hipStream_t handle, void** args, void**) {
  ihipStream_t* stream = nullptr;
  FL_RETURN(resolve(handle, &stream));
  const uint64_t threads = uint64_t{block_x} * block_y * block_z, blocks = uint64_t{grid_x} * grid_y * grid_z;
  if (threads == 0 || threads > 1024 || blocks == 0 || shared_bytes > 64u << 10) return remember(hipErrorInvalidValue);
  return stream->enqueue([=, image = function->image, values = gather(*function, args)] {
    std::vector<const void*> pointers;
    for (const size_t at : values->offsets) pointers.push_back(values->bytes.data() + at);
    const uint32_t grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    uint32_t index[3];
    for (index[2] = 0; index[2] < grid[2]; index[2]++)
      for (index[1] = 0; index[1] < grid[1]; index[1]++)
        for (index[0] = 0; index[0] < grid[0]; index[0]++) function->kernel(pointers.data(), grid, block, index);
  });
}
