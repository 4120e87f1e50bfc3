// Typed entries of hot ops.
#pragma once

#include <torch/library.h>

#include <string>
#include <unordered_map>

#include "dispatch/op_entry.h"

namespace torch_fl {

// Registers a typed entry for `entry` if it is one of the hot ops.
bool register_typed(torch::Library& library, OpEntry& entry);

namespace typed {

using Install = void (*)(torch::Library&, OpEntry&);
using Table = std::unordered_map<std::string, Install>;

// The hot ops of this torch, by their full name ("add.Tensor"); generated from codegen/typed.py.
void fill(Table& table);

}  // namespace typed
}  // namespace torch_fl
