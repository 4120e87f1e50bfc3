// The runtime over a fake vendor, which this program builds with the compiler at hand. Exits with 0 when all is well.
//   runtime_test          the tests
//   runtime_test bench    nanoseconds of the hot paths
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "runtime/runtime.h"

namespace fs = std::filesystem;
using namespace torch_fl;

namespace {

int g_failures = 0;

#define EXPECT(condition)                                                   \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      ++g_failures;                                                         \
    }                                                                       \
  } while (0)

// The message of what `body` throws, which must hold `part`.
template <class Error = c10::Error, class F>
void expect_error(int line, F&& body, const std::string& part) {
  try {
    body();
  } catch (const Error& e) {
    const std::string text = e.what_without_backtrace();
    if (text.find(part) == std::string::npos) {
      std::printf("%s:%d: '%s' is not in: %s\n", __FILE__, line, part.c_str(), text.c_str());
      ++g_failures;
    }
    return;
  }
  std::printf("%s:%d: nothing was thrown; expected: %s\n", __FILE__, line, part.c_str());
  ++g_failures;
}
#define EXPECT_ERROR(expr, part) expect_error(__LINE__, [&] { (void)(expr); }, part)

fs::path g_build;

std::string build_fake(const std::string& name, const std::string& flags) {
  const fs::path here = fs::path(__FILE__).parent_path();
  const fs::path library = g_build / (name + ".so");
  const char* compiler = std::getenv("CXX");
  const std::string command =
      std::string(compiler ? compiler : "c++") + " -std=c++17 -O1 -fPIC -shared -fvisibility=hidden " + flags + " -I" +
      (here / "../../include").string() + " " + (here / "fake/fake_vendor.cpp").string() + " -o " + library.string();
  if (std::system(command.c_str()) != 0) {
    std::printf("cannot build the fake vendor: %s\n", command.c_str());
    std::exit(2);
  }
  return library.string();
}

VendorFacts facts(std::string library) {
  VendorFacts f;
  f.name = "fake";
  f.library = std::move(library);
  f.boxing = c10::DeviceType::CPU;
  return f;
}

template <class T>
T* symbol(const std::string& library, const char* name) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<T*>(handle ? dlsym(handle, name) : nullptr);
}

c10::Device device(int index) { return c10::Device(kFlagos, static_cast<c10::DeviceIndex>(index)); }
const c10::impl::DeviceGuardImplInterface& guard() { return *c10::impl::getDeviceGuardImpl(kFlagos); }
const at::PrivateUse1HooksInterface& hooks() { return at::detail::getPrivateUse1Hooks(); }

// ------------------------------------------------------------------------------------------------------ loading

void test_no_vendor() {
  EXPECT(device_count() == 0);
  EXPECT(!has_vendor());
  EXPECT(guard().deviceCount() == 0);
  EXPECT(!hooks().isAvailable());
  EXPECT_ERROR(vendor(), "import torch_fl first");
  set_no_vendor("no torch-fl-<vendor> wheel is installed");
  EXPECT_ERROR(vendor(), "no torch-fl-<vendor> wheel is installed");
  EXPECT_ERROR(device_allocator()->allocate(4), "no torch-fl-<vendor> wheel is installed");
}

void test_broken_vendors() {
  const auto refused = [](const std::string& library, const std::string& why) {
    set_vendor(facts(library));
    EXPECT(has_vendor());
    EXPECT(device_count() == 0);
    EXPECT_ERROR(vendor(), why);
    EXPECT_ERROR(vendor(), "torch_fl[fake]: ");  // kept, not tried again
  };
  refused("/nowhere/libtorch_fl_fake.so", "is missing: its wheel is damaged");
  const fs::path text = g_build / "text.so";
  std::fclose(std::fopen(text.c_str(), "w"));
  refused(text.string(), "cannot load");
  VendorFacts spared = facts(text.string());
  spared.spare = "embedded";
  set_vendor(spared);
  EXPECT_ERROR(vendor(), "To run without an accelerator, set FLAGOS_ACCELERATOR=embedded");
  refused(build_fake("no_symbol", "-DFAKE_NO_SYMBOL"), "exports no fl_vendor_init");
  const auto broken = [](const std::string& name) { return build_fake(name, "-DFAKE_CASE='\"" + name + "\"'"); };
  refused(broken("other_major"), "speaks ABI 2.0, torch-fl-core ABI 1.0");
  refused(broken("newer_minor"), "Update core: pip install --upgrade torch-fl-core");
  refused(broken("other_name"), "calls itself 'mallory'");
  refused(broken("no_malloc"), "leaves slots empty that core cannot do without: malloc");
  refused(broken("init_fails"), "init() -> FAILED: the driver is on strike (code 42)");
  refused(broken("no_device"), "no device of this vendor that can be used: /dev/fake0 is missing");
}

