// Rows whose results core has no layout rule for. They check the call as PyTorch does and allocate what they write; a
// call that is wrong, and one whose results PyTorch lays out in another order than theirs, is the next lane's.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/functions.h"

namespace torch_fl_gcu {
namespace {

using Sizes = std::vector<int64_t>;
constexpr fl_dtype kLong{FL_CODE_INT, 64, 1}, kInt{FL_CODE_INT, 32, 1}, kComplex{FL_CODE_COMPLEX, 64, 1};

void want(bool right) {
  if (!right) unsupported();
}

Sizes sizes_of(const View& v) { return {v.sizes, v.sizes + v.rank}; }
bool filled(const Sizes& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t n) { return n > 0; });
}
fl_dtype dtype_of(const Call& c, int i) { return c.arg(i).v.tensor.dtype; }
View input(Call& c, int i) { return ranked(packed(c, c.view(i))); }
View flat(const View& v) { return v.matrix(1).last(0); }

// A list of numbers for `dims` dimensions, where one may stand for all.
struct Numbers {
  Sizes n;
  Numbers(const Call& c, int i, size_t dims) {
    const topsatenSize_t given = c.size(i);
    want(given.len == 1 || given.len == static_cast<int64_t>(dims));
    for (size_t d = 0; d < dims; d++) n.push_back(given.data[given.len == 1 ? 0 : d]);
  }
  bool from(int64_t low) const {
    return std::all_of(n.begin(), n.end(), [low](int64_t x) { return x >= low; });
  }
  operator topsatenSize_t() const { return {n.data(), static_cast<int64_t>(n.size())}; }
  int64_t operator[](size_t d) const { return n[d]; }
};

// A contiguous list of the tensor's elements in the order of `shape`, to which it broadcasts.
View expanded(Call& c, const View& v, const Sizes& shape) {
  View e = v;
  e.rank = static_cast<int>(shape.size());
  for (int d = e.rank - 1, own = v.rank - 1; d >= 0; d--, own--) {
    e.sizes[d] = shape[static_cast<size_t>(d)];
    e.strides[d] = own < 0 || v.sizes[own] != e.sizes[d] ? 0 : v.strides[own];
  }
  return flat(packed(c, e));
}

Sizes broadcast(const View& a, const View& b) {
  const int rank = std::max(a.rank, b.rank);
  Sizes shape(static_cast<size_t>(rank));
  for (int d = 1; d <= rank; d++) {
    const int64_t x = d > a.rank ? 1 : a.sizes[a.rank - d], y = d > b.rank ? 1 : b.sizes[b.rank - d];
    want(x == y || x == 1 || y == 1);
    shape[static_cast<size_t>(rank - d)] = x == 1 ? y : x;
  }
  return shape;
}

bool channels_last(const View& volume) {
  int64_t least = 0;
  for (const int d : {1, 4, 3, 2, 0}) {
    if (volume.strides[d] < least) return false;
    least = volume.strides[d] * volume.sizes[d];
  }
  return true;
}

// Positions are int32 to topsaten and int64 to PyTorch.
struct Positions {
  View wide, narrow;
  Positions(Call& c, const View& out) : wide(out), narrow(c.temporary(FL_I32, out)) {}
  void finish(Call& c) const { convert_elements(c, wide, narrow); }
};

// A class for each row of `target`; the weights, where there are any, are one a class.
void want_classes(const Call& c, const View& self, int weight, int64_t classes) {
  if (!c.given(weight)) return;
  const View w = c.view(weight);
  want(w.dtype == self.dtype && w.rank == 1 && w.sizes[0] == classes);
}
topsatenTensor weights(Call& c, int i) { return c.given(i) ? topsatenTensor(input(c, i)) : topsatenTensor(); }

}  // namespace

void normal(Call& c) {
  const bool means = c.arg(0).kind == FL_TENSOR, deviations = c.arg(1).kind == FL_TENSOR;
  const View of = c.view(means ? 0 : 1);
  want(!means || !deviations || of.dtype == c.view(1).dtype);
  const Sizes shape = means && deviations ? broadcast(of, c.view(1)) : sizes_of(of);
  View mean, deviation;
  if (deviations) {
    deviation = expanded(c, c.view(1), shape);
    const View right = c.temporary(FL_BOOL, deviation);
    FL_ATEN(c, Ge, right, deviation, real_number(0));
    want(count_nonzero(c, right) == deviation.numel());
  } else {
    want(c.real(1) >= 0);
  }
  if (means) mean = expanded(c, c.view(0), shape);
  const topsatenGenerator_t g = c.generator(2, (means ? mean : deviation).numel());
  const View out = flat(open(c, dtype_of(c, means ? 0 : 1), shape));
  if (!deviations)
    FL_ATEN(c, Normal, out, mean, c.real(1), g);
  else if (!means)
    FL_ATEN(c, Normal, out, c.real(0), deviation, g);
  else
    FL_ATEN(c, Normal, out, mean, deviation, g);
}

