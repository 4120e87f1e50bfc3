// Drives libtorch_fl_dcu.so as core does: dlopen, fl_vendor_init, then the table of vendor.h, over the stand-in of
// sdk/ or over HIP itself. What the stand-in refuses and HIP may leave undefined is asked of the stand-in alone.
//   dcu_test <libtorch_fl_dcu.so> <image with the kernel of module.cpp> [filter]
//   dcu_test <libtorch_fl_dcu.so> --refused <words>      init() says that there is no device, with these words
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "check.h"
#include "torch_fl/vendor.h"
#include "torch_fl/version.h"

namespace {

fl_vendor_init_fn vendor_init = nullptr;
fl_vendor_api api{};
std::string module_path;
thread_local std::string error_text;  // of the last call on this thread
thread_local int64_t error_code;

fl_core_api make_core() {
  fl_core_api core{};
  core.struct_size = sizeof(core);
  core.abi_major = FL_ABI_MAJOR;
  core.abi_minor = FL_ABI_MINOR;
  core.set_error = [](int64_t code, const char* text) {
    error_code = code;
    error_text = text;
  };
  core.log = [](int32_t, const char* text) { std::printf("log: %s\n", text); };
  return core;
}
const fl_core_api core_api = make_core();

bool on_standin() { return std::strstr(api.version, "stand-in") != nullptr; }
bool said(const char* words) {
  if (error_text.find(words) != std::string::npos) return true;
  std::printf("the error is \"%s\"\n", error_text.c_str());
  return false;
}

// HIP's own words, which are another's where it is none of the stand-in.
bool said_by_hip(const char* words) { return !on_standin() || said(words); }

int32_t device_count() {
  int32_t count = 0;
  CHECK_EQ(api.device_count(&count), FL_OK);
  return count;
}

template <class Table>
const Table& extension(const char* name) {
  return *static_cast<const Table*>(api.get_extension(name, 1));
}

// Device memory that frees itself.
struct Memory {
  int32_t device;
  size_t bytes;
  void* ptr = nullptr;
  Memory(int32_t device, size_t bytes) : device(device), bytes(bytes) {
    CHECK_EQ(api.malloc(device, bytes, &ptr), FL_OK);
  }
  ~Memory() { CHECK_EQ(api.free(device, ptr), FL_OK); }
  Memory(const Memory&) = delete;
};

struct Pinned {
  void* ptr = nullptr;
  explicit Pinned(size_t bytes) { CHECK_EQ(api.host_malloc(bytes, &ptr), FL_OK); }
  ~Pinned() { CHECK_EQ(api.host_free(ptr), FL_OK); }
  Pinned(const Pinned&) = delete;
};

struct StreamOf {
  int32_t device;
  fl_stream handle = nullptr;
  explicit StreamOf(int32_t device, int32_t priority = 0) : device(device) {
    CHECK_EQ(api.stream_create(device, priority, &handle), FL_OK);
  }
  ~StreamOf() { CHECK_EQ(api.stream_destroy(device, handle), FL_OK); }
  StreamOf(const StreamOf&) = delete;
};

struct EventOf {
  int32_t device;
  fl_event handle = nullptr;
  explicit EventOf(int32_t device = 0, uint32_t want = FL_EVENT_TIMING) : device(device) {
    CHECK_EQ(api.event_create(device, want, &handle), FL_OK);
  }
  ~EventOf() { CHECK_EQ(api.event_destroy(device, handle), FL_OK); }
  EventOf(const EventOf&) = delete;
};

// Holds a stream until it is opened: a stream that is busy for certain.
class Gate {
 public:
  Gate(int32_t device, fl_stream stream) {
    CHECK_EQ(api.host_callback(device, stream, [](void* self) { static_cast<Gate*>(self)->wait(); }, this), FL_OK);
  }
  ~Gate() {
    open();
    while (!passed_.load()) std::this_thread::yield();
  }
  void open() { open_.store(true); }

