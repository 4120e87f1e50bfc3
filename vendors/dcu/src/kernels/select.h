// Kernels whose results have as many elements as the data says: what is chosen is counted by block, the host waits for
// the number, and each block then writes from where the blocks before it end.
#pragma once

#include "kernels/index.h"

namespace torch_fl_dcu {

// nonzero(self): the places of the elements that are not zero, one row for each
fl_status nonzero(const fl_call* call);
// masked_select(self, mask), broadcast against each other
fl_status masked_select(const fl_call* call);
// masked_scatter_(self, mask, source): the chosen elements of self become those of source, one after the other
fl_status masked_scatter(const fl_call* call);

}  // namespace torch_fl_dcu
