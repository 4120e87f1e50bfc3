// Between vendor.h's calls and topsaten's: tensors, numbers, sizes, statuses. A row is
//
//   return run(call, "abs", [](Call& c) {
//     topsatenTensor out0 = c.out(0);
//     return topsaten::topsatenAbs(out0, c.tensor(0), c.stream());
//   });
#pragma once

#include <topsaten/topsaten.h>
#include <topsaten/topsaten_ops.h>

#include <array>
#include <initializer_list>
#include <vector>

#include "runtime.h"

namespace torch_fl_gcu {

topsatenDataType_t to_tops(fl_dtype_id dtype) noexcept;
inline topsatenScalar_t whole(int64_t value, fl_dtype_id dtype = FL_I32) {
  topsatenScalar_t s{};
  s.dtype = to_tops(dtype);
  s.ival = value;
  return s;
}
inline topsatenScalar_t real_number(double value, topsatenDataType_t dtype = TOPSATEN_DATA_FP32) {
  topsatenScalar_t s{};
  s.dtype = dtype;
  s.fval = value;
  return s;
}
inline bool is_float(fl_dtype_id t) { return t == FL_F16 || t == FL_BF16 || t == FL_F32; }

using torch_fl_kit::item, torch_fl_kit::to_double, torch_fl_kit::require, torch_fl_kit::Stop, torch_fl_kit::unsupported;

// Core's status for topsaten's.
fl_status status_of(const char* op, topsatenStatus_t status) noexcept;
inline void must(const char* op, topsatenStatus_t status) {
  if (status != TOPSATEN_STATUS_SUCCESS) throw Stop{status_of(op, status)};
}
inline void must(const char* call, topsError_t code) {
  if (code != topsSuccess) throw Stop{failed(code, call)};
}

// A tensor before topsaten sees it.
struct View : torch_fl_kit::BasicView<View> {
  using BasicView::BasicView;
  // As what the copying kernels take: words of at most 32 bits.
  View moved() const { return width == 1 ? words(FL_U8, 1) : width == 2 ? words(FL_I16, 2) : words(FL_I32, 4); }
  // With a first dimension of one element, where it has a dimension less than `with`.
  View batched(int with) const {
    View v = rank < with ? inserted(0) : *this;
    v.pack();
    return v;
  }
  operator topsatenTensor() const { return {{sizes, rank}, {strides, rank}, to_tops(dtype), data}; }
};

// One call of a row while it runs.
class Call {
 public:
  explicit Call(const fl_call* call);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const fl_call* const raw;
  topsStream_t stream() const noexcept { return queue().handle; }
  Stream& queue() const noexcept { return stream_of(raw->stream); }
  const fl_value& arg(int i) const noexcept { return *fl_arg(raw, i); }
  bool given(int i) const noexcept { return arg(i).kind != FL_NONE; }
  bool wanted(int o) const noexcept { return fl_out(raw, o)->kind != FL_NONE; }

  // Tensors. An absent one is topsaten's undefined tensor.
  topsatenTensor tensor(int i) const { return of(arg(i)); }
  topsatenTensor out(int o) const { return of(*fl_out(raw, o)); }
  std::vector<topsatenTensor> tensors(int i) const { return list(arg(i), false); }
  // Of a row that is shown tensors without dimensions as they are: one of those.
  topsatenTensor single(int i) const { return view(i).rank == 0 ? view(i).ranked() : throw Stop{FL_UNSUPPORTED}; }
  std::vector<topsatenTensor> outs(int o) const { return list(*fl_out(raw, o), false); }
  View view(int i) const { return View(arg(i).v.tensor); }
  View out_view(int o) const { return View(fl_out(raw, o)->v.tensor); }
  int64_t extent(int i, int64_t dim) const noexcept {
    return arg(i).v.tensor.ndim == 0 ? 1 : arg(i).v.tensor.sizes[dim];
  }
  // For kernels that only move elements: those of 64 bits as words, a dimension more.
  topsatenTensor moved(int i) const { return moved(view(i)); }
  topsatenTensor moved_out(int o) const { return moved(out_view(o)); }
  std::vector<topsatenTensor> moved_list(int i) const { return list(arg(i), true); }
  // An int64 output of a kernel that writes int32: the kernel writes a temporary, finish() makes int64 of it.
  topsatenTensor narrow_out(int o);
  void finish();
  // Indices of a dimension of `size` as int32; `ignored` may lie outside of it. One that does not belong is moved into
  // the dimension, because topsaten would read or write beyond it, and raised as an IndexError at the next
  // synchronisation.
  View index_view(int i, int64_t size, int64_t ignored = 0);
  topsatenTensor index(int i, int64_t size, int64_t ignored = 0) { return index_view(i, size, ignored); }
  // Negative ones count from the end.
  topsatenTensor wrapped_index(int i, int64_t size) { return narrowed(view(i), size, 0, size - 1, true); }
  // Indices of any shape as a list of them.
  View index_list(int i, int64_t size) { return index_view(i, size).list(); }
  // One tensor of them for each dimension of tensor `of` in turn; negative ones count from the end.
  std::vector<topsatenTensor> indices(int i, int of);

