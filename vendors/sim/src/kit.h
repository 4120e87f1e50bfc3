// What sim takes of the vendor kit.
#pragma once

#include "torch_fl/vendor_kit.h"

namespace torch_fl_sim {

using torch_fl_kit::core, torch_fl_kit::fail, torch_fl_kit::guarded;
using torch_fl_kit::item, torch_fl_kit::numel, torch_fl_kit::same_dtype, torch_fl_kit::same_sizes,
    torch_fl_kit::to_double, torch_fl_kit::wrap_dim;

}  // namespace torch_fl_sim
