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
  if (handle != nullptr && (stream == nullptr || stream_of(stream).handle != handle)) stream = find_stream(device, handle);
  if (stream == nullptr) stream = core()->current_stream(device);
  return core()->alloc(device, stream, bytes, ptr) == FL_OK ? topsSuccess : topsErrorOutOfMemory;
}
topsError_t allocate_any(void** ptr, size_t bytes) { return allocate(ptr, bytes, nullptr, 0); }
topsError_t release(void* ptr) {
  int device = 0;
  if (const topsError_t code = topsGetDevice(&device); code != topsSuccess) return code;
  core()->free(device, ptr);
  return topsSuccess;
}
topsError_t release_async(void* ptr, topsStream_t) { return release(ptr); }

std::atomic<bool> g_started{false};
std::mutex g_start_mutex;

// The least and the largest number that an integral dtype holds.
struct Range {
  int64_t low = 0, high = -1;
  bool integral() const { return low <= high; }
};
Range range_of(fl_dtype_id dtype) {
  const auto whole = [](int bits) { return Range{-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1}; };
  switch (dtype) {
    case FL_BOOL:
      return {0, 1};
    case FL_U8:
      return {0, 255};
    case FL_I8:
      return whole(8);
    case FL_I16:
      return whole(16);
    case FL_I32:
      return whole(32);
    default:
      return {};
  }
}

int64_t width_of(fl_dtype_id dtype) {
  static constexpr int64_t widths[] = {1, 1, 1, 2, 4, 8, 2, 4, 8, 2, 2, 4, 8, 4, 8, 16, 1, 1, 1, 1};
  if (static_cast<size_t>(dtype) >= std::size(widths)) throw Stop{FL_UNSUPPORTED};
  return widths[dtype];
}

}  // namespace

topsatenDataType_t to_tops(fl_dtype_id dtype) noexcept {
  static constexpr topsatenDataType_t types[] = {
      TOPSATEN_DATA_PRED, TOPSATEN_DATA_U8,    TOPSATEN_DATA_I8,      TOPSATEN_DATA_I16,  TOPSATEN_DATA_I32,
      TOPSATEN_DATA_I64,  TOPSATEN_DATA_U16,   TOPSATEN_DATA_U32,     TOPSATEN_DATA_U64,  TOPSATEN_DATA_FP16,
      TOPSATEN_DATA_BF16, TOPSATEN_DATA_FP32,  TOPSATEN_DATA_F64,     TOPSATEN_DATA_CFP16, TOPSATEN_DATA_CFP32,
      TOPSATEN_DATA_CF64, TOPSATEN_DATA_FP8E4M3, TOPSATEN_DATA_NONE,  TOPSATEN_DATA_FP8E5M2, TOPSATEN_DATA_NONE};
  return static_cast<size_t>(dtype) < std::size(types) ? types[dtype] : TOPSATEN_DATA_NONE;
}

// ---- views

View::View(const fl_tensor& t)
    : data(static_cast<char*>(t.data)), dtype(fl_dtype_to_id(t.dtype)), rank(t.ndim), width(static_cast<int64_t>(fl_dtype_size(t.dtype))) {
  if (rank > kMaxRank) throw Stop{FL_UNSUPPORTED};
  std::copy_n(t.sizes, rank, sizes);
  std::copy_n(t.strides, rank, strides);
}

int64_t View::numel() const {
  int64_t n = 1;
  for (int d = 0; d < rank; d++) n *= sizes[d];
  return n;
}

bool View::contiguous() const {
  int64_t step = 1;
  for (int d = rank; d-- > 0; step *= sizes[d])
    if (sizes[d] != 1 && strides[d] != step) return false;
  return true;
}

View View::words(fl_dtype_id as, int64_t bytes) const {
  View v = *this;
  const int64_t count = width / bytes;
  v.dtype = as;
  v.width = bytes;
  if (count == 1) return v;
  if (rank == kMaxRank) throw Stop{FL_UNSUPPORTED};
  for (int d = 0; d < rank; d++) v.strides[d] *= count;
  v.sizes[rank] = count;
  v.strides[rank] = 1;
  v.rank++;
  return v;
}

View View::last(int64_t index) const {
  View v = *this;
  v.rank--;
  v.data += index * strides[v.rank] * width;
  return v;
}

