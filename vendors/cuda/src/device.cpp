// Devices and their primary contexts.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "runtime.h"

namespace torch_fl_cuda {
namespace {

struct Device {
  CUdevice handle = 0;
  std::atomic<CUcontext> context{nullptr};
};
// Written by init() alone; never freed: calls may come while the process exits.
auto& g_devices = *new std::vector<Device>;

fl_status check_device(int32_t device) {
  const auto count = static_cast<int32_t>(g_devices.size());
  if (device >= 0 && device < count) return FL_OK;
  return fail(FL_INVALID_DEVICE, "there is no device %d; this process sees %d (CUDA_VISIBLE_DEVICES)", device, count);
}
Device& at(int32_t device) { return g_devices[static_cast<size_t>(device)]; }

fl_status init() {
  if (!g_devices.empty()) return FL_OK;
  if (const char* problem = load_driver()) return fail(FL_NO_DEVICE, "%s", problem);
  FL_CU(cuInit(0));
  int count = 0;
  FL_CU(cuDeviceGetCount(&count));
  if (count == 0) return fail(FL_NO_DEVICE, "cuDeviceGetCount: no device is visible (CUDA_VISIBLE_DEVICES)");
  std::vector<Device> found(static_cast<size_t>(count));
  for (int i = 0; i < count; i++) FL_CU(cuDeviceGet(&found[static_cast<size_t>(i)].handle, i));
  g_devices.swap(found);
  return FL_OK;
}

fl_status device_count(int32_t* count) {
  *count = static_cast<int32_t>(g_devices.size());
  return FL_OK;
}

fl_status get_properties(int32_t device, fl_device_properties* properties) {
  if (const fl_status status = check_device(device)) return status;
  const CUdevice handle = at(device).handle;
  fl_device_properties ours{};
  size_t memory = 0;
  FL_CU(cuDeviceGetName(ours.name, sizeof(ours.name), handle));
  FL_CU(cuDeviceTotalMem_v2(&memory, handle));
  FL_CU(cuDeviceGetAttribute(&ours.multiprocessors, DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, handle));
  FL_CU(cuDeviceGetAttribute(&ours.warp_size, DEVICE_ATTRIBUTE_WARP_SIZE, handle));
  FL_CU(cuDeviceGetAttribute(&ours.major, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle));
  FL_CU(cuDeviceGetAttribute(&ours.minor, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle));
  std::snprintf(ours.architecture, sizeof(ours.architecture), "sm_%d%d", ours.major, ours.minor);
  ours.total_memory = memory;
  ours.supported_dtypes = FL_MASK_ANY;  // memory is bytes, whatever kernels there are
  torch_fl_kit::give(ours, properties);
  return FL_OK;
}

fl_status get_map(int32_t device, fl_device_map* map) {
  if (const fl_status status = check_device(device)) return status;
  CUuuid uuid{};
  if (driver().cuDeviceGetUuid_v2 != nullptr)
    FL_CU(cuDeviceGetUuid_v2(&uuid, at(device).handle));
  else
    FL_CU(cuDeviceGetUuid(&uuid, at(device).handle));
  fl_device_map ours{};
  ours.card = device;  // the driver shows a part of a divided card as a device like any other
  ours.partition = -1;
  std::memcpy(ours.uuid, uuid.bytes, sizeof(ours.uuid));
  torch_fl_kit::give(ours, map);
  return FL_OK;
}

fl_status can_access_peer(int32_t device, int32_t peer, int32_t* can) {
  if (const fl_status status = check_device(device)) return status;
  if (const fl_status status = check_device(peer)) return status;
  int answer = 0;
  if (device != peer) FL_CU(cuDeviceCanAccessPeer(&answer, at(device).handle, at(peer).handle));
  *can = answer;
  return FL_OK;
}

fl_status enable_peer_access(int32_t device, int32_t peer) {
  if (device == peer) return fail(FL_INVALID_VALUE, "device %d needs no access to its own memory", device);
  CUcontext theirs = nullptr;
  if (const fl_status status = context_of(peer, &theirs)) return status;
  FL_ON_DEVICE(device);
  const CUresult code = driver().cuCtxEnablePeerAccess(theirs, 0);
  // PyTorch may have enabled it already.
  const bool enabled = code == CUDA_SUCCESS || code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  return enabled ? FL_OK : failed(code, "cuCtxEnablePeerAccess");
}

}  // namespace

fl_status context_of(int32_t device, CUcontext* context) {
  if (const fl_status status = check_device(device)) return status;
  Device& d = at(device);
  *context = d.context.load(std::memory_order_acquire);
  if (__builtin_expect(*context != nullptr, 1)) return FL_OK;
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if ((*context = d.context.load(std::memory_order_relaxed)) != nullptr) return FL_OK;
  FL_CU(cuDevicePrimaryCtxRetain(context, d.handle));
  d.context.store(*context, std::memory_order_release);
  return FL_OK;
}

CUdevice device_handle(int32_t device) noexcept { return at(device).handle; }

int32_t any_device() {
  const auto count = static_cast<int32_t>(g_devices.size());
  for (int32_t i = 0; i < count; i++)
    if (at(i).context.load(std::memory_order_acquire) != nullptr) return i;
  for (int32_t i = 0; i < count; i++) {
    unsigned flags = 0;
    int active = 0;
    if (driver().cuDevicePrimaryCtxGetState(at(i).handle, &flags, &active) == CUDA_SUCCESS && active != 0) return i;
  }
  return 0;
}

OnDevice::OnDevice(int32_t device) noexcept {
  CUcontext wanted = nullptr, now = nullptr;
  status = context_of(device, &wanted);
  if (status != FL_OK) return;
  if (driver().cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == wanted) return;
  const CUresult code = driver().cuCtxPushCurrent_v2(wanted);
  pushed_ = code == CUDA_SUCCESS;
  if (!pushed_) status = failed(code, "cuCtxPushCurrent_v2");
}

fl_status device_synchronize(int32_t device) { FL_ON(device, cuCtxSynchronize()); }

// No set_device and no thread_attach: each slot takes its device's context for its own scope, so that the device that
// PyTorch's CUDA runtime has made current stays so. No shutdown: PyTorch may still be using the contexts.
void device_slots(fl_vendor_api& api) {
  api.init = guarded<init>;
  api.device_count = guarded<device_count>;
  api.device_synchronize = guarded<device_synchronize>;
  api.device_get_properties = guarded<get_properties>;
  api.device_get_map = guarded<get_map>;
  api.can_access_peer = guarded<can_access_peer>;
  api.enable_peer_access = guarded<enable_peer_access>;
}

}  // namespace torch_fl_cuda
