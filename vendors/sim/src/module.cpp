// An image is the bytes of a shared object. A kernel in it is a C function
//
//   void name(const void* const* args, const uint32_t grid[3], const uint32_t block[3], const uint32_t index[3]);
//
// called once per block of the grid, x fastest, on one thread. args[i] points at the value of argument i, as it was
// when launch() was called; a device pointer is a value as any other. `index` is the block's place in the grid. The
// function does the work of all threads of its block. It calls nothing of the device.
#include "module.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device.h"
#include "kit.h"
#include "stream.h"

namespace torch_fl_sim {
namespace {

using Kernel = void (*)(const void* const* args, const uint32_t grid[3], const uint32_t block[3],
                        const uint32_t index[3]);

// The loaded shared object; queued launches share it, so that unloading does not pull code from under them.
struct Image {
  void* handle = nullptr;
  ~Image() {
    if (handle != nullptr) dlclose(handle);
  }
};

struct Function {
  std::shared_ptr<Image> image;
  Kernel kernel;
  std::string name;
};

struct Module {
  std::shared_ptr<Image> image = std::make_shared<Image>();
  std::mutex mutex;
  std::vector<std::shared_ptr<Function>> functions;
};

// The values of a launch's arguments, one behind the other, each aligned as malloc would.
class Arguments {
 public:
  Arguments(const fl_launch& launch) {
    std::vector<size_t> offsets;
    size_t bytes = 0;
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
      offsets.push_back(bytes);
      bytes += (launch.arg_sizes[i] + alignof(std::max_align_t) - 1) / alignof(std::max_align_t);
    }
    values_.resize(bytes);
    for (uint32_t i = 0; i < launch.arg_count; ++i) {
      std::max_align_t* value = values_.data() + offsets[i];
      if (launch.arg_sizes[i] != 0) std::memcpy(value, launch.args[i], launch.arg_sizes[i]);
      pointers_.push_back(value);
    }
  }
  const void* const* pointers() const { return pointers_.data(); }

 private:
  std::vector<std::max_align_t> values_;
  std::vector<const void*> pointers_;
};

fl_status write_all(int file, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(file, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(FL_FAILED, "the module's image cannot be written: %s", std::strerror(errno));
    at += written;
    bytes -= static_cast<size_t>(written);
  }
  return FL_OK;
}

fl_status load(int32_t device, const void* image, size_t bytes, void** module) {
  if (find_device(device) == nullptr) return FL_INVALID_DEVICE;
  if (image == nullptr || bytes == 0) return fail(FL_INVALID_VALUE, "the module's image is empty");
  const int file = memfd_create("torch_fl_sim_module", MFD_CLOEXEC);
  if (file < 0) return fail(FL_FAILED, "memfd_create: %s", std::strerror(errno));
  if (fl_status s = write_all(file, image, bytes)) {
    close(file);
    return s;
  }
  auto made = std::make_unique<Module>();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  made->image->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (made->image->handle == nullptr) {
    return fail(FL_INVALID_VALUE, "the module's image is no shared object that loads here: %s", dlerror());
  }
  *module = made.release();
  return FL_OK;
}

fl_status unload(int32_t, void* module) {
  delete static_cast<Module*>(module);
  return FL_OK;
}

fl_status get_function(int32_t, void* module, const char* name, void** function) {
  Module* found = static_cast<Module*>(module);
  void* symbol = dlsym(found->image->handle, name);
  if (symbol == nullptr) return fail(FL_INVALID_VALUE, "the module has no kernel \"%s\"", name);
  std::lock_guard<std::mutex> lock(found->mutex);
  for (const auto& known : found->functions) {
    if (known->name == name) {
      *function = known.get();
      return FL_OK;
    }
  }
  found->functions.push_back(std::make_shared<Function>(
      Function{found->image, reinterpret_cast<Kernel>(reinterpret_cast<uintptr_t>(symbol)), name}));
  *function = found->functions.back().get();
  return FL_OK;
}

fl_status launch_function(int32_t device, void* function, const fl_launch* launch, fl_stream stream) {
  Stream* on = nullptr;
  if (fl_status s = find_stream(stream, device, device, &on)) return s;
  if (function == nullptr) return fail(FL_INVALID_VALUE, "the function is null");
  for (int i = 0; i < 3; ++i) {
    if (launch->grid[i] == 0 || launch->block[i] == 0) {
      return fail(FL_INVALID_VALUE, "dimension %d of the grid or block is 0; each is at least 1", i);
    }
  }
  // A copy: the module may be unloaded while the work waits.
  auto called = std::make_shared<Function>(*static_cast<Function*>(function));
  auto arguments = std::make_shared<Arguments>(*launch);
  struct Shape {
    uint32_t grid[3];
    uint32_t block[3];
  } shape;
  std::memcpy(shape.grid, launch->grid, sizeof(shape.grid));
  std::memcpy(shape.block, launch->block, sizeof(shape.block));
  return on->submit(ActivityKind::kernel, called->name.c_str(), 0, [called, arguments, shape] {
    uint32_t index[3];
    for (index[2] = 0; index[2] < shape.grid[2]; ++index[2]) {
      for (index[1] = 0; index[1] < shape.grid[1]; ++index[1]) {
        for (index[0] = 0; index[0] < shape.grid[0]; ++index[0]) {
          called->kernel(arguments->pointers(), shape.grid, shape.block, index);
        }
      }
    }
  });
}

}  // namespace

const fl_ext_module* module_extension() noexcept {
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

}  // namespace torch_fl_sim
