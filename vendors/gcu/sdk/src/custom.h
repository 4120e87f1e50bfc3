// The ops that no ATen op of the same arguments computes.
#pragma once

#include <c10/core/TensorOptions.h>

#include "call.h"

namespace tops_standin::custom {

// The dtype and shape that a factory's arguments name, which its output must have.
at::TensorOptions made_for(Call& call);
// Writes the first output.
void put(Call& call, const at::Tensor& result);

#define TOPS_STANDIN_CUSTOM(name) void name(Call& call);
#include "generated/custom.inc"
#undef TOPS_STANDIN_CUSTOM

}  // namespace tops_standin::custom
