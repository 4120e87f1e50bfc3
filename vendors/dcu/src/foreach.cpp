#include "kernels/foreach.h"

namespace torch_fl_dcu {

bool matches_results(const fl_call* call, const fl_list& list) {
  const fl_list& outs = fl_out(call, 0)->v.list;
  if (list.count != outs.count) return false;
  for (size_t i = 0; i < list.count; i++) {
    const fl_tensor &a = item<fl_tensor>(list, i), &b = item<fl_tensor>(outs, i);
    if (!same_dtype(a, b) || !same_sizes(a, b)) return false;
  }
  return true;
}

}  // namespace torch_fl_dcu
