// What happens at the time of a call: checks and refusals; the rest happens on the stream.
#include <ATen/record_function.h>
#include <c10/core/InferenceMode.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "call.h"

namespace tops_standin {
namespace {

std::atomic<bool> initialised{false};
std::atomic<topsError_t (*)(void**, size_t)> malloc_function{topsMalloc};
std::atomic<topsError_t (*)(void*)> free_function{topsFree};
std::atomic<topsError_t (*)(void**, size_t, topsStream_t, uint64_t)> malloc_async{nullptr};
std::atomic<topsError_t (*)(void*, topsStream_t)> free_async{nullptr};

constexpr int64_t kLargestDimension = int64_t{1} << 24;  // section 7
constexpr uint64_t kLargestBuffer = uint64_t{1} << 32;

std::vector<int64_t> contiguous(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= sizes[i];
  }
  return strides;
}

// 0-strides where a contiguous tensor of size 1 is read again and again.
bool broadcast(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1 || strides[i] == 0) continue;
    if (strides[i] != step) return false;
    step *= sizes[i];
  }
  return true;
}

bool same_layout(const std::vector<int64_t>& sizes, const std::vector<int64_t>& one,
                 const std::vector<int64_t>& other) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 1 && one[i] != other[i]) return false;
  }
  return true;
}

// (batch, heads, sequence, width) made by transposing a contiguous (batch, sequence, heads, width).
bool transposed_heads(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  if (sizes.size() != 4) return false;
  const std::vector<int64_t> expected{sizes[2] * sizes[1] * sizes[3], sizes[3], sizes[1] * sizes[3], 1};
  return same_layout(sizes, strides, expected);
}

size_t extent(const Argument& argument) {
  int64_t last = 0;
  for (size_t i = 0; i < argument.sizes.size(); ++i) last += (argument.sizes[i] - 1) * argument.strides[i];
  return static_cast<size_t>(last + 1) * c10::elementSize(to_aten(argument.dtype));
}

class Checker {
 public:
  Checker(const Op& op, int device) : op_(op), device_(device) {}

  topsatenStatus_t check(const Param& param, const topsatenTensor& given, Argument* made, bool in_list) {
    const char* name = param.name;
    if (given.GetTensorRank() < 0) {
      if (param.optional || in_list) return TOPSATEN_STATUS_SUCCESS;
      explain("%s: %s is undefined", op_.name, name);
      return TOPSATEN_STATUS_BAD_PARAM;
    }
    const topsatenDataType_t dtype = given.GetTensorDataType();
    if (dtype < 0 || dtype > 31 || (param.dtypes >> dtype & 1) == 0) {
      explain("%s: %s has dtype %d, which is not taken", op_.name, name, dtype);
      return TOPSATEN_STATUS_NOT_SUPPORT;
    }
    if (param.own) {
      if (own_ != TOPSATEN_DATA_NONE && own_ != dtype) {
        explain("%s: %s has dtype %d, another has %d: nothing is promoted", op_.name, name, dtype, own_);
        return TOPSATEN_STATUS_BAD_PARAM;
      }
      own_ = dtype;
    }
    if (given.GetTensorRank() == 0) {
      explain("%s: %s has rank 0", op_.name, name);
      return TOPSATEN_STATUS_BAD_PARAM;
    }
    if (given.GetTensorRank() > topsatenTensor::kMaxRank) {
      explain("%s: %s has rank %ld, at most 8 are possible", op_.name, name, static_cast<long>(given.GetTensorRank()));
      return TOPSATEN_STATUS_NOT_SUPPORT;
    }
    const topsatenSize_t shape = given.GetTensorShape();
    const topsatenSize_t strides = given.GetTensorStrides();
    made->dtype = dtype;
    made->sizes.assign(shape.data, shape.data + shape.len);
    made->elements = given.GetTensorElementNums();
    if (made->elements <= 0) {
      explain("%s: %s has no elements", op_.name, name);
      return TOPSATEN_STATUS_BAD_PARAM;
    }
    if (op_.shape == Shape::same) {
      if (shape_.empty()) {
        shape_ = made->sizes;
      } else if (shape_ != made->sizes) {
        explain("%s: %s has another shape than the output: nothing is broadcast", op_.name, name);
        return TOPSATEN_STATUS_BAD_PARAM;
      }
    }
    made->strides = layout(name, made->sizes, {strides.data, strides.data + strides.len});
    return place(param, given.GetTensorData(), made);
  }