void View::merge(View& other) {
  int kept = 0;
  for (int d = 0; d < rank; d++) {
    if (sizes[d] == 1) continue;
    const bool joins = kept > 0 && strides[kept - 1] == sizes[d] * strides[d] && other.strides[kept - 1] == sizes[d] * other.strides[d];
    const int to = joins ? kept - 1 : kept++;
    sizes[to] = other.sizes[to] = joins ? sizes[to] * sizes[d] : sizes[d];
    strides[to] = strides[d];
    other.strides[to] = other.strides[d];
  }
  if (kept == 0) sizes[kept++] = other.sizes[0] = strides[0] = other.strides[0] = 1;  // topsaten takes no rank 0
  rank = other.rank = kept;
}

// ---- calls

Call::Call(const fl_call* call) : call_(call), outer_(t_call), stream_(stream_of(call->stream)), on_device_(call->device) {
  if (on_device_.code != topsSuccess) throw Stop{failed(on_device_.code, "topsSetDevice")};
  const auto look = [&](const fl_value& v) {
    const bool list = v.kind == FL_TENSOR_LIST && v.v.list.count != 0;
    if (dtype_ != FL_OTHER_DTYPE || (v.kind != FL_TENSOR && !list)) return;
    const fl_tensor& first = list ? *static_cast<const fl_tensor*>(v.v.list.data) : v.v.tensor;
    dtype_ = fl_dtype_to_id(first.dtype);
    rank_ = first.ndim;
  };
  for (int i = 0; i < call->arg_count; i++) look(arg(i));
  for (int o = 0; o < call->out_count; o++) look(*fl_out(call, o));
  t_call = call;
}

Call::~Call() {
  for (void* ptr : scratch_) core()->free(call_->device, ptr);
  t_call = outer_;
}

topsatenTensor Call::of(const fl_value& v) {
  if (v.kind != FL_TENSOR) return {};
  const fl_tensor& t = v.v.tensor;
  return {{t.sizes, t.ndim}, {t.strides, t.ndim}, to_tops(fl_dtype_to_id(t.dtype)), t.data};
}

std::vector<topsatenTensor> Call::list(const fl_value& v) {
  std::vector<topsatenTensor> all;
  for (size_t k = 0; k < v.v.list.count; k++) {
    fl_value item{};
    item.v.tensor = *reinterpret_cast<const fl_tensor*>(static_cast<const char*>(v.v.list.data) + k * v.v.list.element_size);
    item.kind = item.v.tensor.ndim < 0 ? FL_NONE : FL_TENSOR;
    all.push_back(of(item));
  }
  return all;
}

std::vector<topsatenTensor> Call::moved_list(int i) const {
  std::vector<topsatenTensor> all;
  const fl_list& items = arg(i).v.list;
  for (size_t k = 0; k < items.count; k++)
    all.push_back(moved(View(*reinterpret_cast<const fl_tensor*>(static_cast<const char*>(items.data) + k * items.element_size))));
  return all;
}

topsatenTensor Call::narrow_out(int o) {
  const View wide = out_view(o);
  if (wide.dtype != FL_I64) return wide.tensor();
  widen_.emplace_back(wide, temporary(FL_I32, wide));
  return widen_.back().second.tensor();
}

void Call::finish() {
  for (const auto& [wide, narrow] : widen_) convert_elements(*this, wide, narrow);
}

topsatenScalar_t Call::scalar(const fl_scalar& s, bool saturate) const {
  topsatenScalar_t to{};
  const Range range = range_of(dtype_);
  // Among floats, True is an error of some ops; the next lane knows which.
  if (s.kind == FL_COMPLEX || (s.kind == FL_BOOLEAN && is_float(dtype_))) throw Stop{FL_UNSUPPORTED};
  if (s.kind == FL_DOUBLE || !range.integral()) {
    if (saturate && range.integral()) throw Stop{FL_UNSUPPORTED};
    to.dtype = TOPSATEN_DATA_FP32;
    to.fval = s.kind == FL_DOUBLE ? s.v.d : static_cast<double>(s.v.i);
    return to;
  }
  to.dtype = to_tops(dtype_);
  to.ival = std::clamp(s.v.i, range.low, range.high);
  if (to.ival != s.v.i && !saturate) throw Stop{FL_UNSUPPORTED};
  return to;
}

