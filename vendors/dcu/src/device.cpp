// Devices of HIP.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/fault.h"
#include "runtime.h"

namespace torch_fl_dcu {
namespace {

int32_t g_count = 0;  // written by init() alone

fl_status init() {
  if (g_count > 0) return FL_OK;
  int count = 0;
  // 5.2 answers hipInit with hipErrorInvalidDevice where there is none; this says why.
  FL_HIP(hipGetDeviceCount(&count));
  if (count == 0) return fail(FL_NO_DEVICE, "hipGetDeviceCount: no device is visible (HIP_VISIBLE_DEVICES)");
  FL_HIP(hipInit(0));
  g_count = count;
  return FL_OK;
}

fl_status device_count(int32_t* count) {
  *count = g_count;
  return FL_OK;
}

#ifdef __HIP_PLATFORM_NVIDIA__
fl_status name_architecture(int32_t, fl_device_properties& ours) {
  std::snprintf(ours.architecture, sizeof(ours.architecture), "sm_%d%d", ours.major, ours.minor);
  return FL_OK;
}
#else
// The one thing that only the struct has. Its name and layout are another from 6.0 on; a macro of the header sees to
// it.
fl_status name_architecture(int32_t device, fl_device_properties& ours) {
  hipDeviceProp_t theirs{};
  FL_HIP(hipGetDeviceProperties(&theirs, device));
  // "gfx936:sramecc+:xnack-": what compilers are told is the part before the colon.
  std::snprintf(ours.architecture, sizeof(ours.architecture), "%.*s",
                static_cast<int>(std::strcspn(theirs.gcnArchName, ":")), theirs.gcnArchName);
  return FL_OK;
}
#endif

fl_status get_properties(int32_t device, fl_device_properties* properties) {
  if (const fl_status status = check_device(device)) return status;
  fl_device_properties ours{};
  size_t memory = 0;
  FL_HIP(hipDeviceGetName(ours.name, sizeof(ours.name), device));
  FL_HIP(hipDeviceTotalMem(&memory, device));
  FL_HIP(hipDeviceGetAttribute(&ours.multiprocessors, hipDeviceAttributeMultiprocessorCount, device));
  FL_HIP(hipDeviceGetAttribute(&ours.warp_size, hipDeviceAttributeWarpSize, device));
  FL_HIP(hipDeviceGetAttribute(&ours.major, hipDeviceAttributeComputeCapabilityMajor, device));
  FL_HIP(hipDeviceGetAttribute(&ours.minor, hipDeviceAttributeComputeCapabilityMinor, device));
  ours.total_memory = memory;
  ours.supported_dtypes = FL_MASK_ANY;  // memory is bytes, whatever kernels there are
  if (const fl_status status = name_architecture(device, ours)) return status;
  torch_fl_kit::give(ours, properties);
  return FL_OK;
}

// HIP 5.2 has no uuid; the address on the bus names the hardware as well, in every process.
fl_status get_map(int32_t device, fl_device_map* map) {
  if (const fl_status status = check_device(device)) return status;
  char bus[64] = "";
  FL_HIP(hipDeviceGetPCIBusId(bus, sizeof(bus), device));
  fl_device_map ours{};
  ours.card = device;
  ours.partition = -1;
  std::memcpy(ours.uuid, bus, std::min(std::strlen(bus), sizeof(ours.uuid)));
  torch_fl_kit::give(ours, map);
  return FL_OK;
}

fl_status can_access_peer(int32_t device, int32_t peer, int32_t* can) {
  if (const fl_status status = check_device(device)) return status;
  if (const fl_status status = check_device(peer)) return status;
  int answer = 0;
  if (device != peer) FL_HIP(hipDeviceCanAccessPeer(&answer, device, peer));
  *can = answer;
  return FL_OK;
}

fl_status enable_peer_access(int32_t device, int32_t peer) {
  if (device == peer) return fail(FL_INVALID_VALUE, "device %d needs no access to its own memory", device);
  if (const fl_status status = check_device(peer)) return status;
  FL_ON_DEVICE(device);
  const hipError_t code = hipDeviceEnablePeerAccess(peer, 0);
  // PyTorch may have enabled it already.
  if (code != hipSuccess && code != hipErrorPeerAccessAlreadyEnabled) return failed(code, "hipDeviceEnablePeerAccess");
  (void)hipGetLastError();
  return FL_OK;
}

}  // namespace

fl_status check_device(int32_t device) {
  if (device >= 0 && device < g_count) return FL_OK;
  return fail(FL_INVALID_DEVICE, "there is no device %d; this process sees %d (HIP_VISIBLE_DEVICES)", device, g_count);
}

OnDevice::OnDevice(int32_t device) noexcept {
  int now = -1;
  status = FL_OK;
  if (hipGetDevice(&now) == hipSuccess && now == device) return;
  status = check_device(device);
  if (status != FL_OK) return;
  const hipError_t code = hipSetDevice(device);
  if (code != hipSuccess)
    status = failed(code, "hipSetDevice");
  else
    before_ = now;
}

fl_status device_synchronize(int32_t device) {
  if (const fl_status status = check_device(device)) return status;
  FL_ON_DEVICE(device);
  FL_HIP(hipDeviceSynchronize());
  return take_fault(device);
}

// No set_device: each slot makes its device current for its own scope, so that the one that PyTorch has made current
// stays so. No shutdown: PyTorch may still be using the device.
void device_slots(fl_vendor_api& api) {
  api.init = guarded<init>;
  api.device_count = guarded<device_count>;
  api.device_synchronize = guarded<device_synchronize>;
  api.device_get_properties = guarded<get_properties>;
  api.device_get_map = guarded<get_map>;
  api.can_access_peer = guarded<can_access_peer>;
  api.enable_peer_access = guarded<enable_peer_access>;
}

}  // namespace torch_fl_dcu
