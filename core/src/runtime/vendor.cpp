// Loading the one vendor of the process: choice, dlopen, handshake, init; and its end.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <ATen/Context.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "runtime/key_runtime.h"
#include "runtime/state.h"

namespace torch_fl {

std::atomic<Phase> g_phase{Phase::live};
// Null until everything, callbacks included, is done; null again in a forked child and at exit.
std::atomic<const Vendor*> g_vendor{nullptr};

namespace {

struct Loader {
  std::mutex mutex;
  std::optional<VendorFacts> choice;
  std::string why;      // why there is no vendor, or why it failed to load
  bool failed = false;  // the choice was tried
  std::vector<std::function<void(const Vendor&)>> callbacks;
};
// Never destroyed: it may be asked while the process exits.
Loader& loader() {
  static auto* l = new Loader;
  return *l;
}

// What device_count() said last; kept in a forked child.
std::atomic<int32_t> g_device_count{0};
// On the thread that loads: the vendor while callbacks run, so that they may use it.
constinit FL_TLS const Vendor* t_loading = nullptr;
constinit FL_TLS bool t_in_load = false;

void in_forked_child() {
  if (phase() != Phase::live) return;
  g_phase.store(Phase::forked);
  g_vendor.store(nullptr);
  t_thread = nullptr;
}

void at_exit() {
  if (phase() != Phase::live) return;
  const Vendor* v = g_vendor.exchange(nullptr);
  g_phase.store(Phase::down);
  t_thread = nullptr;
  if (v && v->api.shutdown) v->api.shutdown();
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  TORCH_CHECK(false, "torch_fl[", name, "]: ", what);
  __builtin_unreachable();
}

std::string abi(uint32_t major, uint32_t minor) { return c10::str(major, ".", minor); }

std::string vendor_words() {
  const std::string text = take_error_text();
  return text.empty() ? text : c10::str(": ", text);
}

void* open_library(const VendorFacts& facts) {
  struct stat st{};
  if (::stat(facts.library.c_str(), &st) != 0) {
    refuse(facts.name, c10::str("the vendor's library ", facts.library, " is missing: its wheel is damaged. Mend it: ",
                                "pip install --force-reinstall --no-deps torch-fl-", facts.name));
  }
  ::dlerror();
  void* handle = ::dlopen(facts.library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char* why = ::dlerror();
    refuse(facts.name, c10::str("cannot load ", facts.library, ": ", why ? why : "unknown reason",
                                ". A library of the vendor's SDK is missing or of another version; `torch-fl doctor` "
                                "says which one, and what to install"));
  }
  return handle;
}

// The handshake: nothing happens on the device before both sides have accepted the version.
fl_vendor_api shake_hands(const VendorFacts& facts, void* handle) {
  auto init = reinterpret_cast<fl_vendor_init_fn>(::dlsym(handle, FL_VENDOR_INIT_SYMBOL));
  if (!init) {
    refuse(facts.name,
           c10::str(facts.library, " exports no " FL_VENDOR_INIT_SYMBOL "(): it is not a vendor library of ",
                    "torch-fl, or a broken build. Mend it: pip install --force-reinstall --no-deps torch-fl-",
                    facts.name));
  }
  // Room behind the table, so that a library built for a longer one cannot write over our memory before it is refused.
  union {
    fl_vendor_api api;
    char room[sizeof(fl_vendor_api) + 4096];
  } table;
  std::memset(&table, 0, sizeof(table));
  table.api.struct_size = sizeof(fl_vendor_api);
  table.api.abi_major = FL_ABI_MAJOR;
  table.api.abi_minor = FL_ABI_MINOR;
  const fl_status status = init(&core_api(), &table.api);
  const fl_vendor_api& api = table.api;
  const std::string versions =
      c10::str("its library ", facts.library, " speaks ABI ", abi(api.abi_major, api.abi_minor), ", torch-fl-core ABI ",
               abi(FL_ABI_MAJOR, FL_ABI_MINOR));
  if (api.abi_major != FL_ABI_MAJOR) {
    refuse(facts.name, c10::str(versions, "; the two cannot work together. Install a matching pair: ",
                                "pip install --upgrade torch-fl-core torch-fl-", facts.name, vendor_words()));
  }
  if (api.abi_minor > FL_ABI_MINOR) {
    refuse(facts.name,
           c10::str(versions, ", which is older. Update core: pip install --upgrade torch-fl-core", vendor_words()));
  }
  if (status == FL_ABI_MISMATCH) {
    refuse(facts.name, c10::str(versions, ", and the vendor refuses that. Install a matching pair: ",
                                "pip install --upgrade torch-fl-core torch-fl-", facts.name, vendor_words()));
  }
  if (status != FL_OK) {
    refuse(facts.name,
           c10::str(FL_VENDOR_INIT_SYMBOL "() -> ", status_name(status), vendor_words(),
                    ". Reinstall the wheel: pip install --force-reinstall --no-deps torch-fl-", facts.name));
  }
  fl_vendor_api result{};
  std::memcpy(&result, &api, std::min<size_t>(api.struct_size, sizeof(result)));
  if (!result.name || facts.name != result.name) {
    refuse(facts.name, c10::str("its library ", facts.library, " calls itself '", result.name ? result.name : "",
                                "'; the wheel is a mixture. Mend it: pip install --force-reinstall --no-deps torch-fl-",
                                facts.name));
  }
  std::string missing;
#define FL_NEED(slot) \
  if (!result.slot) missing += missing.empty() ? #slot : ", " #slot;
  FL_NEED(device_count)
  FL_NEED(malloc)
  FL_NEED(free)
  FL_NEED(stream_create)
  FL_NEED(stream_synchronize)
  FL_NEED(memcpy_sync)
#undef FL_NEED
  if (!missing.empty()) {
    refuse(facts.name, c10::str("its library leaves slots empty that core cannot do without: ", missing,
                                ". Report it to the vendor, and install another version of torch-fl-", facts.name));
  }
  return result;
}

// Why loading failed, with the way to work on meanwhile.
std::string advised(std::string why, const VendorFacts& facts) {
  if (facts.spare.empty() || facts.spare == facts.name) return why;
  return c10::str(why, ". To run without an accelerator, set FLAGOS_ACCELERATOR=", facts.spare);
}

std::unique_ptr<Vendor> load_vendor(const VendorFacts& facts) {
  auto v = std::make_unique<Vendor>();
  v->facts = facts;
  take_error_text();
  v->api = shake_hands(facts, open_library(facts));
  v->version = v->api.version ? v->api.version : "";
  if (v->api.init) {
    const fl_status status = v->api.init();
    if (status == FL_NO_DEVICE) {
      refuse(facts.name, c10::str("this machine has no device of this vendor that can be used", vendor_words(),
                                  ". `torch-fl doctor` shows drivers, device nodes and rights; FLAGOS_ACCELERATOR "
                                  "picks another installed vendor"));
    }
    if (status != FL_OK) {
      refuse(facts.name, c10::str("init() -> ", status_name(status), vendor_words(),
                                  ". `torch-fl doctor` checks the vendor's driver and SDK"));
    }
  }
  int32_t count = 0;
  const fl_status status = v->api.device_count(&count);
  if (status != FL_OK) refuse(facts.name, c10::str("device_count() -> ", status_name(status), vendor_words()));
  if (count <= 0) {
    refuse(facts.name, c10::str("this machine has no device of this vendor that can be used", vendor_words(),
                                ". `torch-fl doctor` shows drivers, device nodes and the visible-devices variable"));
  }
  v->device_count = std::min(count, kMaxDevices);
  if (v->api.get_extension) {
    v->host_access = static_cast<const fl_ext_host_access*>(v->api.get_extension("host_access", 1));
  }
  if (const auto key = facts.boxing; key.has_value()) {
    v->key_ready = *key == c10::DeviceType::CPU || c10::impl::hasDeviceGuardImpl(*key);
    if (v->key_ready && *key != c10::DeviceType::CPU) at::globalContext().lazyInitDevice(*key);
  }
  return v;
}

const Vendor& load_once() {
  check_phase();
  if (t_loading) return *t_loading;
  TORCH_CHECK(!t_in_load, "torch_fl: the vendor used the device before its init() returned; report it to the vendor");
  Loader& l = loader();
  std::lock_guard<std::mutex> lock(l.mutex);
  if (const Vendor* v = g_vendor.load(std::memory_order_acquire)) return *v;
  if (!l.choice || l.failed) {
    const std::string why = !l.why.empty() ? l.why : "torch_fl: no vendor has been chosen: import torch_fl first";
    TORCH_CHECK(false, why);
  }
  struct Mark {
    Mark() { t_in_load = true; }
    ~Mark() {
      t_in_load = false;
      t_loading = nullptr;
    }
  } mark;
  try {
    std::unique_ptr<Vendor> v = load_vendor(*l.choice);
    t_loading = v.get();
    g_device_count.store(v->device_count);
    share_key_runtime(*v);
    for (auto& callback : l.callbacks) callback(*v);
    // Registered only now: handlers of the SDK, registered by its own start, then run after ours.
    static std::once_flag once;
    std::call_once(once, [] {
      ::pthread_atfork(nullptr, nullptr, &in_forked_child);
      std::atexit(&at_exit);
    });
    g_vendor.store(v.get(), std::memory_order_release);
    return *v.release();  // lives as long as the process
  } catch (const std::exception& e) {
    const auto* ours = dynamic_cast<const c10::Error*>(&e);
    l.failed = true;
    l.why = advised(ours ? ours->what_without_backtrace() : e.what(), *l.choice);
    g_device_count.store(0);
    TORCH_CHECK(false, l.why);
  }
}

}  // namespace

void check_phase() {
  switch (phase()) {
    case Phase::live:
      return;
    case Phase::forked:
      TORCH_CHECK(false,
                  "cannot re-initialize flagos in forked subprocess; use the 'spawn' start method "
                  "(torch.multiprocessing.set_start_method('spawn'))");
    case Phase::down:
      TORCH_CHECK(false, "torch_fl: the device cannot be used any more: the process is exiting");
  }
}

bool in_bad_fork() noexcept { return phase() == Phase::forked; }
bool runtime_alive() noexcept { return phase() == Phase::live; }

void set_vendor(VendorFacts facts) {
  check_phase();
  Loader& l = loader();
  std::lock_guard<std::mutex> lock(l.mutex);
  if (const Vendor* v = g_vendor.load()) {
    if (v->facts.name == facts.name && v->facts.library == facts.library) return;
    TORCH_CHECK(false, "torch_fl: cannot change to vendor '", facts.name, "': '", v->facts.name,
                "' is loaded already, and a process uses one vendor. Set FLAGOS_ACCELERATOR=", facts.name,
                " before the first use of the device");
  }
  l.choice = std::move(facts);
  l.failed = false;
  l.why.clear();
}

void set_no_vendor(std::string why) {
  check_phase();
  Loader& l = loader();
  std::lock_guard<std::mutex> lock(l.mutex);
  TORCH_CHECK(!g_vendor.load(), "torch_fl: a vendor is loaded already");
  l.choice.reset();
  l.failed = false;
  l.why = std::move(why);
}

const Vendor& vendor() {
  if (const Vendor* v = g_vendor.load(std::memory_order_acquire); C10_LIKELY(v != nullptr)) return *v;
  return load_once();
}

const Vendor* loading_vendor() noexcept { return t_loading; }

void on_vendor_loaded(std::function<void(const Vendor&)> callback) {
  Loader& l = loader();
  std::lock_guard<std::mutex> lock(l.mutex);
  if (const Vendor* v = g_vendor.load()) callback(*v);
  l.callbacks.push_back(std::move(callback));
}

bool has_vendor() noexcept {
  if (loaded_vendor()) return true;
  // The lock may have been held by a thread that a forked child does not have.
  if (phase() != Phase::live || t_in_load) return false;
  Loader& l = loader();
  std::lock_guard<std::mutex> lock(l.mutex);
  return l.choice.has_value();
}

int32_t device_count() noexcept {
  if (const Vendor* v = loaded_vendor(); C10_LIKELY(v != nullptr)) return v->device_count;
  // A forked child is told what its parent knew: it may ask, it may not use.
  if (phase() != Phase::live || t_in_load) return g_device_count.load();
  {
    Loader& l = loader();
    std::lock_guard<std::mutex> lock(l.mutex);
    if (!l.choice || l.failed) return 0;
  }
  try {
    return vendor().device_count;
  } catch (...) {
    return 0;  // the reason is kept, and raised at first use
  }
}

}  // namespace torch_fl
