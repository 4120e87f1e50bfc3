#include "replay/numbers.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace torch_fl {

Apart::Apart(const CallTemplate& call) : rest(call) {
  rest.each_number([&](void* at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, at, bytes);
    std::memset(at, 0, bytes);
    values.push_back(value);
    sizes.push_back(static_cast<uint8_t>(bytes));
  });
}

std::shared_ptr<const CallTemplate> Apart::with(c10::ArrayRef<uint64_t> numbers) const {
  auto call = std::make_shared<CallTemplate>(rest);
  size_t next = 0;
  call->each_number([&](void* at, size_t bytes) { std::memcpy(at, &numbers[next++], bytes); });
  return call;
}

namespace {

template <class T>
uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace

// As Python packs a number, and as Triton's launcher does: bfloat16 is cut.
bool TemplateOfNumbers::convert(const ReplayNumber& number, Formula formula, uint64_t& bits) {
  const double d = formula.negated ? -number.d : number.d;
  const int64_t i = formula.negated ? -number.i : number.i;
  switch (formula.as) {
    case As::constant:
      return false;
    case As::float64:
      bits = bits_of(d);
      return true;
    case As::float32:
      bits = bits_of(static_cast<float>(d));
      return true;
    case As::float16:
      if (std::fabs(d) > 65504 || std::fabs(d) < 6.2e-5) return false;
      // Through float32 it would be rounded twice where it lies just beside the middle of two.
      if (static_cast<double>(static_cast<float>(d)) != d) return false;
      bits = c10::Half(static_cast<float>(d)).x;
      return true;
    case As::bfloat16:
      bits = bits_of(static_cast<float>(d)) >> 16;
      return true;
    case As::int64:
      bits = bits_of(i);
      return number.integer;
    case As::int32:
      bits = bits_of(static_cast<int32_t>(i));
      return number.integer;
    case As::int16:
      bits = bits_of(static_cast<int16_t>(i));
      return number.integer && i == static_cast<int16_t>(i);
  }
  return false;
}

bool TemplateOfNumbers::explain(size_t value, Formula& formula) const {
  const uint64_t first = captures_[0].values[value];
  if (std::all_of(captures_.begin(), captures_.end(), [&](const Capture& c) { return c.values[value] == first; })) {
    formula = {};
    return true;
  }
  static constexpr std::pair<As, uint8_t> kinds[] = {{As::float64, 8}, {As::int64, 8},   {As::float32, 4},
                                                     {As::int32, 4},   {As::float16, 2}, {As::bfloat16, 2},
                                                     {As::int16, 2}};
  int found = 0;
  for (size_t n = 0; n < captures_[0].numbers.size(); n++)
    for (const auto& [as, bytes] : kinds)
      for (const bool negated : {false, true}) {
        const Formula tried{as, negated, static_cast<uint8_t>(n)};
        if (bytes != apart_->sizes[value]) continue;
        const bool fits = std::all_of(captures_.begin(), captures_.end(), [&](const Capture& c) {
          uint64_t bits = 0;
          return convert(c.numbers[n], tried, bits) && bits == c.values[value];
        });
        if (!fits) continue;
        formula = tried;
        found++;
      }
  return found == 1;  // two that fit have not been told apart yet
}

void TemplateOfNumbers::prove() {
  formulas_.assign(apart_->values.size(), {});
  ready_ = false;
  for (size_t v = 0; v < formulas_.size(); v++)
    if (!explain(v, formulas_[v])) return;
  // A number that has changed and is nowhere: who knows what it decides.
  for (size_t n = 0; n < captures_[0].numbers.size(); n++)
    if (!constant(n) && std::none_of(formulas_.begin(), formulas_.end(),
                                     [&](const Formula& f) { return f.as != As::constant && f.number == n; }))
      return;
  ready_ = true;
}

bool TemplateOfNumbers::constant(size_t number) const {
  return std::all_of(captures_.begin(), captures_.end(),
                     [&](const Capture& c) { return c.numbers[number] == captures_[0].numbers[number]; });
}

void TemplateOfNumbers::add(const ReplayNumbers& numbers, const CallTemplate& call) {
  auto apart = std::make_unique<const Apart>(call);
  if (apart_ == nullptr || !(apart_->rest == apart->rest)) {
    apart_ = std::move(apart);
    captures_.clear();
    captures_.push_back({numbers, apart_->values});
    seen_.clear();
    for (const ReplayNumber& n : numbers) seen_.push_back({std::fabs(n.d), std::fabs(n.d)});
    ready_ = false;
    return;
  }
  for (size_t n = 0; n < seen_.size(); n++) {
    seen_[n].low = std::min(seen_[n].low, std::fabs(numbers[n].d));
    seen_[n].high = std::max(seen_[n].high, std::fabs(numbers[n].d));
  }
  for (const Capture& c : captures_)
    if (c.numbers == numbers) {
      if (c.values != apart->values) {  // something else decides
        captures_.clear();
        apart_ = nullptr;
        ready_ = false;
      }
      return;
    }
  if (captures_.size() >= 2 * kProof) captures_.erase(captures_.begin());
  captures_.push_back({numbers, std::move(apart->values)});
  if (captures_.size() >= kProof) prove();
}

std::shared_ptr<const CallTemplate> TemplateOfNumbers::make(const ReplayNumbers& numbers) const {
  if (!ready_ || numbers.size() != captures_[0].numbers.size()) return nullptr;
  for (size_t n = 0; n < numbers.size(); n++) {
    const ReplayNumber& first = captures_[0].numbers[n];
    if (numbers[n].integer != first.integer) return nullptr;
    if (constant(n) && !(numbers[n] == first)) return nullptr;
    const double size = std::fabs(numbers[n].d);
    if (size * kFar < seen_[n].low || size > seen_[n].high * kFar) return nullptr;
  }
  c10::SmallVector<uint64_t, 16> values(captures_[0].values.begin(), captures_[0].values.end());
  for (size_t v = 0; v < values.size(); v++)
    if (formulas_[v].as != As::constant && !convert(numbers[formulas_[v].number], formulas_[v], values[v]))
      return nullptr;
  return apart_->with(values);
}

}  // namespace torch_fl
