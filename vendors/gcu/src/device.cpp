// Devices of topsrt.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "kernels/topsaten.h"
#include "runtime.h"

namespace torch_fl_gcu {
namespace {

// Which card, and which part of it, stands behind a device: devices of one card share its address on the bus.
struct Place {
  std::string bus;
  int32_t card = 0, partition = -1;
};
auto& g_places = *new std::vector<Place>;  // never freed

void locate(size_t count) {
  std::map<std::string, std::vector<size_t>> parts;
  int32_t cards = 0;
  for (size_t i = 0; i < count; i++) {
    char bus[64] = "";
    if (topsDeviceGetPCIBusId(bus, sizeof(bus), static_cast<int>(i)) != topsSuccess) {
      (void)topsGetLastError();
      std::snprintf(bus, sizeof(bus), "device-%zu", i);
    }
    std::vector<size_t>& same = parts[bus];
    g_places.push_back({bus, same.empty() ? cards++ : g_places[same[0]].card, -1});
    same.push_back(i);
  }
  for (const auto& [bus, devices] : parts)
    for (size_t k = 0; devices.size() > 1 && k < devices.size(); k++)
      g_places[devices[k]].partition = static_cast<int32_t>(k);
}

fl_status check_device(int32_t device) {
  const auto count = static_cast<int32_t>(g_places.size());
  if (device >= 0 && device < count) return FL_OK;
  return fail(FL_INVALID_DEVICE, "there is no device %d; this process sees %d (TOPS_VISIBLE_DEVICES)", device, count);
}

fl_status init() {
  if (!g_places.empty()) return FL_OK;
  FL_TOPS(topsInit(0));
  int count = 0;
  FL_TOPS(topsGetDeviceCount(&count));
  if (count == 0) return fail(FL_NO_DEVICE, "topsGetDeviceCount: no device is visible (TOPS_VISIBLE_DEVICES)");
  locate(static_cast<size_t>(count));
  return FL_OK;
}

fl_status device_count(int32_t* count) {
  *count = static_cast<int32_t>(g_places.size());
  return FL_OK;
}

fl_status set_device(int32_t device) {
  if (const fl_status status = check_device(device)) return status;
  FL_TOPS(topsSetDevice(device));
  return FL_OK;
}

fl_status get_properties(int32_t device, fl_device_properties* properties) {
  if (const fl_status status = check_device(device)) return status;
  topsDeviceProp_t theirs{};
  FL_TOPS(topsGetDeviceProperties(&theirs, device));
  fl_device_properties ours{};
  std::snprintf(ours.name, sizeof(ours.name), "%.127s", theirs.name);
  std::snprintf(ours.architecture, sizeof(ours.architecture), "%.63s", theirs.gcuArchName);
  ours.total_memory = theirs.totalGlobalMem;
  ours.multiprocessors = theirs.multiProcessorCount;
  ours.warp_size = theirs.warpSize;
  ours.major = theirs.major;
  ours.minor = theirs.minor;
  ours.supported_dtypes = FL_MASK_ANY;  // memory is bytes, whatever kernels there are
  torch_fl_kit::give(ours, properties);
  return FL_OK;
}

fl_status get_map(int32_t device, fl_device_map* map) {
  if (const fl_status status = check_device(device)) return status;
  const Place& place = g_places[static_cast<size_t>(device)];
  fl_device_map ours{};
  ours.card = place.card;
  ours.partition = place.partition;
  // topsrt has no uuid; the bus address and the part name the hardware as well, in every process.
  std::memcpy(ours.uuid, place.bus.data(), std::min(place.bus.size(), sizeof(ours.uuid) - 1));
  ours.uuid[sizeof(ours.uuid) - 1] = static_cast<uint8_t>(place.partition + 1);
  torch_fl_kit::give(ours, map);
  return FL_OK;
}

fl_status can_access_peer(int32_t device, int32_t peer, int32_t* can) {
  if (const fl_status status = check_device(device)) return status;
  if (const fl_status status = check_device(peer)) return status;
  int answer = 0;
  if (device != peer) FL_TOPS(topsDeviceCanAccessPeer(&answer, device, peer));
  *can = answer;
  return FL_OK;
}

fl_status enable_peer_access(int32_t device, int32_t peer) {
  if (const fl_status status = check_device(device)) return status;
  FL_ON_DEVICE(device);
  const topsError_t code = topsDeviceEnablePeerAccess(peer, 0);
  if (code != topsSuccess && code != topsErrorPeerAccessAlreadyEnabled)
    return failed(code, "topsDeviceEnablePeerAccess");
  (void)topsGetLastError();
  return FL_OK;
}

}  // namespace

fl_status device_synchronize(int32_t device) {
  if (const fl_status status = check_device(device)) return status;
  FL_ON_DEVICE(device);
  return synchronized(device, nullptr, topsDeviceSynchronize());
}

void device_slots(fl_vendor_api& api) {
  api.init = guarded<init>;
  api.shutdown = guarded<finalize_topsaten>;
  api.device_count = guarded<device_count>;
  api.set_device = guarded<set_device>;
  api.device_synchronize = guarded<device_synchronize>;
  api.device_get_properties = guarded<get_properties>;
  api.device_get_map = guarded<get_map>;
  api.can_access_peer = guarded<can_access_peer>;
  api.enable_peer_access = guarded<enable_peer_access>;
}

}  // namespace torch_fl_gcu
