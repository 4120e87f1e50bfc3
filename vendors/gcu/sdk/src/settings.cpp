#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "standin.h"

namespace tops_standin {
namespace {

long number(const char* variable, long fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? fallback : std::strtol(text, nullptr, 10);
}

struct Named {
  const char* name;
  int number;
};
#include "generated/names.inc"
// The functions of topsrt that can be told to fail; of topsaten all can.
constexpr const char* kRuntimeFunctions[] = {"topsMalloc", "topsHostMalloc", "topsModuleLaunchKernel"};

// "<function>:<n>[:<status>][:late]"
struct Wanted {
  std::string function;
  long call = 0;
  long seen = 0;
  int status = -1;  // the function's own
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

// How many letters have to change for one word to be the other.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t same = corner + (std::tolower(a[i - 1]) == std::tolower(b[j - 1]) ? 0 : 1);
      corner = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, same}));
    }
  }
  return row[b.size()];
}

[[noreturn]] void refuse(const std::string& item, const std::string& why) {
  std::fprintf(stderr, "TOPS_STANDIN_FAIL: \"%s\": %s\n", item.c_str(), why.c_str());
  std::abort();
}

std::string nearest(const std::string& word, const std::vector<const char*>& known) {
  return *std::min_element(known.begin(), known.end(),
                           [&word](const char* a, const char* b) { return distance(word, a) < distance(word, b); });
}

// The number of a status of the library that the function belongs to.
int status_number(const std::string& item, const std::string& text, bool aten) {
  char* end = nullptr;
  const long written = std::strtol(text.c_str(), &end, 10);
  if (*end == '\0') return static_cast<int>(written);
  std::vector<const char*> known;
  const auto find = [&](const Named& one) {
    known.push_back(one.name);
    return text == one.name;
  };
  if (aten) {
    for (const Named& one : kAtenStatuses)
      if (find(one)) return one.number;
  } else {
    for (const Named& one : kRuntimeErrors)
      if (find(one)) return one.number;
  }
  refuse(item, std::string(aten ? "topsaten" : "topsrt") + " has no status " + text + "; did you mean " +
                   nearest(text, known) + "?");
}

std::vector<Wanted> parse(const char* text) {
  std::vector<Wanted> wanted;
  if (text == nullptr || *text == '\0') return wanted;
  std::vector<const char*> known(std::begin(kAtenFunctions), std::end(kAtenFunctions));
  known.insert(known.end(), std::begin(kRuntimeFunctions), std::end(kRuntimeFunctions));
  for (const std::string& item : split(text, ',')) {
    const std::vector<std::string> parts = split(item, ':');
    Wanted one;
    one.function = parts[0];
    one.call = parts.size() > 1 ? std::strtol(parts[1].c_str(), nullptr, 10) : 0;
    if (one.call < 1) refuse(item, "this is not <function>:<n>[:<status>][:late], n from 1");
    if (std::none_of(known.begin(), known.end(), [&](const char* name) { return one.function == name; })) {
      refuse(item, "no function of topsaten, and none of topsrt that can be told to fail; did you mean " +
                       nearest(one.function, known) + "?");
    }
    for (size_t i = 2; i < parts.size(); ++i) {
      if (parts[i] == "late") {
        one.late = true;
      } else if (!parts[i].empty()) {
        one.status = status_number(item, parts[i], one.function.rfind("topsaten", 0) == 0);
      }
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
      found = {true, one.status < 0 ? fallback : one.status, one.late};
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
