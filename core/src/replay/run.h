// Does what a template says.
#pragma once

#include <ATen/core/stack.h>

#include "replay/template.h"
#include "runtime/runtime.h"

namespace torch_fl {

// What the vendor's launches can have beyond a grid and values.
struct LaunchAbilities {
  uint64_t features = 0;
  size_t tensor_map_bytes = 0;  // 0: it describes no tensors
};
LaunchAbilities launch_abilities();

// The vendor's extension "module", null where it launches nothing.
const fl_ext_module* module_of(const Vendor& vendor);

// Serves the call on the stack by a template of its kind.
void run(const CallTemplate& call, const OpEntry& entry, torch::jit::Stack* stack);

}  // namespace torch_fl
