// Rows that are more than one call of topsaten, or less.
#pragma once

#include "kernels/topsaten.h"

namespace torch_fl_gcu {

void fill(Call& c), zero(Call& c), masked_fill(Call& c), arange(Call& c), embedding(Call& c),
    embedding_backward(Call& c);
// Counting needs the host: these wait for the stream.
void nonzero(Call& c), nonzero_static(Call& c), masked_select(Call& c);
// Whole numbers of [from, to), which the arguments of these numbers hold; -1: as PyTorch's random_().
void random(Call& c, int from, int to);
void randperm(Call& c);
// Gradients (backward.cpp).
void tanh_backward(Call& c), sigmoid_backward(Call& c), gelu_backward(Call& c), threshold_backward(Call& c),
    log_softmax_backward(Call& c), nll_loss_backward(Call& c), layer_norm_backward(Call& c);

}  // namespace torch_fl_gcu
