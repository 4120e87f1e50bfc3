// Drives libtorch_fl_sim.so as core does: dlopen, fl_vendor_init, then the table of vendor.h.
//   sim_test <libtorch_fl_sim.so> <sim_test_module.so> [filter]
// Run it once as it is, once with FLAGOS_SIM_ASYNC=1 and once with FLAGOS_SIM_PROTECT=1.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "check.h"
#include "torch_fl/vendor.h"
#include "torch_fl/version.h"

namespace {

fl_vendor_init_fn vendor_init = nullptr;
fl_vendor_api api{};
std::string module_path;
thread_local std::string error_text;  // of the last call on this thread

fl_core_api make_core() {
  fl_core_api core{};
  core.struct_size = sizeof(core);
  core.abi_major = FL_ABI_MAJOR;
  core.abi_minor = FL_ABI_MINOR;
  core.set_error = [](int64_t, const char* text) { error_text = text; };
  core.log = [](int32_t, const char* text) { std::printf("log: %s\n", text); };
  return core;
}
const fl_core_api core_api = make_core();

bool said(const char* words) {
  if (error_text.find(words) != std::string::npos) return true;
  std::printf("the error is \"%s\"\n", error_text.c_str());
  return false;
}

bool flag(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, "1") == 0;
}
bool protect() { return flag("FLAGOS_SIM_PROTECT"); }

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

struct StreamOf {
  int32_t device;
  fl_stream handle = nullptr;
  explicit StreamOf(int32_t device) : device(device) { CHECK_EQ(api.stream_create(device, 0, &handle), FL_OK); }
  ~StreamOf() { CHECK_EQ(api.stream_destroy(device, handle), FL_OK); }
  StreamOf(const StreamOf&) = delete;
};

