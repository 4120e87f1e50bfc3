// Streams: ids and the vendor's handles, pools, the current stream of a thread, waiting.
#include <algorithm>

#include "runtime/key_runtime.h"
#include "runtime/state.h"

namespace torch_fl {
namespace {

std::array<std::atomic<DeviceState*>, kMaxDevices> g_devices{};
std::mutex g_devices_mutex;

fl_stream create_stream(int32_t device, int32_t urgency) {
  const Vendor& v = vendor();
  attach(device);
  fl_stream stream = nullptr;
  FL_CHECK(v.api.stream_create(device, urgency, &stream), "stream_create(device=", device, ", priority=", urgency, ")");
  TORCH_CHECK(stream != nullptr, "torch_fl[", v.facts.name, "]: stream_create(device=", device,
              ") gave no stream; report it to the vendor");
  return stream;
}

void publish(DeviceState& state, int id, fl_stream stream) {
  state.streams[id].store(stream, std::memory_order_release);
  if (state.streams_end.load() <= id) state.streams_end.store(id + 1);
}

int urgency_of(c10::StreamId id) { return id == 0 ? 0 : static_cast<int>((id - 1) / kStreamsPerPool); }

c10::Stream make_stream(int32_t device, c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(kFlagos, static_cast<c10::DeviceIndex>(device)), id);
}

}  // namespace

DeviceState* known_device_state(int32_t device) noexcept {
  if (!runtime_alive() || static_cast<uint32_t>(device) >= kMaxDevices) return nullptr;
  return g_devices[device].load(std::memory_order_acquire);
}

DeviceState& device_state(int32_t device) {
  if (DeviceState* state = known_device_state(device); C10_LIKELY(state != nullptr)) return *state;
  const Vendor& v = vendor();
  check_device(device);
  std::lock_guard<std::mutex> lock(g_devices_mutex);
  if (DeviceState* state = g_devices[device].load()) return *state;
  auto state = std::make_unique<DeviceState>();
  state->index = device;
  attach(device);
  if (v.api.stream_priority_range) {
    int32_t most = 0;
    FL_CHECK(v.api.stream_priority_range(device, &most), "stream_priority_range(device=", device, ")");
    state->max_urgency = std::clamp(most, 0, kMaxUrgency);
  }
  if (key_runtime() == nullptr) publish(*state, 0, create_stream(device, 0));
  g_devices[device].store(state.get(), std::memory_order_release);
  return *state.release();  // lives as long as the process
}

fl_stream known_stream_handle(c10::Stream stream) noexcept {
  DeviceState* state = known_device_state(stream.device_index());
  if (state == nullptr) return nullptr;
  const KeyRuntime* key = key_runtime();
  if (key == nullptr) return state->streams[stream.id()].load(std::memory_order_acquire);
  try {
    return key->handle(key->theirs(stream));
  } catch (...) {
    return nullptr;  // the vendor refuses; its calls that follow fail as well
  }
}

c10::StreamId stream_id_of(int32_t device, fl_stream handle) noexcept {
  DeviceState* state = known_device_state(device);
  if (!state || !handle) return -1;
  const int end = state->streams_end.load();
  for (int id = 0; id < end; ++id) {
    if (state->streams[id].load(std::memory_order_acquire) == handle) return id;
  }
  return -1;
}

CurrentStream& first_stream_entry(int32_t device) {
  DeviceState& state = device_state(device);
  if (const KeyRuntime* key = key_runtime()) {
    // The key's current stream changes behind our back: it is asked for each time, and never kept in the thread's
    // state.
    thread_local CurrentStream asked;
    const c10::Stream stream = key->guard.getStream(key->device(device));
    asked = {key->handle(stream), stream.id()};
    return asked;
  }
  CurrentStream& entry = thread_state().current[device];
  entry.handle = state.streams[0].load(std::memory_order_acquire);
  entry.id = 0;
  return entry;
}

c10::Stream current_stream(int32_t device) { return make_stream(device, current_stream_entry(device).id); }

fl_stream stream_handle(c10::Stream stream) {
  TORCH_CHECK(stream.device_type() == kFlagos, "expected a stream of flagos, got one of ", stream.device());
  DeviceState& state = device_state(stream.device_index());
  if (const KeyRuntime* key = key_runtime()) return key->handle(key->theirs(stream));
  const c10::StreamId id = stream.id();
  fl_stream handle = id >= 0 && id < kMaxStreams ? state.streams[id].load(std::memory_order_acquire) : nullptr;
  TORCH_CHECK(handle != nullptr, "flagos:", state.index, " has no stream of id ", id,
              "; make streams with torch.Stream(device) or torch.flagos.Stream(), in this process");
  return handle;
}

c10::Stream exchange_stream(c10::Stream stream) {
  if (const KeyRuntime* key = key_runtime()) {
    device_state(stream.device_index());
    return KeyRuntime::ours(key->guard.exchangeStream(key->theirs(stream)));
  }
  const fl_stream handle = stream_handle(stream);
  CurrentStream& entry = current_stream_entry(stream.device_index());
  const c10::Stream before = make_stream(stream.device_index(), entry.id);
  entry.handle = handle;
  entry.id = stream.id();
  return before;
}

c10::Stream default_stream(int32_t device) {
  device_state(device);
  const KeyRuntime* key = key_runtime();
  return key != nullptr ? KeyRuntime::ours(key->guard.getDefaultStream(key->device(device))) : make_stream(device, 0);
}

