#include "replay/key.h"

#include <ATen/Context.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "aten/make.h"
#include "dispatch/tensors.h"
#include "replay/recording.h"

namespace torch_fl {
namespace {

uint64_t bits_of(double d) {
  uint64_t bits = 0;
  std::memcpy(&bits, &d, sizeof bits);
  return bits;
}

// Functions treat small integers and halves by themselves (alpha == 1, beta == 0, pow 2, 0.5, -1, ...), compilers make
// kernels of their own for 1 and for multiples of 16, and float32 has limits.
constexpr int64_t kSpecial = 64;

bool common(double d) {
  const double size = std::fabs(d);
  return size >= 1e-30 && size <= 1e30 && !(size <= kSpecial && std::floor(size * 2) == size * 2);
}
bool common(int64_t i) { return (i > kSpecial || i < -kSpecial) && i >= INT32_MIN && i <= INT32_MAX; }

class KeyMaker {
 public:
  explicit KeyMaker(ReplayNumbers* numbers) : numbers_(numbers) {
    key.push_back(static_cast<uint64_t>(at::globalContext().float32MatmulPrecision()));
  }

  void add(const OpEntry& entry, c10::ArrayRef<c10::IValue> args) {
    for (size_t i = 0; i < args.size(); i++) {
      const c10::IValue& v = args[i];
      const bool free = entry.args[i].kind == ArgKind::scalar || entry.args[i].kind == ArgKind::floating;
      each_tensor(v, [&](const at::Tensor& t) { tensor(t); });
      if (v.isDouble()) number(v.toDouble(), free);
      if (v.isInt()) number(v.toInt(), free);
      if (v.isBool()) key.push_back(v.toBool());
      if (v.isComplexDouble()) {
        key.push_back(bits_of(v.toComplexDouble().real()));
        key.push_back(bits_of(v.toComplexDouble().imag()));
      }
      if (v.isDoubleList())
        for (const double d : v.toDoubleVector()) key.push_back(bits_of(d));
      if (entry.args[i].kind == ArgKind::scalar_list && v.isList())
        for (const c10::IValue& one : v.toListRef()) {
          if (one.isDouble()) number(one.toDouble(), false);
          if (one.isInt()) number(one.toInt(), false);
          if (one.isBool()) key.push_back(one.toBool());
        }
    }
  }

  ReplayKey key;

 private:
  void tensor(const at::Tensor& t) {
    if (t.device().type() != kFlagos) {
      // A number in a tensor of the host: the function gets its value.
      if (t.numel() != 1 || t.is_complex()) return;
      const bool free = t.unsafeGetTensorImpl()->is_wrapped_number();
      if (t.scalar_type() == at::kLong)
        number(*static_cast<const int64_t*>(t.const_data_ptr()), free);
      else
        number(t.scalar_type() == at::kDouble ? *static_cast<const double*>(t.const_data_ptr()) : t.item().toDouble(),
               free && t.scalar_type() == at::kDouble);
      return;
    }
    const char* p = address(t);
    const auto same = std::find(seen_.begin(), seen_.end(), p) - seen_.begin();
    key.push_back(static_cast<uint64_t>(same) << 4 | (reinterpret_cast<uintptr_t>(p) & 15));
    seen_.push_back(p);
  }

  void number(double d, bool free) {
    if (numbers_ == nullptr || !free || !common(d)) {
      key.push_back(bits_of(d));
      return;
    }
    numbers_->push_back({false, 0, d});
    key.push_back(d < 0);
  }

  void number(int64_t i, bool free) {
    if (numbers_ == nullptr || !free || !common(i)) {
      key.push_back(static_cast<uint64_t>(i));
      return;
    }
    numbers_->push_back({true, i, static_cast<double>(i)});
    key.push_back(static_cast<uint64_t>(i < 0) | static_cast<uint64_t>(i % 16 == 0) << 1);
  }

  ReplayNumbers* numbers_;
  c10::SmallVector<const char*, 8> seen_;
};

}  // namespace

ReplayKey replay_key(const OpEntry& entry, c10::ArrayRef<c10::IValue> args) {
  KeyMaker maker(nullptr);
  maker.add(entry, args);
  return std::move(maker.key);
}

ReplayKey replay_class(const OpEntry& entry, c10::ArrayRef<c10::IValue> args, ReplayNumbers& numbers) {
  KeyMaker maker(&numbers);
  maker.add(entry, args);
  // Which places hold such numbers, so that a class is never taken for another's.
  maker.key.push_back(numbers.size());
  return std::move(maker.key);
}

}  // namespace torch_fl
