// PyTorch's own structured meta functions, callable without the dispatcher.
#pragma once

#include <ATen/core/boxing/KernelFunction.h>

#include <string>

namespace torch_fl {

// at::meta's function of an overload ("add.Tensor", "add_.Tensor", "add.out"), or null where the op is not structured.
//
// callBoxed() takes the schema's arguments on a stack and leaves the results there. It computes sizes, strides and
// dtypes exactly as PyTorch's own devices do and raises the same errors:
//  - functional: the results are fresh tensors on the meta device (no memory);
//  - in-place:   argument 0 is checked and comes back;
//  - out=:       the out arguments are checked, resized by the op's own rule (a dispatched resize_), and come back.
// Tensor arguments may be on any device; nothing reads their data. Integers must be plain (no symbolic sizes).
// The pointer is valid for the whole process. The table is built at the first call, and is thread-safe.
const c10::KernelFunction* structured_meta(const std::string& overload);

}  // namespace torch_fl
