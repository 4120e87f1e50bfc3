// Typed entries of hot ops: the same decision as a boxed entry, without packing the arguments where the call is boxed
// to another key.
#pragma once

#include <torch/library.h>

#include "dispatch/op_entry.h"

namespace torch_fl {

// Registers a typed entry for `entry` if it is one of the hot ops.
bool register_typed(torch::Library& library, OpEntry& entry);

}  // namespace torch_fl
