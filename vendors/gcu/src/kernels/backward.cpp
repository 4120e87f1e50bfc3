// Gradients that topsaten has no kernel for, or one that writes nothing: made of those that it has, in float32 (core
// widens the halves).
#include <utility>

#include "kernels/functions.h"

namespace torch_fl_gcu {
namespace {

using Binary = topsatenStatus_t (*)(topsatenTensor&, const topsatenTensor&, const topsatenTensor&, topsStream_t);
using Unary = topsatenStatus_t (*)(topsatenTensor&, const topsatenTensor&, topsStream_t);

// Float32 arithmetic on tensors of one shape.
struct Math {
  Call& c;

  View unary(const char* name, Unary f, const View& a) const {
    const View out = c.temporary(FL_F32, a);
    topsatenTensor t = out.tensor();
    must(name, f(t, a.tensor(), c.stream()));
    return out;
  }
  View exp(const View& a) const { return unary("Exp", topsaten::topsatenExp, a); }
  View mul(const View& a, const View& b) const {
    const View out = c.temporary(FL_F32, a);
    mul(out, a, b);
    return out;
  }
  void mul(const View& out, const View& a, const View& b) const {
    topsatenTensor t = out.tensor();
    must("Mul", static_cast<Binary>(topsaten::topsatenMul)(t, a.tensor(), b.tensor(), c.stream()));
  }
  View mul(const View& a, double b) const { return mul(a, number(b, a)); }
  // a + factor * b
  View add(const View& a, const View& b, double factor = 1) const {
    const View out = c.temporary(FL_F32, a);
    add(out, a, b, factor);
    return out;
  }
  void add(const View& out, const View& a, const View& b, double factor) const {
    topsatenTensor t = out.tensor();
    must("Add", topsaten::topsatenAdd(t, a.tensor(), b.tensor(), real_number(factor), c.stream()));
  }
  View add(const View& a, double b) const { return add(a, number(b, a)); }
  View number(double value, const View& like) const {
    fl_scalar s{FL_DOUBLE, 0, {}};
    s.v.d = value;
    return c.constant(FL_F32, s, like);
  }
  // Over one dimension, which stays with one element.
  void sum(const View& out, const View& a, int64_t dim) const {
    topsatenTensor t = out.tensor();
    must("Sum", topsaten::topsatenSum(t, a.tensor(), {&dim, 1}, true, TOPSATEN_DATA_FP32, c.stream()));
  }
  View sum(View a, int64_t dim) const {
    const int64_t all = std::exchange(a.sizes[dim], 1);
    const View out = c.temporary(FL_F32, a);
    a.sizes[dim] = all;
    sum(out, a, dim);
    return out;
  }
  // A tensor with dimensions of one element, as often as `like` has them.
  static View shown(View v, const View& like) {
    for (int d = 0; d < v.rank; d++) {
      if (v.sizes[d] == 1 && like.sizes[d] != 1) v.strides[d] = 0;
      v.sizes[d] = like.sizes[d];
    }
    return v;
  }
};

}  // namespace

void tanh_backward(Call& c) {
  const Math m{c};
  m.mul(c.out_view(0), c.view(0), m.add(m.number(1, c.view(1)), m.mul(c.view(1), c.view(1)), -1));
}

void sigmoid_backward(Call& c) {
  const Math m{c};
  m.mul(c.out_view(0), m.mul(c.view(0), m.add(m.number(1, c.view(1)), c.view(1), -1)), c.view(1));
}

void log_softmax_backward(Call& c) {
  const Math m{c};
  const View grad = c.view(0), out = c.view(1);
  m.add(c.out_view(0), grad, m.mul(m.exp(out), Math::shown(m.sum(grad, c.dim(2)), out)), -1);
}

void gelu_backward(Call& c) {
  constexpr double kSqrtHalf = 0.70710678118654752440, kSqrtTwoPi = 2.50662827463100050242, kCubic = 0.044715;
  const Math m{c};
  const View x = c.view(1), square = m.mul(x, x);
  if (c.text(2)[0] == 'n') {
    const View cdf = m.mul(m.add(m.unary("Erf", topsaten::topsatenErf, m.mul(x, kSqrtHalf)), 1), 0.5);
    return m.mul(c.out_view(0), c.view(0), m.add(cdf, m.mul(x, m.mul(m.exp(m.mul(square, -0.5)), 1 / kSqrtTwoPi))));
  }
  const View inner = m.mul(m.mul(x, m.add(m.mul(square, kCubic), 1)), 2 / kSqrtTwoPi);
  const View tanh = m.unary("Tanh", topsaten::topsatenTanh, inner);
  const View slope = m.mul(m.add(m.mul(square, 3 * kCubic), 1), 2 / kSqrtTwoPi);
  const View right = m.mul(m.mul(x, m.add(m.number(1, x), m.mul(tanh, tanh), -1)), slope);
  m.mul(c.out_view(0), c.view(0), m.mul(m.add(m.add(tanh, 1), right), 0.5));
}

void threshold_backward(Call& c) {
  const View grad = c.view(0), flags = c.temporary(FL_BOOL, grad);
  topsatenTensor below = flags.tensor(), out = c.out(0);
  must("Le", topsaten::topsatenLe(below, c.tensor(1), c.scalar(2), c.stream()));
  must("Where",
       topsaten::topsatenWhere(out, below, c.constant(grad.dtype, 0, grad).tensor(), grad.tensor(), c.stream()));
}

void nll_loss_backward(Call& c) {
  const Math m{c};
  const View out = c.out_view(0);
  if (out.rank != 2) unsupported();
  const int64_t classes = out.sizes[1], ignored = c.integer(5);
  const View target = c.index_view(2, classes, ignored), keep = c.temporary(FL_BOOL, target),
             rows = c.temporary(FL_I32, target);
  topsatenTensor flags = keep.tensor(), index = rows.tensor();
  must("Ne", topsaten::topsatenNe(flags, target.tensor(), whole(ignored), c.stream()));
  must("Clamp", topsaten::topsatenClamp(index, target.tensor(), whole(0), whole(classes - 1), c.stream()));
  View value = m.mul(m.number(-1, target), Math::shown(c.view(0), target));
  topsatenTensor values = value.tensor();
  if (c.given(3)) {
    const View weight = c.temporary(FL_F32, target);
    topsatenTensor weights = weight.tensor();
    must("IndexSelect", topsaten::topsatenIndexSelect(weights, c.tensor(3), 0, index, c.stream()));
    m.mul(value, value, weight);
  }
  if (c.integer(4) == 1)
    must("Div", static_cast<Binary>(topsaten::topsatenDiv)(values, values, Math::shown(c.view(6), target).tensor(),
                                                           c.stream()));
  must("Where", topsaten::topsatenWhere(values, flags, values, c.constant(FL_F32, 0, target).tensor(), c.stream()));
  zero(c);
  topsatenTensor to = out.tensor();
  must("Scatter", topsaten::topsatenScatter(to, to, rows.matrix(1).tensor(), value.matrix(1).tensor(), 1,
                                            static_cast<topsatenScatterComputationType_t>(0), c.stream()));
}

void layer_norm_backward(Call& c) {
  const Math m{c};
  int64_t columns = 1;
  for (int64_t d = 0; d < c.size(2).len; d++) columns *= c.size(2).data[d];
  const View grad = c.view(0).matrix(columns), x = c.view(1).matrix(columns);
  const View mean = Math::shown(c.view(3).matrix(1), x), rstd = Math::shown(c.view(4).matrix(1), x);
  const View normal = m.mul(m.add(x, mean, -1), rstd);
  if (c.wanted(1)) m.sum(c.out_view(1).matrix(columns), m.mul(grad, normal), 0);
  if (c.wanted(2)) m.sum(c.out_view(2).matrix(columns), grad, 0);
  if (!c.wanted(0)) return;
  const double share = 1 / static_cast<double>(columns);
  const View scaled = c.given(5) ? m.mul(grad, Math::shown(c.view(5).matrix(columns), x)) : grad;
  const View average = Math::shown(m.mul(m.sum(scaled, 1), share), x);
  const View along = Math::shown(m.mul(m.sum(m.mul(scaled, normal), 1), share), x);
  m.mul(c.out_view(0).matrix(columns), m.add(m.add(scaled, average, -1), m.mul(normal, along), -1), rstd);
}

}  // namespace torch_fl_gcu
