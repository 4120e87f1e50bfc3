// Device memory that the host works on by itself.
#include "runtime/runtime.h"

namespace torch_fl {

HostAccess::HostAccess(int32_t device) : access_(vendor().host_access), device_(device) {
  TORCH_CHECK(vendor().facts.boxing == c10::DeviceType::CPU, "torch_fl[", vendor().facts.name,
              "]: the memory of this device is not host memory (its vendor.toml has no boxing_key = \"CPU\")");
  if (access_ == nullptr) return;
  attach(device_);
  stream_ = current_stream_handle(device_);
  FL_CHECK(access_->begin(device_, stream_), "host_access(device=", device_, ")");
}

HostAccess::~HostAccess() {
  if (access_ != nullptr && access_->end != nullptr) access_->end(device_, stream_);
}

}  // namespace torch_fl