 private:
  void wait() {
    while (!open_.load()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    passed_.store(true);
  }
  std::atomic<bool> open_{false};
  std::atomic<bool> passed_{false};
};

fl_status h2d(const Memory& to, const void* from, size_t bytes) {
  return api.memcpy_sync(to.ptr, to.bytes, to.device, from, bytes, -1, bytes, FL_H2D);
}
fl_status d2h(void* to, const Memory& from, size_t bytes) {
  return api.memcpy_sync(to, bytes, -1, from.ptr, from.bytes, from.device, bytes, FL_D2H);
}
fl_status fill(const Memory& memory, int value, fl_stream stream) {
  return api.memset_async(memory.ptr, memory.bytes, memory.device, value, memory.bytes, stream);
}
fl_status d2d(const Memory& to, const Memory& from, fl_stream stream) {
  return api.memcpy_async(to.ptr, to.bytes, to.device, from.ptr, from.bytes, from.device, from.bytes, FL_D2D, stream);
}

template <class T>
T first(const Memory& memory) {
  T value{};
  CHECK_EQ(d2h(&value, memory, sizeof(value)), FL_OK);
  return value;
}

fl_stream default_stream(int32_t device = 0) {
  fl_stream stream = nullptr;
  CHECK_EQ(extension<fl_ext_key_runtime>("key_runtime").adopt_stream(device, nullptr, &stream), FL_OK);
  return stream;
}

// ------------------------------------------------------------------------------------------------------------ life

TEST(another_abi_major_is_refused) {
  fl_vendor_api other{};
  other.struct_size = sizeof(other);
  other.abi_major = FL_ABI_MAJOR + 1;
  CHECK_EQ(vendor_init(&core_api, &other), FL_ABI_MISMATCH);
  CHECK_EQ(other.abi_major, FL_ABI_MAJOR);
  CHECK(other.init == nullptr);
}

TEST(an_older_core_gets_what_it_has_room_for) {
  fl_vendor_api older{};
  older.struct_size = offsetof(fl_vendor_api, get_extension);
  older.abi_major = FL_ABI_MAJOR;
  CHECK_EQ(vendor_init(&core_api, &older), FL_OK);
  CHECK(older.device_count == api.device_count);
  CHECK(older.get_extension == nullptr);
}

TEST(table) {
  CHECK_EQ(api.struct_size, sizeof(fl_vendor_api));
  CHECK(std::strcmp(api.name, "dcu") == 0);
  CHECK(std::strncmp(api.version, TORCH_FL_VERSION, std::strlen(TORCH_FL_VERSION)) == 0);
  CHECK(api.row_count > 100u);
  // A PyTorch for HIP keeps its own current device and thread state.
  CHECK(api.set_device == nullptr && api.thread_attach == nullptr && api.shutdown == nullptr);
  const auto* slot = reinterpret_cast<const uintptr_t*>(&api.device_synchronize);
  const auto* end = reinterpret_cast<const uintptr_t*>(&api.rows);
  for (; slot != end; ++slot) CHECK(*slot != 0);
  for (const char* name : {"module", "host_register", "ipc", "capture", "key_runtime"}) {
    CHECK(api.get_extension(name, 1) != nullptr);
    CHECK(api.get_extension(name, 2) == nullptr);
  }
  for (const char* name : {"host_access", "profiler", "collectives"}) CHECK(api.get_extension(name, 1) == nullptr);
  CHECK_EQ(api.init(), FL_OK);  // again is no mistake
}

// --------------------------------------------------------------------------------------------------------- devices

TEST(devices_are_described) {
  for (int32_t device = 0; device < device_count(); device++) {
    fl_device_properties properties{};
    properties.struct_size = sizeof(properties);
    CHECK_EQ(api.device_get_properties(device, &properties), FL_OK);
    CHECK(properties.name[0] != 0);
    const bool nvidia = std::strncmp(properties.architecture, "sm_", 3) == 0;
    CHECK(nvidia || std::strncmp(properties.architecture, "gfx", 3) == 0);
    CHECK(properties.total_memory > 0 && properties.multiprocessors > 0);
    CHECK_EQ(properties.warp_size, nvidia ? 32 : 64);
    CHECK_EQ(properties.struct_size, sizeof(properties));
    CHECK_EQ(properties.supported_dtypes, FL_MASK_ANY);
    if (on_standin()) {
      CHECK(std::strcmp(properties.architecture, "gfx936") == 0);
      CHECK_EQ(properties.total_memory, 64u << 20);
    }
    fl_device_map map{};
    map.struct_size = sizeof(map);
    CHECK_EQ(api.device_get_map(device, &map), FL_OK);
    CHECK_EQ(map.card, device);
    CHECK_EQ(map.partition, -1);
    const uint8_t none[16] = {};
    CHECK(std::memcmp(map.uuid, none, sizeof(none)) != 0);
  }
  fl_device_properties shorter{};
  shorter.struct_size = offsetof(fl_device_properties, total_memory);
  CHECK_EQ(api.device_get_properties(0, &shorter), FL_OK);
  CHECK(shorter.name[0] != 0 && shorter.total_memory == 0);
}

TEST(wrong_devices) {
  const int32_t count = device_count();
  void* ptr = nullptr;
  CHECK_EQ(api.malloc(count, 64, &ptr), FL_INVALID_DEVICE);
  CHECK(said("HIP_VISIBLE_DEVICES"));
  CHECK_EQ(api.device_synchronize(-1), FL_INVALID_DEVICE);
  int32_t can = 7;
  CHECK_EQ(api.can_access_peer(0, count, &can), FL_INVALID_DEVICE);
  CHECK_EQ(api.can_access_peer(0, 0, &can), FL_OK);
  CHECK_EQ(can, 0);
  CHECK_EQ(api.enable_peer_access(0, 0), FL_INVALID_VALUE);
}

// ---------------------------------------------------------------------------------------------------------- memory

TEST(memory_is_counted_and_bounded) {
  uint64_t before = 0, after = 0, total = 0;
  CHECK_EQ(api.mem_info(0, &before, &total), FL_OK);
  constexpr size_t kBytes = 32 << 20;
  {
    Memory memory(0, kBytes);
    CHECK_EQ(reinterpret_cast<uintptr_t>(memory.ptr) % 256, 0u);
    CHECK_EQ(api.mem_info(0, &after, &total), FL_OK);
    CHECK(before - after >= kBytes);
    void* more = nullptr;
    CHECK_EQ(api.malloc(0, total, &more), FL_OOM);
    CHECK(said("hipMalloc: ") && said_by_hip("hipMalloc: hipErrorOutOfMemory: out of memory"));
    CHECK_EQ(error_code, 2);
  }
  CHECK_EQ(api.mem_info(0, &after, &total), FL_OK);
  if (on_standin()) CHECK_EQ(before, after);
  CHECK_EQ(api.free(0, nullptr), FL_OK);
  void* nothing = &before;
  CHECK_EQ(api.malloc(0, 0, &nothing), FL_OK);
  CHECK(nothing == nullptr);
  CHECK_EQ(api.host_malloc(0, &nothing), FL_OK);
  CHECK_EQ(api.host_free(nothing), FL_OK);
}

TEST(copies_in_every_direction) {
  std::vector<int> source(5000), result(5000);
  for (int i = 0; i < 5000; ++i) source[static_cast<size_t>(i)] = i;
  const size_t bytes = source.size() * sizeof(int);
  Memory a(0, bytes), b(0, bytes);
  StreamOf stream(0);
  CHECK_EQ(api.memcpy_async(a.ptr, bytes, 0, source.data(), bytes, -1, bytes, FL_H2D, stream.handle), FL_OK);
  CHECK_EQ(d2d(b, a, stream.handle), FL_OK);
  CHECK_EQ(api.memcpy_async(result.data(), bytes, -1, b.ptr, bytes, 0, bytes, FL_D2H, stream.handle), FL_OK);
  CHECK(source == result);  // pageable: there when the call returns
  CHECK_EQ(fill(a, 1, stream.handle), FL_OK);
  CHECK_EQ(first<int>(a), 0x01010101);
  CHECK_EQ(api.memset_sync(a.ptr, bytes, 0, 2, bytes), FL_OK);
  CHECK_EQ(first<int>(a), 0x02020202);
  CHECK_EQ(api.memcpy_sync(b.ptr, bytes, 0, a.ptr, bytes, 0, bytes, FL_D2D), FL_OK);
  CHECK_EQ(first<int>(b), 0x02020202);
  CHECK_EQ(api.memcpy_async(nullptr, 0, 0, nullptr, 0, 0, 0, FL_D2D, stream.handle), FL_OK);
  CHECK_EQ(api.memset_async(nullptr, 0, 0, 0, 0, stream.handle), FL_OK);
}

// Stands before whatever lets devices reach each other's.
TEST(memory_of_another_device_is_out_of_reach) {
  if (!on_standin() || device_count() < 2) return;
  std::vector<char> host(64);
  Memory elsewhere(1, 64);
  CHECK_EQ(api.memset_sync(elsewhere.ptr, 64, 0, 0, 64), FL_INVALID_VALUE);
  CHECK(said("hipMemsetAsync: hipErrorInvalidValue: invalid argument"));
  CHECK_EQ(api.memcpy_sync(elsewhere.ptr, 64, 0, host.data(), 64, -1, 64, FL_H2D), FL_INVALID_VALUE);
  CHECK_EQ(api.memcpy_sync(host.data(), 64, -1, elsewhere.ptr, 64, 0, 64, FL_D2H), FL_INVALID_VALUE);
  CHECK_EQ(api.free(0, elsewhere.ptr), FL_INVALID_VALUE);
}

TEST(copies_between_devices) {
  if (device_count() < 2) return;
  int32_t can = 0;
  CHECK_EQ(api.can_access_peer(0, 1, &can), FL_OK);
  Memory a(0, 1 << 20), b(1, 1 << 20);
  StreamOf on_source(0), on_target(1);
  // Without access, then with it.
  for (int value = 1; value <= 2; value++) {
    CHECK_EQ(fill(a, value, on_source.handle), FL_OK);
    CHECK_EQ(d2d(b, a, on_source.handle), FL_OK);
    CHECK_EQ(api.stream_synchronize(0, on_source.handle), FL_OK);
    CHECK_EQ(first<char>(b), value);
    CHECK_EQ(fill(b, value + 8, on_target.handle), FL_OK);
    CHECK_EQ(api.stream_synchronize(1, on_target.handle), FL_OK);
    CHECK_EQ(api.device_synchronize(0), FL_OK);
    CHECK_EQ(api.memset_sync(a.ptr, a.bytes, 0, value + 24, a.bytes), FL_OK);
    CHECK_EQ(d2d(b, a, on_target.handle), FL_OK);
    CHECK_EQ(api.stream_synchronize(1, on_target.handle), FL_OK);
    CHECK_EQ(first<char>(b), value + 24);
    CHECK_EQ(api.memcpy_sync(a.ptr, a.bytes, 0, b.ptr, b.bytes, 1, a.bytes, FL_D2D), FL_OK);
    CHECK_EQ(first<char>(a), value + 24);
    if (can == 0) break;
    CHECK_EQ(api.enable_peer_access(0, 1), FL_OK);
    CHECK_EQ(api.enable_peer_access(1, 0), FL_OK);
    CHECK_EQ(api.enable_peer_access(1, 0), FL_OK);  // again is no mistake
  }
}

TEST(a_copy_between_devices_on_their_default_streams_is_ordered_on_both) {
  if (device_count() < 2) return;
  Memory a(0, 4096), b(1, 4096);
  for (const bool forth : {true, false}) {
    const Memory &from = forth ? a : b, &to = forth ? b : a;
    CHECK_EQ(api.memset_sync(from.ptr, 4096, from.device, 0, 4096), FL_OK);
    CHECK_EQ(api.memset_sync(to.ptr, 4096, to.device, 0, 4096), FL_OK);
    {
      Gate before(from.device, default_stream(from.device)), behind(to.device, default_stream(to.device));
      CHECK_EQ(fill(from, 3, default_stream(from.device)), FL_OK);
      CHECK_EQ(fill(to, 9, default_stream(to.device)), FL_OK);
      CHECK_EQ(d2d(to, from, default_stream()), FL_OK);
      CHECK_EQ(api.stream_query(from.device, default_stream(from.device)), FL_NOT_READY);
      before.open();
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      CHECK_EQ(api.stream_query(to.device, default_stream(to.device)), FL_NOT_READY);
    }
    CHECK_EQ(api.stream_synchronize(to.device, default_stream(to.device)), FL_OK);
    CHECK_EQ(first<char>(to), 3);
  }
}

TEST(capacities) {
  Memory a(0, 64);
  std::vector<char> host(128);
  CHECK_EQ(api.memcpy_sync(a.ptr, 64, 0, host.data(), 128, -1, 65, FL_H2D), FL_INVALID_VALUE);
  CHECK(said("a copy of 65 bytes from 128 into 64"));
  CHECK_EQ(api.memcpy_async(host.data(), 128, -1, a.ptr, 64, 0, 128, FL_D2H, default_stream()), FL_INVALID_VALUE);
  CHECK_EQ(api.memset_sync(a.ptr, 64, 0, 0, 65), FL_INVALID_VALUE);
  CHECK_EQ(api.memset_async(a.ptr, 64, 0, 0, 65, default_stream()), FL_INVALID_VALUE);
}

TEST(wrong_pointers) {
  if (!on_standin()) return;
  Memory a(0, 4096);
  std::vector<char> host(4096);
  CHECK_EQ(api.free(0, host.data()), FL_INVALID_VALUE);
  CHECK(said("hipFree: hipErrorInvalidValue: invalid argument"));
  CHECK_EQ(api.host_free(host.data()), FL_INVALID_VALUE);
  CHECK_EQ(api.memset_sync(host.data(), 64, 0, 0, 64), FL_INVALID_VALUE);
  CHECK_EQ(api.memcpy_sync(host.data(), 64, 0, host.data(), 64, -1, 64, FL_H2D), FL_INVALID_VALUE);
  CHECK_EQ(api.memcpy_sync(a.ptr, 64, -1, a.ptr, 64, 0, 64, FL_D2H), FL_INVALID_VALUE);
  CHECK_EQ(api.memcpy_sync(a.ptr, 64, 0, nullptr, 64, -1, 64, FL_H2D), FL_INVALID_VALUE);
  CHECK_EQ(api.memcpy_sync(a.ptr, 8192, 0, host.data(), 8192, -1, 8192, FL_H2D), FL_INVALID_VALUE);
  CHECK_EQ(api.host_free(a.ptr), FL_INVALID_VALUE);
  fl_stream gone = nullptr;
  CHECK_EQ(api.stream_create(0, 0, &gone), FL_OK);
  CHECK_EQ(api.stream_destroy(0, gone), FL_OK);
  CHECK_EQ(api.stream_query(0, gone), FL_INVALID_VALUE);
}

TEST(pageable_memory_is_the_callers_again_at_once) {
  Memory memory(0, 64);
  StreamOf stream(0);
  std::vector<int> source(16, 7);
  Gate gate(0, stream.handle);
  std::thread opener([&] {  // HIP may wait for the stream
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.open();
  });
  CHECK_EQ(api.memcpy_async(memory.ptr, 64, 0, source.data(), 64, -1, 64, FL_H2D, stream.handle), FL_OK);
  std::fill(source.begin(), source.end(), 9);
  opener.join();
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(first<int>(memory), 7);
}

TEST(pinned_memory_is_copied_later) {
  Memory memory(0, 4096);
  StreamOf stream(0);
  Pinned made(4096);
  int* pinned = static_cast<int*>(made.ptr);
  *pinned = 1;
  {
    Gate gate(0, stream.handle);
    CHECK_EQ(api.memcpy_async(memory.ptr, 4096, 0, pinned, 4096, -1, 4, FL_H2D, stream.handle), FL_OK);
    CHECK_EQ(api.stream_query(0, stream.handle), FL_NOT_READY);
    *pinned = 2;
  }
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(first<int>(memory), 2);
}

TEST(host_memory_can_be_registered) {
  const auto& table = extension<fl_ext_host_register>("host_register");
  void* pages = std::aligned_alloc(4096, 8192);
  int* mine = static_cast<int*>(pages);
  mine[0] = 5;
  CHECK_EQ(table.pin(mine, 8192), FL_OK);
  CHECK_EQ(table.pin(mine, 4096), FL_INVALID_VALUE);
  CHECK(said_by_hip("AlreadyRegistered"));
  Memory memory(0, 4096);
  StreamOf stream(0);
  {
    Gate gate(0, stream.handle);
    CHECK_EQ(api.memcpy_async(memory.ptr, 4096, 0, mine, 4096, -1, 4096, FL_H2D, stream.handle), FL_OK);
    mine[0] = 6;
  }
  CHECK_EQ(first<int>(memory), 6);
  CHECK_EQ(table.unpin(mine), FL_OK);
  CHECK_EQ(table.unpin(mine), FL_INVALID_VALUE);
  std::free(pages);
}

TEST(synchronous_copies_come_after_all_streams) {
  Memory a(0, 4096);
  StreamOf one(0), two(0);
  CHECK_EQ(api.memset_sync(a.ptr, 4096, 0, 0, 4096), FL_OK);
  Gate gate(0, two.handle);
  CHECK_EQ(fill(a, 3, two.handle), FL_OK);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.open();
  });
  CHECK_EQ(first<int>(a), 0x03030303);
  opener.join();
}