void test_load(const std::string& library) {
  set_vendor(facts(library));
  EXPECT(loaded_vendor() == nullptr);
  EXPECT(!device_in_use(0));
  EXPECT(device_count() == 2);
  EXPECT(loaded_vendor() == &vendor());
  EXPECT(!device_in_use(0));
  set_vendor(facts(library));
  VendorFacts other = facts(library);
  other.name = "other";
  EXPECT_ERROR(set_vendor(other), "'fake' is loaded already");
}

// ---------------------------------------------------------------------------------------------- devices, streams

void test_devices() {
  EXPECT(guard().deviceCount() == 2);
  EXPECT(guard().exchangeDevice(device(1)) == device(0));
  EXPECT(current_device() == 1);
  EXPECT_ERROR(guard().setDevice(device(9)), "flagos:9: there are 2 devices");
  EXPECT(hooks().exchangeDevice(0) == 1);
  EXPECT(std::string(device_properties(0).name) == "Fake 1");
  const auto capability = guard().getDeviceCapability(device(0)).capability_data.supported_scalar_types;
  EXPECT(capability.has_Float && capability.has_Long && !capability.has_Double);
  EXPECT_ERROR(hooks().getDeviceFromPtr(&g_failures), "is not in memory");
}

void test_streams() {
  const c10::Stream normal = current_stream(0);
  EXPECT(normal.id() == 0);
  EXPECT(device_in_use(0) && !device_in_use(1));
  const c10::Stream a = guard().getNewStream(device(0), 0);
  const c10::Stream b = guard().getNewStream(device(0), 0);
  const c10::Stream high = guard().getNewStream(device(0), -5);
  EXPECT(a != b && a != normal && high != a);
  EXPECT(stream_priority(a) == 0 && stream_priority(high) == -1);
  EXPECT(stream_priority_range(0) == std::make_pair(0, -1));
  EXPECT(guard().exchangeStream(a) == normal);
  EXPECT(current_stream(0) == a);
  std::thread([&] { EXPECT(current_stream(0) == normal); }).join();
  EXPECT(guard().exchangeStream(normal) == a);
  EXPECT_ERROR(stream_native_handle(c10::Stream(c10::Stream::UNSAFE, device(0), 99)), "has no stream of id 99");
  for (int i = 0; i < 31; ++i) guard().getNewStream(device(0), 0);
  EXPECT(guard().getNewStream(device(0), 0) == b);  // 32 in a pool
  EXPECT(a.query());
  a.synchronize();
  guard().synchronizeDevice(1);
}

void test_events() {
  const c10::Stream stream = current_stream(0);
  c10::Event plain(kFlagos);
  c10::Event start(kFlagos, c10::EventFlag::BACKEND_DEFAULT);
  c10::Event end(kFlagos, c10::EventFlag::BACKEND_DEFAULT);
  EXPECT(plain.query());
  plain.record(stream);
  start.record(stream);
  end.record(stream);
  plain.block(current_stream(1));
  EXPECT(plain.query());
  plain.synchronize();
  EXPECT(start.elapsedTime(end) == 1.5);
  EXPECT_ERROR(plain.record(current_stream(1)), "make one event per device");
}

// -------------------------------------------------------------------------------------------------------- memory

auto stats(int index) { return device_allocator()->getDeviceStats(static_cast<c10::DeviceIndex>(index)); }