struct EventOf {
  fl_event handle = nullptr;
  explicit EventOf(uint32_t want = FL_EVENT_TIMING) { CHECK_EQ(api.event_create(0, want, &handle), FL_OK); }
  ~EventOf() { CHECK_EQ(api.event_destroy(0, handle), FL_OK); }
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

template <class T>
T first(const Memory& memory) {
  T value{};
  CHECK_EQ(d2h(&value, memory, sizeof(value)), FL_OK);
  return value;
}

const fl_ext_module& modules() { return *static_cast<const fl_ext_module*>(api.get_extension("module", 1)); }

struct ModuleOf {
  void* handle = nullptr;
  ModuleOf() {
    std::ifstream file(module_path, std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(!image.empty());
    CHECK_EQ(modules().load(0, image.data(), image.size(), &handle), FL_OK);
  }
  void* function(const char* name) {
    void* found = nullptr;
    CHECK_EQ(modules().get_function(0, handle, name, &found), FL_OK);
    return found;
  }
  void unload() {
    CHECK_EQ(modules().unload(0, handle), FL_OK);
    handle = nullptr;
  }
  ~ModuleOf() {
    if (handle != nullptr) unload();
  }
};

fl_status launch(void* function, fl_stream stream, uint32_t blocks, uint32_t threads, std::vector<const void*> args,
                 std::vector<size_t> sizes) {
  fl_launch l{};
  l.struct_size = sizeof(l);
  l.grid[0] = blocks;
  l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
  l.block[0] = threads;
  l.arg_count = static_cast<uint32_t>(args.size());
  l.args = args.data();
  l.arg_sizes = sizes.data();
  return modules().launch(0, function, &l, stream);
}

// Runs `body` in a forked child and returns what waitpid says; a child that hangs is ended by an alarm.
int in_child(const std::function<int()>& body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

#if defined(__SANITIZE_THREAD__)
constexpr bool can_fork = false;  // ThreadSanitizer refuses a fork of a process with threads
#else
constexpr bool can_fork = true;
#endif

// ------------------------------------------------------------------------------------------------------- handshake

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
  CHECK(older.rows == api.rows);
  CHECK(older.get_extension == nullptr);
}

TEST(table_is_complete) {
  CHECK_EQ(api.struct_size, sizeof(fl_vendor_api));
  CHECK(std::strcmp(api.name, "sim") == 0);
  CHECK(std::strstr(api.version, TORCH_FL_VERSION) != nullptr);
  const auto* slot = reinterpret_cast<const uintptr_t*>(&api.init);
  const auto* end = reinterpret_cast<const uintptr_t*>(&api.rows);
  for (; slot != end; ++slot) CHECK(*slot != 0);
  CHECK(api.row_count > 0);
  CHECK_EQ(api.row_size, sizeof(fl_row));
  for (size_t i = 0; i < api.row_count; ++i) {
    const fl_row& row = api.rows[i];
    CHECK_EQ(row.struct_size, sizeof(fl_row));
    CHECK(std::strncmp(row.schema, "aten::", 6) == 0);
    CHECK(row.run != nullptr);
    CHECK(row.release == nullptr || row.prepare != nullptr);
    CHECK(row.spellings != 0);
  }
  CHECK(api.get_extension("module", 1) != nullptr);
  CHECK(api.get_extension("module", 2) == nullptr);
  CHECK(api.get_extension("ipc", 1) == nullptr);
}

// --------------------------------------------------------------------------------------------------------- devices

TEST(devices) {
  int32_t count = 0;
  CHECK_EQ(api.device_count(&count), FL_OK);
  CHECK_EQ(count, 2);
  fl_device_properties properties{};
  properties.struct_size = sizeof(properties);
  CHECK_EQ(api.device_get_properties(1, &properties), FL_OK);
  CHECK(std::strcmp(properties.architecture, "sim") == 0);
  CHECK_EQ(properties.total_memory, 64u << 20);
  CHECK_EQ(properties.struct_size, sizeof(properties));
  fl_device_map a{}, b{};
  a.struct_size = b.struct_size = sizeof(a);
  CHECK_EQ(api.device_get_map(0, &a), FL_OK);
  CHECK_EQ(api.device_get_map(1, &b), FL_OK);
  CHECK_EQ(a.card, 0);
  CHECK_EQ(b.card, 1);
  CHECK_EQ(b.partition, -1);
  CHECK(std::memcmp(a.uuid, b.uuid, sizeof(a.uuid)) != 0);
  int32_t can = 0;
  CHECK_EQ(api.can_access_peer(0, 1, &can), FL_OK);
  CHECK_EQ(can, 1);
  CHECK_EQ(api.enable_peer_access(0, 1), FL_OK);
  CHECK_EQ(api.enable_peer_access(1, 1), FL_INVALID_VALUE);
  CHECK_EQ(api.set_device(2), FL_INVALID_DEVICE);
  CHECK(said("there is no device 2; this process has 2"));
  CHECK_EQ(api.device_synchronize(-1), FL_INVALID_DEVICE);
  CHECK_EQ(api.thread_attach(), FL_OK);
}

// ---------------------------------------------------------------------------------------------------------- memory

TEST(memory_is_counted_and_bounded) {
  uint64_t before = 0, after = 0, total = 0;
  CHECK_EQ(api.mem_info(0, &before, &total), FL_OK);
  {
    Memory memory(0, 1 << 20);
    CHECK_EQ(reinterpret_cast<uintptr_t>(memory.ptr) % 256, 0u);
    CHECK_EQ(api.mem_info(0, &after, &total), FL_OK);
    CHECK_EQ(before - after, 1u << 20);
    void* more = nullptr;
    CHECK_EQ(api.malloc(0, total, &more), FL_OOM);
    CHECK(said("bytes left"));
    CHECK_EQ(api.malloc(0, SIZE_MAX, &more), FL_OOM);
  }
  CHECK_EQ(api.mem_info(0, &after, &total), FL_OK);
  CHECK_EQ(before, after);
  int local = 0;
  CHECK_EQ(api.free(0, &local), FL_INVALID_VALUE);
  CHECK(said("was not allocated on device 0"));
  CHECK_EQ(api.free(0, nullptr), FL_OK);
}

TEST(copies_in_every_direction) {
  std::vector<int> source(5000), result(5000);
  for (int i = 0; i < 5000; ++i) source[static_cast<size_t>(i)] = i;
  const size_t bytes = source.size() * sizeof(int);
  Memory a(0, bytes), b(0, bytes), c(1, bytes);
  StreamOf stream(0);
  CHECK_EQ(api.memcpy_async(a.ptr, bytes, 0, source.data(), bytes, -1, bytes, FL_H2D, stream.handle), FL_OK);
  CHECK_EQ(api.memcpy_async(b.ptr, bytes, 0, a.ptr, bytes, 0, bytes, FL_D2D, stream.handle), FL_OK);
  CHECK_EQ(api.memcpy_async(c.ptr, bytes, 1, b.ptr, bytes, 0, bytes, FL_D2D, stream.handle), FL_OK);
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(d2h(result.data(), c, bytes), FL_OK);
  CHECK(source == result);
  CHECK_EQ(api.memset_async(a.ptr, bytes, 0, 1, bytes, stream.handle), FL_OK);
  CHECK_EQ(first<int>(a), 0x01010101);
  CHECK_EQ(api.memset_sync(a.ptr, bytes, 0, 2, bytes), FL_OK);
  CHECK_EQ(first<int>(a), 0x02020202);
  CHECK_EQ(api.memcpy_async(nullptr, 0, 0, nullptr, 0, 0, 0, FL_D2D, stream.handle), FL_OK);
}

TEST(wrong_pointers_are_told_apart) {
  Memory a(0, 4096), b(1, 4096);
  std::vector<char> host(4096);
  void* pinned = nullptr;
  CHECK_EQ(api.host_malloc(100, &pinned), FL_OK);
  CHECK_EQ(api.memcpy_sync(host.data(), 64, 0, host.data(), 64, -1, 64, FL_H2D), FL_INVALID_VALUE);
  CHECK(said("given as memory of device 0, but is host memory"));
  CHECK_EQ(api.memcpy_sync(pinned, 64, 0, host.data(), 64, -1, 64, FL_H2D), FL_INVALID_VALUE);
  CHECK(said("but is pinned host memory"));
  CHECK_EQ(api.memcpy_sync(a.ptr, 64, -1, a.ptr, 64, 0, 64, FL_D2H), FL_INVALID_VALUE);
  CHECK(said("given as host memory, but belongs to device 0"));
  CHECK_EQ(api.memcpy_sync(b.ptr, 64, 0, host.data(), 64, -1, 64, FL_H2D), FL_INVALID_VALUE);
  CHECK(said("given as memory of device 0, but belongs to device 1"));
  CHECK_EQ(api.memcpy_sync(a.ptr, 64, 0, host.data(), 64, -1, 65, FL_H2D), FL_INVALID_VALUE);
  CHECK(said("the destination has 64 bytes, 65 are asked of it"));
  CHECK_EQ(api.memcpy_sync(a.ptr, 8192, 0, host.data(), 8192, -1, 8192, FL_H2D), FL_INVALID_VALUE);
  CHECK(said("up to the end of its allocation"));
  CHECK_EQ(api.memcpy_sync(a.ptr, 64, 0, host.data(), 64, -1, 64, FL_D2H), FL_INVALID_VALUE);
  CHECK(said("does not fit"));
  CHECK_EQ(api.memcpy_sync(a.ptr, 64, 0, nullptr, 64, -1, 64, FL_H2D), FL_INVALID_VALUE);
  CHECK_EQ(api.memset_sync(host.data(), 64, 0, 0, 64), FL_INVALID_VALUE);
  CHECK_EQ(api.memset_sync(host.data(), 64, -1, 0, 64), FL_INVALID_VALUE);
  CHECK_EQ(api.free(0, pinned), FL_INVALID_VALUE);
  CHECK_EQ(api.host_free(a.ptr), FL_INVALID_VALUE);
  CHECK_EQ(api.host_free(pinned), FL_OK);
  CHECK_EQ(api.host_free(pinned), FL_INVALID_VALUE);
}

TEST(pageable_memory_is_the_callers_again_at_once) {
  Memory memory(0, 4 << 20);
  StreamOf stream(0);
  for (size_t count : {size_t{16}, size_t{800000}}) {
    const size_t bytes = count * sizeof(int);
    std::vector<int> source(count, 7);
    Gate gate(0, stream.handle);
    if (count > 16) gate.open();  // too large to be staged: the call waits
    CHECK_EQ(api.memcpy_async(memory.ptr, bytes, 0, source.data(), bytes, -1, bytes, FL_H2D, stream.handle), FL_OK);
    std::fill(source.begin(), source.end(), 9);
    gate.open();
    CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
    CHECK_EQ(first<int>(memory), 7);
  }
}

TEST(pinned_memory_is_copied_later) {
  Memory memory(0, 4096);
  StreamOf stream(0);
  void* made = nullptr;
  CHECK_EQ(api.host_malloc(4096, &made), FL_OK);
  int* pinned = static_cast<int*>(made);
  *pinned = 1;
  {
    Gate gate(0, stream.handle);
    CHECK_EQ(api.memcpy_async(memory.ptr, 4096, 0, pinned, 4096, -1, 4, FL_H2D, stream.handle), FL_OK);
    CHECK_EQ(api.stream_query(0, stream.handle), FL_NOT_READY);
    *pinned = 2;
  }
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(first<int>(memory), 2);
  CHECK_EQ(api.host_free(made), FL_OK);
}

TEST(host_memory_can_be_registered) {
  const auto* table = static_cast<const fl_ext_host_register*>(api.get_extension("host_register", 1));
  std::vector<int> mine(1024, 5);
  CHECK_EQ(table->pin(mine.data(), 4096), FL_OK);
  CHECK_EQ(table->pin(mine.data() + 1, 16), FL_INVALID_VALUE);
  CHECK(said("already"));
  CHECK_EQ(api.host_free(mine.data()), FL_INVALID_VALUE);
  Memory memory(0, 4096);
  StreamOf stream(0);
  {
    Gate gate(0, stream.handle);
    CHECK_EQ(api.memcpy_async(memory.ptr, 4096, 0, mine.data(), 4096, -1, 4096, FL_H2D, stream.handle), FL_OK);
    mine[0] = 6;
  }
  CHECK_EQ(first<int>(memory), 6);
  CHECK_EQ(table->unpin(mine.data()), FL_OK);
  CHECK_EQ(table->unpin(mine.data()), FL_INVALID_VALUE);
}

TEST(synchronous_copies_come_after_all_streams) {
  Memory a(0, 4096), b(0, 4096);
  StreamOf one(0), two(0);
  CHECK_EQ(api.memset_sync(a.ptr, 4096, 0, 0, 4096), FL_OK);
  Gate gate(0, two.handle);
  CHECK_EQ(api.memset_async(a.ptr, 4096, 0, 3, 4096, two.handle), FL_OK);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.open();
  });
  CHECK_EQ(first<int>(a), 0x03030303);
  opener.join();
}

