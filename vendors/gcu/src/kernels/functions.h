// Rows that are more than one call of topsaten.
#pragma once

#include "kernels/topsaten.h"

namespace torch_fl_gcu {

// Argument 1's number in every element of output 0; zeros.
void fill(Call& c);
void zero(Call& c);
void masked_fill(Call& c);
void arange(Call& c);
void div_mode(Call& c);
void minmax(Call& c);
void embedding(Call& c);
void embedding_backward(Call& c);
// Counting needs the host: these wait for the stream.
void nonzero(Call& c);
void nonzero_static(Call& c);
void masked_select(Call& c);
// Whole numbers of [from, to), which the arguments of these numbers hold; none: as PyTorch's random_().
void random(Call& c, int from, int to);
void randperm(Call& c);

// Gradients (backward.cpp).
void tanh_backward(Call& c);
void sigmoid_backward(Call& c);
void gelu_backward(Call& c);
void threshold_backward(Call& c);
void log_softmax_backward(Call& c);
void nll_loss_backward(Call& c);
void layer_norm_backward(Call& c);

}  // namespace torch_fl_gcu
