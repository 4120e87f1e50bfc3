// Tests of what kernels use of the runtime (src/stream.h), linked to the runtime's own files with an empty table of
// rows. Prints what a launch on an idle stream costs.
#include "stream.h"

#include <time.h>

#include <stdexcept>

#include "check.h"
#include "device.h"
#include "rows.h"

namespace torch_fl_sim {

const fl_row kRows[] = {{}};
const size_t kRowCount = 0;

}  // namespace torch_fl_sim

extern "C" fl_status fl_vendor_init(const fl_core_api* core, fl_vendor_api* vendor);

namespace {

using torch_fl_sim::DeviceOpen;
using torch_fl_sim::drain;
using torch_fl_sim::launch;
using torch_fl_sim::settings;
using torch_fl_sim::stream_set_error;

fl_vendor_api api{};
thread_local std::string error_text;

struct Called {
  fl_call call{};
  Called() {
    call.struct_size = sizeof(call);
    CHECK_EQ(api.stream_create(0, 0, &call.stream), FL_OK);
  }
  ~Called() { CHECK_EQ(api.stream_destroy(0, call.stream), FL_OK); }
};

void keep_busy(const Called& on, std::atomic<bool>* open) {
  CHECK_EQ(api.host_callback(
               0, on.call.stream,
               [](void* user) {
                 while (!static_cast<std::atomic<bool>*>(user)->load()) std::this_thread::yield();
               },
               open),
           FL_OK);
}

TEST(an_idle_stream_runs_work_on_the_caller) {
  Called on;
  std::thread::id ran;
  CHECK_EQ(launch(&on.call, "work", [&ran] { ran = std::this_thread::get_id(); }), FL_OK);
  CHECK_EQ(drain(on.call.stream), FL_OK);
  CHECK_EQ(ran == std::this_thread::get_id(), !settings().async);
}

TEST(a_busy_stream_runs_work_elsewhere_and_in_order) {
  Called on;
  std::atomic<bool> open{false};
  keep_busy(on, &open);
  std::vector<int> order;
  for (int i = 0; i < 50; ++i) CHECK_EQ(launch(&on.call, "work", [&order, i] { order.push_back(i); }), FL_OK);
  CHECK(order.empty());
  open.store(true);
  CHECK_EQ(drain(on.call.stream), FL_OK);
  CHECK_EQ(order.size(), 50u);
  for (size_t i = 0; i < order.size(); ++i) CHECK_EQ(order[i], i);
}

TEST(an_error_of_queued_work_is_told_once) {
  Called on;
  std::atomic<bool> open{false};
  keep_busy(on, &open);
  const fl_stream stream = on.call.stream;
  CHECK_EQ(launch(&on.call, "bad", [stream] { stream_set_error(stream, FL_INDEX_ERROR, "index 7 is out of range"); }),
           FL_OK);
  CHECK_EQ(launch(&on.call, "worse", [stream] { stream_set_error(stream, FL_FAILED, "second"); }), FL_OK);
  open.store(true);
  CHECK_EQ(api.stream_synchronize(0, stream), FL_INDEX_ERROR);
  CHECK(error_text == "bad, which was queued before: index 7 is out of range");
  CHECK_EQ(api.stream_synchronize(0, stream), FL_OK);
  // The device's synchronization and a synchronous copy tell it too.
  open.store(false);
  keep_busy(on, &open);
  launch(&on.call, "bad", [stream] { stream_set_error(stream, FL_FAILED, "again"); });
  open.store(true);
  CHECK_EQ(api.device_synchronize(0), FL_FAILED);
  CHECK_EQ(api.stream_query(0, stream), FL_OK);
}

// What precedes the text of an error that reaches another call than the one that made it.
std::string queued(const char* name) {
  return settings().async ? std::string(name) + ", which was queued before: " : std::string();
}

TEST(an_error_of_work_that_ran_at_once_is_returned_at_once) {
  Called on;
  const fl_stream stream = on.call.stream;
  fl_status status =
      launch(&on.call, "bad", [stream] { stream_set_error(stream, FL_INDEX_ERROR, "index -1 is out of range"); });
  if (settings().async) status = drain(stream);
  CHECK_EQ(status, FL_INDEX_ERROR);
  CHECK(error_text == queued("bad") + "index -1 is out of range");
  CHECK_EQ(drain(stream), FL_OK);
}

TEST(an_exception_of_work_does_not_cross) {
  Called on;
  fl_status status = launch(&on.call, "throws", [] { throw std::runtime_error("out of luck"); });
  if (settings().async) status = drain(on.call.stream);
  CHECK_EQ(status, FL_FAILED);
  CHECK(error_text == queued("throws") + "out of luck");
}

TEST(device_memory_is_open_in_work_and_under_device_open) {
  Called on;
  void* made = nullptr;
  CHECK_EQ(api.malloc(0, 4096, &made), FL_OK);
  int* data = static_cast<int*>(made);
  for (int i = 0; i < 200; ++i) CHECK_EQ(launch(&on.call, "count", [data] { *data = *data + 1; }), FL_OK);
  CHECK_EQ(drain(on.call.stream), FL_OK);
  {
    DeviceOpen open(0);
    CHECK_EQ(*data, 200);
  }
  CHECK_EQ(api.free(0, made), FL_OK);
}

TEST(cost_of_a_launch_on_an_idle_stream) {
  if (settings().async) return;
  Called on;
  constexpr int kTimes = 2000000;
  uint64_t count = 0;
  const auto cpu_ns = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
  };
  const double start = cpu_ns();
  for (int i = 0; i < kTimes; ++i) {
    launch(&on.call, "count", [&count] { ++count; });
  }
  const double took = cpu_ns() - start;
  CHECK_EQ(count, kTimes);
  std::printf("     %.1f ns for a launch\n", took / kTimes);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("FLAGOS_SIM_DEVICES", "1", 1);
  static fl_core_api core{};
  core.struct_size = sizeof(core);
  core.abi_major = FL_ABI_MAJOR;
  core.set_error = [](int64_t, const char* text) { error_text = text; };
  core.log = [](int32_t, const char* text) { std::printf("log: %s\n", text); };
  api.struct_size = sizeof(api);
  api.abi_major = FL_ABI_MAJOR;
  CHECK_EQ(fl_vendor_init(&core, &api), FL_OK);
  CHECK_EQ(api.init(), FL_OK);
  const int result = run_tests(argc > 1 ? argv[1] : nullptr);
  api.shutdown();
  return result;
}
