// Devices: two cards, or eight devices on them (TOPS_STANDIN_PARTITIONED=1).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "memory.h"
#include "standin.h"
#include "stream.h"

namespace tops_standin {
namespace {

constexpr int kPartitions = 4;  // of a card
thread_local int current = 0;

// The hardware devices that TOPS_VISIBLE_DEVICES leaves, all of them where it is not set.
const std::vector<int>& visible() {
  static const std::vector<int> made = [] {
    const int all = settings().cards * (settings().partitioned ? kPartitions : 1);
    std::vector<int> found;
    const char* text = std::getenv("TOPS_VISIBLE_DEVICES");
    if (text == nullptr) {
      for (int i = 0; i < all; ++i) found.push_back(i);
      return found;
    }
    while (*text != '\0') {
      char* end = nullptr;
      const long device = std::strtol(text, &end, 10);
      if (end == text || device < 0 || device >= all) break;
      found.push_back(static_cast<int>(device));
      text = *end == ',' ? end + 1 : end;
    }
    return found;
  }();
  return made;
}

std::mutex peers_mutex;
std::set<std::pair<int, int>> peers;

topsError_t check(int device) {
  if (forked()) return topsErrorNotInitialized;
  return device < 0 || device >= device_count() ? topsErrorInvalidDevice : topsSuccess;
}

}  // namespace

int device_count() { return static_cast<int>(visible().size()); }
int current_device() { return current; }
int card_of(int device) {
  const int hardware = visible()[static_cast<size_t>(device)];
  return settings().partitioned ? hardware / kPartitions : hardware;
}
size_t memory_of(int) { return settings().memory_bytes / (settings().partitioned ? kPartitions : 1); }

}  // namespace tops_standin

using namespace tops_standin;

topsError_t topsInit(unsigned int flags) {
  if (flags != 0) return remember(topsErrorInvalidValue);
  return remember(device_count() == 0 ? topsErrorNoDevice : topsSuccess);
}

// No real version is 0: this is how a number says "stand-in".
topsError_t topsDriverGetVersion(int* driverVersion) {
  *driverVersion = 0;
  return topsSuccess;
}
topsError_t topsRuntimeGetVersion(int* runtimeVersion) {
  *runtimeVersion = 0;
  return topsSuccess;
}

topsError_t topsGetDeviceCount(int* count) {
  *count = device_count();
  if (forked()) return remember(topsErrorNotInitialized);
  return remember(*count == 0 ? topsErrorNoDevice : topsSuccess);
}

topsError_t topsGetDevice(int* deviceId) {
  if (device_count() == 0) return remember(topsErrorNoDevice);
  *deviceId = current;
  return topsSuccess;
}

topsError_t topsSetDevice(int deviceId) {
  if (topsError_t error = check(deviceId)) return remember(error);
  current = deviceId;
  return topsSuccess;
}

topsError_t topsDeviceGet(topsDevice_t* device, int ordinal) {
  if (topsError_t error = check(ordinal)) return remember(error);
  *device = ordinal;
  return topsSuccess;
}

topsError_t topsDeviceGetName(char* name, int len, topsDevice_t device) {
  if (topsError_t error = check(device)) return remember(error);
  std::snprintf(name, static_cast<size_t>(len), "Enflame S60 (%s)", TOPS_STANDIN);
  return topsSuccess;
}

topsError_t topsDeviceTotalMem(size_t* bytes, topsDevice_t device) {
  if (topsError_t error = check(device)) return remember(error);
  *bytes = memory_of(device);
  return topsSuccess;
}

// The partitions of a card share its address on the bus.
topsError_t topsDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  if (topsError_t error = check(device)) return remember(error);
  std::snprintf(pciBusId, static_cast<size_t>(len), "0000:%02x:00.0", 0x3b + card_of(device));
  return topsSuccess;
}

topsError_t topsDeviceReset(void) {
  if (topsError_t error = topsDeviceSynchronize()) return error;
  release_all(current);
  return topsSuccess;
}

topsError_t topsGetDeviceProperties(topsDeviceProp_t* prop, int deviceId) {
  if (topsError_t error = check(deviceId)) return remember(error);
  *prop = {};
  topsDeviceGetName(prop->name, sizeof(prop->name), deviceId) == topsSuccess ? void() : std::abort();
  prop->totalGlobalMem = memory_of(deviceId);
  prop->sharedMemPerBlock = 1 << 20;
  prop->warpSize = 1;
  prop->maxThreadsPerBlock = 12;
  prop->maxThreadsDim[0] = 12;
  prop->maxThreadsDim[1] = prop->maxThreadsDim[2] = 1;
  prop->maxGridSize[0] = 65535;
  prop->maxGridSize[1] = prop->maxGridSize[2] = 255;
  prop->major = 3;
  prop->minor = 0;
  prop->multiProcessorCount = settings().partitioned ? 6 : 24;
  prop->pciBusID = 0x3b + card_of(deviceId);
  std::snprintf(prop->gcuArchName, sizeof(prop->gcuArchName), "gcu300");
  prop->mc_channel = 1;
  prop->localMemPerThread = 1 << 20;
  return topsSuccess;
}

topsError_t topsDeviceCanAccessPeer(int* canAccess, int deviceId, int peerDeviceId) {
  if (topsError_t error = check(deviceId)) return remember(error);
  if (topsError_t error = check(peerDeviceId)) return remember(error);
  *canAccess = deviceId != peerDeviceId;
  return topsSuccess;
}

topsError_t topsDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags) {
  if (topsError_t error = check(peerDeviceId)) return remember(error);
  if (flags != 0) return remember(topsErrorInvalidValue);
  if (peerDeviceId == current) return remember(topsErrorInvalidDevice);
  std::lock_guard<std::mutex> lock(peers_mutex);
  return remember(peers.insert({current, peerDeviceId}).second ? topsSuccess : topsErrorPeerAccessAlreadyEnabled);
}