void test_cache(const std::string& library) {
  auto* mallocs = symbol<int()>(library, "fake_mallocs");
  auto* allocator = device_allocator();
  const int before = mallocs();
  void* first = nullptr;
  {
    at::DataPtr a = allocator->allocate(100);
    EXPECT(a.get() == a.get_context());
    EXPECT(a.device() == device(0));
    EXPECT(hooks().getDeviceFromPtr(a.get()) == device(0));
    EXPECT(hooks().getDeviceFromPtr(static_cast<char*>(a.get()) + 99) == device(0));
    first = a.get();
    EXPECT(stats(0).allocated_bytes[0].current == 512);
    EXPECT(stats(0).requested_bytes[0].current == 100);
    EXPECT(stats(0).reserved_bytes[0].current == 2 << 20);
    EXPECT(stats(0).inactive_split[0].current == 1);
    EXPECT(stats(0).inactive_split_bytes[0].current == (2 << 20) - 512);
  }
  EXPECT(stats(0).allocated_bytes[0].current == 0);
  EXPECT(stats(0).allocated_bytes[0].peak == 512);
  at::DataPtr again = allocator->allocate(512);
  EXPECT(again.get() == first);
  // Small requests share a segment, and pieces are merged when something larger is needed.
  {
    std::vector<at::DataPtr> many;
    for (int i = 0; i < 1000; ++i) many.push_back(allocator->allocate(512));
    EXPECT(stats(0).allocation[1].current == 1001);
  }
  EXPECT(mallocs() == before + 1);
  {
    at::DataPtr mib = allocator->allocate(1 << 20);
  }
  EXPECT(mallocs() == before + 1);
  {
    at::DataPtr large = allocator->allocate(3 << 20);
  }
  {
    at::DataPtr large = allocator->allocate(16 << 20);
  }
  EXPECT(mallocs() == before + 2);
  EXPECT(stats(0).segment[2].current == 1);
  EXPECT(stats(0).reserved_bytes[0].current == (2 << 20) + (20 << 20));
  again.clear();
  allocator->emptyCache();
  EXPECT(stats(0).reserved_bytes[0].current == 0);
  EXPECT(stats(0).inactive_split[0].current == 0);
  EXPECT(stats(0).segment[0].freed == 2);
  EXPECT(stats(0).num_device_free == 2);
  EXPECT(allocator->allocate(0).get() == nullptr);
  EXPECT(allocator->allocate(0).device() == device(0));
  allocator->resetAccumulatedStats(0);
  allocator->resetPeakStats(0);
  EXPECT(stats(0).allocated_bytes[0].allocated == 0 && stats(0).allocated_bytes[0].freed == 0);
  EXPECT(stats(0).allocated_bytes[0].peak == 0 && stats(0).active_bytes[0].peak == 0);
  void* raw = allocator->raw_allocate(64);
  allocator->raw_deallocate(raw);
  EXPECT(allocator->getMemoryInfo(0).second == uint64_t{64} << 20);
}

void test_streams_own_memory() {
  auto* allocator = device_allocator();
  const c10::Stream other = guard().getNewStream(device(0), 0);
  at::DataPtr a = allocator->allocate(4096);
  void* here = a.get();
  a.clear();
  const c10::Stream before = exchange_stream(other);
  at::DataPtr b = allocator->allocate(4096);
  EXPECT(b.get() != here);
  exchange_stream(before);
  EXPECT(allocator->allocate(4096).get() == here);
}

void test_record_stream(const std::string& library) {
  auto* set_busy = symbol<void(int)>(library, "fake_set_busy");
  auto* allocator = device_allocator();
  const c10::Stream other = guard().getNewStream(device(0), 0);
  at::DataPtr a = allocator->allocate(8192);
  void* here = a.get();
  allocator->recordStream(a, other);
  set_busy(1);
  a.clear();
  EXPECT(stats(0).allocated_bytes[0].current == 0);
  EXPECT(stats(0).active_bytes[0].current == 8192);
  at::DataPtr b = allocator->allocate(8192);
  EXPECT(b.get() != here);
  EXPECT(stats(0).active_bytes[0].peak >= 2 * 8192);
  set_busy(0);
  at::DataPtr c = allocator->allocate(8192);
  EXPECT(c.get() == here);
  EXPECT(stats(0).active_bytes[0].current == 2 * 8192);
  EXPECT(stats(0).active_bytes[0].freed + stats(0).active_bytes[0].current == stats(0).active_bytes[0].allocated);
}

