// The table of sim's kernels, generated from ops.yaml into generated/rows.cpp.
#pragma once

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

extern const fl_row kRows[];
extern const size_t kRowCount;

}  // namespace torch_fl_sim
