// libhipblas.so.2 for tests: the one function of hipBLAS that this vendor calls, on the host, in the stream's order. It
// counts what it computes, so that a test can tell that it was asked.
#include <hip/hip_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#define FL_BLAS_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum Status {
  kSuccess = 0,
  kInvalidValue = 3,
  kExecutionFailed = 5,
  kNotSupported = 7,
  kNullHandle = 9,
  kBadEnum = 10
};
enum Operation { kPlain = 111, kTransposed = 112 };
enum Type { kF16 = 150, kF32 = 151, kF64 = 152, kBf16 = 168 };

struct Handle {
  hipStream_t stream = nullptr;
};

std::atomic<uint64_t> g_products{0};

float read_half(uint16_t bits) {
  const uint32_t sign = uint32_t{bits} >> 15 << 31, exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value;
  if (exponent == 0) {
    value = static_cast<float>(fraction) * 5.9604644775390625e-8f;  // 2^-24
    return sign != 0 ? -value : value;
  }
  const uint32_t word = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// To the nearest, halves to the even neighbour.
uint16_t write_half(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  const auto sign = static_cast<uint16_t>(word >> 16 & 0x8000);
  word &= 0x7FFFFFFF;
  if (word > 0x7F800000) return sign | 0x7E00;
  if (word >= 0x477FF000) return sign | 0x7C00;  // from 65520 on
  if (word < 0x38800000) {                       // below 2^-14: in units of 2^-24
    float magnitude;
    std::memcpy(&magnitude, &word, sizeof(magnitude));
    const float whole = magnitude + 0.5f;  // whose last bit is 2^-24
    std::memcpy(&word, &whole, sizeof(word));
    return static_cast<uint16_t>(sign | (word - 0x3F000000));
  }
  word += 0xFFF + (word >> 13 & 1);
  return static_cast<uint16_t>(sign | ((word >> 13) - (112 << 10)));
}

float read_bfloat(uint16_t bits) {
  const uint32_t word = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

uint16_t write_bfloat(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  if ((word & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>(word >> 16 | 0x40);
  return static_cast<uint16_t>((word + 0x7FFF + (word >> 16 & 1)) >> 16);
}

size_t size_of(int type) { return type == kF64 ? 8 : type == kF32 ? 4 : 2; }

double read(int type, const void* data, int64_t at) {
  switch (type) {
    case kF64:
      return static_cast<const double*>(data)[at];
    case kF32:
      return static_cast<const float*>(data)[at];
    case kF16:
      return read_half(static_cast<const uint16_t*>(data)[at]);
    default:
      return read_bfloat(static_cast<const uint16_t*>(data)[at]);
  }
}

void write(int type, void* data, int64_t at, double value) {
  switch (type) {
    case kF64:
      static_cast<double*>(data)[at] = value;
      return;
    case kF32:
      static_cast<float*>(data)[at] = static_cast<float>(value);
      return;
    case kF16:
      static_cast<uint16_t*>(data)[at] = write_half(static_cast<float>(value));
      return;
    default:
      static_cast<uint16_t*>(data)[at] = write_bfloat(static_cast<float>(value));
  }
}

struct Matrix {
  void* data;
  bool transposed;
  int64_t step, batch;

  int64_t place(int64_t row, int64_t column) const { return transposed ? row * step + column : column * step + row; }
};

struct Product {
  int type, m, n, k, batches;
  double alpha, beta;
  Matrix a, b, c;

  void run() const {
    const auto of = [this](const Matrix& x, int64_t batch) {
      return static_cast<char*>(x.data) + batch * x.batch * static_cast<int64_t>(size_of(type));
    };
    for (int64_t batch = 0; batch < batches; batch++)
      for (int64_t column = 0; column < n; column++)
        for (int64_t row = 0; row < m; row++) {
          double sum = 0;
          for (int64_t i = 0; i < k; i++)
            sum += read(type, of(a, batch), a.place(row, i)) * read(type, of(b, batch), b.place(i, column));
          sum *= alpha;
          void* to = of(c, batch);
          if (beta != 0) sum += beta * read(type, to, c.place(row, column));
          write(type, to, c.place(row, column), sum);
        }
    g_products++;
  }
};

bool known(int operation) { return operation == kPlain || operation == kTransposed; }

}  // namespace

// How many products it has computed in this process.
FL_BLAS_EXPORT uint64_t hip_standin_products() { return g_products; }

FL_BLAS_EXPORT int hipblasCreate(void** handle) {
  *handle = new Handle;
  return kSuccess;
}

FL_BLAS_EXPORT int hipblasSetStream(void* handle, hipStream_t stream) {
  if (handle == nullptr) return kNullHandle;
  static_cast<Handle*>(handle)->stream = stream;
  return kSuccess;
}

FL_BLAS_EXPORT int hipblasGemmStridedBatchedEx(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                               const void* a, int a_type, int lda, long long stride_a, const void* b,
                                               int b_type, int ldb, long long stride_b, const void* beta, void* c,
                                               int c_type, int ldc, long long stride_c, int batches, int compute_type,
                                               int algorithm) {
  if (handle == nullptr) return kNullHandle;
  if (!known(op_a) || !known(op_b) || algorithm != 160) return kBadEnum;
  if (a_type != b_type || a_type != c_type || compute_type != (a_type == kF64 ? kF64 : kF32)) return kNotSupported;
  if (m < 0 || n < 0 || k < 0 || batches < 0 || ldc < m || lda < (op_a == kPlain ? m : k) ||
      ldb < (op_b == kPlain ? k : n))
    return kInvalidValue;
  const auto number = [&](const void* x) {
    return compute_type == kF64 ? *static_cast<const double*>(x) : double{*static_cast<const float*>(x)};
  };
  auto* product = new Product{a_type,
                              m,
                              n,
                              k,
                              batches,
                              number(alpha),
                              number(beta),
                              {const_cast<void*>(a), op_a == kTransposed, lda, stride_a},
                              {const_cast<void*>(b), op_b == kTransposed, ldb, stride_b},
                              {c, false, ldc, stride_c}};
  const auto run = [](void* user) {
    const std::unique_ptr<Product> mine(static_cast<Product*>(user));
    mine->run();
  };
  if (hipLaunchHostFunc(static_cast<Handle*>(handle)->stream, run, product) == hipSuccess) return kSuccess;
  delete product;
  return kExecutionFailed;
}
