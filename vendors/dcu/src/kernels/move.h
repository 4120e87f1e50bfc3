// Kernels that only move elements.
#pragma once

#include "kernels/fill.h"

namespace torch_fl_dcu {

// cat(tensors, dim): one launch per tensor, each into its part of the output.
fl_status cat(const fl_call* call);
// flip(self, dims)
fl_status flip(const fl_call* call);
// tril and triu (self, diagonal)
fl_status triangle(const fl_call* call, bool upper);
inline fl_status tril(const fl_call* call) { return triangle(call, false); }
inline fl_status triu(const fl_call* call) { return triangle(call, true); }

}  // namespace torch_fl_dcu
