// A topsaten op as data, and a call of one. The wrappers of generated/ops.cpp turn every public function into a call.
#pragma once

#include <topsaten/topsaten.h>
#include <topsaten/topsaten_ops.h>

#include <cstddef>
#include <cstdint>

namespace tops_standin {

enum class Kind : uint8_t {
  tensor,
  tensors,
  scalar,
  scalars,
  sizes,
  integer,
  real,
  boolean,
  string,
  dtype,
  layout,
  memory_format,
  generator,
  philox,
  scatter_mode,
  flags,
  host_integer,
  host_boolean,
  host_count
};

struct Param {
  const char* name;
  Kind kind;
  bool written;
  bool own;         // of the op's own dtype
  bool optional;    // may be undefined
  uint32_t dtypes;  // bit `dtype`; 0 for what is no tensor
};

enum class Shape : uint8_t { free, same };
enum class Strides : uint8_t { contiguous, broadcast, any, attention };
enum class Refuse : uint8_t { no, not_support, s60 };

enum Trap : uint32_t {
  trap_tensor_scalar = 1,
  trap_size_limit = 2,
  trap_writes_nothing = 4,
  trap_wrong_count = 8,
  trap_narrow_scalars = 16,
  trap_index = 32,
  trap_i64_copy = 64
};

struct Given {
  const char* name;
  bool value;
};

class Call;
// Computes an op that no ATen op of the same arguments computes; throws what ATen throws.
using Custom = void (*)(Call& call);

struct Op {
  const char* name;
  const char* aten;  // without "aten::", null where there is `custom`
  const char* overload;
  Custom custom;
  const Param* params;
  uint8_t count;
  Shape shape;
  Strides strides;
  Refuse refuse;
  bool workspace;  // takes a temporary from the registered allocator
  uint32_t traps;
  const Given* given;
  uint8_t given_count;
};

// One argument; which member counts is in Param::kind.
struct Value {
  union {
    const topsatenTensor* tensor;
    const std::vector<topsatenTensor>* tensors;
    const topsatenScalar_t* scalar;
    const std::vector<topsatenScalar_t>* scalars;
    const topsatenSize_t* sizes;
    int64_t integer;
    double real;
    const char* string;
    topsatenGenerator_t generator;
    void* host;
    struct {
      const bool* data;
      size_t count;
    } flags;
  };

  Value(const topsatenTensor& v) : tensor(&v) {}
  Value(const std::vector<topsatenTensor>& v) : tensors(&v) {}
  Value(const topsatenScalar_t& v) : scalar(&v) {}
  Value(const std::vector<topsatenScalar_t>& v) : scalars(&v) {}
  Value(const topsatenSize_t& v) : sizes(&v) {}
  Value(int64_t v) : integer(v) {}
  Value(bool v) : integer(v) {}
  Value(double v) : real(v) {}
  Value(const char* v) : string(v) {}
  Value(topsatenDataType_t v) : integer(v) {}
  Value(topsatenLayoutType_t v) : integer(v) {}
  Value(topsatenMemoryFormat_t v) : integer(v) {}
  Value(topsatenScatterComputationType_t v) : integer(v) {}
  Value(const topsatenGenerator_t& v) : generator(v) {}
  Value(const topsatenPhiloxState_t& v) : generator{v.seed.val, v.offset.val} {}
  template <size_t N>
  Value(const std::array<bool, N>& v) : flags{v.data(), N} {}
  Value(int64_t* v) : host(v) {}
  Value(bool* v) : host(v) {}
  Value(int32_t* v) : host(v) {}
};

bool null_mode();
// Checks a call, and puts it on its stream.
topsatenStatus_t run(const Op& op, const Value* values, topsStream_t stream);

}  // namespace tops_standin