TEST(memory_of_another_process) {
  const auto& ipc = extension<fl_ext_ipc>("ipc");
  CHECK_EQ(ipc.handle_bytes, 64u);
  Memory memory(0, 4096);
  char handle[64] = {};
  // The stand-in has no other process to open one.
  const fl_status told = on_standin() ? FL_UNSUPPORTED : FL_OK;
  CHECK_EQ(ipc.memory_export(0, memory.ptr, handle), told);
  EventOf shared(0, FL_EVENT_IPC);
  CHECK_EQ(ipc.event_export(0, shared.handle, handle), told);
  fl_event event = nullptr;
  CHECK_EQ(api.event_create(0, FL_EVENT_IPC | FL_EVENT_TIMING, &event), FL_UNSUPPORTED);
}

// --------------------------------------------------------------------------------------------------------- streams

TEST(streams) {
  int32_t highest = -1;
  CHECK_EQ(api.stream_priority_range(0, &highest), FL_OK);
  CHECK(highest >= 1);
  fl_stream other = nullptr;
  CHECK_EQ(api.stream_create(0, highest + 1, &other), FL_INVALID_VALUE);
  CHECK_EQ(api.stream_create(0, -1, &other), FL_INVALID_VALUE);
  StreamOf urgent(0, highest), normal(0);
  for (const fl_stream stream : {urgent.handle, normal.handle}) {
    void* native = nullptr;
    CHECK_EQ(api.stream_native_handle(0, stream, &native), FL_OK);
    CHECK(native == stream);
    CHECK_EQ(api.stream_query(0, stream), FL_OK);
  }
}

