// Statuses of the vendor become PyTorch's exceptions, with the vendor's own words.
#include "runtime/state.h"

namespace torch_fl {
namespace {

std::string& error_text() {
  thread_local std::string text;
  return text;
}

std::string prefix() {
  const Vendor* v = loaded_vendor();
  return v ? c10::str("torch_fl[", v->facts.name, "]: ") : std::string("torch_fl: ");
}

}  // namespace

void set_error_text(int64_t code, const char* text) noexcept {
  try {
    error_text() = c10::str(text ? text : "", code != 0 ? c10::str(" (code ", code, ")") : std::string());
  } catch (...) {
    // Out of memory for a message: the status alone has to do.
  }
}

std::string take_error_text() { return std::exchange(error_text(), std::string()); }

const char* status_name(fl_status status) {
  switch (status) {
    case FL_OK:
      return "OK";
    case FL_UNSUPPORTED:
      return "UNSUPPORTED";
    case FL_OOM:
      return "OUT_OF_MEMORY";
    case FL_NOT_READY:
      return "NOT_READY";
    case FL_INVALID_VALUE:
      return "INVALID_VALUE";
    case FL_INVALID_DEVICE:
      return "INVALID_DEVICE";
    case FL_NO_DEVICE:
      return "NO_DEVICE";
    case FL_FAILED:
      return "FAILED";
    case FL_ABI_MISMATCH:
      return "ABI_MISMATCH";
    case FL_INDEX_ERROR:
      return "INDEX_ERROR";
  }
  return "UNKNOWN_STATUS";
}

void throw_status(fl_status status, const std::string& call) {
  const std::string text = take_error_text();
  const std::string message = c10::str(prefix(), call, " -> ", status_name(status), text.empty() ? "" : ": ", text);
  switch (status) {
    case FL_OOM:
      TORCH_CHECK_WITH(OutOfMemoryError, false, message);
    case FL_INDEX_ERROR:
      TORCH_CHECK_INDEX(false, message);
    case FL_UNSUPPORTED:
      TORCH_CHECK_NOT_IMPLEMENTED(false, message);
    default:
      TORCH_CHECK(false, message);
  }
  __builtin_unreachable();
}

}  // namespace torch_fl
