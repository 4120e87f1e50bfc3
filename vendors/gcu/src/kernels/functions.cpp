#include "kernels/functions.h"

#include <algorithm>
#include <limits>

namespace torch_fl_gcu {
namespace {

// Argument 0 as something that topsaten counts right: bfloat16, int64 and others give a wrong count with SUCCESS.
View countable(Call& c) {
  const View v = c.view(0).ranked();
  if (v.dtype == FL_F32 || v.dtype == FL_F16 || v.dtype == FL_U8 || v.dtype == FL_I16 || v.dtype == FL_I32 ||
      v.dtype == FL_BOOL)
    return v;
  View flags = c.temporary(FL_BOOL, v);
  convert_elements(c, flags, v);
  return flags;
}

// Positions of the `count` elements that are not zero, one in a row.
View positions(Call& c, const View& flags, int32_t count) {
  const int64_t sizes[] = {count, flags.rank};
  View found = c.temporary(FL_I32, sizes, 2);
  FL_ATEN(c, Nonzero, found, flags);
  return found;
}

constexpr fl_dtype kLong = {FL_CODE_INT, 64, 1};
bool fits_int32(int64_t v) {
  return v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max();
}

}  // namespace

// topsaten counts what is not zero on the host's side.
int32_t count_nonzero(Call& c, const View& v) {
  int32_t count = 0;
  must("CountNonzero", topsaten::topsatenCountNonzero(&count, v, c.stream()));
  require(synchronized(c.raw->device, &c.queue(), topsStreamSynchronize(c.stream())));
  return count;
}

View open(Call& c, fl_dtype dtype, const std::vector<int64_t>& sizes, int32_t o) {
  fl_tensor out{};
  const auto rank = static_cast<int32_t>(sizes.size());
  require(core()->alloc_output(c.raw, o, dtype, rank, sizes.data(), &out));
  return View(out);
}

void check_deviations(Call& c) {
  const View given = c.view(1), right = c.temporary(FL_BOOL, given);
  FL_ATEN(c, Ge, right, given, real_number(0));
  if (count_nonzero(c, right) != given.numel()) unsupported();
}

void histc(Call& c) {
  const View self = c.view(0).list();
  if (to_double(c.arg(2).v.scalar) == to_double(c.arg(3).v.scalar)) {  // the data's own ends, which have to be finite
    const View finite = c.temporary(FL_BOOL, self);
    FL_ATEN(c, Isfinite, finite, self);
    if (count_nonzero(c, finite) != self.numel()) unsupported();
  }
  FL_ATEN(c, Histc, c.out_view(0), self, c.integer(1), c.scalar(2), c.scalar(3));
}

void zero(Call& c) {
  const View out = c.out_view(0);
  const auto bytes = static_cast<size_t>(out.numel() * out.width);
  if (out.contiguous()) return must("topsMemsetAsync", topsMemsetAsync(out.data, 0, bytes, c.stream()));
  const View words = out.moved();
  copy_elements(c, words, c.constant(words.dtype, 0, words));
}

void arange(Call& c) {
  for (int i = 0; i < 3; i++)
    if (!is_float(c.out_view(0).dtype) && c.arg(i).v.scalar.kind == FL_DOUBLE) unsupported();
  const topsatenTensor to = c.narrow_out(0);
  FL_ATEN(c, Arange, to, c.scalar(0), c.scalar(1), c.scalar(2), to.GetTensorDataType(), TOPSATEN_LAYOUT_STRIDED, false);
}

void nonzero(Call& c, int size) {
  const View flags = countable(c);
  const int32_t count = count_nonzero(c, flags);
  View out = open(c, kLong, {size < 0 ? count : c.integer(size), c.view(0).rank});
  if (out.numel() == 0) return;
  if (count < out.sizes[0]) copy_elements(c, out, c.constant(FL_I64, c.integer(2), out));
  if (count == 0) return;
  View found = positions(c, flags, count);
  out.sizes[0] = found.sizes[0] = std::min<int64_t>(count, out.sizes[0]);
  convert_elements(c, out, found);
}

void masked_select(Call& c) {
  const View self = c.view(0).ranked(), mask = c.view(1).ranked();
  if (c.view(0).rank != c.view(1).rank || !self.same_sizes(mask)) unsupported();
  const int32_t count = count_nonzero(c, mask);
  const View out = open(c, c.arg(0).v.tensor.dtype, {count});
  if (count != 0) FL_ATEN(c, MaskedSelect, out, self, mask);
}

void glu_jvp(Call& c) {
  c.one_dtype({0, 1, 2});
  const View glu = c.view(0), x = c.view(1), dx = c.view(2);
  const int64_t dim = c.dim(3);
  if (x.rank != glu.rank || dx.rank != glu.rank || dim < 0 || dim >= glu.rank) unsupported();
  for (int d = 0; d < glu.rank; d++)
    if (x.sizes[d] != glu.sizes[d] * (d == dim ? 2 : 1) || dx.sizes[d] != x.sizes[d]) unsupported();
  FL_ATEN(c, GluJvp, c.out_view(0), glu, x, dx, dim);
}

// topsaten's own has nowhere to put statistics that PyTorch leaves out: with given ones it is arithmetic, in float32.
void batch_norm(Call& c) {
  const View x = c.view(0);
  if (c.boolean(5)) {
    c.one_dtype({0, 1, 2, 3, 4});
    const topsatenTensor out = c.out(0);
    topsatenTensor mean = c.out(1), deviation = c.out(2);
    FL_ATEN(c, NativeBatchNorm, out, mean, deviation, c.tensor(0), c.tensor(1), c.tensor(2), c.tensor(3), c.tensor(4),
            true, c.real(6), c.real(7));
    return;
  }
  if (x.rank < 2 || !c.given(3) || !c.given(4) || c.view(3).rank != 1 || c.view(4).rank != 1) unsupported();
  const Math m{c};
  const auto real = [&](int i) {
    const View v = c.view(i), made = m.made(v);
    if (v.dtype == FL_F32) return v;
    convert_elements(c, made, v);
    return made;
  };
  const View mean = real(3), scale = m.made(mean);
  FL_ATEN(c, Rsqrt, scale, m.add(real(4), c.real(7)));
  const View slope = c.given(1) ? m.mul(scale, real(1)) : scale;
  const View start = m.mul(m.mul(mean, slope), -1), offset = c.given(2) ? m.add(start, real(2)) : start;
  const auto beside = [&x](View v) {  // one number a channel
    const int64_t channels = v.strides[0];
    std::fill_n(v.strides, x.rank, 0);
    v.strides[1] = channels;
    v.rank = x.rank;
    std::copy_n(x.sizes, x.rank, v.sizes);
    return v;
  };
  const View made = m.add(m.mul(real(0), beside(slope)), beside(offset));
  convert_elements(c, c.out_view(0), made);
}

// topsaten's own wants outputs of the right size before it has counted; these count first.
void unique(Call& c, bool sorts, int inverse, int counts) {
  const View self = c.view(0), given = self.list();
  const int64_t all = given.sizes[0];
  if (!fits_int32(all)) unsupported();
  View values = given, order;
  if (sorts) {
    values = c.temporary(self.dtype, given);
    order = c.temporary(FL_I32, given);
    topsatenTensor places = order;
    FL_ATEN(c, Sort, values, places, given, whole(1, FL_BOOL), 0, false);
  }
  const View starts = c.temporary(FL_BOOL, given);
  must("topsMemsetAsync", topsMemsetAsync(starts.data, 1, 1, c.stream()));
  if (all > 1) FL_ATEN(c, Ne, starts.part(1, all - 1), values.part(1, all - 1), values.part(0, all - 1));
  const int32_t count = count_nonzero(c, starts);
  FL_ATEN(c, MaskedSelect, open(c, c.arg(0).v.tensor.dtype, {count}), values, starts);
  if (!c.boolean(inverse)) {
    open(c, kLong, {0}, 1);
  } else {
    const View to = open(c, kLong, {self.sizes, self.sizes + self.rank}, 1), ones = c.temporary(FL_I32, given),
               ids = c.temporary(FL_I32, given);
    convert_elements(c, ones, starts);
    FL_ATEN(c, Cumsum, ids, ones, 0, TOPSATEN_DATA_I32);
    FL_ATEN(c, Add, ids, ids, c.constant(FL_I32, 1, ids), whole(-1));
    if (sorts) FL_ATEN(c, Scatter, ones, ones, order, ids, 0, TOPSATEN_SCATTER_UPDATE);
    convert_elements(c, to.list(), sorts ? ones : ids);
  }
  if (counts < 0) return;
  const View lengths = open(c, kLong, {c.boolean(counts) ? count : 0}, 2);
  if (!c.boolean(counts)) return;
  const int64_t more = count + 1;
  const View ends = c.temporary(FL_I32, &more, 1), runs = c.temporary(FL_I32, lengths);
  copy_elements(c, ends.part(0, count), positions(c, starts, count).last(0));
  copy_elements(c, ends.part(count, 1), c.constant(FL_I32, all, ends.part(count, 1)));
  FL_ATEN(c, Add, runs, ends.part(1, count), ends.part(0, count), whole(-1));
  convert_elements(c, lengths, runs);
}

void multinomial(Call& c) {
  const View weights = c.view(0);
  const int64_t number = c.integer(1);
  if (weights.rank == 0 || weights.rank > 2 || number < 1) unsupported();
  if (!c.boolean(2) && number > weights.sizes[weights.rank - 1]) unsupported();
  const int64_t sizes[] = {weights.rank == 2 ? weights.sizes[0] : number, number};
  const View found = c.temporary(FL_I32, sizes, weights.rank);
  FL_ATEN(c, Multinomial, found, weights, number, c.boolean(2), c.generator(3, weights.numel() + found.numel()));
  convert_elements(c, open(c, kLong, {found.sizes, found.sizes + found.rank}), found);
}

void random(Call& c, int from, int to) {
  const int64_t low = from < 0 ? 0 : c.integer(from);
  // All 63 bits of an int64, or a range beyond int32, are the next lane's.
  if (to < 0 ? c.out_view(0).dtype == FL_I64 : !c.given(to) || !fits_int32(low) || !fits_int32(c.integer(to)))
    unsupported();
  const topsatenGenerator_t g = c.generator(c.raw->arg_count - 1);
  topsatenTensor self = c.narrow_out(0);
  if (to < 0) return must("Random", topsaten::topsatenRandom(self, g, c.stream()));
  topsatenPhiloxState_t state;
  state.seed.val = g.seed;
  state.offset.val = g.offset;
  FL_ATEN(c, Random, self, low, c.optional(to), state);
}

}  // namespace torch_fl_gcu
