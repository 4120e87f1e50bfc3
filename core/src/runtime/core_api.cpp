// The table that core hands to the vendor. No exception leaves a slot.
#include <c10/util/Logging.h>

#include "runtime/allocator.h"
#include "runtime/generator.h"
#include "runtime/state.h"

namespace torch_fl {

namespace {

// Runs `body`; what it throws becomes a status and its text.
template <class F>
fl_status guarded(F&& body) noexcept {
  try {
    body();
    return FL_OK;
  } catch (const c10::OutOfMemoryError& e) {
    set_error_text(0, e.what_without_backtrace());
    return FL_OOM;
  } catch (const c10::Error& e) {
    set_error_text(0, e.what_without_backtrace());
    return FL_FAILED;
  } catch (const std::exception& e) {
    set_error_text(0, e.what());
    return FL_FAILED;
  } catch (...) {
    set_error_text(0, "unknown exception in core");
    return FL_FAILED;
  }
}

fl_status api_alloc(int32_t device, fl_stream stream, size_t bytes, void** ptr) {
  return guarded([&] { *ptr = raw_allocate(device, stream, bytes); });
}

void api_free(int32_t /*device*/, void* ptr) { raw_free(ptr); }

fl_stream api_current_stream(int32_t device) {
  fl_stream stream = nullptr;
  guarded([&] { stream = current_stream_handle(device); });
  return stream;
}

fl_status api_philox(int32_t device, const fl_generator* generator, uint64_t increment, uint64_t* seed,
                     uint64_t* offset) {
  return guarded([&] {
    auto* impl =
        generator && generator->handle ? static_cast<PhiloxGenerator*>(generator->handle) : default_philox(device);
    std::tie(*seed, *offset) = impl->reserve(increment);
  });
}

void api_log(int32_t level, const char* text) {
  guarded([&] {
    const Vendor* v = loaded_vendor();
    const std::string line = c10::str("[flagos ", v ? v->facts.name : "vendor", "] ", text ? text : "");
    // Levels 0 and 1 show with TORCH_CPP_LOG_LEVEL=INFO.
    if (level >= 2) {
      TORCH_WARN(line);
    } else {
      LOG(INFO) << line;
    }
  });
}

}  // namespace

fl_core_api& core_api() {
  static fl_core_api* api = [] {
    auto* a = new fl_core_api{};
    a->struct_size = sizeof(fl_core_api);
    a->abi_major = FL_ABI_MAJOR;
    a->abi_minor = FL_ABI_MINOR;
    a->alloc = api_alloc;
    a->free = api_free;
    a->current_stream = api_current_stream;
    a->philox = api_philox;
    a->log = api_log;
    a->set_error = set_error_text;
    return a;
  }();
  return *api;
}

}  // namespace torch_fl
