// The "module" extension: kernels that were compiled elsewhere, loaded from memory and launched by name.
#pragma once

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

const fl_ext_module* module_extension() noexcept;

}  // namespace torch_fl_sim
