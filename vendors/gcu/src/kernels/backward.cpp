// Gradients that topsaten has no kernel for, or one that writes nothing: made of those that it has, in float32 (core
// widens the halves) but for convolution's.
#include <algorithm>

#include "kernels/functions.h"

namespace torch_fl_gcu {
namespace {

// (batch, groups * channels, ...) as a contiguous (channels, groups * batch, ...).
View exchanged(Call& c, const View& v, int64_t groups) {
  View from = v.swapped().inserted(1);
  from.sizes[0] /= groups;
  from.sizes[1] = groups;
  from.strides[1] = from.sizes[0] * from.strides[0];
  View to = c.temporary(v.dtype, from);
  copy_elements(c, to, from);
  to.rank = v.rank;
  to.sizes[1] = groups * v.sizes[0];
  std::copy_n(v.sizes + 2, v.rank - 2, to.sizes + 2);
  to.pack();
  return to;
}

}  // namespace

void gelu_backward(Call& c) {
  constexpr double kSqrtHalf = 0.70710678118654752440, kSqrtTwoPi = 2.50662827463100050242, kCubic = 0.044715;
  const Math m{c};
  const View x = c.view(1), square = m.mul(x, x), curve = m.made(x);
  View slope;
  if (c.text(2)[0] == 'n') {
    FL_ATEN(c, Erf, curve, m.mul(x, kSqrtHalf));
    slope = m.add(m.mul(m.add(curve, 1), 0.5), m.mul(x, m.mul(m.exp(m.mul(square, -0.5)), 1 / kSqrtTwoPi)));
  } else {
    FL_ATEN(c, Tanh, curve, m.mul(m.mul(x, m.add(m.mul(square, kCubic), 1)), 2 / kSqrtTwoPi));
    const View inner = m.mul(m.add(m.mul(square, 3 * kCubic), 1), 2 / kSqrtTwoPi);
    const View right = m.mul(x, m.add(m.number(1, x), m.mul(curve, curve), -1));
    slope = m.mul(m.add(m.add(curve, 1), m.mul(right, inner)), 0.5);
  }
  FL_ATEN(c, Mul, c.out_view(0), c.view(0), slope);
}

void nll_loss_backward(Call& c) {
  const Math m{c};
  const View out = c.out_view(0);
  if (out.rank != 2) unsupported();
  const int64_t classes = out.sizes[1], ignored = c.integer(5);
  const View target = c.index_view(2, classes, ignored), keep = c.temporary(FL_BOOL, target),
             rows = c.temporary(FL_I32, target);
  FL_ATEN(c, Ne, keep, target, whole(ignored));
  FL_ATEN(c, Clamp, rows, target, whole(0), whole(classes - 1));
  const View value = m.mul(m.number(-1, target), c.view(0).repeated(target));
  if (c.given(3)) {
    const View weight = m.made(target);
    FL_ATEN(c, IndexSelect, weight, c.tensor(3), 0, rows);
    FL_ATEN(c, Mul, value, value, weight);
  }
  if (c.integer(4) == 1) FL_ATEN(c, Div, value, value, c.view(6).repeated(target));
  FL_ATEN(c, Where, value, keep, value, c.constant(FL_F32, 0, target));
  zero(c);
  FL_ATEN(c, Scatter, out, out, rows.matrix(1), value.matrix(1), 1, TOPSATEN_SCATTER_UPDATE);
}

void layer_norm_backward(Call& c) {
  const Math m{c};
  int64_t columns = 1;
  for (int64_t d = 0; d < c.size(2).len; d++) columns *= c.size(2).data[d];
  const View grad = c.view(0).matrix(columns), x = c.view(1).matrix(columns);
  const View mean = c.view(3).matrix(1).repeated(x), rstd = c.view(4).matrix(1).repeated(x);
  const View normal = m.mul(m.add(x, mean, -1), rstd);
  if (c.wanted(1)) m.sum(c.out_view(1).matrix(columns), m.mul(grad, normal), 0);
  if (c.wanted(2)) m.sum(c.out_view(2).matrix(columns), grad, 0);
  if (!c.wanted(0)) return;
  const double share = 1 / static_cast<double>(columns);
  const View scaled = c.given(5) ? m.mul(grad, c.view(5).matrix(columns).repeated(x)) : grad;
  const View average = m.mul(m.sum(scaled, 1), share).repeated(x);
  const View along = m.mul(m.sum(m.mul(scaled, normal), 1), share).repeated(x);
  FL_ATEN(c, Mul, c.out_view(0).matrix(columns), m.add(m.add(scaled, average, -1), m.mul(normal, along), -1), rstd);
}

// topsaten's own is refused on S60, but its convolution makes the gradients. The weight's is a convolution of what is
// large (the input, or a transposed one's gradient) by what is small, with channels and batch exchanged.
void convolution_backward(Call& c) {
  c.one_dtype({0, 1, 2});
  using List = std::vector<int64_t>;
  View grad = c.view(0), x = c.view(1), weight = c.view(2);
  // A line is a picture of one row, as it is to PyTorch.
  const bool line = grad.rank == 3, transposed = c.boolean(7);
  const auto pictured = [line](View v) { return line ? v.inserted(2) : v; };
  for (View* v : {&grad, &x, &weight}) *v = pictured(*v);
  const auto list = [&](int i, int64_t first) {
    List all(c.size(i).data, c.size(i).data + c.size(i).len);
    all.resize(static_cast<size_t>(grad.rank - 2 - line), all[0]);
    if (line) all.insert(all.begin(), first);
    return all;
  };
  const auto size = [](const List& l) { return topsatenSize_t(l.data(), static_cast<int64_t>(l.size())); };
  const List stride = list(4, 1), padding = list(5, 0), dilation = list(6, 1), none(stride.size(), 0);
  const auto convolve = [&](const View& to, const View& in, const View& by, const List& step, const List& apart,
                            bool back, const List& more) {
    FL_ATEN(c, Convolution, to, in, by, {}, size(step), size(padding), size(apart), back, size(more), c.integer(9));
  };
  const View &big = transposed ? grad : x, &small = transposed ? x : grad;
  List more = none;  // of the large one beyond what the small one's convolution reaches
  for (size_t d = 0; d < more.size(); d++) {
    const int64_t reach = (small.sizes[d + 2] - 1) * stride[d] + (weight.sizes[d + 2] - 1) * dilation[d] + 1;
    more[d] = big.sizes[d + 2] + 2 * padding[d] - reach;
    if (more[d] < 0 || more[d] >= stride[d]) unsupported();
  }
  if (c.wanted(0))
    convolve(pictured(c.out_view(0)), grad, weight, stride, dilation, !transposed, transposed ? none : more);
  if (c.wanted(1)) {
    const View to = pictured(c.out_view(1)).swapped();
    View found = to;
    for (size_t d = 0; d < more.size(); d++) found.sizes[d + 2] += more[d] / dilation[d];
    found = c.temporary(grad.dtype, found);
    convolve(found, exchanged(c, big, c.integer(9)), exchanged(c, small, 1), dilation, stride, false, none);
    std::copy_n(to.sizes, to.rank, found.sizes);
    copy_elements(c, to, found);
  }
  if (!c.wanted(2)) return;
  List dims{0};
  for (int64_t d = 2; d < grad.rank; d++) dims.push_back(d);
  FL_ATEN(c, Sum, c.out_view(2), grad, size(dims), false, to_tops(grad.dtype));
}

}  // namespace torch_fl_gcu
