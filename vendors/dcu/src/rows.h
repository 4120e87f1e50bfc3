// The table of the kernels, generated from ops.yaml into generated/rows.cpp.
#pragma once

#include "torch_fl/vendor.h"

namespace torch_fl_dcu {

extern const fl_row kRows[];
extern const size_t kRowCount;

}  // namespace torch_fl_dcu