 private:
  // The strides that the op looks at.
  std::vector<int64_t> layout(const char* name, const std::vector<int64_t>& sizes,
                              const std::vector<int64_t>& strides) {
    const std::vector<int64_t> plain = contiguous(sizes);
    if (op_.strides == Strides::any || same_layout(sizes, strides, plain)) return strides;
    if (op_.strides == Strides::broadcast && broadcast(sizes, strides)) return strides;
    if (op_.strides == Strides::attention && sizes.size() == 4) {
      if (transposed_heads(sizes, strides)) return strides;
      std::fprintf(stderr, "[tops stand-in] %s: %s is neither contiguous nor a transposed (B, S, H, D)\n", op_.name,
                   name);
      std::abort();
    }
    explain("%s: %s is not contiguous; its strides are not looked at", op_.name, name);
    return plain;
  }

  topsatenStatus_t place(const Param& param, void* data, Argument* made) {
    const Place place = resolve(data);
    if (place.host == nullptr || place.device != device_) {
      explain("%s: %s was not allocated in the current device %d", op_.name, param.name, device_);
      return TOPSATEN_STATUS_RUNTIME_ERROR;
    }
    made->host = place.host;
    made->allocation = place.allocation;
    made->capacity = place.capacity;
    made->slack = place.slack;
    if (extent(*made) > place.capacity) {
      explain("%s: %s passes the end of its allocation", op_.name, param.name);
      return TOPSATEN_STATUS_BAD_PARAM;
    }
    if ((op_.traps & trap_size_limit) != 0) {
      for (int64_t size : made->sizes) {
        if (size >= kLargestDimension) return TOPSATEN_STATUS_NOT_SUPPORT;
      }
      if (extent(*made) >= kLargestBuffer) return TOPSATEN_STATUS_NOT_SUPPORT;
    }
    return TOPSATEN_STATUS_SUCCESS;
  }

  const Op& op_;
  const int device_;
  topsatenDataType_t own_ = TOPSATEN_DATA_NONE;
  std::vector<int64_t> shape_;
};

topsatenStatus_t keep(const Param& param, const Value& value, Checker* checker, Kept* kept) {
  switch (param.kind) {
    case Kind::tensor:
      kept->tensors.resize(1);
      return checker->check(param, *value.tensor, &kept->tensors[0], false);
    case Kind::tensors:
      kept->tensors.resize(value.tensors->size());
      for (size_t i = 0; i < value.tensors->size(); ++i) {
        if (auto status = checker->check(param, (*value.tensors)[i], &kept->tensors[i], param.optional)) return status;
      }
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::scalar:
      kept->scalars.push_back(*value.scalar);
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::scalars:
      kept->scalars = *value.scalars;
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::sizes:
      kept->integers.assign(value.sizes->data, value.sizes->data + value.sizes->len);
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::flags:
      kept->integers.assign(value.flags.data, value.flags.data + value.flags.count);
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::real:
      kept->real = value.real;
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::string:
      kept->string = value.string;
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::generator:
    case Kind::philox:
      kept->generator = value.generator;
      return TOPSATEN_STATUS_SUCCESS;
    case Kind::host_integer:
    case Kind::host_boolean:
    case Kind::host_count:
      kept->host = value.host;
      return value.host == nullptr ? TOPSATEN_STATUS_BAD_PARAM : TOPSATEN_STATUS_SUCCESS;
    default:
      kept->integers.push_back(value.integer);
      return TOPSATEN_STATUS_SUCCESS;
  }
}

// A temporary of the size of the first output, as an op takes it before it enqueues anything.
topsatenStatus_t take_workspace(const Argument& like, topsStream_t stream) {
  void* memory = nullptr;
  const size_t bytes = extent(like);
  const auto allocate = malloc_async.load();
  const auto give_back = free_async.load();
  const bool async = allocate != nullptr && give_back != nullptr;
  const topsError_t error = async ? allocate(&memory, bytes, stream, 0) : malloc_function.load()(&memory, bytes);
  if (error != topsSuccess || memory == nullptr) return TOPSATEN_STATUS_ALLOC_FAILED;
  const topsError_t freed = async ? give_back(memory, stream) : free_function.load()(memory);
  return freed == topsSuccess ? TOPSATEN_STATUS_SUCCESS : TOPSATEN_STATUS_RUNTIME_ERROR;
}

