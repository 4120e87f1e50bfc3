// The simulated devices: how many there are, how much memory each has, and which of it may be touched right now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

class Stream;

// Read once, in init(), from the environment.
struct Settings {
  int32_t devices = 2;   // FLAGOS_SIM_DEVICES
  uint64_t memory = 0;   // FLAGOS_SIM_MEMORY (MiB), per device; here in bytes
  bool async = false;    // FLAGOS_SIM_ASYNC: every stream queues, with small random delays
  bool protect = false;  // FLAGOS_SIM_PROTECT: device memory faults outside of work; implies async
};
const Settings& settings() noexcept;

struct Device {
  int32_t index = 0;

  std::mutex streams_mutex;
  std::vector<std::shared_ptr<Stream>> streams;

  // Guards the segments' protection, the count of those who hold the device open, and `used`.
  std::mutex memory_mutex;
  int32_t open_count = 0;
  uint64_t used = 0;
};

// The device, or null (with the error told to core) where there is none of that number.
Device* find_device(int32_t index) noexcept;

// Waits for all streams of the device; returns the first error that their work left.
fl_status synchronize_device(Device& device) noexcept;

// True in a process forked after init(): the streams' threads are not there.
bool forked() noexcept;

// --- slots of fl_vendor_api
fl_status init();
void shutdown();
fl_status thread_attach();
fl_status device_count(int32_t* count);
fl_status set_device(int32_t device);
fl_status device_synchronize(int32_t device);
fl_status device_get_properties(int32_t device, fl_device_properties* properties);
fl_status device_get_map(int32_t device, fl_device_map* map);
fl_status can_access_peer(int32_t device, int32_t peer, int32_t* can);
fl_status enable_peer_access(int32_t device, int32_t peer);

}  // namespace torch_fl_sim
