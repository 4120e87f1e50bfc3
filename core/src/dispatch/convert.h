// Between PyTorch's types and vendor.h's.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

#include "torch_fl/vendor.h"

namespace torch_fl {

fl_dtype to_fl(at::ScalarType dtype);
at::ScalarType from_fl(fl_dtype dtype);
fl_scalar to_fl(const c10::Scalar& scalar, bool wrapped);
inline uint64_t mask_of(at::ScalarType dtype) { return FL_MASK(fl_dtype_to_id(to_fl(dtype))); }
// `half` (float16 or bfloat16) holds the value of a 0-d host tensor.
bool holds(at::ScalarType half, const at::Tensor& number);

}  // namespace torch_fl
