// A compiled graph of the boxing key runs on the memory of devices.
#pragma once

#include <memory>
#include <vector>

#include "runtime/runtime.h"

namespace torch_fl {

// While alive, what the devices' current streams were given is done, and this thread may touch the devices' memory.
// Throws where the vendor does not box to the CPU: no address of its memory means anything to the host.
class FL_API HostMemory {
 public:
  explicit HostMemory(const std::vector<int32_t>& devices);
  ~HostMemory();

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

// While alive, where the key is the host's, the same, and what this thread allocates is memory of the first device;
// where `random`, random numbers come from that one's generator. Other keys need none of it.
class FL_API GraphRun {
 public:
  GraphRun(const std::vector<int32_t>& devices, bool random);
  ~GraphRun();

 private:
  struct OnHost;
  std::unique_ptr<OnHost> on_host_;
};

}  // namespace torch_fl
