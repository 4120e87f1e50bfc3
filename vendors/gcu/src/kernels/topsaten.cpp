#include "kernels/topsaten.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

namespace torch_fl_gcu {
namespace {

// The call that runs on this thread: topsaten's allocator is asked on its behalf.
thread_local const fl_call* t_call = nullptr;

// topsaten's temporaries come from core's caching allocator, which empties itself where there is no memory left.
topsError_t allocate(void** ptr, size_t bytes, topsStream_t handle, uint64_t) {
  int device = 0;
  if (const topsError_t code = topsGetDevice(&device); code != topsSuccess) return code;
  fl_stream stream = t_call != nullptr && t_call->device == device ? t_call->stream : nullptr;
  if (handle != nullptr && (stream == nullptr || stream_of(stream).handle != handle))
    stream = find_stream(device, handle);
  if (stream == nullptr) stream = core()->current_stream(device);
  return core()->alloc(device, stream, bytes, ptr) == FL_OK ? topsSuccess : topsErrorOutOfMemory;
}
topsError_t release(void* ptr) {
  int device = 0;
  if (const topsError_t code = topsGetDevice(&device); code != topsSuccess) return code;
  core()->free(device, ptr);
  return topsSuccess;
}

std::atomic<bool> g_started{false};
std::mutex g_start_mutex;

// The bits of an integral dtype that topsaten computes with, negative where it has a sign; 0 for every other dtype.
int bits_of(fl_dtype_id dtype) {
  static constexpr int bits[] = {1, 8, -8, -16, -32};
  return dtype <= FL_I32 ? bits[dtype] : 0;
}

// topsaten takes no tensors without elements; core has seen to those calls where all are.
void want_elements(const fl_tensor& t) {
  if (std::find(t.sizes, t.sizes + t.ndim, 0) != t.sizes + t.ndim) unsupported();
}

}  // namespace

topsatenDataType_t to_tops(fl_dtype_id dtype) noexcept {
  static constexpr topsatenDataType_t types[] = {
      TOPSATEN_DATA_PRED, TOPSATEN_DATA_U8,      TOPSATEN_DATA_I8,   TOPSATEN_DATA_I16,     TOPSATEN_DATA_I32,
      TOPSATEN_DATA_I64,  TOPSATEN_DATA_U16,     TOPSATEN_DATA_U32,  TOPSATEN_DATA_U64,     TOPSATEN_DATA_FP16,
      TOPSATEN_DATA_BF16, TOPSATEN_DATA_FP32,    TOPSATEN_DATA_F64,  TOPSATEN_DATA_CFP16,   TOPSATEN_DATA_CFP32,
      TOPSATEN_DATA_CF64, TOPSATEN_DATA_FP8E4M3, TOPSATEN_DATA_NONE, TOPSATEN_DATA_FP8E5M2, TOPSATEN_DATA_NONE};
  return static_cast<size_t>(dtype) < std::size(types) ? types[dtype] : TOPSATEN_DATA_NONE;
}

// ---- calls

Call::Call(const fl_call* call) : raw(call), outer_(t_call), on_device_(call->device) {
  must("topsSetDevice", on_device_.code);
  const auto look = [&](const fl_value& v) {
    const bool listed = v.kind == FL_TENSOR_LIST && v.v.list.count != 0;
    if (dtype_ != FL_OTHER_DTYPE || (v.kind != FL_TENSOR && !listed)) return;
    const fl_tensor& first = listed ? item<fl_tensor>(v.v.list, 0) : v.v.tensor;
    dtype_ = fl_dtype_to_id(first.dtype);
    if (dtype_ == FL_I64) dtype_ = FL_I32;  // what int64 is computed as, where it is
    rank_ = first.ndim;
  };
  for (int i = 0; i < call->arg_count; i++) look(arg(i));
  for (int o = 0; o < call->out_count; o++) look(*fl_out(call, o));
  t_call = call;
}

Call::~Call() {
  for (void* ptr : scratch_) core()->free(raw->device, ptr);
  t_call = outer_;
}

topsatenTensor Call::of(const fl_value& v) {
  if (v.kind != FL_TENSOR) return {};
  const fl_tensor& t = v.v.tensor;
  want_elements(t);
  return {{t.sizes, t.ndim}, {t.strides, t.ndim}, to_tops(fl_dtype_to_id(t.dtype)), t.data};
}

std::vector<topsatenTensor> Call::list(const fl_value& v, bool words) {
  std::vector<topsatenTensor> all(v.v.list.count);
  for (size_t k = 0; k < all.size(); k++)
    if (const auto& t = item<fl_tensor>(v.v.list, k); t.ndim >= 0) {
      want_elements(t);
      all[k] = words ? moved(View(t)) : View(t).ranked();
    }
  return all;
}

topsatenTensor Call::narrow_out(int o) {
  if (!wanted(o)) return {};
  const View wide = out_view(o);
  if (wide.dtype != FL_I64) return wide;
  widen_.emplace_back(wide, temporary(FL_I32, wide));
  return widen_.back().second;
}

void Call::finish() {
  for (const auto& [wide, narrow] : widen_) convert_elements(*this, wide, narrow);
}

topsatenScalar_t Call::scalar(const fl_scalar& s, bool saturate) const {
  const int bits = bits_of(dtype_);
  // Among floats, True is an error of some ops; the next lane knows which.
  if (s.kind == FL_COMPLEX || (s.kind == FL_BOOLEAN && is_float(dtype_)) ||
      (s.kind == FL_DOUBLE && saturate && bits != 0))
    unsupported();
  if (s.kind == FL_DOUBLE || bits == 0) return real_number(to_double(s));
  const int64_t low = bits < 0 ? -(INT64_C(1) << (-bits - 1)) : 0,
                high = bits < 0 ? -1 - low : (INT64_C(1) << bits) - 1;
  if (!saturate && (s.v.i < low || s.v.i > high)) unsupported();
  return whole(std::clamp(s.v.i, low, high), dtype_);
}

topsatenScalar_t Call::scalar(int i, bool saturate) const {
  return arg(i).kind == FL_SCALAR ? scalar(arg(i).v.scalar, saturate) : optional(i);
}

std::vector<topsatenScalar_t> Call::scalars(int i) const {
  std::vector<topsatenScalar_t> all;
  for (size_t k = 0; k < arg(i).v.list.count; k++) all.push_back(scalar(item<fl_scalar>(arg(i).v.list, k), false));
  return all;
}

topsatenScalar_t Call::optional(int i, bool is_dim) const {
  if (arg(i).kind == FL_DOUBLE) return real_number(arg(i).v.d, TOPSATEN_DATA_F64);
  if (arg(i).kind == FL_INT) return whole(is_dim ? dim(i) : arg(i).v.i, FL_I64);
  return arg(i).kind == FL_BOOLEAN ? whole(arg(i).v.i, FL_BOOL) : whole(0, FL_OTHER_DTYPE);
}

topsatenGenerator_t Call::generator(int i, int64_t numbers) const {
  topsatenGenerator_t g{};
  const fl_generator* given = i >= 0 && arg(i).kind == FL_GENERATOR ? &arg(i).v.generator : nullptr;
  require(core()->philox(raw->device, given, static_cast<uint64_t>(numbers), &g.seed, &g.offset));
  return g;
}

topsatenSize_t Call::size(int i) const {
  if (arg(i).kind != FL_INT_LIST) return {};
  return {static_cast<const int64_t*>(arg(i).v.list.data), static_cast<int64_t>(arg(i).v.list.count)};
}

topsatenSize_t Call::dims(int i, bool all) {
  const topsatenSize_t given = size(i);
  std::vector<int64_t>& dims = kept_.emplace_back();
  for (int64_t d = 0; d < given.len; d++) dims.push_back(given.data[d] < 0 ? given.data[d] + rank_ : given.data[d]);
  for (int64_t d = 0; all && given.len == 0 && d < rank_; d++) dims.push_back(d);
  return {dims.data(), static_cast<int64_t>(dims.size())};
}

topsatenDataType_t Call::dtype() const {
  const fl_value& out = *fl_out(raw, 0);
  const fl_tensor& t = out.kind == FL_TENSOR_LIST ? item<fl_tensor>(out.v.list, 0) : out.v.tensor;
  const fl_dtype_id made = fl_dtype_to_id(t.dtype);
  if (made != dtype_) unsupported();
  return to_tops(made);
}

void Call::one_dtype(std::initializer_list<int> args, std::initializer_list<int> outs) const {
  fl_dtype_id seen = FL_OTHER_DTYPE;
  const auto same = [&](const fl_tensor& t) {
    const fl_dtype_id dtype = fl_dtype_to_id(t.dtype);
    if (seen != FL_OTHER_DTYPE && dtype != seen) unsupported();
    seen = dtype;
  };
  const auto all = [&](const fl_value& v) {
    if (v.kind == FL_TENSOR) same(v.v.tensor);
    if (v.kind == FL_TENSOR_LIST)
      for (size_t k = 0; k < v.v.list.count; k++) same(item<fl_tensor>(v.v.list, k));
  };
  for (const int i : args) all(arg(i));
  for (const int o : outs) all(*fl_out(raw, o));
}

View Call::temporary(fl_dtype_id dtype, const int64_t* sizes, int rank) {
  View v;
  v.dtype = dtype;
  v.rank = rank;
  v.width = dtype == FL_I64 || dtype == FL_F64 ? 8 : dtype == FL_I32 || dtype == FL_F32 ? 4 : dtype <= FL_I8 ? 1 : 2;
  std::copy_n(sizes, rank, v.sizes);
  v.pack();
  void* memory = nullptr;
  const auto bytes = static_cast<size_t>(v.numel() * v.width);
  require(core()->alloc(raw->device, raw->stream, bytes, &memory));
  scratch_.push_back(memory);
  v.data = static_cast<char*>(memory);
  return v;
}

View Call::constant(fl_dtype_id dtype, const fl_scalar& s, const View& like) {
  const int64_t one = 1;
  View v = temporary(dtype, &one, 1);
  if (s.kind == FL_COMPLEX) unsupported();
  const double real = to_double(s);
  const int64_t integer = dtype == FL_BOOL ? real != 0 : s.kind == FL_DOUBLE ? static_cast<int64_t>(real) : s.v.i;
  if (v.width == 8) {
    int32_t words[2];
    std::memcpy(words, dtype == FL_I64 ? static_cast<const void*>(&integer) : &real, 8);
    for (int w = 0; w < 2; w++) must("topsMemsetD32Async", topsMemsetD32Async(v.data + 4 * w, words[w], 1, stream()));
  } else {
    FL_ATEN(*this, Fill_, v, is_float(dtype) ? real_number(real) : whole(integer, dtype));
  }
  v.rank = like.rank;
  std::copy_n(like.sizes, like.rank, v.sizes);
  std::fill_n(v.strides, like.rank, 0);
  return v;
}

// ---- indices

char* Call::fault() {
  if (char* known = queue().fault.load()) return known;
  void* memory = nullptr;
  require(core()->alloc(raw->device, raw->stream, 1, &memory));
  must("topsMemsetAsync", topsMemsetAsync(memory, 0, 1, stream()));
  queue().fault.store(static_cast<char*>(memory));
  return static_cast<char*>(memory);
}

// In [low, high]; `wraps`: the negative ones are counted from the end of `size` first.
View Call::narrowed(const View& index, int64_t size, int64_t low, int64_t high, bool wraps) {
  if (size > std::numeric_limits<int32_t>::max()) unsupported();
  const int64_t one = 1;
  const View any = temporary(FL_BOOL, &one, 1), differ = temporary(FL_BOOL, index), narrow = temporary(FL_I32, index),
             inside = temporary(FL_I32, index);
  convert_elements(*this, narrow, index);  // of an int64 the low word, which is all that a valid index needs
  if (wraps) {
    FL_ATEN(*this, Lt, differ, narrow, whole(0));
    FL_ATEN(*this, Add, inside, narrow, constant(FL_I32, size, index), whole(1));
    FL_ATEN(*this, Where, narrow, differ, inside, narrow);
  }
  FL_ATEN(*this, Clamp, inside, narrow, whole(low), whole(high));
  FL_ATEN(*this, Ne, differ, narrow, inside);
  if (index.dtype == FL_I64) {
    // The high word has to be the sign of the low one.
    const View halves = index.words(FL_I32, 4), sign = temporary(FL_I32, index), high_word = temporary(FL_I32, index),
               odd = temporary(FL_BOOL, index);
    copy_elements(*this, sign, halves.last(0));
    copy_elements(*this, high_word, halves.last(1));
    FL_ATEN(*this, BitwiseRightShift, sign, sign, whole(31));
    FL_ATEN(*this, Ne, odd, sign, high_word);
    FL_ATEN(*this, LogicalOr, differ, differ, odd);
  }
  FL_ATEN(*this, Any, any, differ);
  View seen = any;
  seen.data = fault();
  FL_ATEN(*this, LogicalOr, seen, seen, any);
  return inside;
}

View Call::index_view(int i, int64_t size, int64_t ignored) {
  if (ignored != static_cast<int32_t>(ignored)) unsupported();
  return narrowed(view(i).ranked(), size, std::min<int64_t>(ignored, 0), std::max(size - 1, ignored), false);
}

std::vector<topsatenTensor> Call::indices(int i, int of) {
  std::vector<topsatenTensor> all(arg(i).v.list.count);
  for (size_t k = 0; k < all.size(); k++) {
    const auto& t = item<fl_tensor>(arg(i).v.list, k);
    const int64_t size = extent(of, static_cast<int64_t>(k));
    if (t.ndim >= 0 && View(t).numel() == 0) throw Stop{FL_OK};  // nothing is read or written
    if (t.ndim >= 0) all[k] = narrowed(View(t), size, 0, size - 1, true);
  }
  return all;
}

// ---- the library

fl_status start_topsaten() {
  if (__builtin_expect(g_started.load(std::memory_order_acquire), 1)) return FL_OK;
  std::lock_guard<std::mutex> lock(g_start_mutex);
  if (g_started.load(std::memory_order_relaxed)) return FL_OK;
  // The allocators have to be there before the library starts.
  (void)topsatenMallocFuncRegister([](void** p, size_t n) { return allocate(p, n, nullptr, 0); });
  (void)topsatenFreeFuncRegister(release);
  (void)topsatenMallocAsyncFuncRegister(allocate);
  (void)topsatenFreeAsyncFuncRegister([](void* p, topsStream_t) { return release(p); });
  if (const topsatenStatus_t status = topsatenInit(); status != TOPSATEN_STATUS_SUCCESS)
    return status_of("topsatenInit", status);
  g_started.store(true, std::memory_order_release);
  return FL_OK;
}

void finalize_topsaten() {
  if (g_started.exchange(false)) (void)topsatenFinalize();
}

fl_status status_of(const char* op, topsatenStatus_t status) noexcept {
  static constexpr const char* names[] = {"BAD_PARAM", "NOT_SUPPORT", "INTERNAL_ERROR", "RUNTIME_ERROR",
                                          "EXECUTE_ERROR"};
  const int known = status - TOPSATEN_STATUS_BAD_PARAM;
  if (status == TOPSATEN_STATUS_ALLOC_FAILED) return fail_code(FL_OOM, status, "topsaten has no memory for %s", op);
  // Core has checked the call as PyTorch would, so a parameter that is bad is a mistake of the row's, and shows; what
  // is not supported comes before anything is enqueued.
  if (status == TOPSATEN_STATUS_NOT_SUPPORT) return FL_UNSUPPORTED;
  return fail_code(FL_FAILED, status, "topsaten fails in %s: %s", op,
                   known >= 0 && known < 5 ? names[known] : "a status without words");
}

}  // namespace torch_fl_gcu