// Runs on the stream's thread.
topsError_t execute(Call& call) {
  for (size_t i = 0; i < call.op().count; ++i) {
    for (const Argument& argument : call.at(i).tensors) {
      if (argument.host != nullptr && !alive(argument.allocation)) {
        explain("%s: %s was freed before the op ran", call.op().name, call.op().params[i].name);
        return topsErrorLaunchFailure;
      }
    }
  }
  // The process that loads this library has its own ideas of autograd, profiling and modes: none concern a device.
  c10::InferenceMode inference;
  at::DisableRecordFunctionGuard silence;
  try {
    if ((call.op().traps & trap_index) != 0 && check_indices(call)) return topsSuccess;
    if (call.op().custom != nullptr) {
      call.op().custom(call);
    } else {
      compute(call);
    }
  } catch (const std::exception& error) {
    explain("%s: %s", call.op().name, error.what());
    return topsErrorLaunchFailure;
  }
  return topsSuccess;
}

}  // namespace

bool null_mode() {
  static const bool on = settings().null;
  return on;
}

topsatenStatus_t run(const Op& op, const Value* values, topsStream_t stream) {
  if (!initialised) {
    explain("%s: topsatenInit() was not called", op.name);
    return TOPSATEN_STATUS_RUNTIME_ERROR;
  }
  const Failure failure = next_failure(op.name, TOPSATEN_STATUS_EXECUTE_ERROR);
  if (failure.wanted && !failure.late) return static_cast<topsatenStatus_t>(failure.status);
  if (op.refuse == Refuse::not_support || (op.refuse == Refuse::s60 && !settings().s60_computes)) {
    explain("%s: not supported on this device", op.name);
    return TOPSATEN_STATUS_NOT_SUPPORT;
  }
  auto on = find_stream(stream);
  if (on == nullptr || device_of(*on) != current_device()) {
    explain("%s: the stream is none of the current device", op.name);
    return TOPSATEN_STATUS_RUNTIME_ERROR;
  }
  auto call = std::make_shared<Call>(op);
  Checker checker(op, current_device());
  bool host = false;
  for (size_t i = 0; i < op.count; ++i) {
    if (auto status = keep(op.params[i], values[i], &checker, &call->at(i))) return status;
    host = host || op.params[i].kind == Kind::host_integer || op.params[i].kind == Kind::host_boolean;
  }
  if ((op.traps & trap_tensor_scalar) != 0) {
    explain("%s: the number does not reach the device; give a tensor of the output's shape", op.name);
    return TOPSATEN_STATUS_INTERNAL_ERROR;
  }
  if (op.workspace) {
    if (auto status = take_workspace(call->at(0).tensors.at(0), stream)) return status;
  }
  if ((op.traps & trap_writes_nothing) != 0) return TOPSATEN_STATUS_SUCCESS;
  submit(on, Work::op, op.name, [call, failure]() -> topsError_t {
    if (failure.wanted) return topsErrorLaunchFailure;
    return execute(*call);
  });
  if (host && drain(on) != topsSuccess) return TOPSATEN_STATUS_EXECUTE_ERROR;
  return TOPSATEN_STATUS_SUCCESS;
}

}  // namespace tops_standin

using namespace tops_standin;

topsatenStatus_t topsatenMallocFuncRegister(topsError_t (*function)(void**, size_t)) {
  malloc_function = function;
  return TOPSATEN_STATUS_SUCCESS;
}
topsatenStatus_t topsatenFreeFuncRegister(topsError_t (*function)(void*)) {
  free_function = function;
  return TOPSATEN_STATUS_SUCCESS;
}
topsatenStatus_t topsatenMallocAsyncFuncRegister(topsError_t (*function)(void**, size_t, topsStream_t, uint64_t)) {
  malloc_async = function;
  return TOPSATEN_STATUS_SUCCESS;
}
topsatenStatus_t topsatenFreeAsyncFuncRegister(topsError_t (*function)(void*, topsStream_t)) {
  free_async = function;
  return TOPSATEN_STATUS_SUCCESS;
}
topsatenStatus_t topsatenInit() {
  initialised = true;
  return TOPSATEN_STATUS_SUCCESS;
}
topsatenStatus_t topsatenFinalize() {
  initialised = false;
  return TOPSATEN_STATUS_SUCCESS;
}
// Everything that the stand-in computes is deterministic.
topsatenStatus_t topsaten::topsatenSetDeterministicMode(bool) { return TOPSATEN_STATUS_SUCCESS; }
