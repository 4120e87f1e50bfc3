// The little that the C++ tests need: named tests, checks that say what they saw, an exit status.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct Test {
  std::string name;
  std::function<void()> body;
};
inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
struct AddTest {
  AddTest(const char* name, std::function<void()> body) { tests().push_back({name, std::move(body)}); }
};
#define TEST(name)                                     \
  static void test_##name();                           \
  static const AddTest add_##name(#name, test_##name); \
  static void test_##name()

inline std::atomic<int>& failures() {
  static std::atomic<int> count{0};
  return count;
}

inline void check(const char* file, int line, const char* text, bool true_) {
  if (true_) return;
  std::printf("%s:%d: not true: %s\n", file, line, text);
  ++failures();
}
inline void check_equal(const char* file, int line, const char* text, long long is, long long should) {
  if (is == should) return;
  std::printf("%s:%d: %s is %lld, not %lld\n", file, line, text, is, should);
  ++failures();
}
#define CHECK(condition) check(__FILE__, __LINE__, #condition, (condition))
#define CHECK_EQ(is, should) \
  check_equal(__FILE__, __LINE__, #is, static_cast<long long>(is), static_cast<long long>(should))

// Runs all tests, or those whose name contains `filter`.
inline int run_tests(const char* filter) {
  int run = 0;
  for (const Test& test : tests()) {
    if (filter != nullptr && test.name.find(filter) == std::string::npos) continue;
    const int before = failures();
    test.body();
    std::printf("%s %s\n", failures() == before ? "ok  " : "FAIL", test.name.c_str());
    std::fflush(stdout);
    ++run;
  }
  std::printf("%d tests, %d failed checks\n", run, failures().load());
  return failures() == 0 && run > 0 ? 0 : 1;
}
