#include "kernels/random.h"

namespace torch_fl_dcu {

fl_status take_random(const fl_call* call, const fl_value* generator, RandomSource* source) {
  const fl_generator* from =
      generator != nullptr && generator->kind == FL_GENERATOR ? &generator->v.generator : nullptr;
  return torch_fl_kit::core()->philox(call->device, from, 4, &source->seed, &source->offset);
}

}  // namespace torch_fl_dcu
