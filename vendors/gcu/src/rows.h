// The table of the generated rows.
#pragma once

#include "torch_fl/vendor.h"

namespace torch_fl_gcu {

extern const fl_row kRows[];
extern const size_t kRowCount;

}  // namespace torch_fl_gcu
