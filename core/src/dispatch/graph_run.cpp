#include "dispatch/graph_run.h"

#include <deque>

#include "aten/alias.h"
#include "dispatch/host_random.h"

namespace torch_fl {
struct HostMemory::Open {
  std::deque<OpenMemory> devices;
};

HostMemory::HostMemory(const std::vector<int32_t>& devices) : open_(std::make_unique<Open>()) {
  TORCH_CHECK(vendor().facts.boxing == c10::DeviceType::CPU, "torch_fl[", vendor().facts.name,
              "]: the memory of this device is not host memory (its vendor.toml has no boxing_key = \"CPU\")");
  for (const int32_t device : devices) open_->devices.emplace_back(true, device);
}
HostMemory::~HostMemory() = default;

// In the order in which a boxed op takes them.
struct GraphRun::OnHost {
  OnHost(const std::vector<int32_t>& devices, bool random)
      : open(devices), lent(random, devices.front()), here(devices.front()) {}
  HostMemory open;
  LentDefaultGenerator lent;
  HostAllocationsOnDevice here;
};

GraphRun::GraphRun(const std::vector<int32_t>& devices, bool random) {
  if (!devices.empty() && vendor().facts.boxing == c10::DeviceType::CPU)
    on_host_ = std::make_unique<OnHost>(devices, random);
}
GraphRun::~GraphRun() = default;

}  // namespace torch_fl