TEST(the_default_stream_is_adopted) {
  const auto& table = extension<fl_ext_key_runtime>("key_runtime");
  for (int32_t device = 0; device < device_count(); device++) {
    const fl_stream stream = default_stream(device);
    CHECK(stream != nullptr && stream == default_stream(device));
    void* native = &native;
    CHECK_EQ(api.stream_native_handle(device, stream, &native), FL_OK);
    CHECK(native == nullptr);
    Memory memory(device, 4096);
    {
      Gate gate(device, stream);
      CHECK_EQ(fill(memory, 5, stream), FL_OK);
      CHECK_EQ(api.stream_query(device, stream), FL_NOT_READY);
      if (device > 0) CHECK_EQ(api.stream_query(0, default_stream(0)), FL_OK);  // the handle is the same
    }
    CHECK_EQ(api.stream_synchronize(device, stream), FL_OK);
    CHECK_EQ(first<char>(memory), 5);
    // A stream that another user of HIP made; the vendor's own are known by the same handle.
    const StreamOf theirs(device);
    fl_stream adopted = nullptr;
    CHECK_EQ(table.adopt_stream(device, theirs.handle, &adopted), FL_OK);
    CHECK(adopted == theirs.handle);
  }
}

TEST(a_busy_stream_queues_and_destroying_it_finishes_the_work) {
  Memory memory(0, 4096);
  CHECK_EQ(api.memset_sync(memory.ptr, 4096, 0, 0, 4096), FL_OK);
  fl_stream stream = nullptr;
  CHECK_EQ(api.stream_create(0, 0, &stream), FL_OK);
  {
    Gate gate(0, stream);
    CHECK_EQ(fill(memory, 1, stream), FL_OK);
    CHECK_EQ(api.stream_query(0, stream), FL_NOT_READY);
  }
  CHECK_EQ(api.stream_destroy(0, stream), FL_OK);
  CHECK_EQ(first<int>(memory), 0x01010101);
}

