// Devices, contexts, errors.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "exports.h"
#include "more.h"
#include "standin.h"

namespace torch_fl_cuda {
namespace {

long number(const char* variable, long fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? fallback : std::strtol(text, nullptr, 10);
}

struct Named {
  CUresult code;
  const char *name, *words;
};
constexpr Named kErrors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
};
const Named* find(CUresult code) {
  for (const Named& error : kErrors)
    if (error.code == code) return &error;
  return nullptr;
}

// The devices that CUDA_VISIBLE_DEVICES leaves, by number; as the driver's, the list ends at the first that is none.
std::vector<int> visible() {
  std::vector<int> found;
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  for (int i = 0; text == nullptr && i < settings().devices; i++) found.push_back(i);
  while (text != nullptr && *text != '\0') {
    char* end = nullptr;
    const long device = std::strtol(text, &end, 10);
    if (end == text || device < 0 || device >= settings().devices) break;
    found.push_back(static_cast<int>(device));
    text = *end == ',' ? end + 1 : end;
  }
  return found;
}

bool g_initialised = false;
// The thread's contexts, the current one last.
thread_local std::vector<Context*> t_contexts;

CUresult check(CUdevice device) {
  if (!g_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  const bool there = device >= 0 && static_cast<size_t>(device) < contexts().size();
  return there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
Context& context_at(CUdevice device) { return *contexts()[static_cast<size_t>(device)]; }

}  // namespace

const Settings& settings() {
  static const Settings read{static_cast<int>(number("CUDA_STANDIN_DEVICES", 2)),
                             static_cast<size_t>(number("CUDA_STANDIN_MEMORY", 4096)) << 20,
                             std::chrono::milliseconds(number("CUDA_STANDIN_DELAY", 0))};
  return read;
}

std::mutex& world() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::vector<std::unique_ptr<Context>>& contexts() {
  static auto& all = *new std::vector<std::unique_ptr<Context>>;
  return all;
}

Context* current() { return t_contexts.empty() ? nullptr : t_contexts.back(); }

}  // namespace torch_fl_cuda

// How to tell this library from the driver; on_standin() of torch_fl_cuda looks for it too.
extern "C" __attribute__((visibility("default"))) const char* flCudaStandin() { return "the stand-in of torch-fl"; }

FL_DRIVER cuInit(unsigned) {
  const std::lock_guard<std::mutex> lock(world());
  if (!g_initialised) {
    const std::vector<int> devices = visible();
    for (size_t i = 0; i < devices.size(); i++) {
      contexts().push_back(std::make_unique<Context>());
      contexts().back()->device = devices[i];
      contexts().back()->peers.resize(devices.size());
    }
  }
  g_initialised = true;
  return contexts().empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

FL_DRIVER cuGetErrorName(CUresult code, const char** name) {
  const Named* error = find(code);
  *name = error != nullptr ? error->name : nullptr;
  return error != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FL_DRIVER cuGetErrorString(CUresult code, const char** words) {
  const Named* error = find(code);
  *words = error != nullptr ? error->words : nullptr;
  return error != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

FL_DRIVER cuDeviceGetCount(int* count) {
  if (!g_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  *count = static_cast<int>(contexts().size());
  return CUDA_SUCCESS;
}

FL_DRIVER cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return check(ordinal);
}

FL_DRIVER cuDeviceGetName(char* name, int size, CUdevice device) {
  FL_RETURN(check(device));
  std::snprintf(name, static_cast<size_t>(size), "stand-in %d", context_at(device).device);
  return CUDA_SUCCESS;
}

FL_DRIVER cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  FL_RETURN(check(device));
  std::memcpy(uuid->bytes, "torch-fl standin", sizeof(uuid->bytes));
  uuid->bytes[15] = static_cast<uint8_t>(context_at(device).device);
  return CUDA_SUCCESS;
}
FL_DRIVER cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }

FL_DRIVER cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  *bytes = settings().memory;
  return check(device);
}

FL_DRIVER cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  FL_RETURN(check(device));
  switch (static_cast<int>(attribute)) {
    case DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 227 << 10;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = 228 << 10;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
      *value = 65536;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_CLOCK_RATE:  // kHz
    case DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 1000000;
      return CUDA_SUCCESS;
    case DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = 1024;
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

FL_DRIVER cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  FL_RETURN(check(device));
  FL_RETURN(check(peer));
  *can = device != peer;
  return CUDA_SUCCESS;
}

FL_DRIVER cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  FL_RETURN(check(device));
  const std::lock_guard<std::mutex> lock(world());
  *flags = 0;
  *active = context_at(device).active;
  return CUDA_SUCCESS;
}

FL_DRIVER cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  FL_RETURN(check(device));
  const std::lock_guard<std::mutex> lock(world());
  *context = &context_at(device);
  (*context)->active = true;
  return CUDA_SUCCESS;
}

FL_DRIVER cuCtxGetCurrent(CUcontext* context) {
  *context = current();
  return g_initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

FL_DRIVER cuCtxSetCurrent(CUcontext context) {
  if (!t_contexts.empty()) t_contexts.pop_back();
  if (context != nullptr) t_contexts.push_back(context);
  return CUDA_SUCCESS;
}

FL_DRIVER cuCtxGetLimit(size_t* value, int) {
  *value = 1 << 20;
  return CUDA_SUCCESS;
}

FL_DRIVER cuCtxSetLimit(int, size_t) { return CUDA_SUCCESS; }

FL_DRIVER cuCtxPushCurrent_v2(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  t_contexts.push_back(context);
  return CUDA_SUCCESS;
}

FL_DRIVER cuCtxPopCurrent_v2(CUcontext* context) {
  *context = current();
  if (*context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  t_contexts.pop_back();
  return CUDA_SUCCESS;
}

FL_DRIVER cuCtxSynchronize() {
  FL_CURRENT(context);
  return wait_all(context);
}

FL_DRIVER cuCtxEnablePeerAccess(CUcontext peer, unsigned) {
  FL_CURRENT(context);
  const std::lock_guard<std::mutex> lock(world());
  for (size_t i = 0; i < contexts().size(); i++) {
    if (contexts()[i].get() != peer || peer == context) continue;
    if (context->peers[i]) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    context->peers[i] = true;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_CONTEXT;
}

FL_DRIVER cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  FL_CURRENT(context);
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}
