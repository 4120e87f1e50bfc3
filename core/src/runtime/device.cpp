// Devices: the current one per thread, their properties, and the vendor's attachment to a thread.
#include <chrono>
#include <thread>

#include "runtime/key_runtime.h"
#include "runtime/state.h"

namespace torch_fl {

constinit FL_TLS ThreadState* t_thread = nullptr;
constinit FL_TLS uint64_t t_work = 0, t_reads = 0;

namespace {

// PyTorch's current device of the thread. The vendor hears of it with the next call that needs it (attach).
constinit FL_TLS int32_t t_device = 0;

struct Properties {
  std::once_flag once;
  fl_device_properties value{};
};
std::array<Properties, kMaxDevices>& properties() {
  static auto* p = new std::array<Properties, kMaxDevices>;
  return *p;
}

// Frees the state when its thread ends.
struct ThreadOwner {
  ThreadState state;
  ~ThreadOwner() { t_thread = nullptr; }
};

}  // namespace

void LightMutex::lock_slow() noexcept {
  // The owner is about to give it back, or it waits for the vendor (a malloc, a stream): then sleep, do not burn.
  for (int i = 0;; ++i) {
    if (!taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire)) return;
    if (i < 64) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    } else if (i < 256) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

ThreadState& thread_state() {
  if (C10_LIKELY(t_thread != nullptr)) return *t_thread;
  thread_local ThreadOwner owner;
  t_thread = &owner.state;
  return *t_thread;
}

void check_device(int32_t device) {
  const int32_t count = device_count();
  if (C10_LIKELY(device >= 0 && device < count)) return;
  check_phase();
  if (count == 0) vendor();  // throws why there is none
  TORCH_CHECK(false, "flagos:", device, ": there ", count == 1 ? "is 1 device" : c10::str("are ", count, " devices"));
}

int32_t current_device() {
  if (const KeyRuntime* key = key_runtime()) return key->single ? 0 : key->guard.getDevice().index();
  return t_device;
}

void set_current_device(int32_t device) {
  check_device(device);
  if (const KeyRuntime* key = key_runtime()) return key->guard.setDevice(key->device(device));
  t_device = device;
}

// For guards in destructors, and for autograd's threads in a forked child.
void set_current_device_unchecked(int32_t device) noexcept {
  if (const KeyRuntime* key = key_runtime()) return key->guard.uncheckedSetDevice(key->device(device));
  t_device = device;
}

void attach_anew(int32_t device) {
  const Vendor& v = vendor();
  check_device(device);
  ThreadState& t = thread_state();
  if (!t.known) {
    if (v.api.thread_attach) FL_CHECK(v.api.thread_attach(), "thread_attach()");
    t.known = true;
  }
  if (v.api.set_device) FL_CHECK(v.api.set_device(device), "set_device(device=", device, ")");
  t.attached = device;
}

void attach_quietly(int32_t device) noexcept {
  try {
    attach(device);
  } catch (...) {
    // The vendor's calls that follow fail, and their callers know what to do without them.
  }
}

const fl_device_properties& device_properties(int32_t device) {
  const Vendor& v = vendor();
  check_device(device);
  Properties& p = properties()[device];
  std::call_once(p.once, [&] {
    fl_device_properties value{};
    value.struct_size = sizeof(value);
    value.supported_dtypes = FL_MASK_ANY;
    if (v.api.device_get_properties) {
      attach(device);
      FL_CHECK(v.api.device_get_properties(device, &value), "device_get_properties(device=", device, ")");
    }
    value.name[sizeof(value.name) - 1] = '\0';
    value.architecture[sizeof(value.architecture) - 1] = '\0';
    p.value = value;
  });
  return p.value;
}

fl_device_map device_map(int32_t device) {
  const Vendor& v = vendor();
  check_device(device);
  fl_device_map map{};
  map.struct_size = sizeof(map);
  map.card = device;
  map.partition = -1;
  if (v.api.device_get_map) {
    attach(device);
    FL_CHECK(v.api.device_get_map(device, &map), "device_get_map(device=", device, ")");
  }
  return map;
}

bool can_access_peer(int32_t device, int32_t peer) {
  const Vendor& v = vendor();
  check_device(device);
  check_device(peer);
  if (device == peer || !v.api.can_access_peer) return false;
  attach(device);
  int32_t can = 0;
  FL_CHECK(v.api.can_access_peer(device, peer, &can), "can_access_peer(device=", device, ", peer=", peer, ")");
  return can != 0;
}

bool device_in_use(int32_t device) noexcept { return known_device_state(device) != nullptr; }

}  // namespace torch_fl