// --------------------------------------------------------------------------------------------------------- streams

TEST(streams) {
  int32_t highest = -1;
  CHECK_EQ(api.stream_priority_range(0, &highest), FL_OK);
  CHECK_EQ(highest, 1);
  fl_stream urgent = nullptr;
  CHECK_EQ(api.stream_create(0, 1, &urgent), FL_OK);
  fl_stream other = nullptr;
  CHECK_EQ(api.stream_create(0, 2, &other), FL_INVALID_VALUE);
  CHECK_EQ(api.stream_create(0, -1, &other), FL_INVALID_VALUE);
  void* native = nullptr;
  CHECK_EQ(api.stream_native_handle(0, urgent, &native), FL_OK);
  CHECK(native != nullptr);
  CHECK_EQ(api.stream_query(0, urgent), FL_OK);
  CHECK_EQ(api.stream_query(1, urgent), FL_INVALID_VALUE);
  CHECK(said("belongs to device 0"));
  CHECK_EQ(api.stream_query(0, nullptr), FL_INVALID_VALUE);
  CHECK_EQ(api.stream_destroy(0, urgent), FL_OK);
}

TEST(a_busy_stream_queues_and_destroying_it_finishes_the_work) {
  Memory memory(0, 4096);
  CHECK_EQ(api.memset_sync(memory.ptr, 4096, 0, 0, 4096), FL_OK);
  fl_stream stream = nullptr;
  CHECK_EQ(api.stream_create(0, 0, &stream), FL_OK);
  {
    Gate gate(0, stream);
    CHECK_EQ(api.memset_async(memory.ptr, 4096, 0, 1, 4096, stream), FL_OK);
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
    for (int i = 0; i < 100; ++i) {
      CHECK_EQ(api.host_callback(
                   0, stream.handle,
                   [](void* user) {
                     auto* r = static_cast<Record*>(user);
                     r->seen.push_back(r->next++);
                   },
                   &record),
               FL_OK);
    }
    CHECK(record.seen.empty());
  }
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(record.seen.size(), 100u);
}