void bucketize(Call& c) {
  const View boundaries = input(c, 1);
  want(c.arg(1).v.tensor.ndim == 1);
  View values;
  Sizes shape;
  if (c.arg(0).kind == FL_SCALAR) {
    const fl_scalar& number = c.arg(0).v.scalar;
    want(number.kind == FL_INT || (number.kind == FL_DOUBLE && is_float(boundaries.dtype)));
    (void)c.scalar(0);  // refuses what the boundaries' dtype cannot hold
    const int64_t one = 1;
    values = c.constant(boundaries.dtype, number, c.temporary(boundaries.dtype, &one, 1));
  } else {
    want(c.view(0).dtype == boundaries.dtype);
    shape = sizes_of(c.view(0));
    values = flat(input(c, 0));
  }
  const bool narrow = c.boolean(2);
  const View out = flat(open(c, narrow ? kInt : kLong, shape));
  const Positions found(c, out);
  FL_ATEN(c, Bucketize, found.narrow, values, boundaries, true, c.boolean(3));
  found.finish(c);
}

void nll_loss2d(Call& c) {
  const View self = input(c, 0), target = c.view(1);
  want(self.rank == 4 && target.rank == 3);
  want(self.sizes[0] == target.sizes[0] && self.sizes[2] == target.sizes[1] && self.sizes[3] == target.sizes[2]);
  want_classes(c, self, 2, self.sizes[1]);
  const int64_t reduction = c.integer(3), ignored = c.integer(4);
  want(reduction >= 0 && reduction <= 2);
  const topsatenTensor classes = c.index(1, self.sizes[1], ignored), weight = weights(c, 2);
  const View out = ranked(open(c, dtype_of(c, 0), reduction == 0 ? sizes_of(target) : Sizes()));
  topsatenTensor total = ranked(open(c, dtype_of(c, 0), {}, 1));
  FL_ATEN(c, NLLLoss2DForward, out, total, self, classes, weight, reduction, ignored);
}

void multi_margin_loss(Call& c) {
  const View self = input(c, 0), target = c.view(1);
  const int rank = c.arg(0).v.tensor.ndim;
  want(rank == 1 || rank == 2);
  const int64_t rows = rank == 2 ? self.sizes[0] : 1, classes = self.sizes[self.rank - 1], reduction = c.integer(5);
  want(rank == 2 ? target.rank == 1 && target.sizes[0] == rows : target.numel() == 1 && target.rank <= 1);
  const fl_scalar& p = c.arg(2).v.scalar;
  want(p.kind == FL_INT && (p.v.i == 1 || p.v.i == 2) && reduction >= 0 && reduction <= 2);
  want_classes(c, self, 4, classes);
  const topsatenTensor chosen = c.index_view(1, classes), weight = weights(c, 4);
  const View out = ranked(open(c, dtype_of(c, 0), reduction == 0 ? sizes_of(target) : Sizes()));
  FL_ATEN(c, MultiMarginLoss, out, self, chosen, c.scalar(2), c.scalar(3), weight, reduction);
}

void max_pool3d(Call& c) {
  const View given = c.view(0);
  want(given.rank == 4 || given.rank == 5);
  const int first = given.rank - 3;                                    // of the three dimensions that are pooled
  want(given.rank == 5 ? !channels_last(given) : given.contiguous());  // PyTorch keeps them there
  const Numbers kernel(c, 1, 3), padding(c, 3, 3), dilation(c, 4, 3), stride(c, c.size(2).len != 0 ? 2 : 1, 3);
  want(kernel.from(1) && stride.from(1) && padding.from(0) && dilation.from(1));
  Sizes shape = sizes_of(given);
  for (size_t d = 0; d < 3; d++) {
    int64_t& size = shape[static_cast<size_t>(first) + d];
    want(padding[d] <= kernel[d] / 2);
    const int64_t more = size + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
    want(more >= 0);
    int64_t count = (more + (c.boolean(5) ? stride[d] - 1 : 0)) / stride[d] + 1;
    if (c.boolean(5) && (count - 1) * stride[d] >= size + padding[d]) count--;
    size = count;
  }
  want(filled(shape));
  const View self = packed(c, given), out = open(c, dtype_of(c, 0), shape);
  const Positions places(c, open(c, kLong, shape, 1));
  topsatenTensor indices = places.narrow;
  FL_ATEN(c, MaxPool3dWithIndices, out, indices, self, kernel, stride, padding, dilation, c.boolean(5));
  places.finish(c);
}

