// Device memory that the host works on by itself.
#include "runtime/runtime.h"

namespace torch_fl {
namespace {

int32_t host_memory(int32_t device) {
  TORCH_CHECK(vendor().facts.boxing == c10::DeviceType::CPU, "torch_fl[", vendor().facts.name,
              "]: the memory of this device is not host memory (its vendor.toml has no boxing_key = \"CPU\")");
  return device;
}

}  // namespace

HostAccess::HostAccess(int32_t device) : open_(true, host_memory(device)) {}
HostAccess::~HostAccess() = default;

}  // namespace torch_fl