// ---------------------------------------------------------------------------------------------------------- events

TEST(events) {
  StreamOf stream(0);
  EventOf start, end, untimed(0);
  double ms = 0;
  CHECK_EQ(api.event_query(0, start.handle), FL_OK);
  CHECK_EQ(api.event_synchronize(0, start.handle), FL_OK);
  CHECK_EQ(api.stream_wait_event(0, stream.handle, start.handle), FL_OK);
  CHECK_EQ(api.event_elapsed(0, start.handle, end.handle, &ms), FL_INVALID_VALUE);
  CHECK(said("the start event was never recorded"));
  CHECK_EQ(api.event_record(0, start.handle, stream.handle), FL_OK);
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
  CHECK(ms >= 3 && ms < 20000);
  CHECK_EQ(api.event_elapsed(0, end.handle, start.handle, &ms), FL_OK);
  CHECK(ms <= -3);
  CHECK_EQ(api.event_record(0, untimed.handle, stream.handle), FL_OK);
  CHECK_EQ(api.event_elapsed(0, start.handle, untimed.handle, &ms), FL_INVALID_VALUE);
  CHECK(said("created without timing"));
  fl_event shared = nullptr;
  CHECK_EQ(api.event_create(0, FL_EVENT_IPC, &shared), FL_UNSUPPORTED);
  CHECK_EQ(api.event_record(0, nullptr, stream.handle), FL_INVALID_VALUE);
  StreamOf elsewhere(1);
  CHECK_EQ(api.event_record(1, start.handle, elsewhere.handle), FL_INVALID_VALUE);
}