void weight_norm(Call& c) {
  const View v = input(c, 0), g = input(c, 1);
  const int64_t dim = c.integer(2);
  want(c.arg(0).v.tensor.ndim > 0 && c.arg(1).v.tensor.ndim == v.rank);
  want(dim == 0 || dim == v.rank - 1);
  for (int d = 0; d < v.rank; d++) want(g.sizes[d] == (d == dim ? v.sizes[d] : 1));
  const View out = open(c, dtype_of(c, 0), sizes_of(v));
  topsatenTensor norms = open(c, dtype_of(c, 1), sizes_of(g), 1);
  FL_ATEN(c, WeightNormInterface, out, norms, v, g, dim);
}

void histc(Call& c) {
  const View self = flat(input(c, 0));
  const fl_scalar &low = c.arg(2).v.scalar, &high = c.arg(3).v.scalar;
  const auto number = [](const fl_scalar& s) { return s.kind == FL_DOUBLE ? s.v.d : static_cast<double>(s.v.i); };
  want(low.kind != FL_COMPLEX && high.kind != FL_COMPLEX && c.integer(1) > 0);
  want(std::isfinite(number(low)) && std::isfinite(number(high)) && number(low) <= number(high));
  if (number(low) == number(high)) {  // the data's own ends, which have to be finite
    const View finite = c.temporary(FL_BOOL, self);
    FL_ATEN(c, Isfinite, finite, self);
    want(count_nonzero(c, finite) == self.numel());
  }
  FL_ATEN(c, Histc, open(c, dtype_of(c, 0), {c.integer(1)}), self, c.integer(1), c.scalar(2), c.scalar(3));
}

namespace {

// How many places a kernel has in an image of (height, width); argument `k` is its size, then dilation, padding,
// stride.
struct Windows {
  Numbers kernel, dilation, padding, stride;
  int64_t high, wide;
  Windows(const Call& c, int k, int64_t height, int64_t width)
      : kernel(c, k, 2), dilation(c, k + 1, 2), padding(c, k + 2, 2), stride(c, k + 3, 2) {
    want(kernel.from(1) && dilation.from(1) && padding.from(0) && stride.from(1));
    const auto count = [&](size_t d, int64_t size) {
      const int64_t more = size + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
      want(more >= 0);
      return more / stride[d] + 1;
    };
    high = count(0, height);
    wide = count(1, width);
  }
};

}  // namespace

void im2col(Call& c) {
  View self = input(c, 0);
  const bool batched = self.rank == 4;
  want(batched || self.rank == 3);
  if (!batched) self = self.inserted(0);
  self.pack();
  const Windows w(c, 1, self.sizes[2], self.sizes[3]);
  Sizes shape{self.sizes[0], self.sizes[1] * w.kernel[0] * w.kernel[1], w.high * w.wide};
  if (!batched) shape.erase(shape.begin());
  View out = open(c, dtype_of(c, 0), shape);
  if (!batched) out = out.inserted(0);
  out.pack();
  FL_ATEN(c, Im2col, out, self, w.kernel, w.dilation, w.padding, w.stride);
}

void col2im(Call& c) {
  View self = input(c, 0);
  const bool batched = self.rank == 3;
  want(batched || self.rank == 2);
  if (!batched) self = self.inserted(0);
  self.pack();
  const Numbers image(c, 1, 2);
  want(image.from(1));
  const Windows w(c, 2, image[0], image[1]);
  const int64_t area = w.kernel[0] * w.kernel[1];
  want(self.sizes[1] % area == 0 && self.sizes[2] == w.high * w.wide);
  Sizes shape{self.sizes[0], self.sizes[1] / area, image[0], image[1]};
  if (!batched) shape.erase(shape.begin());
  View out = open(c, dtype_of(c, 0), shape);
  if (!batched) out = out.inserted(0);
  out.pack();
  FL_ATEN(c, Col2im, out, self, image, w.kernel, w.dilation, w.padding, w.stride);
}

