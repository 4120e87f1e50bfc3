// A checked call of an op, on its way to and on its stream's thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "op.h"
#include "standin.h"

namespace tops_standin {

// A tensor of a call, on the host side of its memory.
struct Argument {
  char* host = nullptr;  // null: undefined
  uint64_t allocation = 0;
  size_t capacity = 0;
  size_t slack = 0;
  topsatenDataType_t dtype = TOPSATEN_DATA_NONE;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // those that the op looks at
  int64_t elements = 0;
};

// A copy of an argument: the caller's is gone when the stream comes to the call.
struct Kept {
  std::vector<Argument> tensors;
  std::vector<topsatenScalar_t> scalars;
  std::vector<int64_t> integers;  // sizes, integer, boolean, dtype, flags, scatter_mode
  double real = 0;
  std::string string;
  topsatenGenerator_t generator{0, 0};
  void* host = nullptr;
};

class Call {
 public:
  explicit Call(const Op& op) : op_(op), kept_(op.count) {}

  const Op& op() const { return op_; }
  Kept& at(size_t index) { return kept_[index]; }
  // The index of an argument, or -1.
  int find(const char* name) const;
  const Kept& get(const char* name) const;

  // --- for the computation
  at::Tensor tensor(const char* name) const;  // undefined where the argument is
  std::vector<at::Tensor> tensors(const char* name) const;
  int64_t integer(const char* name) const { return get(name).integers.at(0); }
  double real(const char* name) const { return get(name).real; }
  topsatenScalar_t scalar(const char* name) const { return get(name).scalars.at(0); }
  at::Scalar number(const char* name) const;
  // Puts a result where the caller wants it; refuses another shape or dtype.
  void write(const char* name, const at::Tensor& result) const;
  void write(const Argument& to, const Param& param, const at::Tensor& result) const;

 private:
  const Op& op_;
  std::vector<Kept> kept_;
};

at::ScalarType to_aten(topsatenDataType_t dtype);
// A number as the tag says; it is read from the member that the tag names.
at::Scalar to_aten(const topsatenScalar_t& scalar);
at::Tensor to_aten(const Argument& argument);

// Computes the call with ATen's op of the same arguments.
void compute(Call& call);
// Handles indices that lie outside, as the device does (section 7); true if it computed the call.
bool check_indices(Call& call);
// Calls an op of ATen with its arguments by name.
std::vector<at::Tensor> call_aten(Call& call, const char* name, const char* overload);

}  // namespace tops_standin