TEST(a_stream_waits_for_another) {
  Memory memory(0, 4096), copy(1, 4096);
  StreamOf producer(0), consumer(1);
  CHECK_EQ(api.memset_sync(memory.ptr, 4096, 0, 0, 4096), FL_OK);
  {
    Gate gate(0, producer.handle);
    CHECK_EQ(api.memset_async(memory.ptr, 4096, 0, 4, 4096, producer.handle), FL_OK);
    EventOf ready(0);
    CHECK_EQ(api.event_record(0, ready.handle, producer.handle), FL_OK);
    CHECK_EQ(api.stream_wait_event(1, consumer.handle, ready.handle), FL_OK);
    CHECK_EQ(api.memcpy_async(copy.ptr, 4096, 1, memory.ptr, 4096, 0, 4096, FL_D2D, consumer.handle), FL_OK);
    CHECK_EQ(api.stream_query(1, consumer.handle), FL_NOT_READY);
    // The event is destroyed here, while it is pending and waited for.
  }
  CHECK_EQ(api.device_synchronize(1), FL_OK);
  CHECK_EQ(first<int>(copy), 0x04040404);
}

TEST(an_event_recorded_again_is_the_later_point) {
  StreamOf busy(0), idle(0);
  EventOf event;
  Gate gate(0, busy.handle);
  CHECK_EQ(api.event_record(0, event.handle, busy.handle), FL_OK);
  CHECK_EQ(api.event_query(0, event.handle), FL_NOT_READY);
  CHECK_EQ(api.event_record(0, event.handle, idle.handle), FL_OK);
  CHECK_EQ(api.event_query(0, event.handle), FL_OK);
  CHECK_EQ(api.event_record(0, event.handle, busy.handle), FL_OK);
  CHECK_EQ(api.event_query(0, event.handle), FL_NOT_READY);
}

// ---------------------------------------------------------------------------------------------------------- module

TEST(module_launches_with_copied_arguments) {
  ModuleOf module;
  void* missing = nullptr;
  CHECK_EQ(modules().get_function(0, module.handle, "nothing", &missing), FL_INVALID_VALUE);
  CHECK(said("no kernel \"nothing\""));
  CHECK_EQ(modules().load(0, "not an image", 12, &missing), FL_INVALID_VALUE);
  void* scale = module.function("scale");
  CHECK(scale == module.function("scale"));
  std::vector<float> values(1000, 2.0f), result(1000);
  Memory memory(0, 4000);
  StreamOf stream(0);
  CHECK_EQ(h2d(memory, values.data(), 4000), FL_OK);
  {
    Gate gate(0, stream.handle);
    void* data = memory.ptr;
    float factor = 3.0f;
    int64_t count = 999;
    CHECK_EQ(launch(scale, stream.handle, 8, 128, {&data, &factor, &count}, {sizeof(data), 4, 8}), FL_OK);
    factor = 100.0f;
    data = nullptr;
    module.unload();  // the launch that waits keeps the code
  }
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(d2h(result.data(), memory, 4000), FL_OK);
  CHECK(result[0] == 6.0f);
  CHECK(result[998] == 6.0f);
  CHECK(result[999] == 2.0f);
}

