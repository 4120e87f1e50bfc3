#include "device.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "kit.h"
#include "stream.h"

namespace torch_fl_sim {
namespace {

constexpr int32_t kMaxDevices = 16;
constexpr uint64_t kMiB = 1024 * 1024;

Settings g_settings;
// Never freed: a stream's thread may outlive the static destructors of the process.
std::vector<std::unique_ptr<Device>>* g_devices = nullptr;
std::atomic<bool> g_forked{false};

// A number from the environment; `value` stays as it is where the variable is not set.
fl_status read_number(const char* variable, uint64_t low, uint64_t high, uint64_t* value) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return FL_OK;
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text, &end, 10);
  if (*text == '-' || *end != '\0' || errno != 0 || number < low || number > high) {
    return fail(FL_INVALID_VALUE, "%s=%s: give a whole number from %llu to %llu", variable, text,
                static_cast<unsigned long long>(low), static_cast<unsigned long long>(high));
  }
  *value = number;
  return FL_OK;
}

fl_status read_settings(Settings* settings) {
  uint64_t devices = 2, mebibytes = 0, async = 0, protect = 0;
  if (fl_status s = read_number("FLAGOS_SIM_DEVICES", 1, kMaxDevices, &devices)) return s;
  if (fl_status s = read_number("FLAGOS_SIM_MEMORY", 1, UINT64_C(1) << 30, &mebibytes)) return s;
  if (fl_status s = read_number("FLAGOS_SIM_ASYNC", 0, 1, &async)) return s;
  if (fl_status s = read_number("FLAGOS_SIM_PROTECT", 0, 1, &protect)) return s;
  settings->devices = static_cast<int32_t>(devices);
  const uint64_t physical =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  settings->memory = mebibytes != 0 ? mebibytes * kMiB : physical / 2 / devices / kMiB * kMiB;
  settings->protect = protect != 0;
  settings->async = async != 0 || settings->protect;
  return FL_OK;
}

}  // namespace

const Settings& settings() noexcept { return g_settings; }

bool forked() noexcept { return g_forked.load(std::memory_order_relaxed); }

Device* find_device(int32_t index) noexcept {
  if (g_devices != nullptr && index >= 0 && index < static_cast<int32_t>(g_devices->size())) {
    return (*g_devices)[static_cast<size_t>(index)].get();
  }
  fail(FL_INVALID_DEVICE, "there is no device %d; this process has %d (FLAGOS_SIM_DEVICES)", index,
       g_devices == nullptr ? 0 : static_cast<int32_t>(g_devices->size()));
  return nullptr;
}

fl_status synchronize_device(Device& device) noexcept {
  // Streams that are busy or hold an error; those that are neither need no waiting outside of the lock.
  std::vector<std::shared_ptr<Stream>> busy;
  {
    std::lock_guard<std::mutex> lock(device.streams_mutex);
    for (const auto& stream : device.streams) {
      if (!stream->idle() || stream->failed()) busy.push_back(stream);
    }
  }
  // All are waited for before any error is taken, so that nothing still runs when the error is raised.
  for (const auto& stream : busy) stream->wait();
  for (const auto& stream : busy) {
    if (fl_status s = stream->take_error()) return s;
  }
  return FL_OK;
}

fl_status init() {
  if (g_devices != nullptr) return FL_OK;
  if (fl_status s = read_settings(&g_settings)) return s;
  auto devices = std::make_unique<std::vector<std::unique_ptr<Device>>>();
  for (int32_t i = 0; i < g_settings.devices; ++i) {
    devices->push_back(std::make_unique<Device>());
    devices->back()->index = i;
  }
  g_devices = devices.release();
  pthread_atfork(nullptr, nullptr, [] { g_forked.store(true); });
  return FL_OK;
}

void shutdown() {
  // In a forked child there are no threads to end, and a lock may be held by one that is not there.
  if (g_devices == nullptr || forked()) return;
  for (const auto& device : *g_devices) {
    std::vector<std::shared_ptr<Stream>> streams;
    {
      std::lock_guard<std::mutex> lock(device->streams_mutex);
      streams.swap(device->streams);
    }
    // A stream's destructor finishes its work and joins its thread.
    streams.clear();
  }
}

// sim has no contexts per thread, so there is nothing to attach and no current device to set.
fl_status thread_attach() { return FL_OK; }

fl_status device_count(int32_t* count) {
  *count = g_devices == nullptr ? 0 : static_cast<int32_t>(g_devices->size());
  return FL_OK;
}

fl_status set_device(int32_t device) { return find_device(device) == nullptr ? FL_INVALID_DEVICE : FL_OK; }

fl_status device_synchronize(int32_t device) {
  Device* found = find_device(device);
  return found == nullptr ? FL_INVALID_DEVICE : synchronize_device(*found);
}

fl_status device_get_properties(int32_t device, fl_device_properties* properties) {
  if (find_device(device) == nullptr) return FL_INVALID_DEVICE;
  fl_device_properties ours{};
  std::snprintf(ours.name, sizeof(ours.name), "simulated device %d", device);
  std::snprintf(ours.architecture, sizeof(ours.architecture), "sim");
  ours.total_memory = settings().memory;
  ours.multiprocessors = static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
  ours.warp_size = 1;
  ours.major = 1;
  ours.minor = 0;
  ours.supported_dtypes = FL_MASK_ANY;
  torch_fl_kit::give(ours, properties);
  return FL_OK;
}

fl_status device_get_map(int32_t device, fl_device_map* map) {
  if (find_device(device) == nullptr) return FL_INVALID_DEVICE;
  fl_device_map ours{};
  ours.card = device;
  ours.partition = -1;
  // The same in every process: a simulated card is its number.
  std::snprintf(reinterpret_cast<char*>(ours.uuid), sizeof(ours.uuid), "sim-card-%06d", device);
  torch_fl_kit::give(ours, map);
  return FL_OK;
}

fl_status can_access_peer(int32_t device, int32_t peer, int32_t* can) {
  if (find_device(device) == nullptr || find_device(peer) == nullptr) return FL_INVALID_DEVICE;
  *can = device != peer;
  return FL_OK;
}

// Nothing to switch on: a copy between two devices opens both.
fl_status enable_peer_access(int32_t device, int32_t peer) {
  if (find_device(device) == nullptr || find_device(peer) == nullptr) return FL_INVALID_DEVICE;
  if (device == peer) return fail(FL_INVALID_VALUE, "device %d is not a peer of itself", device);
  return FL_OK;
}

}  // namespace torch_fl_sim
