// Rows that are more than a call of topsaten. Those of one statement stand in ops.yaml.
#pragma once

#include <utility>

#include "kernels/topsaten.h"

namespace torch_fl_gcu {

void zero(Call& c), arange(Call& c), batch_norm(Call& c), glu_jvp(Call& c);

// What is not zero, counted on the host: waits for the stream.
int32_t count_nonzero(Call& c, const View& v);
// Makes output `o` of a row that sizes its own.
View open(Call& c, fl_dtype dtype, const std::vector<int64_t>& sizes, int32_t o = 0);

// Counting needs the host: these wait for the stream.
void masked_select(Call& c);
// In as many rows as argument `size` says, filled up with argument 2; -1: as many as there are.
void nonzero(Call& c, int size);
// (values, inverse, counts), the last two where the arguments of these numbers are true; no counts at all where that
// number is -1. Sorted first, or runs alone.
void unique(Call& c, bool sorts, int inverse, int counts);
// Whole numbers of [from, to), which the arguments of these numbers hold; -1: as PyTorch's random_().
void random(Call& c, int from, int to);
void multinomial(Call& c);
// Deviations, argument 1 of a normal(), that are negative are the next lane's, which raises PyTorch's error.
void check_deviations(Call& c);
void histc(Call& c);
// Gradients (backward.cpp).
void gelu_backward(Call& c), nll_loss_backward(Call& c), layer_norm_backward(Call& c), convolution_backward(Call& c);

// Float32 arithmetic on tensors of one shape.
struct Math {
  Call& c;

  View made(const View& like) const { return c.temporary(FL_F32, like); }
  View exp(const View& a) const {
    const View out = made(a);
    FL_ATEN(c, Exp, out, a);
    return out;
  }
  View mul(const View& a, const View& b) const {
    const View out = made(a);
    FL_ATEN(c, Mul, out, a, b);
    return out;
  }
  View mul(const View& a, double b) const { return mul(a, number(b, a)); }
  // a + factor * b
  View add(const View& a, const View& b, double factor = 1) const {
    const View out = made(a);
    FL_ATEN(c, Add, out, a, b, real_number(factor));
    return out;
  }
  View add(const View& a, double b) const { return add(a, number(b, a)); }
  View number(double value, const View& like) const {
    fl_scalar s{FL_DOUBLE, 0, {}};
    s.v.d = value;
    return c.constant(FL_F32, s, like);
  }
  // Over one dimension, which stays with one element.
  void sum(const View& out, const View& a, int64_t dim) const {
    FL_ATEN(c, Sum, out, a, {&dim, 1}, true, TOPSATEN_DATA_FP32);
  }
  View sum(View a, int64_t dim) const {
    const int64_t all = std::exchange(a.sizes[dim], 1);
    const View out = made(a);
    a.sizes[dim] = all;
    sum(out, a, dim);
    return out;
  }
};

}  // namespace torch_fl_gcu
