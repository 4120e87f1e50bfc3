// Devices and errors.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "standin.h"

namespace hip_standin {
namespace {

long number(const char* variable, long fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? fallback : std::strtol(text, nullptr, 10);
}

struct Named {
  hipError_t code;
  const char *name, *words;
};
#define FL_NAMED(code, words) {code, #code, words}
constexpr Named kErrors[] = {
    FL_NAMED(hipSuccess, "no error"),
    FL_NAMED(hipErrorInvalidValue, "invalid argument"),
    FL_NAMED(hipErrorOutOfMemory, "out of memory"),
    FL_NAMED(hipErrorNotInitialized, "initialization error"),
    FL_NAMED(hipErrorNoDevice, "no ROCm-capable device is detected"),
    FL_NAMED(hipErrorInvalidDevice, "invalid device ordinal"),
    FL_NAMED(hipErrorInvalidImage, "device kernel image is invalid"),
    FL_NAMED(hipErrorInvalidHandle, "invalid resource handle"),
    FL_NAMED(hipErrorNotFound, "named symbol not found"),
    FL_NAMED(hipErrorNotReady, "device not ready"),
    FL_NAMED(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    FL_NAMED(hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    FL_NAMED(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    FL_NAMED(hipErrorLaunchFailure, "unspecified launch failure"),
    FL_NAMED(hipErrorNotSupported, "operation not supported"),
    FL_NAMED(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
};
#undef FL_NAMED
const Named* find(hipError_t code) {
  for (const Named& error : kErrors)
    if (error.code == code) return &error;
  return nullptr;
}

thread_local hipError_t t_error = hipSuccess;
thread_local int t_device = 0;

// The devices that HIP_VISIBLE_DEVICES leaves, by number; the list ends at the first that is none.
std::vector<std::unique_ptr<Device>> visible() {
  std::vector<std::unique_ptr<Device>> found;
  const auto add = [&](long device) { found.push_back(std::make_unique<Device>(device, found.size())); };
  const char* text = std::getenv("HIP_VISIBLE_DEVICES");
  for (int i = 0; text == nullptr && i < settings().devices; i++) add(i);
  while (text != nullptr && *text != '\0') {
    char* end = nullptr;
    const long device = std::strtol(text, &end, 10);
    if (end == text || device < 0 || device >= settings().devices) break;
    add(device);
    text = *end == ',' ? end + 1 : end;
  }
  for (auto& device : found) device->peers.resize(found.size());
  return found;
}

// As HIP: without a device every call but the count's says that the device is wrong.
hipError_t check(int device) {
  return device >= 0 && static_cast<size_t>(device) < devices().size() ? hipSuccess : hipErrorInvalidDevice;
}

}  // namespace

const Settings& settings() {
  static const Settings read{
      static_cast<int>(number("HIP_STANDIN_DEVICES", 2)), static_cast<size_t>(number("HIP_STANDIN_MEMORY", 4096)) << 20,
      std::chrono::milliseconds(number("HIP_STANDIN_DELAY", 0)), static_cast<int>(number("HIP_STANDIN_WARP", 64))};
  return read;
}

std::mutex& world() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::vector<std::unique_ptr<Device>>& devices() {
  static auto& all = *new std::vector<std::unique_ptr<Device>>(visible());
  return all;
}

int current() { return t_device; }

hipError_t remember(hipError_t code) {
  if (code != hipSuccess) t_error = code;
  return code;
}

}  // namespace hip_standin

using namespace hip_standin;

extern "C" __attribute__((visibility("default"))) const char* hipGetErrorName(hipError_t code) {
  const Named* error = find(code);
  return error != nullptr ? error->name : "hipErrorUnknown";
}

extern "C" __attribute__((visibility("default"))) const char* hipGetErrorString(hipError_t code) {
  const Named* error = find(code);
  return error != nullptr ? error->words : "unknown error";
}

FL_HIP_EXPORT hipGetLastError() {
  const hipError_t last = t_error;
  t_error = hipSuccess;
  return last;
}

FL_HIP_EXPORT hipInit(unsigned) { return remember(check(0)); }

FL_HIP_EXPORT hipGetDeviceCount(int* count) {
  *count = static_cast<int>(devices().size());
  return remember(*count > 0 ? hipSuccess : hipErrorNoDevice);
}

FL_HIP_EXPORT hipGetDevice(int* device) {
  *device = current();
  return remember(check(0));
}

FL_HIP_EXPORT hipSetDevice(int device) {
  FL_RETURN(check(device));
  t_device = device;
  return hipSuccess;
}

FL_HIP_EXPORT hipDeviceSynchronize() { return remember(wait_all(current())); }

FL_HIP_EXPORT hipDeviceGetName(char* name, int size, int device) {
  FL_RETURN(check(device));
  std::snprintf(name, static_cast<size_t>(size), "stand-in %d", devices()[static_cast<size_t>(device)]->number);
  return hipSuccess;
}

FL_HIP_EXPORT hipDeviceTotalMem(size_t* bytes, int device) {
  FL_RETURN(check(device));
  *bytes = settings().memory;
  return hipSuccess;
}

FL_HIP_EXPORT hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  FL_RETURN(check(device));
  switch (attribute) {
    case hipDeviceAttributeComputeCapabilityMajor:
      *value = 9;
      return hipSuccess;
    case hipDeviceAttributeComputeCapabilityMinor:
      *value = 0;
      return hipSuccess;
    case hipDeviceAttributeMultiprocessorCount:
      *value = 4;
      return hipSuccess;
    case hipDeviceAttributeWarpSize:
      *value = settings().warp;
      return hipSuccess;
  }
  return remember(hipErrorInvalidValue);
}

FL_HIP_EXPORT hipDeviceGetPCIBusId(char* bus, int size, int device) {
  FL_RETURN(check(device));
  std::snprintf(bus, static_cast<size_t>(size), "0000:%02x:00.0", devices()[static_cast<size_t>(device)]->number);
  return hipSuccess;
}

FL_HIP_EXPORT hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  FL_RETURN(check(device));
  std::memset(properties, 0, sizeof(*properties));
  (void)hipDeviceGetName(properties->name, sizeof(properties->name), device);
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "gfx936:sramecc+:xnack-");
  properties->totalGlobalMem = settings().memory;
  properties->warpSize = settings().warp;
  return hipSuccess;
}

FL_HIP_EXPORT hipDeviceCanAccessPeer(int* can, int device, int peer) {
  FL_RETURN(check(device));
  FL_RETURN(check(peer));
  *can = device != peer;
  return hipSuccess;
}

FL_HIP_EXPORT hipDeviceEnablePeerAccess(int peer, unsigned) {
  FL_RETURN(check(peer));
  if (peer == current()) return remember(hipErrorInvalidDevice);
  const std::lock_guard<std::mutex> lock(world());
  std::vector<bool>& peers = devices()[static_cast<size_t>(current())]->peers;
  if (peers[static_cast<size_t>(peer)]) return remember(hipErrorPeerAccessAlreadyEnabled);
  peers[static_cast<size_t>(peer)] = true;
  return hipSuccess;
}

FL_HIP_EXPORT hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  FL_RETURN(check(0));
  *least = 1;
  *greatest = -1;
  return hipSuccess;
}
