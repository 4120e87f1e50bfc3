// What of a call decides its template, beyond its signature: the values of numbers, and where tensors lie.
#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <cstdint>

#include "dispatch/op_entry.h"

namespace torch_fl {

using ReplayKey = c10::SmallVector<uint64_t, 6>;

// A number among the arguments.
struct ReplayNumber {
  bool integer = false;
  int64_t i = 0;
  double d = 0;  // also of an integer
  bool operator==(const ReplayNumber&) const = default;
};
using ReplayNumbers = c10::SmallVector<ReplayNumber, 2>;

ReplayKey replay_key(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);

// The same for the call's class: numbers that no function has a reason to treat by themselves are told apart by sign
// and by whether 16 divides them only, and are put into `numbers`. Without any, the class is of no use.
ReplayKey replay_class(const OpEntry& entry, c10::ArrayRef<c10::IValue> args, ReplayNumbers& numbers);

}  // namespace torch_fl