topsatenScalar_t Call::scalar(int i, bool saturate) const {
  if (arg(i).kind == FL_SCALAR) return scalar(arg(i).v.scalar, saturate);
  return optional(i);
}

std::vector<topsatenScalar_t> Call::scalars(int i) const {
  std::vector<topsatenScalar_t> all;
  const fl_list& items = arg(i).v.list;
  for (size_t k = 0; k < items.count; k++)
    all.push_back(scalar(*reinterpret_cast<const fl_scalar*>(static_cast<const char*>(items.data) + k * items.element_size), false));
  return all;
}

topsatenScalar_t Call::optional(int i, bool is_dim) const {
  topsatenScalar_t s{};
  s.dtype = arg(i).kind == FL_DOUBLE    ? TOPSATEN_DATA_F64
            : arg(i).kind == FL_INT     ? TOPSATEN_DATA_I64
            : arg(i).kind == FL_BOOLEAN ? TOPSATEN_DATA_PRED
                                        : TOPSATEN_DATA_NONE;
  if (arg(i).kind == FL_DOUBLE)
    s.fval = arg(i).v.d;
  else
    s.ival = s.dtype == TOPSATEN_DATA_NONE ? 0 : is_dim ? dim(i) : arg(i).v.i;
  return s;
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

topsatenGenerator_t Call::generator(int i, int64_t count) const {
  topsatenGenerator_t g{};
  const fl_generator* given = i >= 0 && arg(i).kind == FL_GENERATOR ? &arg(i).v.generator : nullptr;
  const auto numbers = static_cast<uint64_t>(count < 0 ? out_view(0).numel() : count);
  if (const fl_status status = core()->philox(call_->device, given, numbers, &g.seed, &g.offset)) throw Stop{status};
  return g;
}

View Call::temporary(fl_dtype_id dtype, const int64_t* sizes, int rank) {
  View v;
  v.dtype = dtype;
  v.rank = rank;
  v.width = width_of(dtype);
  int64_t step = 1;
  for (int d = rank; d-- > 0; step *= sizes[d]) {
    v.sizes[d] = sizes[d];
    v.strides[d] = step;
  }
  void* memory = nullptr;
  const auto bytes = static_cast<size_t>(step * v.width);
  if (const fl_status status = core()->alloc(call_->device, call_->stream, bytes, &memory)) throw Stop{status};
  scratch_.push_back(memory);
  v.data = static_cast<char*>(memory);
  return v;
}

View Call::constant(fl_dtype_id dtype, int64_t number, const View& like) {
  fl_scalar s{FL_INT, 0, {}};
  s.v.i = number;
  return constant(dtype, s, like);
}

View Call::constant(fl_dtype_id dtype, const fl_scalar& number, const View& like) {
  const int64_t one = 1;
  View v = temporary(dtype, &one, 1);
  if (number.kind == FL_COMPLEX) throw Stop{FL_UNSUPPORTED};
  const double real = number.kind == FL_DOUBLE ? number.v.d : static_cast<double>(number.v.i);
  const int64_t whole = number.kind == FL_DOUBLE ? static_cast<int64_t>(number.v.d) : number.v.i;
  if (dtype == FL_I64 || dtype == FL_F64) {
    int32_t words[2];
    std::memcpy(words, dtype == FL_I64 ? static_cast<const void*>(&whole) : &real, 8);
    for (int w = 0; w < 2; w++)
      if (const topsError_t code = topsMemsetD32Async(v.data + 4 * w, words[w], 1, stream()); code != topsSuccess)
        throw Stop{failed(code, "topsMemsetD32Async")};
  } else {
    topsatenTensor t = v.tensor();
    topsatenScalar_t s{};
    s.dtype = is_float(dtype) ? TOPSATEN_DATA_FP32 : to_tops(dtype);
    if (is_float(dtype))
      s.fval = real;
    else
      s.ival = dtype == FL_BOOL ? real != 0 : whole;
    must("Fill_", topsaten::topsatenFill_(t, s, stream()));
  }
  v.rank = like.rank;
  std::copy_n(like.sizes, like.rank, v.sizes);
  std::fill_n(v.strides, like.rank, 0);
  return v;
}

// Indices as contiguous int32 in [low, high]; `wraps`: the negative ones are counted from the end of `size` first. Of an int64 the low word
// is taken: in a dimension of less than 2^31 elements no valid index needs more.
View Call::narrowed(const View& index, int64_t size, int64_t low, int64_t high, bool wraps) {
  if (size > std::numeric_limits<int32_t>::max()) throw Stop{FL_UNSUPPORTED};
  View narrow = temporary(FL_I32, index);
  convert_elements(*this, narrow, index);
  topsatenTensor t = narrow.tensor();
  if (wraps) {
    View below = temporary(FL_BOOL, index), wrapped = temporary(FL_I32, index);
    topsatenTensor flags = below.tensor(), sum = wrapped.tensor();
    topsatenScalar_t zero{}, one{};
    zero.dtype = one.dtype = TOPSATEN_DATA_I32;
    one.ival = 1;
    must("Lt", topsaten::topsatenLt(flags, t, zero, stream()));
    must("Add", topsaten::topsatenAdd(sum, t, constant(FL_I32, size, index).tensor(), one, stream()));
    must("Where", topsaten::topsatenWhere(t, flags, sum, t, stream()));
  }
  topsatenScalar_t least{}, most{};
  least.dtype = most.dtype = TOPSATEN_DATA_I32;
  least.ival = low;
  most.ival = high;
  must("Clamp", topsaten::topsatenClamp(t, t, least, most, stream()));
  return narrow;
}

topsatenTensor Call::index(int i, int64_t size, int64_t ignored, bool flat) {
  View v = narrowed(view(i), size, std::min<int64_t>(ignored, 0), std::max(size - 1, ignored), false);
  if (flat) {
    v.sizes[0] = v.numel();
    v.strides[0] = v.rank = 1;
  }
  return v.tensor();
}

std::vector<topsatenTensor> Call::indices(int i, int of) {
  std::vector<topsatenTensor> all;
  const fl_list& items = arg(i).v.list;
  for (size_t k = 0; k < items.count; k++) {
    const auto& t = *reinterpret_cast<const fl_tensor*>(static_cast<const char*>(items.data) + k * items.element_size);
    const int64_t size = extent(of, static_cast<int64_t>(k));
    all.push_back(t.ndim < 0 ? topsatenTensor() : narrowed(View(t), size, 0, size - 1, true).tensor());
  }
  return all;
}

// ---- the library

fl_status start_topsaten() {
  if (__builtin_expect(g_started.load(std::memory_order_acquire), 1)) return FL_OK;
  std::lock_guard<std::mutex> lock(g_start_mutex);
  if (g_started.load(std::memory_order_relaxed)) return FL_OK;
  // The allocators have to be there before the library starts.
  (void)topsatenMallocFuncRegister(allocate_any);
  (void)topsatenFreeFuncRegister(release);
  (void)topsatenMallocAsyncFuncRegister(allocate);
  (void)topsatenFreeAsyncFuncRegister(release_async);
  if (const topsatenStatus_t status = topsatenInit(); status != TOPSATEN_STATUS_SUCCESS) return status_of("topsatenInit", status);
  g_started.store(true, std::memory_order_release);
  return FL_OK;
}

void finalize_topsaten() {
  if (g_started.exchange(false)) (void)topsatenFinalize();
}

fl_status status_of(const char* op, topsatenStatus_t status) noexcept {
  switch (status) {
    case TOPSATEN_STATUS_ALLOC_FAILED:
      return fail(FL_OOM, status, "topsaten has no memory for %s", op);
    case TOPSATEN_STATUS_BAD_PARAM:    // core has checked the call as PyTorch would: it is right, but not for this kernel
    case TOPSATEN_STATUS_NOT_SUPPORT:  // both come before anything is enqueued
      return FL_UNSUPPORTED;
    default: {
      static constexpr const char* names[] = {"INTERNAL_ERROR", "RUNTIME_ERROR", "EXECUTE_ERROR"};
      const int known = status - TOPSATEN_STATUS_INTERNAL_ERROR;
      return fail(FL_FAILED, status, "topsaten fails in %s: %s", op, known >= 0 && known < 3 ? names[known] : "a status without words");
    }
  }
}

}  // namespace torch_fl_gcu
