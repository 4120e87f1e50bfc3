#include "kernels/functions.h"

#include <algorithm>
#include <limits>

namespace torch_fl_gcu {
namespace {

// topsaten counts what is not zero on the host's side.
int32_t count_nonzero(Call& c, const topsatenTensor& t) {
  int32_t count = 0;
  must("CountNonzero", topsaten::topsatenCountNonzero(&count, t, c.stream()));
  if (const fl_status status = synchronized(c.raw->device, &c.queue(), topsStreamSynchronize(c.stream())))
    throw Stop{status};
  return count;
}

// Argument 0 as something that topsaten counts right: bfloat16, int64 and others give a wrong count with SUCCESS.
View countable(Call& c) {
  View v = c.view(0);
  if (v.rank == 0) v.sizes[v.rank++] = 1;
  if (v.dtype == FL_F32 || v.dtype == FL_F16 || v.dtype == FL_U8 || v.dtype == FL_I16 || v.dtype == FL_I32 ||
      v.dtype == FL_BOOL)
    return v;
  View flags = c.temporary(FL_BOOL, v);
  convert_elements(c, flags, v);
  return flags;
}

View open(Call& c, fl_dtype dtype, std::initializer_list<int64_t> sizes) {
  fl_tensor out{};
  const auto rank = static_cast<int32_t>(sizes.size());
  if (const fl_status status = core()->alloc_output(c.raw, 0, dtype, rank, sizes.begin(), &out)) throw Stop{status};
  return View(out);
}

// Positions of the `count` elements that are not zero, one in a row.
View positions(Call& c, const View& flags, int32_t count) {
  const int64_t sizes[] = {count, flags.rank};
  View found = c.temporary(FL_I32, sizes, 2);
  topsatenTensor t = found.tensor();
  must("Nonzero", topsaten::topsatenNonzero(t, flags.tensor(), c.stream()));
  return found;
}

constexpr fl_dtype kLong = {FL_CODE_INT, 64, 1};
bool fits_int32(int64_t v) {
  return v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max();
}

}  // namespace

// Indices of any shape are a list of rows here.
void embedding(Call& c) {
  const int64_t columns = c.extent(0, 1);
  topsatenTensor out = c.out_view(0).matrix(columns).tensor();
  const topsatenTensor rows = c.index_view(1, c.extent(0, 0)).matrix(1).last(0).tensor();
  must("Embedding",
       topsaten::topsatenEmbedding(out, c.tensor(0), rows, c.integer(2), c.boolean(3), c.boolean(4), c.stream()));
}

void embedding_backward(Call& c) {
  const View grad = c.view(0);
  topsatenTensor out = c.out(0);
  const topsatenTensor rows = c.index_view(1, c.integer(2)).matrix(1).last(0).tensor();
  must("EmbeddingDenseBackward",
       topsaten::topsatenEmbeddingDenseBackward(out, grad.matrix(grad.sizes[grad.rank - 1]).tensor(), rows,
                                                c.integer(2), c.integer(3), c.boolean(4), c.stream()));
}

void fill(Call& c) {
  const View out = c.out_view(0);
  copy_elements(c, out, c.constant(out.dtype, c.arg(1).v.scalar, out));
}

void zero(Call& c) {
  const View out = c.out_view(0);
  if (out.contiguous()) {
    must("topsMemsetAsync", topsMemsetAsync(out.data, 0, static_cast<size_t>(out.numel() * out.width), c.stream()));
  } else {
    const View words = out.moved();
    copy_elements(c, words, c.constant(words.dtype, 0, words));
  }
}

void masked_fill(Call& c) {
  const View self = c.view(0);
  topsatenTensor out = c.out(0);
  must("Where", topsaten::topsatenWhere(out, c.tensor(1), c.constant(self.dtype, c.arg(2).v.scalar, self).tensor(),
                                        c.tensor(0), c.stream()));
}

void arange(Call& c) {
  for (int i = 0; i < 3; i++)
    if (!is_float(c.out_view(0).dtype) && c.arg(i).v.scalar.kind == FL_DOUBLE) unsupported();
  topsatenTensor to = c.narrow_out(0);
  const topsatenDataType_t dtype = to.GetTensorDataType();
  must("Arange", topsaten::topsatenArange(to, c.scalar(0), c.scalar(1), c.scalar(2), dtype, TOPSATEN_LAYOUT_STRIDED,
                                          false, c.stream()));
}

void nonzero(Call& c) {
  const View flags = countable(c);
  const int32_t count = count_nonzero(c, flags.tensor());
  const View out = open(c, kLong, {count, c.view(0).rank});
  if (out.numel() != 0) convert_elements(c, out, positions(c, flags, count));
}

void nonzero_static(Call& c) {
  const View flags = countable(c);
  const int32_t count = count_nonzero(c, flags.tensor());
  View out = open(c, kLong, {c.integer(1), c.view(0).rank});
  if (out.numel() == 0) return;
  copy_elements(c, out, c.constant(FL_I64, c.integer(2), out));
  if (count == 0) return;
  View found = positions(c, flags, count);
  out.sizes[0] = found.sizes[0] = std::min<int64_t>(count, out.sizes[0]);
  convert_elements(c, out, found);
}

void masked_select(Call& c) {
  const View self = c.view(0), mask = c.view(1);
  if (self.rank != mask.rank || !std::equal(self.sizes, self.sizes + self.rank, mask.sizes)) unsupported();
  const int32_t count = count_nonzero(c, c.tensor(1));
  topsatenTensor out = open(c, c.arg(0).v.tensor.dtype, {count}).tensor();
  if (count != 0) must("MaskedSelect", topsaten::topsatenMaskedSelect(out, c.tensor(0), c.tensor(1), c.stream()));
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
  must("Random", topsaten::topsatenRandom(self, low, c.optional(to), state, c.stream()));
}

void randperm(Call& c) {
  if (c.out_view(0).numel() != c.integer(0) || !fits_int32(c.integer(0))) unsupported();
  topsatenTensor to = c.narrow_out(0);
  const topsatenDataType_t dtype = to.GetTensorDataType();
  must("Randperm",
       topsaten::topsatenRandperm(to, c.integer(0), dtype, TOPSATEN_LAYOUT_STRIDED, false, c.generator(1), c.stream()));
}

}  // namespace torch_fl_gcu