  // Numbers take the dtype of the first tensor: topsaten reads an integer in the width of its tensors.
  topsatenScalar_t scalar(int i, bool saturate = false) const;
  std::vector<topsatenScalar_t> scalars(int i) const;
  topsatenScalar_t optional(int i, bool dim = false) const;
  int64_t integer(int i) const noexcept { return arg(i).v.i; }
  double real(int i) const noexcept { return arg(i).v.d; }
  bool boolean(int i) const noexcept { return arg(i).v.i != 0; }
  const char* text(int i) const { return given(i) ? arg(i).v.s : throw Stop{FL_UNSUPPORTED}; }
  // Random numbers for as many elements as output 0 has; of the device's generator where argument i is none.
  topsatenGenerator_t generator(int i = -1) const { return generator(i, out_view(0).numel()); }
  topsatenGenerator_t generator(int i, int64_t numbers) const;

  topsatenSize_t size(int i) const;
  // Dimensions of the first tensor, counted from the front; where none are given, `all` of them.
  int64_t dim(int i) const noexcept { return arg(i).v.i < 0 ? arg(i).v.i + rank_ : arg(i).v.i; }
  topsatenSize_t dims(int i, bool all = true);
  // The same for any and all, to which an empty list means no dimension: topsaten has no word for that.
  topsatenSize_t dims_or_absent(int i) { return given(i) && size(i).len == 0 ? throw Stop{FL_UNSUPPORTED} : dims(i); }
  // That of output 0, which kernels do not convert to.
  topsatenDataType_t dtype() const;
  // topsaten promotes nothing: these tensors have one dtype, or the call is the next lane's.
  void one_dtype(std::initializer_list<int> args, std::initializer_list<int> outs = {}) const;

  // A contiguous temporary; its memory is ordered on the stream like the work that uses it.
  View temporary(fl_dtype_id dtype, const int64_t* sizes, int rank);
  View temporary(fl_dtype_id dtype, const View& like) { return temporary(dtype, like.sizes, like.rank); }
  // One element that holds the number, shown as often as `like` has elements.
  View constant(fl_dtype_id dtype, const fl_scalar& number, const View& like);
  View constant(fl_dtype_id dtype, int64_t number, const View& like) {
    return constant(dtype, {FL_INT, 0, {number}}, like);
  }

 private:
  static topsatenTensor of(const fl_value& v);
  static topsatenTensor moved(const View& v) { return v.width == 8 || v.width == 16 ? v.moved() : v; }
  static std::vector<topsatenTensor> list(const fl_value& v, bool words);
  topsatenScalar_t scalar(const fl_scalar& s, bool saturate) const;
  View narrowed(const View& index, int64_t size, int64_t low, int64_t high, bool wraps);
  char* fault();

  const fl_call* outer_;
  OnDevice on_device_;
  fl_dtype_id dtype_ = FL_OTHER_DTYPE;
  int64_t rank_ = 0;
  std::vector<void*> scratch_;
  std::vector<std::pair<View, View>> widen_;
  std::vector<std::vector<int64_t>> kept_;  // of dims(): their elements stay where they are
};

// Before the first op of the process.
fl_status start_topsaten();
void finalize_topsaten();

template <class Kernel>
fl_status run(const fl_call* call, const char* op, Kernel kernel) noexcept {
  if (const fl_status status = start_topsaten()) return status;
  return torch_fl_kit::guard([&] {
    Call c(call);
    must(op, kernel(c));
    c.finish();
    c.queue().enqueued(op);
    return FL_OK;
  });
}

// What a row needs of topsaten, by name; rows whose names the installed library lacks are not offered.
struct Uses {
  Uses(const char* op, const char* names);
  const char *op, *names;
  const Uses* next;
};

// Elements of one dtype from `src` to `dst`, of the same sizes and any strides. 64-bit elements move as two words.
void copy_elements(Call& c, View dst, View src);
// The same elements in a contiguous tensor.
View packed(Call& c, const View& v);
// As copy_, for pairs of dtypes that topsaten converts as PyTorch does.
void convert_elements(Call& c, const View& dst, const View& src);

}  // namespace torch_fl_gcu

// One function of topsaten: what it writes (a View), then its other arguments.
#define FL_ATEN(c, Name, out, ...)                                                \
  do {                                                                            \
    topsatenTensor fl_written = (out);                                            \
    must(#Name, topsaten::topsaten##Name(fl_written, __VA_ARGS__, (c).stream())); \
  } while (false)