void test_out_of_memory() {
  auto* allocator = device_allocator();
  allocator->emptyCache();
  at::DataPtr held = allocator->allocate(30 << 20);
  {
    at::DataPtr cached = allocator->allocate(24 << 20);
  }
  // Fits only once the cache is given back.
  {
    at::DataPtr more = allocator->allocate(33 << 20);
  }
  EXPECT(stats(0).num_alloc_retries == 1 && stats(0).num_ooms == 0);
  expect_error<c10::OutOfMemoryError>(
      __LINE__, [&] { allocator->allocate(40 << 20); },
      "Tried to allocate 40.00 MiB. flagos:0 (Fake 1) has a total capacity of 64.00 MiB of "
      "which 34.00 MiB is free. Of the memory of this process 30.00 MiB is allocated");
  EXPECT(stats(0).num_ooms == 1);
  expect_error<c10::OutOfMemoryError>(__LINE__, [&] { allocator->allocate(SIZE_MAX - 5); }, "more than any device has");
  held.clear();
  allocator->emptyCache();
  set_memory_fraction(0, 0.25);
  expect_error<c10::OutOfMemoryError>(
      __LINE__, [&] { allocator->allocate(30 << 20); }, "allowed by the memory fraction 0.25");
  set_memory_fraction(0, 1.0);
  EXPECT_ERROR(set_memory_fraction(0, 1.5), "at most 1");
}

void test_vendor_side(const std::string& library) {
  const fl_core_api* core = symbol<const fl_core_api*()>(library, "fake_core")();
  void* ptr = nullptr;
  EXPECT(core->alloc(0, core->current_stream(0), 1000, &ptr) == FL_OK && ptr);
  core->free(0, ptr);
  int own_stream = 0;
  EXPECT(core->alloc(0, &own_stream, 1000, &ptr) == FL_OK && ptr);
  core->free(0, ptr);
  EXPECT(core->alloc(0, core->current_stream(0), size_t{1} << 30, &ptr) == FL_OOM);
  EXPECT(core->alloc(7, nullptr, 4, &ptr) == FL_FAILED);
  uint64_t seed = 0;
  uint64_t first = 0;
  uint64_t second = 0;
  EXPECT(core->philox(0, nullptr, 5, &seed, &first) == FL_OK);
  EXPECT(core->philox(0, nullptr, 1, &seed, &second) == FL_OK);
  EXPECT(second == first + 8);
}

void test_resize() {
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 8,
                                                       device_allocator()->allocate(8), device_allocator(), true);
  std::memcpy(storage->mutable_data(), "12345678", 8);
  c10::Storage s(storage);
  hooks().resizePrivateUse1Bytes(s, 5000);
  EXPECT(s.nbytes() == 5000 && std::memcmp(s.data(), "12345678", 8) == 0);
  hooks().resizePrivateUse1Bytes(s, 4);
  EXPECT(s.nbytes() == 4 && std::memcmp(s.data(), "1234", 4) == 0);
  hooks().resizePrivateUse1Bytes(s, 0);
  EXPECT(s.nbytes() == 0 && s.data() == nullptr);
  at::DataPtr a = device_allocator()->allocate(8);
  std::memcpy(a.get(), "abcdefgh", 8);
  at::DataPtr copy = device_allocator()->clone(a.get(), 8);
  EXPECT(copy.get() != a.get() && std::memcmp(copy.get(), "abcdefgh", 8) == 0);
}

void test_pinned(const std::string& library) {
  auto* set_busy = symbol<void(int)>(library, "fake_set_busy");
  at::HostAllocator* host = at::getHostAllocator(kFlagos);
  int on_stack = 0;
  EXPECT(!hooks().isPinnedPtr(&on_stack));
  at::DataPtr a = host->allocate(1000);
  EXPECT(a.device().is_cpu());
  EXPECT(hooks().isPinnedPtr(static_cast<char*>(a.get()) + 999) && !hooks().isPinnedPtr(&on_stack));
  EXPECT(hooks().getPinnedMemoryAllocator() == host);
  void* here = a.get();
  set_busy(1);
  EXPECT(host->record_event(a.get(), a.get_context(), current_stream(0)));
  a.clear();
  EXPECT(host->allocate(1000).get() != here);
  set_busy(0);
  at::DataPtr b = host->allocate(1000);
  at::DataPtr c = host->allocate(1000);
  EXPECT(b.get() == here || c.get() == here);
  EXPECT(!host->record_event(&on_stack, nullptr, current_stream(0)));
  EXPECT(host->get_stats().num_host_alloc == 2);
  b.clear();
  c.clear();
  host->empty_cache();
  EXPECT(host->get_stats().num_host_free == 2);
  EXPECT(!hooks().isPinnedPtr(here));
}

