// torch.autograd.profiler(use_device="flagos"): stamps are the vendor's own events.
#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include "runtime/runtime.h"

namespace torch_fl {
namespace {

using torch::profiler::impl::ProfilerStubs;
using torch::profiler::impl::ProfilerVoidEventStub;

struct Stamp {
  fl_event event = nullptr;
  int32_t device = 0;
  ~Stamp() {
    if (event != nullptr && runtime_alive()) vendor().api.event_destroy(device, event);
  }
};

class Stubs final : public ProfilerStubs {
 public:
  void record(c10::DeviceIndex* device, ProfilerVoidEventStub* stub, int64_t* host_ns) const override {
    auto stamp = std::make_shared<Stamp>();
    stamp->device = current_device();
    const fl_vendor_api& api = vendor().api;
    attach(stamp->device);
    FL_CHECK(api.event_create(stamp->device, FL_EVENT_TIMING, &stamp->event), "event_create(device=", stamp->device,
             ")");
    FL_CHECK(api.event_record(stamp->device, stamp->event, current_stream_handle(stamp->device)),
             "event_record(device=", stamp->device, ")");
    if (device != nullptr) *device = static_cast<c10::DeviceIndex>(stamp->device);
    if (host_ns != nullptr) *host_ns = c10::getTime();
    *stub = std::move(stamp);
  }

  // Microseconds.
  float elapsed(const ProfilerVoidEventStub* start, const ProfilerVoidEventStub* end) const override {
    const auto& first = *static_cast<const Stamp*>(start->get());
    const auto& last = *static_cast<const Stamp*>(end->get());
    const fl_vendor_api& api = vendor().api;
    FL_CHECK(api.event_synchronize(first.device, first.event), "event_synchronize(device=", first.device, ")");
    FL_CHECK(api.event_synchronize(last.device, last.event), "event_synchronize(device=", last.device, ")");
    double milliseconds = 0;
    FL_CHECK(api.event_elapsed(first.device, first.event, last.event, &milliseconds),
             "event_elapsed(device=", first.device, ")");
    return static_cast<float>(milliseconds * 1000.0);
  }

  void mark(const char*) const override {}
  void rangePush(const char*) const override {}
  void rangePop() const override {}
  bool enabled() const override { return true; }
  void onEachDevice(std::function<void(int)> visit) const override {
    for (int32_t device = 0; device < device_count(); device++) visit(device);
  }
  void synchronize() const override { synchronize_device(current_device()); }
};

const bool installed = [] {
  torch::profiler::impl::registerPrivateUse1Methods(new Stubs);
  return true;
}();

}  // namespace
}  // namespace torch_fl
