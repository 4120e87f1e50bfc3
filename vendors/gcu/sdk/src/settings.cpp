#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "standin.h"

namespace tops_standin {
namespace {

long number(const char* variable, long fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? fallback : std::strtol(text, nullptr, 10);
}

// "<function>:<n>[:<status>][:late]"
struct Wanted {
  std::string function;
  long call = 0;
  long seen = 0;
  std::string status;
  bool late = false;
};

struct Failures {
  std::mutex mutex;
  std::vector<Wanted> wanted;
};

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t end; (end = text.find(mark, start)) != std::string::npos; start = end + 1) {
    parts.push_back(text.substr(start, end - start));
  }
  parts.push_back(text.substr(start));
  return parts;
}

std::vector<Wanted> parse(const char* text) {
  std::vector<Wanted> wanted;
  if (text == nullptr || *text == '\0') return wanted;
  for (const std::string& item : split(text, ',')) {
    const std::vector<std::string> parts = split(item, ':');
    Wanted one;
    one.function = parts[0];
    one.call = parts.size() > 1 ? std::strtol(parts[1].c_str(), nullptr, 10) : 0;
    for (size_t i = 2; i < parts.size(); ++i) {
      if (parts[i] == "late") {
        one.late = true;
      } else {
        one.status = parts[i];
      }
    }
    if (one.call < 1) {
      std::fprintf(stderr, "TOPS_STANDIN_FAIL: \"%s\" is not <function>:<n>[:<status>][:late], n from 1\n",
                   item.c_str());
      std::abort();
    }
    wanted.push_back(one);
  }
  return wanted;
}

Failures& failures() {
  static Failures* const made = [] {
    Failures* made = new Failures;
    made->wanted = parse(std::getenv("TOPS_STANDIN_FAIL"));
    return made;
  }();
  return *made;
}

int status_number(const std::string& text, int fallback) {
  static const char* const names[] = {"SUCCESS",        "ALLOC_FAILED",  "BAD_PARAM",    "NOT_SUPPORT",
                                      "INTERNAL_ERROR", "RUNTIME_ERROR", "EXECUTE_ERROR"};
  if (text.empty()) return fallback;
  for (int i = 0; i < 7; ++i) {
    if (text == names[i]) return i;
  }
  return static_cast<int>(std::strtol(text.c_str(), nullptr, 10));
}

int& delay_setting() {
  static int value = static_cast<int>(number("TOPS_STANDIN_DELAY", 0));
  return value;
}

}  // namespace

const Settings& settings() {
  static const Settings read = [] {
    Settings made;
    made.cards = static_cast<int>(number("TOPS_STANDIN_CARDS", made.cards));
    made.partitioned = number("TOPS_STANDIN_PARTITIONED", 0) != 0;
    made.memory_bytes = static_cast<size_t>(number("TOPS_STANDIN_MEMORY", made.memory_bytes >> 20)) << 20;
    made.null = number("TOPS_STANDIN_NULL", 0) != 0;
    made.log = number("TOPS_STANDIN_LOG", 0) != 0;
    const char* s60 = std::getenv("TOPS_STANDIN_S60");
    made.s60_computes = s60 != nullptr && std::strcmp(s60, "compute") == 0;
    return made;
  }();
  return read;
}

int delay() { return delay_setting(); }

void explain(const char* format, ...) {
  if (!settings().log) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "[tops stand-in] %s\n", text);
}

Failure next_failure(const char* function, int fallback) {
  Failures& all = failures();
  Failure found;
  std::lock_guard<std::mutex> lock(all.mutex);
  for (Wanted& one : all.wanted) {
    if (one.function == function && ++one.seen == one.call) {
      found = {true, status_number(one.status, fallback), one.late};
    }
  }
  return found;
}

}  // namespace tops_standin

extern "C" {

// What a program that loads the library asks, to tell it from the real one.
TOPS_STANDIN_API const char* topsStandinVersion(void) { return TOPS_STANDIN; }

// The variables of the same names, for a process that runs already; counting of calls starts anew.
TOPS_STANDIN_API void topsStandinFail(const char* wanted) {
  auto& all = tops_standin::failures();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.wanted = tops_standin::parse(wanted);
}
TOPS_STANDIN_API void topsStandinDelay(int milliseconds) { tops_standin::delay_setting() = milliseconds; }

}  // extern "C"