TEST(work_of_many_threads_on_one_stream_does_not_overlap) {
  ModuleOf module;
  void* count_up = module.function("count_up");
  Memory memory(0, 64);
  CHECK_EQ(api.memset_sync(memory.ptr, 64, 0, 0, 64), FL_OK);
  StreamOf stream(0), other(0);
  constexpr int kThreads = 4, kTimes = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      EventOf event;
      void* data = memory.ptr;
      for (int i = 0; i < kTimes; ++i) {
        CHECK_EQ(launch(count_up, stream.handle, 1, 1, {&data}, {sizeof(data)}), FL_OK);
        if (i % 50 == t) {
          CHECK_EQ(api.event_record(0, event.handle, stream.handle), FL_OK);
          CHECK_EQ(api.stream_wait_event(0, other.handle, event.handle), FL_OK);
        }
        if (i % 100 == t) CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(first<int64_t>(memory), kThreads * kTimes);
}

// -------------------------------------------------------------------------------------------------------- profiler

TEST(profiler_sees_what_ran) {
  const auto* profiler = static_cast<const fl_ext_profiler*>(api.get_extension("profiler", 1));
  struct Seen {
    std::mutex mutex;
    std::vector<fl_activity> all;
    std::vector<std::string> names;
  } seen;
  const auto callback = [](const fl_activity* activity, void* user) {
    auto* s = static_cast<Seen*>(user);
    std::lock_guard<std::mutex> lock(s->mutex);
    s->all.push_back(*activity);
    s->names.push_back(activity->name);
  };
  ModuleOf module;
  void* count_up = module.function("count_up");
  Memory memory(0, 4096);
  StreamOf stream(0);
  CHECK_EQ(profiler->start(nullptr, nullptr), FL_INVALID_VALUE);
  CHECK_EQ(profiler->start(callback, &seen), FL_OK);
  CHECK_EQ(profiler->start(callback, &seen), FL_INVALID_VALUE);
  void* data = memory.ptr;
  CHECK_EQ(api.memset_async(memory.ptr, 4096, 0, 0, 4096, stream.handle), FL_OK);
  CHECK_EQ(launch(count_up, stream.handle, 1, 1, {&data}, {sizeof(data)}), FL_OK);
  EventOf event;
  CHECK_EQ(api.event_record(0, event.handle, stream.handle), FL_OK);
  CHECK_EQ(api.host_callback(0, stream.handle, [](void*) {}, nullptr), FL_OK);
  CHECK_EQ(profiler->stop(), FL_OK);
  CHECK_EQ(first<int64_t>(memory), 1);
  CHECK_EQ(seen.all.size(), 3u);
  if (seen.all.size() != 3) return;
  CHECK(seen.names[0] == "memset" && seen.names[1] == "count_up" && seen.names[2] == "host callback");
  CHECK_EQ(seen.all[0].kind, 2u);
  CHECK_EQ(seen.all[0].bytes, 4096u);
  CHECK_EQ(seen.all[1].kind, 0u);
  CHECK_EQ(seen.all[2].kind, 3u);
  for (const fl_activity& a : seen.all) {
    CHECK(a.enqueue_ns > 0 && a.enqueue_ns <= a.start_ns && a.start_ns <= a.end_ns);
    CHECK(a.stream == stream.handle);
  }
  CHECK(seen.all[0].correlation != seen.all[1].correlation);
}

// -------------------------------------------------------------------------------------------- hostility and the rest

TEST(device_memory_faults_outside_of_work) {
  if (!protect() || !can_fork) return;
  auto* memory = new Memory(0, 4096);
  const auto* access = static_cast<const fl_ext_host_access*>(api.get_extension("host_access", 1));
  CHECK_EQ(api.memset_sync(memory->ptr, 4096, 0, 5, 4096), FL_OK);
  volatile char* at = static_cast<volatile char*>(memory->ptr);
  int status = in_child([&] { return *at; });
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  StreamOf stream(0);
  CHECK_EQ(access->begin(0, stream.handle), FL_OK);
  CHECK_EQ(access->begin(0, stream.handle), FL_OK);
  CHECK_EQ(access->end(0, stream.handle), FL_OK);
  CHECK_EQ(*at, 5);
  Memory fresh(0, 4096);  // made while the device is open
  CHECK_EQ(*static_cast<volatile char*>(fresh.ptr), 0);
  CHECK_EQ(access->end(0, stream.handle), FL_OK);
  status = in_child([&] { return *at; });
  CHECK(WIFSIGNALED(status));
  delete memory;
  status = in_child([&] { return *at; });  // and freed memory faults for ever
  CHECK(WIFSIGNALED(status));
}

TEST(host_access_waits_for_the_stream) {
  const auto* access = static_cast<const fl_ext_host_access*>(api.get_extension("host_access", 1));
  Memory memory(0, 4096);
  StreamOf stream(0);
  CHECK_EQ(api.memset_sync(memory.ptr, 4096, 0, 0, 4096), FL_OK);
  Gate gate(0, stream.handle);
  CHECK_EQ(api.memset_async(memory.ptr, 4096, 0, 8, 4096, stream.handle), FL_OK);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    gate.open();
  });
  CHECK_EQ(access->begin(0, stream.handle), FL_OK);
  CHECK_EQ(*static_cast<char*>(memory.ptr), 8);
  CHECK_EQ(access->end(0, stream.handle), FL_OK);
  opener.join();
}

