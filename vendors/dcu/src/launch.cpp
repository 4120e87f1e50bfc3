// What launches ask of a device, and faults that kernels report.
#include "kernels/launch.h"

#include <atomic>
#include <mutex>

#include "kernels/fault.h"

namespace torch_fl_dcu {
namespace {

constexpr int kMostDevices = 64;

struct Sinks {
  std::mutex mutex;
  FaultSink sinks[kMostDevices];
  std::atomic<bool> made[kMostDevices] = {};  // what a sink says does not change after that
};
Sinks& sinks() {
  static Sinks& all = *new Sinks;
  return all;
}

}  // namespace

const DeviceFacts& device_facts(int32_t device) {
  static DeviceFacts* const all = [] {
    auto* facts = new DeviceFacts[kMostDevices];
    int count = 0;
    (void)hipGetDeviceCount(&count);
    for (int i = 0; i < count && i < kMostDevices; i++) {
      (void)hipDeviceGetAttribute(&facts[i].warp, hipDeviceAttributeWarpSize, i);
      (void)hipDeviceGetAttribute(&facts[i].multiprocessors, hipDeviceAttributeMultiprocessorCount, i);
    }
    return facts;
  }();
  return all[device];
}

fl_status fault_sink(int32_t device, FaultSink* sink) {
  if (sinks().made[device].load(std::memory_order_acquire)) {
    *sink = sinks().sinks[device];
    return FL_OK;
  }
  const std::lock_guard<std::mutex> lock(sinks().mutex);
  FaultSink& ours = sinks().sinks[device];
  if (ours.report == nullptr) {
    void *host = nullptr, *seen = nullptr, *taken = nullptr;
    FL_ON_DEVICE(device);
    FL_HIP(hipHostMalloc(&host, sizeof(FaultReport), hipHostMallocMapped | hipHostMallocPortable));
    std::memset(host, 0, sizeof(FaultReport));
    FL_HIP(hipHostGetDevicePointer(&seen, host, 0));
    FL_HIP(hipMalloc(&taken, sizeof(uint32_t)));
    FL_HIP(hipMemsetAsync(taken, 0, sizeof(uint32_t), nullptr));
    FL_HIP(hipStreamSynchronize(nullptr));
    // One address for both sides, as on all devices with one address space.
    if (seen != host) return fail(FL_FAILED, "the device sees page-locked memory at other addresses than the host");
    ours = {static_cast<FaultReport*>(host), static_cast<uint32_t*>(taken)};
    sinks().made[device].store(true, std::memory_order_release);
  }
  *sink = ours;
  return FL_OK;
}

fl_status take_fault(int32_t device) {
  if (!sinks().made[device].load(std::memory_order_acquire)) return FL_OK;
  FaultSink& ours = sinks().sinks[device];
  auto* report = static_cast<volatile FaultReport*>(ours.report);
  if (__builtin_expect(report->set == 0, 1)) return FL_OK;
  const std::lock_guard<std::mutex> lock(sinks().mutex);
  if (report->set == 0) return FL_OK;
  fl_status status = FL_OK;
  if (report->set == FaultReport::kProbability)
    status = fail(FL_INVALID_VALUE, "bernoulli: a probability is outside of [0, 1]");
  else if (report->set == FaultReport::kSource)
    status = fail(FL_INVALID_VALUE, "masked_scatter_: Number of elements of source < number of ones in mask");
  else
    status = fail(FL_INDEX_ERROR, "index %lld is out of bounds for dimension %d with size %lld",
                  static_cast<long long>(report->index), report->dim, static_cast<long long>(report->size));
  report->set = 0;
  FL_HIP(hipMemsetAsync(ours.taken, 0, sizeof(uint32_t), nullptr));
  FL_HIP(hipStreamSynchronize(nullptr));
  return status;
}

}  // namespace torch_fl_dcu
