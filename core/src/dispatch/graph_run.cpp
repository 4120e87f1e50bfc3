#include "dispatch/graph_run.h"

#include <deque>

#include "aten/alias.h"
#include "dispatch/host_random.h"

namespace torch_fl {
namespace {

bool on_host(const std::vector<int32_t>& devices) {
  return !devices.empty() && vendor().facts.boxing == c10::DeviceType::CPU;
}

}  // namespace

struct HostMemory::Open {
  std::deque<OpenMemory> devices;
};

HostMemory::HostMemory(const std::vector<int32_t>& devices) {
  if (!on_host(devices)) return;
  open_ = std::make_unique<Open>();
  for (const int32_t device : devices) open_->devices.emplace_back(true, device);
}
HostMemory::~HostMemory() = default;

struct GraphRun::OnHost {
  OnHost(int32_t device, bool random) : lent(random, device), here(device) {}
  LentDefaultGenerator lent;
  HostAllocationsOnDevice here;
};

GraphRun::GraphRun(const std::vector<int32_t>& devices, bool random) : open_(devices) {
  if (on_host(devices)) on_host_ = std::make_unique<OnHost>(devices.front(), random);
}
GraphRun::~GraphRun() = default;

}  // namespace torch_fl
