// Checks of numbers that PyTorch makes inside its kernels, for rows that replace those kernels. They run on every call:
// a plan does not know the numbers.
#pragma once

#include "dispatch/op_entry.h"

namespace torch_fl {

// Throws PyTorch's error for numbers that the op refuses.
void check_values(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);

}  // namespace torch_fl