// ------------------------------------------------------------------------------------------------------ generators

void test_generators() {
  at::Generator g = hooks().getNewGenerator(1);
  EXPECT(g.device() == device(1));
  g.set_current_seed(7);
  g.set_offset(12);
  EXPECT_ERROR(g.set_offset(3), "multiple of 4");
  at::Generator h = hooks().getNewGenerator(-1);
  h.unsafeGetGeneratorImpl()->set_state(*g.unsafeGetGeneratorImpl()->get_state());
  EXPECT(h.current_seed() == 7 && h.get_offset() == 12);
  at::Generator copy = g.clone();
  g.set_current_seed(8);
  EXPECT(copy.current_seed() == 7 && copy.get_offset() == 12 && g.get_offset() == 0);
  const at::Generator& standard = hooks().getDefaultGenerator(1);
  EXPECT(&standard == &default_generator(1) && standard.device() == device(1));
  EXPECT_ERROR(default_generator(5), "flagos:5: there are 2 devices");
  EXPECT(g.seed() == g.current_seed());
}

// ------------------------------------------------------------------------------------------------ threads and forks

void test_threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      uint32_t random = 12345u + static_cast<uint32_t>(t);
      std::vector<at::DataPtr> held(16);
      for (int i = 0; i < 20000; ++i) {
        random = random * 1664525u + 1013904223u;
        at::DataPtr& slot = held[(random >> 8) % held.size()];
        slot = device_allocator()->allocate((random >> 12) % 60000);
        if (slot.get()) std::memset(slot.get(), t, 1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT(stats(0).allocated_bytes[0].current == 0);
  EXPECT(stats(0).allocation[0].current == 0);
  device_allocator()->emptyCache();
  EXPECT(stats(0).reserved_bytes[0].current == 0 && stats(0).inactive_split_bytes[0].current == 0);
}

void test_fork() {
  at::DataPtr before = device_allocator()->allocate(64);
  const pid_t child = fork();
  if (child == 0) {
    g_failures = 0;
    EXPECT(in_bad_fork());
    EXPECT(!device_in_use(0));
    EXPECT(device_count() == 2);
    guard().setDevice(device(1));  // autograd's threads do this before any work
    EXPECT_ERROR(device_allocator()->allocate(64), "use the 'spawn' start method");
    EXPECT_ERROR(current_stream(0), "cannot re-initialize flagos in forked subprocess");
    EXPECT_ERROR(vendor(), "cannot re-initialize flagos in forked subprocess");
    std::thread([] { EXPECT_ERROR(device_allocator()->allocate(64), "forked"); }).join();
    before.clear();
    std::exit(g_failures ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT(!in_bad_fork());
}

// ----------------------------------------------------------------------------------------------------------- bench

template <class F>
void bench(const char* name, F&& body) {
  constexpr int kCalls = 200000;
  double best = 1e9;
  for (int round = 0; round < 10; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) body();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count() / kCalls);
  }
  std::printf("%-32s %7.1f ns\n", name, best);
}

void benchmarks() {
  auto* allocator = device_allocator();
  at::DataPtr keep = allocator->allocate(4);
  bench("allocate+free 4 B", [&] { at::DataPtr a = allocator->allocate(4); });
  bench("allocate+free 64 KiB", [&] { at::DataPtr a = allocator->allocate(65536); });
  bench("allocate+free 6 MiB", [&] { at::DataPtr a = allocator->allocate(6 << 20); });
  bench("current_stream", [&] { (void)current_stream(0); });
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = (fs::temp_directory_path() / "torch_fl_runtime_XXXXXX").string();
  if (!mkdtemp(folder.data())) return 2;
  g_build = folder;
  const std::string library = build_fake("fake", "");
  if (argc > 1 && std::strcmp(argv[1], "bench") == 0) {
    set_vendor(facts(library));
    benchmarks();
  } else {
    test_no_vendor();
    test_broken_vendors();
    test_load(library);
    test_devices();
    test_streams();
    test_events();
    test_cache(library);
    test_streams_own_memory();
    test_record_stream(library);
    test_out_of_memory();
    test_vendor_side(library);
    test_resize();
    test_pinned(library);
    test_generators();
    test_threads();
    test_fork();
  }
  fs::remove_all(g_build);
  if (g_failures) std::printf("%d checks failed\n", g_failures);
  return g_failures ? 1 : 0;
}