TEST(host_access_keeps_other_threads_off_the_stream) {
  const auto* access = static_cast<const fl_ext_host_access*>(api.get_extension("host_access", 1));
  Memory memory(0, 4096);
  StreamOf stream(0);
  CHECK_EQ(api.memset_sync(memory.ptr, 4096, 0, 0, 4096), FL_OK);
  CHECK_EQ(access->begin(0, stream.handle), FL_OK);
  std::thread other([&] { CHECK_EQ(api.memset_async(memory.ptr, 4096, 0, 9, 4096, stream.handle), FL_OK); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK_EQ(*static_cast<char*>(memory.ptr), 0);
  CHECK_EQ(api.memset_async(memory.ptr, 4096, 0, 7, 4096, stream.handle), FL_OK);  // its own work runs at once
  CHECK_EQ(*static_cast<char*>(memory.ptr), 7);
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(*static_cast<char*>(memory.ptr), 7);
  CHECK_EQ(access->end(0, stream.handle), FL_OK);
  other.join();
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  CHECK_EQ(access->begin(0, stream.handle), FL_OK);
  CHECK_EQ(*static_cast<char*>(memory.ptr), 9);
  CHECK_EQ(access->end(0, stream.handle), FL_OK);
}

TEST(a_forked_child_is_refused_and_ends) {
  if (!can_fork) return;
  Memory memory(0, 4096);
  StreamOf stream(0);
  CHECK_EQ(api.host_callback(0, stream.handle, [](void*) {}, nullptr), FL_OK);
  CHECK_EQ(api.stream_synchronize(0, stream.handle), FL_OK);
  const int status = in_child([&] {
    if (api.host_callback(0, stream.handle, [](void*) {}, nullptr) != FL_FAILED || !said("spawn")) return 1;
    api.shutdown();
    return 0;
  });
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("usage: %s <libtorch_fl_sim.so> <sim_test_module.so> [filter]\n", argv[0]);
    return 2;
  }
  module_path = argv[2];
  setenv("FLAGOS_SIM_DEVICES", "2", 1);
  setenv("FLAGOS_SIM_MEMORY", "64", 1);
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  vendor_init = reinterpret_cast<fl_vendor_init_fn>(reinterpret_cast<uintptr_t>(dlsym(library, FL_VENDOR_INIT_SYMBOL)));
  api.struct_size = sizeof(api);
  api.abi_major = FL_ABI_MAJOR;
  api.abi_minor = FL_ABI_MINOR;
  if (vendor_init == nullptr || vendor_init(&core_api, &api) != FL_OK) {
    std::printf("fl_vendor_init is missing or refuses\n");
    return 2;
  }
  setenv("FLAGOS_SIM_MEMORY", "many", 1);
  CHECK_EQ(api.init(), FL_INVALID_VALUE);
  CHECK(said("FLAGOS_SIM_MEMORY=many: give a whole number from 1"));
  setenv("FLAGOS_SIM_MEMORY", "64", 1);
  CHECK_EQ(api.init(), FL_OK);
  const int result = run_tests(argc > 3 ? argv[3] : nullptr);
  api.shutdown();
  return result;
}
