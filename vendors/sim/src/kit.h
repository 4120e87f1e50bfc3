// How sim reports a failure to core: one call that records the words and gives the status back.
#pragma once

#include <exception>
#include <new>

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

// Core's table, from fl_vendor_init on.
const fl_core_api* core() noexcept;

// Tells core why the current function is about to return `status`, and returns it:
//   if (bytes > capacity) return fail(FL_INVALID_VALUE, "the copy of %zu bytes ...", bytes);
__attribute__((format(printf, 2, 3))) fl_status fail(fl_status status, const char* format, ...) noexcept;

// A slot of a table for core: `fn` with every exception turned into a status, because none may cross the boundary.
//   api.malloc = guarded<device_malloc>;
template <auto fn>
struct Guard;
template <class... Args, fl_status (*fn)(Args...)>
struct Guard<fn> {
  static fl_status call(Args... args) {
    try {
      return fn(args...);
    } catch (const std::bad_alloc&) {
      return fail(FL_FAILED, "the host is out of memory");
    } catch (const std::exception& e) {
      return fail(FL_FAILED, "%s", e.what());
    }
  }
};
template <auto fn>
constexpr auto guarded = &Guard<fn>::call;

}  // namespace torch_fl_sim
