// Elements from anywhere to anywhere. topsaten copies strided tensors, but knows no 64-bit arithmetic: 64-bit elements
// move as words, and int64 is made from, or cut to, an int32 where no value changes by it.
#include "kernels/topsaten.h"

namespace torch_fl_gcu {
namespace {

// To another dtype of at most 32 bits; topsaten converts contiguous tensors.
void cast(Call& c, const View& dst, const View& src) {
  const View from = packed(c, src);
  const View to = dst.contiguous() ? dst : c.temporary(dst.dtype, dst);
  FL_ATEN(c, To, to, from, to_tops(dst.dtype), false, true, TOPSATEN_MEMORY_CONTIGUOUS);
  if (to.data != dst.data) copy_elements(c, dst, to);
}

bool narrow(fl_dtype_id t) { return t <= FL_I32 || is_float(t); }

// int64 from what fits int32: the low word is the value, the high one its sign.
void widen(Call& c, const View& dst, const View& src) {
  const View low = src.dtype == FL_I32 ? packed(c, src) : c.temporary(FL_I32, src);
  if (src.dtype != FL_I32) cast(c, low, src);
  const View words = dst.words(FL_I32, 4);
  View high = low;
  if (src.dtype == FL_BOOL || src.dtype == FL_U8) {
    high = c.constant(FL_I32, 0, low);
  } else {
    high = c.temporary(FL_I32, low);
    FL_ATEN(c, BitwiseRightShift, high, low, c.constant(FL_I32, 31, low));
  }
  copy_elements(c, words.last(0), low);
  copy_elements(c, words.last(1), high);
}

// int64 to a narrower integer, as C++ cuts it; to bool by all of its bits.
void cut(Call& c, const View& dst, const View& src) {
  const View words = src.words(FL_I32, 4);
  const View low = c.temporary(FL_I32, src);
  copy_elements(c, low, words.last(0));
  if (dst.dtype == FL_BOOL) {
    const View high = c.temporary(FL_I32, src);
    copy_elements(c, high, words.last(1));
    FL_ATEN(c, BitwiseOr, low, low, high);
  }
  if (dst.dtype == FL_I32)
    copy_elements(c, dst, low);
  else
    cast(c, dst, low);
}

}  // namespace

View packed(Call& c, const View& v) {
  if (v.contiguous()) return v;
  const View t = c.temporary(v.dtype, v);
  copy_elements(c, t, v);
  return t;
}

void copy_elements(Call& c, View dst, View src) {
  dst.merge(src);
  const View to = dst.moved();
  if (to.rank > 8) unsupported();
  FL_ATEN(c, Copy, to, src.moved(), false);
}

void convert_elements(Call& c, const View& dst, const View& src) {
  if (dst.dtype == src.dtype)
    copy_elements(c, dst, src);
  else if (narrow(dst.dtype) && narrow(src.dtype))
    cast(c, dst, src);
  else if (dst.dtype == FL_I64 && narrow(src.dtype) && !is_float(src.dtype))
    widen(c, dst, src);
  else if (src.dtype == FL_I64 && narrow(dst.dtype) && !is_float(dst.dtype))
    cut(c, dst, src);
  else
    unsupported();
}

}  // namespace torch_fl_gcu