c10::Stream pool_stream(int32_t device, int priority) {
  DeviceState& state = device_state(device);
  if (const KeyRuntime* key = key_runtime()) {
    const c10::Stream stream = KeyRuntime::ours(key->guard.getNewStream(key->device(device), priority));
    const std::lock_guard<std::mutex> lock(state.create);
    state.shared_priorities[stream.id()] = std::clamp(priority, -static_cast<int>(state.max_urgency), 0);
    return stream;
  }
  const int urgency = std::clamp(-priority, 0, static_cast<int>(state.max_urgency));
  const uint32_t turn = state.next[urgency].fetch_add(1, std::memory_order_relaxed) % kStreamsPerPool;
  const int id = 1 + urgency * kStreamsPerPool + static_cast<int>(turn);
  if (!state.streams[id].load(std::memory_order_acquire)) {
    std::lock_guard<std::mutex> lock(state.create);
    if (!state.streams[id].load()) publish(state, id, create_stream(device, urgency));
  }
  return make_stream(device, id);
}

int stream_priority(c10::Stream stream) {
  stream_handle(stream);  // throws where there is no such stream
  if (key_runtime() != nullptr) {
    DeviceState& state = device_state(stream.device_index());
    const std::lock_guard<std::mutex> lock(state.create);
    const auto asked = state.shared_priorities.find(stream.id());
    return asked == state.shared_priorities.end() ? 0 : asked->second;
  }
  return -urgency_of(stream.id());
}

std::pair<int, int> stream_priority_range(int32_t device) { return {0, -device_state(device).max_urgency}; }

void* stream_native_handle(c10::Stream stream) {
  const fl_stream handle = stream_handle(stream);
  const Vendor& v = vendor();
  if (!v.api.stream_native_handle) return handle;
  attach(stream.device_index());
  void* native = nullptr;
  FL_CHECK(v.api.stream_native_handle(stream.device_index(), handle, &native),
           "stream_native_handle(device=", static_cast<int>(stream.device_index()), ")");
  return native;
}

bool query_stream(c10::Stream stream) {
  const fl_stream handle = stream_handle(stream);
  const Vendor& v = vendor();
  FL_REQUIRE_SLOT(v, stream_query, "query of streams");
  attach(stream.device_index());
  raise_kept_error(device_state(stream.device_index()));
  const fl_status status = v.api.stream_query(stream.device_index(), handle);
  if (status == FL_NOT_READY) return false;
  FL_CHECK(status, "stream_query(device=", static_cast<int>(stream.device_index()), ")");
  return true;
}

void synchronize_stream(c10::Stream stream) {
  const fl_stream handle = stream_handle(stream);
  const Vendor& v = vendor();
  const int32_t device = stream.device_index();
  attach(device);
  FL_CHECK(v.api.stream_synchronize(device, handle), "stream_synchronize(device=", device, ", stream=", stream.id(),
           ")");
  raise_kept_error(device_state(device));
}

void synchronize_device(int32_t device) {
  DeviceState& state = device_state(device);
  const Vendor& v = vendor();
  attach(device);
  const KeyRuntime* key = key_runtime();
  if (key != nullptr) key->guard.synchronizeDevice(static_cast<c10::DeviceIndex>(device));
  if (v.api.device_synchronize) {
    // The key knows nothing of what the vendor's own kernels found wrong.
    FL_CHECK(v.api.device_synchronize(device), "device_synchronize(device=", device, ")");
  } else if (key == nullptr) {
    const int end = state.streams_end.load();
    for (int id = 0; id < end; ++id) {
      if (fl_stream stream = state.streams[id].load(std::memory_order_acquire)) {
        FL_CHECK(v.api.stream_synchronize(device, stream), "stream_synchronize(device=", device, ", stream=", id, ")");
      }
    }
  }
  raise_kept_error(state);
}

// ------------------------------------------------------------------------------------------- for deleters

void keep_error(DeviceState& state, fl_status status) noexcept {
  try {
    std::lock_guard<std::mutex> lock(state.error_mutex);
    std::string text = take_error_text();
    if (state.error == FL_OK) {  // the first error is the cause, later ones its consequences
      state.error = status;
      state.error_text = std::move(text);
      state.has_error.store(true);
    }
  } catch (...) {
    // Out of memory for the text; the error stays unknown.
  }
}

void raise_kept_error(DeviceState& state) {
  if (C10_LIKELY(!state.has_error.load(std::memory_order_relaxed))) return;
  fl_status status = FL_OK;
  std::string text;
  {
    std::lock_guard<std::mutex> lock(state.error_mutex);
    std::swap(status, state.error);
    text.swap(state.error_text);
    state.has_error.store(false);
  }
  if (status == FL_OK) return;
  set_error_text(0, text.c_str());
  throw_status(status, c10::str("work on flagos:", state.index));
}

bool stream_idle(DeviceState& state, fl_stream stream) noexcept {
  const Vendor* v = loaded_vendor();
  if (!v || !v->api.stream_query) return false;
  attach_quietly(state.index);
  const fl_status status = v->api.stream_query(state.index, stream);
  if (C10_LIKELY(status == FL_OK)) return true;
  if (status == FL_NOT_READY) return false;
  keep_error(state, status);
  return true;
}

void wait_stream_quietly(DeviceState& state, fl_stream stream) noexcept {
  const Vendor* v = loaded_vendor();
  if (!v) return;
  attach_quietly(state.index);
  const fl_status status = v->api.stream_synchronize(state.index, stream);
  if (status != FL_OK) keep_error(state, status);
}

}  // namespace torch_fl