TEST(host_callbacks_run_in_order) {
  StreamOf stream(0);
  struct Record {
    std::vector<int> seen;
    int next = 0;
  } record;
  {
    Gate gate(0, stream.handle);
    const auto note = [](void* user) {
      auto* r = static_cast<Record*>(user);
      r->seen.push_back(r->next++);
    };
    for (int i = 0; i < 100; ++i) CHECK_EQ(api.host_callback(0, stream.handle, note, &record), FL_OK);
    CHECK(record.seen.empty());
  }
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(record.seen.size(), 100u);
}

// ---------------------------------------------------------------------------------------------------------- events

TEST(events) {
  StreamOf stream(0);
  EventOf start, end, untimed(0, 0), blocking(0, FL_EVENT_BLOCKING);
  double ms = 0;
  CHECK_EQ(api.event_query(0, start.handle), FL_OK);
  CHECK_EQ(api.event_synchronize(0, start.handle), FL_OK);
  CHECK_EQ(api.stream_wait_event(0, stream.handle, start.handle), FL_OK);
  CHECK_EQ(api.event_elapsed(0, start.handle, end.handle, &ms), FL_INVALID_VALUE);
  CHECK(said("never recorded"));
  CHECK_EQ(api.event_record(0, start.handle, stream.handle), FL_OK);
  CHECK_EQ(api.event_synchronize(0, start.handle), FL_OK);
  {
    Gate gate(0, stream.handle);
    CHECK_EQ(api.event_record(0, end.handle, stream.handle), FL_OK);
    CHECK_EQ(api.event_query(0, end.handle), FL_NOT_READY);
    CHECK_EQ(api.event_elapsed(0, start.handle, end.handle, &ms), FL_INVALID_VALUE);
    CHECK(said("synchronize it first"));
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  CHECK_EQ(api.event_synchronize(0, end.handle), FL_OK);
  CHECK_EQ(api.event_elapsed(0, start.handle, end.handle, &ms), FL_OK);
  CHECK(ms >= 2.9 && ms < 20000);
  for (const fl_event event : {untimed.handle, blocking.handle}) {
    CHECK_EQ(api.event_record(0, event, stream.handle), FL_OK);
    CHECK_EQ(api.event_synchronize(0, event), FL_OK);
    CHECK_EQ(api.event_elapsed(0, start.handle, event, &ms), FL_INVALID_VALUE);
    CHECK(said("without enable_timing"));
  }
  if (device_count() < 2) return;
  StreamOf elsewhere(1);
  CHECK_EQ(api.event_record(1, start.handle, elsewhere.handle), FL_INVALID_VALUE);
}

TEST(a_stream_waits_for_another) {
  const int32_t other = device_count() - 1;
  Memory memory(0, 4096), copy(other, 4096);
  StreamOf producer(0), consumer(other);
  CHECK_EQ(api.memset_sync(memory.ptr, 4096, 0, 0, 4096), FL_OK);
  {
    Gate gate(0, producer.handle);
    CHECK_EQ(fill(memory, 4, producer.handle), FL_OK);
    EventOf ready(0, 0);
    CHECK_EQ(api.event_record(0, ready.handle, producer.handle), FL_OK);
    CHECK_EQ(api.stream_wait_event(other, consumer.handle, ready.handle), FL_OK);
    CHECK_EQ(d2d(copy, memory, consumer.handle), FL_OK);
    CHECK_EQ(api.stream_query(other, consumer.handle), FL_NOT_READY);
    // The event is destroyed here, while it is pending and waited for.
  }
  CHECK_EQ(api.device_synchronize(other), FL_OK);
  CHECK_EQ(first<int>(copy), 0x04040404);
}

TEST(an_event_recorded_again_is_the_later_point) {
  StreamOf busy(0), idle(0);
  EventOf event;
  Gate gate(0, busy.handle);
  CHECK_EQ(api.event_record(0, event.handle, busy.handle), FL_OK);
  CHECK_EQ(api.event_query(0, event.handle), FL_NOT_READY);
  CHECK_EQ(api.event_record(0, event.handle, idle.handle), FL_OK);
  CHECK_EQ(api.event_synchronize(0, event.handle), FL_OK);
  CHECK_EQ(api.event_query(0, event.handle), FL_OK);
  CHECK_EQ(api.event_record(0, event.handle, busy.handle), FL_OK);
  CHECK_EQ(api.event_query(0, event.handle), FL_NOT_READY);
}

TEST(many_threads) {
  Memory memory(0, 4096);
  StreamOf stream(0), other(device_count() - 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      EventOf event;
      for (int i = 0; i < 200; ++i) {
        CHECK_EQ(fill(memory, i, stream.handle), FL_OK);
        CHECK_EQ(api.event_record(0, event.handle, stream.handle), FL_OK);
        CHECK_EQ(api.stream_wait_event(other.device, other.handle, event.handle), FL_OK);
        if (i % 50 == 0) CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(api.device_synchronize(other.device), FL_OK);
  CHECK_EQ(first<unsigned char>(memory), 199);
}

// ---------------------------------------------------------------------------------------------------------- module

const fl_ext_module& modules() { return extension<fl_ext_module>("module"); }

struct ModuleOf {
  void* handle = nullptr;
  ModuleOf() {
    std::ifstream file(module_path, std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(!image.empty());
    CHECK_EQ(modules().load(0, image.data(), image.size(), &handle), FL_OK);
  }
  ~ModuleOf() { CHECK_EQ(modules().unload(0, handle), FL_OK); }
  ModuleOf(const ModuleOf&) = delete;
};

// Triton's kernels take two more pointers, to memory that they ask for; this one asks for none.
fl_status scale(void* function, fl_stream stream, void* data, float factor, int count, uint32_t shared = 0) {
  void* none = nullptr;
  const void* args[] = {&data, &factor, &count, &none, &none};
  const size_t sizes[] = {sizeof(data), sizeof(factor), sizeof(count), sizeof(none), sizeof(none)};
  fl_launch launch{};
  launch.struct_size = sizeof(launch);
  launch.grid[0] = (static_cast<uint32_t>(count) + 127) / 128;
  launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
  launch.block[0] = 128;
  launch.shared_bytes = shared;
  launch.arg_count = 5;
  launch.args = args;
  launch.arg_sizes = sizes;
  return modules().launch(0, function, &launch, stream);
}

TEST(modules_launch_kernels) {
  const ModuleOf module;
  void *missing = nullptr, *function = nullptr;
  CHECK_EQ(modules().get_function(0, module.handle, "nothing", &missing), FL_INVALID_VALUE);
  CHECK(said_by_hip("hipErrorNotFound"));
  CHECK_EQ(modules().load(0, "not an image", 13, &missing), FL_INVALID_VALUE);
  CHECK_EQ(modules().get_function(0, module.handle, "scale", &function), FL_OK);
  if (function == nullptr) return;
  std::vector<float> values(1000, 2.0f), result(1000);
  Memory memory(0, 4000);
  StreamOf stream(0);
  CHECK_EQ(h2d(memory, values.data(), 4000), FL_OK);
  {
    Gate gate(0, stream.handle);
    CHECK_EQ(scale(function, stream.handle, memory.ptr, 3.0f, 999), FL_OK);  // its arguments are gone when it runs
  }
  CHECK_EQ(scale(function, stream.handle, memory.ptr, 1.0f, 999, 32 << 10), FL_OK);
  CHECK_EQ(scale(function, stream.handle, memory.ptr, 1.0f, 999, 1 << 20), FL_INVALID_VALUE);
  CHECK_EQ(scale(function, stream.handle, memory.ptr, 1.0f, 999, 60 << 10), FL_OK);
  CHECK_EQ(scale(function, default_stream(), memory.ptr, 1.0f, 999), FL_OK);
  // On a thread that has called nothing yet.
  std::thread([&] { CHECK_EQ(scale(function, stream.handle, memory.ptr, 1.0f, 999), FL_OK); }).join();
  CHECK_EQ(d2h(result.data(), memory, 4000), FL_OK);
  CHECK(result[0] == 6.0f);
  CHECK(result[998] == 6.0f);
  CHECK(result[999] == 2.0f);
}

// --------------------------------------------------------------------------------------------------------- capture

TEST(a_captured_graph_is_replayed) {
  const auto& capture = extension<fl_ext_capture>("capture");
  Memory a(0, 4096), b(0, 4096);
  StreamOf stream(0);
  int32_t capturing = -1;
  void* graph = nullptr;
  CHECK_EQ(api.memset_sync(a.ptr, 4096, 0, 1, 4096), FL_OK);
  CHECK_EQ(api.memset_sync(b.ptr, 4096, 0, 0, 4096), FL_OK);
  CHECK_EQ(capture.is_capturing(0, stream.handle, &capturing), FL_OK);
  CHECK_EQ(capturing, 0);
  CHECK_EQ(capture.begin(0, stream.handle), FL_OK);
  CHECK_EQ(capture.is_capturing(0, stream.handle, &capturing), FL_OK);
  CHECK_EQ(capturing, 1);
  CHECK_EQ(d2d(b, a, stream.handle), FL_OK);
  CHECK_EQ(fill(a, 7, stream.handle), FL_OK);
  CHECK_EQ(capture.end(0, stream.handle, &graph), FL_OK);
  CHECK_EQ(first<char>(b), 0);  // nothing ran
  CHECK_EQ(capture.replay(0, graph, stream.handle), FL_OK);
  CHECK_EQ(first<char>(b), 1);
  CHECK_EQ(capture.replay(0, graph, stream.handle), FL_OK);
  CHECK_EQ(first<char>(b), 7);
  CHECK_EQ(capture.destroy(0, graph), FL_OK);
  CHECK(capture.begin(0, default_stream()) != FL_OK);  // HIP captures no default stream
  CHECK(said_by_hip("hipErrorStreamCaptureUnsupported"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("usage: %s <libtorch_fl_dcu.so> <image> [filter]\n", argv[0]);
    return 2;
  }
  setenv("HIP_STANDIN_MEMORY", "64", 1);
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  vendor_init = reinterpret_cast<fl_vendor_init_fn>(dlsym(library, FL_VENDOR_INIT_SYMBOL));
  api.struct_size = sizeof(api);
  api.abi_major = FL_ABI_MAJOR;
  api.abi_minor = FL_ABI_MINOR;
  if (vendor_init == nullptr || vendor_init(&core_api, &api) != FL_OK) {
    std::printf("fl_vendor_init is missing or refuses\n");
    return 2;
  }
  if (std::strcmp(argv[2], "--refused") == 0) {
    CHECK_EQ(api.init(), FL_NO_DEVICE);
    CHECK(argc > 3 && said(argv[3]));
    CHECK_EQ(api.init(), FL_NO_DEVICE);  // and again
    std::printf("%s\n%d failed checks\n", error_text.c_str(), failures().load());
    return failures() == 0 ? 0 : 1;
  }
  module_path = argv[2];
  CHECK_EQ(api.init(), FL_OK);
  if (failures() != 0) {
    std::printf("init() failed: %s\n", error_text.c_str());
    return 2;
  }
  return run_tests(argc > 3 ? argv[3] : nullptr);
}
