// hipBLAS and cuBLAS by their own names for one function: what hipBLAS takes is what cuBLAS takes, in the same order,
// with other numbers for the same words.
#include "kernels/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/fill.h"

namespace torch_fl_dcu {
namespace {

// A library's numbers. Types are those of its dtypes, and those that a product is summed in.
struct BlasWords {
  const char* prefix;  // of its functions
  int plain, transposed, standard_algorithm;
  int f16, bf16, f32, f64;
  int sum_f32, sum_f64, sum_tf32;  // -1: it has none
};
#ifdef __HIP_PLATFORM_NVIDIA__
// libcublas.so.N comes with PyTorch, which has loaded it by then, or with the toolkit.
constexpr BlasWords kWords{"cublas", 0, 1, -1, 2, 14, 0, 1, 68, 70, 77};
constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12"};
#else
// Of ROCm 5 and 6, and so of DTK; HIP 7's hipBLAS has other numbers for types.
constexpr BlasWords kWords{"hipblas", 111, 112, 160, 150, 168, 151, 152, 151, 152, -1};
constexpr const char* kNames[] = {"libhipblas.so.2", "libhipblas.so.1", "libhipblas.so.0", "libhipblas.so"};
#endif

using Create = int (*)(void** handle);
using SetStream = int (*)(void* handle, hipStream_t stream);
using Gemm = int (*)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                     int a_type, int lda, long long stride_a, const void* b, int b_type, int ldb, long long stride_b,
                     const void* beta, void* c, int c_type, int ldc, long long stride_c, int batches, int compute_type,
                     int algorithm);

struct Blas {
  Create create = nullptr;
  SetStream set_stream = nullptr;
  Gemm gemm = nullptr;

  template <class Function>
  void find(void* library, const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(library, (std::string(kWords.prefix) + name).c_str()));
  }
  bool take(void* library) {
    // What cuBLAS's header calls cublasCreate is cublasCreate_v2.
    find(library, "Create_v2", &create);
    if (create == nullptr) find(library, "Create", &create);
    find(library, "SetStream_v2", &set_stream);
    if (set_stream == nullptr) find(library, "SetStream", &set_stream);
    find(library, "GemmStridedBatchedEx", &gemm);
    return create != nullptr && set_stream != nullptr && gemm != nullptr;
  }
};

bool tell_unused(const std::string& library, const std::string& why) {
  torch_fl_kit::core()->log(2, (library + ": " + why + "; products run on tiles").c_str());
  return false;
}

// A library that was loaded; one that lacks a function is told.
bool take(Blas& blas, void* library, const std::string& name) {
  return blas.take(library) || tell_unused(name, std::string("it lacks functions of ") + kWords.prefix + " (Create, " +
                                                     "SetStream, GemmStridedBatchedEx)");
}

// The library that FLAGOS_DCU_BLAS names, or the first that is found where libraries are looked for.
bool find_blas(Blas& blas) {
#if HIP_VERSION_MAJOR >= 7 && !defined(__HIP_PLATFORM_NVIDIA__)
  return false;
#endif
  const char* wanted = std::getenv("FLAGOS_DCU_BLAS");
  if (wanted != nullptr && std::strcmp(wanted, "none") == 0) return false;
  if (wanted != nullptr && *wanted != 0) {
    void* library = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
    const std::string name = std::string("FLAGOS_DCU_BLAS=") + wanted;
    return library != nullptr ? take(blas, library, name) : tell_unused(name, dlerror());
  }
  for (const char* name : kNames)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return take(blas, library, name);
  return false;
}

// What the process has, found once.
const Blas& the_blas() {
  static const Blas blas = [] {
    Blas found;
    return find_blas(found) ? found : Blas{};
  }();
  return blas;
}

// One handle per device and stream: its working memory is for one stream at a time. They stay: streams are used again,
// and there are few.
struct Handles {
  std::mutex mutex;  // held while a product is enqueued: two threads may have one stream
  std::map<std::pair<int32_t, fl_stream>, void*> made;

  // Null where the library cannot make one.
  void* at(int32_t device, fl_stream stream) {
    void*& handle = made[{device, stream}];
    if (handle == nullptr) {
      // To make one takes memory, which would end a capture.
      hipStreamCaptureStatus capture = hipStreamCaptureStatusNone;
      if (hipStreamIsCapturing(stream_of(stream), &capture) != hipSuccess) (void)hipGetLastError();
      if (capture != hipStreamCaptureStatusNone || the_blas().create(&handle) != 0) return handle = nullptr;
    }
    return the_blas().set_stream(handle, stream_of(stream)) == 0 ? handle : nullptr;
  }
};

bool fits(int64_t number) { return number <= std::numeric_limits<int>::max(); }

int type_of(fl_dtype_id dtype) {
  switch (dtype) {
    case FL_F16:
      return kWords.f16;
    case FL_BF16:
      return kWords.bf16;
    case FL_F32:
      return kWords.f32;
    case FL_F64:
      return kWords.f64;
    default:
      return -1;
  }
}

