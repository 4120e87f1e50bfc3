// The arguments of a call as text, so that another process can make the call again.
#pragma once

#include <string>

#include "dispatch/op_entry.h"

namespace torch_fl {

// A JSON list with a value per argument, in the schema's order. A tensor is {"shape", "dtype", "strides", "offset"}, a
// number that PyTorch made a tensor of is that number, a dtype {"dtype"}, a complex number {"complex": [re, im]}, a
// number that JSON lacks {"float": "inf"}. What cannot be made again is {"kind"}.
std::string call_text(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
// PyTorch's name of a dtype in Python: "float32".
std::string dtype_name(at::ScalarType dtype);

}  // namespace torch_fl