void grid_sample(Call& c, int dims) {
  const View image = input(c, 0), grid = input(c, 1);
  want(image.rank == dims + 2 && grid.rank == dims + 2 && image.dtype == grid.dtype);
  want(image.sizes[0] == grid.sizes[0] && grid.sizes[dims + 1] == dims);
  want(c.integer(2) >= 0 && c.integer(2) <= (dims == 2 ? 2 : 1) && c.integer(3) >= 0 && c.integer(3) <= 2);
  Sizes shape{image.sizes[0], image.sizes[1]};
  shape.insert(shape.end(), grid.sizes + 1, grid.sizes + 1 + dims);
  const View out = open(c, dtype_of(c, 0), shape);
  if (dims == 2)
    FL_ATEN(c, GridSampler2d, out, image, grid, c.integer(2), c.integer(3), c.boolean(4));
  else
    FL_ATEN(c, GridSampler3d, out, image, grid, c.integer(2), c.integer(3), c.boolean(4));
}

void frexp(Call& c) {
  const View self = c.view(0);
  want(self.contiguous());  // results have the order of the argument
  const View mantissa = ranked(open(c, dtype_of(c, 0), sizes_of(self)));
  topsatenTensor exponent = ranked(open(c, kInt, sizes_of(self), 1));
  FL_ATEN(c, Frexp, mantissa, exponent, ranked(self));
}

void polar(Call& c) {
  const View length = c.view(0), angle = c.view(1);
  want(length.contiguous() && angle.contiguous() && sizes_of(length) == sizes_of(angle));
  FL_ATEN(c, Polar, ranked(open(c, kComplex, sizes_of(length))), ranked(length), ranked(angle));
}

void channel_shuffle(Call& c) {
  const View self = c.view(0);
  const int64_t groups = c.integer(1);
  want(self.rank > 2 && self.contiguous() && groups > 0 && self.sizes[1] % groups == 0);
  FL_ATEN(c, ChannelShuffle, open(c, dtype_of(c, 0), sizes_of(self)), self, groups);
}

// Along the last dimension alone: over several PyTorch's own result has another order of dimensions.
void fourier(Call& c, Fourier kind) {
  const View self = c.view(0);
  const topsatenSize_t given = c.size(1);
  want(self.rank > 0 && self.contiguous() && given.len == 1);
  const int64_t last = self.rank - 1, normalization = c.integer(2);
  want((given.data[0] < 0 ? given.data[0] + self.rank : given.data[0]) == last);
  want(normalization >= 0 && normalization <= 2);
  Sizes shape = sizes_of(self);
  const topsatenSize_t dims{&last, 1};
  if (kind == Fourier::complex) {
    FL_ATEN(c, FftC2c, open(c, kComplex, shape), self, dims, normalization, c.boolean(3));
  } else if (kind == Fourier::from_real) {
    if (c.boolean(3)) shape.back() = shape.back() / 2 + 1;
    FL_ATEN(c, FftR2c, open(c, kComplex, shape), self, dims, normalization, c.boolean(3));
  } else {
    want(c.integer(3) > 0 && c.integer(3) / 2 + 1 == shape.back());
    shape.back() = c.integer(3);
    FL_ATEN(c, FftC2r, open(c, {FL_CODE_FLOAT, 32, 1}, shape), self, dims, normalization, c.integer(3));
  }
}

namespace {

// out= that PyTorch sizes without a word: it is empty, or right already.
View room(Call& c, const Sizes& shape) { return open(c, fl_out(c.raw, 0)->v.tensor.dtype, shape); }
View beside(Call& c, const View& v) { return v.contiguous() ? v : c.temporary(v.dtype, v); }
void settle(Call& c, const View& to, const View& written) {
  if (written.data != to.data) copy_elements(c, to, written);
}

}  // namespace

void spaced(Call& c, bool powers) {
  const int64_t steps = c.integer(2);
  const View given = c.out_view(0);
  want(steps > 0 && (given.numel() == 0 || given.numel() == steps));
  const View to = room(c, given.numel() == 0 ? Sizes{steps} : sizes_of(given)), out = beside(c, ranked(to));
  if (powers)
    FL_ATEN(c, Logspace, flat(out), c.scalar(0), c.scalar(1), steps, c.real(3), c.dtype(), TOPSATEN_LAYOUT_STRIDED);
  else
    FL_ATEN(c, Linspace, flat(out), c.scalar(0), c.scalar(1), steps, c.dtype(), TOPSATEN_LAYOUT_STRIDED);
  settle(c, to, out);
}

void eye(Call& c, int columns) {
  const Sizes shape{c.integer(0), c.integer(columns)};
  const View given = c.out_view(0);
  want(filled(shape) && (given.numel() == 0 || sizes_of(given) == shape));
  const View to = room(c, shape), out = beside(c, to);
  FL_ATEN(c, Eye, out, shape[0], shape[1], c.dtype(), TOPSATEN_LAYOUT_STRIDED);
  settle(c, to, out);
}

}  // namespace torch_fl_gcu