bool has_blas(fl_dtype_id dtype) { return type_of(dtype) >= 0 && the_blas().gemm != nullptr; }

// A matrix, or a batch of them: elements from row to row, from column to column, from matrix to matrix.
struct View {
  int64_t rows, columns, row, column, batch;

  explicit View(const fl_tensor& t) {
    const int32_t last = t.ndim - 1;
    rows = t.sizes[last - 1], columns = t.sizes[last];
    row = t.strides[last - 1], column = t.strides[last];
    batch = t.ndim == 3 && t.sizes[0] != 1 ? t.strides[0] : 0;
  }
  // Column by column in memory; what has one row or column is so with any step.
  bool dense_columns() const { return (row == 1 || rows == 1) && (columns == 1 || column >= rows); }
  View flipped() const {
    View other = *this;
    std::swap(other.rows, other.columns);
    std::swap(other.row, other.column);
    return other;
  }
  int64_t step() const { return columns == 1 ? std::max<int64_t>(rows, 1) : column; }
};

bool factor_of(const View& view, const fl_tensor& t, BlasFactor* factor) {
  const View rows = view.flipped();
  const bool plain = view.dense_columns();
  if (!plain && !rows.dense_columns()) return false;
  *factor = {t.data, !plain, plain ? view.step() : rows.step(), view.batch};
  return true;
}

}  // namespace

fl_status blas_matmul(const fl_call* call, const fl_tensor& out, const fl_tensor& a, const fl_tensor& b,
                      const fl_tensor* bias, double alpha, double beta) {
  View made(out), left(a), right(b);
  const fl_tensor *first = &a, *second = &b;
  if (left.columns == 0) return FL_UNSUPPORTED;
  if (!made.dense_columns()) {
    // Row by row: the product of what is flipped, the other way round.
    made = made.flipped();
    const View was = left;
    left = right.flipped(), right = was.flipped();
    std::swap(first, second);
    if (!made.dense_columns()) return FL_UNSUPPORTED;
  }
  BlasProduct product{};
  if (!factor_of(left, *first, &product.a) || !factor_of(right, *second, &product.b)) return FL_UNSUPPORTED;
  product.dtype = fl_dtype_to_id(out.dtype);
  product.rows = made.rows, product.columns = made.columns, product.depth = left.columns;
  product.batches = out.ndim == 3 ? out.sizes[0] : 1;
  product.out = out.data, product.out_step = made.step(), product.out_batch = made.batch;
  product.alpha = alpha, product.beta = bias != nullptr ? beta : 0;
  if (!has_blas(product.dtype)) return FL_UNSUPPORTED;
  if (product.beta != 0)
    if (const fl_status status = copy_elements(call, out, *bias)) return status;
  return blas_product(call, product);
}

fl_status blas_product(const fl_call* call, const BlasProduct& p) {
  if (!has_blas(p.dtype)) return FL_UNSUPPORTED;
  const int type = type_of(p.dtype);
  for (const int64_t number : {p.rows, p.columns, p.depth, p.batches, p.a.step, p.b.step, p.out_step})
    if (!fits(number)) return FL_UNSUPPORTED;
  FL_ON_DEVICE(call->device);
  static Handles& handles = *new Handles;
  const std::lock_guard<std::mutex> lock(handles.mutex);
  void* handle = handles.at(call->device, call->stream);
  if (handle == nullptr) return FL_UNSUPPORTED;
  const auto alpha32 = static_cast<float>(p.alpha), beta32 = static_cast<float>(p.beta);
  const bool wide = p.dtype == FL_F64, short_mantissa = p.dtype == FL_F32 && (call->flags & FL_CALL_ALLOW_TF32) != 0;
  const void *alpha = &alpha32, *beta = &beta32;
  if (wide) alpha = &p.alpha, beta = &p.beta;
  const int sum = wide ? kWords.sum_f64 : short_mantissa && kWords.sum_tf32 >= 0 ? kWords.sum_tf32 : kWords.sum_f32;
  const int code = the_blas().gemm(
      handle, p.a.transposed ? kWords.transposed : kWords.plain, p.b.transposed ? kWords.transposed : kWords.plain,
      static_cast<int>(p.rows), static_cast<int>(p.columns), static_cast<int>(p.depth), alpha, p.a.data, type,
      static_cast<int>(p.a.step), p.a.batch, p.b.data, type, static_cast<int>(p.b.step), p.b.batch, beta, p.out, type,
      static_cast<int>(p.out_step), p.out_batch, static_cast<int>(p.batches), sum, kWords.standard_algorithm);
  if (code == 0) return FL_OK;
  (void)hipGetLastError();
  // What it refuses before it enqueues anything: a kind of product that it has no kernel for, or no memory to work in.
  return FL_UNSUPPORTED;
}

}  // namespace torch_fl_dcu
