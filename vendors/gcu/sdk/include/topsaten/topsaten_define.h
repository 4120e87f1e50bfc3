// A stand-in for Enflame's topsaten header, for builds without the SDK. Written by generate.py from table.yaml.
#ifndef TOPSATEN_DEFINE_H_
#define TOPSATEN_DEFINE_H_

#include <tops/tops_runtime_api.h>

#include <cstddef>
#include <cstdint>

#define TOPSATEN_EXPORT __attribute__((visibility("default")))

// section 1.3; NOT_SUPPORT is confirmed, the other numbers are inferred from their order
enum topsatenStatus_t {
  TOPSATEN_STATUS_SUCCESS = 0,
  TOPSATEN_STATUS_ALLOC_FAILED = 1,
  TOPSATEN_STATUS_BAD_PARAM = 2,
  TOPSATEN_STATUS_NOT_SUPPORT = 3,
  TOPSATEN_STATUS_INTERNAL_ERROR = 4,
  TOPSATEN_STATUS_RUNTIME_ERROR = 5,
  TOPSATEN_STATUS_EXECUTE_ERROR = 6
};

// section 1.3; numbers up to I4 are its predecessor's, the rest continue them
enum topsatenDataType_t {
  TOPSATEN_DATA_NONE = -1,
  TOPSATEN_DATA_I8 = 0,
  TOPSATEN_DATA_U8 = 1,
  TOPSATEN_DATA_I16 = 2,
  TOPSATEN_DATA_U16 = 3,
  TOPSATEN_DATA_FP16 = 4,
  TOPSATEN_DATA_BF16 = 5,
  TOPSATEN_DATA_I32 = 6,
  TOPSATEN_DATA_U32 = 7,
  TOPSATEN_DATA_FP32 = 8,
  TOPSATEN_DATA_I64 = 11,
  TOPSATEN_DATA_U64 = 12,
  TOPSATEN_DATA_F64 = 13,
  TOPSATEN_DATA_PRED = 14,
  TOPSATEN_DATA_I4 = 15,
  TOPSATEN_DATA_FP8E4M3 = 16,
  TOPSATEN_DATA_FP8E5M2 = 17,
  TOPSATEN_DATA_CFP16 = 18,
  TOPSATEN_DATA_CFP32 = 19,
  TOPSATEN_DATA_CF64 = 20
};

// section 1.3; number chosen
enum topsatenLayoutType_t {
  TOPSATEN_LAYOUT_STRIDED = 0
};

// section 1.3; numbers chosen
enum topsatenMemoryFormat_t {
  TOPSATEN_MEMORY_NONE = 0,
  TOPSATEN_MEMORY_CONTIGUOUS = 1,
  TOPSATEN_MEMORY_NHWC = 2,
  TOPSATEN_MEMORY_NDHWC = 3,
  TOPSATEN_MEMORY_PRESERVE = 4
};

// section 1.3: UPDATE, ADD, MUL, NUM in this order; the prefix is unknown, so use static_cast of the number
enum topsatenScatterComputationType_t {
  TOPSATEN_SCATTER_UPDATE = 0,
  TOPSATEN_SCATTER_ADD = 1,
  TOPSATEN_SCATTER_MUL = 2,
  TOPSATEN_SCATTER_NUM = 3
};

// Sizes or strides that somebody else owns. section 1.3
struct topsatenSize_t {
  const int64_t* data;
  int64_t len;
  topsatenSize_t() : data(nullptr), len(0) {}
  topsatenSize_t(const int64_t* values, int64_t count) : data(values), len(count) {}
};

// A number; `dtype` says which member holds it, TOPSATEN_DATA_NONE that there is none. section 1.3
struct topsatenScalar_t {
  topsatenDataType_t dtype;
  union {
    double fval;
    int64_t ival;
  };
};

// section 1.3
struct topsatenGenerator_t {
  uint64_t seed;
  uint64_t offset;
};

// The order of the real one's members is unknown: make it with its default constructor, or from a generator.
// section 1.3; the constructor is chosen
struct topsatenPhiloxState_t {
  union Value {
    uint64_t val;
    int64_t* ptr;
  };
  Value seed;
  Value offset;
  uint64_t offset_intragraph;
  bool captured;
  topsatenPhiloxState_t() : seed{0}, offset{0}, offset_intragraph(0), captured(false) {}
  topsatenPhiloxState_t(const topsatenGenerator_t& from) : topsatenPhiloxState_t() {
    seed.val = from.seed;
    offset.val = from.offset;
  }
};

// A tensor that owns its shape and strides, but not its memory. Made without arguments it is undefined. section 1.3
class TOPSATEN_EXPORT topsatenTensor {
 public:
  static constexpr int64_t kMaxRank = 8;

  topsatenTensor() = default;
  topsatenTensor(topsatenSize_t shape, topsatenSize_t strides, topsatenDataType_t dtype, void* data)
      : data_(data), dtype_(dtype), rank_(shape.len) {
    for (int64_t i = 0; i < shape.len && i < kMaxRank; ++i) shape_[i] = shape.data[i];
    SetTensorStrides(strides);
  }

  // The rank that it was made with may be larger than what it keeps; every op refuses it then.
  int64_t GetTensorRank() const { return rank_; }
  topsatenSize_t GetTensorShape() const { return {shape_, rank_ < kMaxRank ? rank_ : kMaxRank}; }
  topsatenSize_t GetTensorStrides() const { return {strides_, rank_ < kMaxRank ? rank_ : kMaxRank}; }
  topsatenDataType_t GetTensorDataType() const { return dtype_; }
  void* GetTensorData() const { return data_; }
  int64_t GetTensorElementNums() const {
    int64_t count = rank_ < 0 ? 0 : 1;
    for (int64_t i = 0; i < rank_ && i < kMaxRank; ++i) count *= shape_[i];
    return count;
  }
  void SetTensorStrides(topsatenSize_t strides) {
    for (int64_t i = 0; i < strides.len && i < kMaxRank; ++i) strides_[i] = strides.data[i];
  }
  void SetTensorDataType(topsatenDataType_t dtype) { dtype_ = dtype; }

 private:
  void* data_ = nullptr;
  topsatenDataType_t dtype_ = TOPSATEN_DATA_NONE;
  int64_t rank_ = -1;
  int64_t shape_[kMaxRank];
  int64_t strides_[kMaxRank];
};

#endif  // TOPSATEN_DEFINE_H_
