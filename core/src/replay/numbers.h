// A template for calls that differ in numbers only: what each number of the launches is of the numbers of the call.
#pragma once

#include <memory>
#include <vector>

#include "replay/key.h"
#include "replay/template.h"

namespace torch_fl {

// The numbers of a template, apart from all else of it.
struct Apart {
  explicit Apart(const CallTemplate& call);
  // The template with these numbers.
  std::shared_ptr<const CallTemplate> with(c10::ArrayRef<uint64_t> numbers) const;

  CallTemplate rest;  // its numbers are zero
  std::vector<uint64_t> values;
  std::vector<uint8_t> sizes;  // bytes of each
};

class TemplateOfNumbers {
 public:
  // Another call of the class, and its template.
  void add(const ReplayNumbers& numbers, const CallTemplate& call);
  // Three calls with different numbers have shown where each number goes. A number that was the same in all of them is
  // only known with this value.
  bool ready() const { return ready_; }
  // Null where the numbers are none of those that are known, or far from all that were seen.
  std::shared_ptr<const CallTemplate> make(const ReplayNumbers& numbers) const;

 private:
  static constexpr size_t kProof = 3;
  // How the bytes of a launch's value are made of a number.
  enum class As : uint8_t { constant, float64, float32, float16, bfloat16, int64, int32, int16 };
  struct Formula {
    As as = As::constant;
    bool negated = false;
    uint8_t number = 0;
  };
  struct Capture {
    ReplayNumbers numbers;
    std::vector<uint64_t> values;
  };
  static bool convert(const ReplayNumber& number, Formula formula, uint64_t& bits);
  bool explain(size_t value, Formula& formula) const;
  bool constant(size_t number) const;  // in all captures
  void prove();

  static constexpr double kFar = 4;
  struct Range {
    double low, high;  // of sizes without sign
  };

  std::unique_ptr<const Apart> apart_;
  std::vector<Range> seen_;  // per number
  std::vector<Capture> captures_;
  std::vector<Formula> formulas_;
  bool ready_ = false;
};

}  // namespace torch_fl
