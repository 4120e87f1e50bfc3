// Computing with ATen: the arguments of its op are found by their names, the call goes through the dispatcher.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include "call.h"

namespace tops_standin {
namespace {

// Index tensors are int32 on the device, ATen wants int64. The target of a regression is none.
at::Tensor as_aten_wants(const at::Tensor& made, const char* name, bool in_list_op) {
  for (const char* one : {"index", "indices", "target"}) {
    if (std::strcmp(one, name) == 0 && made.scalar_type() == at::kInt) return made.to(at::kLong);
  }
  // A number is a tensor of one element on the device, which has no rank 0.
  const bool number = std::strcmp(name, "value") == 0 || (in_list_op && std::strcmp(name, "other") == 0);
  return number && made.numel() == 1 ? made.reshape({}) : made;
}

// An integer bound is cut to the width of the tensor's dtype (section 7: INT64_MAX is read as -1).
at::Scalar narrowed(const at::Scalar& number, topsatenDataType_t dtype) {
  if (!number.isIntegral(false)) return number;
  const int64_t value = number.toLong();
  switch (dtype) {
    case TOPSATEN_DATA_I8:
      return static_cast<int64_t>(static_cast<int8_t>(value));
    case TOPSATEN_DATA_U8:
      return static_cast<int64_t>(static_cast<uint8_t>(value));
    case TOPSATEN_DATA_I16:
      return static_cast<int64_t>(static_cast<int16_t>(value));
    case TOPSATEN_DATA_I32:
      return static_cast<int64_t>(static_cast<int32_t>(value));
    default:
      return number;
  }
}

c10::IValue number(const topsatenScalar_t& scalar, const c10::Type& type) {
  const at::Scalar value = to_aten(scalar);
  switch (type.kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return value.toLong();
    case c10::TypeKind::FloatType:
      return value.toDouble();
    case c10::TypeKind::BoolType:
      return value.to<bool>();
    default:
      return value;
  }
}

c10::IValue list(const std::vector<at::Tensor>& tensors, const c10::Type& element) {
  if (element.kind() == c10::TypeKind::OptionalType) {
    c10::List<std::optional<at::Tensor>> made;
    for (const at::Tensor& one : tensors) made.push_back(one.defined() ? std::optional<at::Tensor>(one) : std::nullopt);
    return made;
  }
  return c10::List<at::Tensor>(tensors);
}

c10::IValue convert(Call& call, size_t index, const c10::Argument& argument) {
  const Param& param = call.op().params[index];
  const Kept& kept = call.at(index);
  c10::TypePtr type = argument.type();
  const bool optional = type->kind() == c10::TypeKind::OptionalType;
  if (optional) type = type->expectRef<c10::OptionalType>().getElementType();
  switch (param.kind) {
    case Kind::tensor: {
      at::Tensor made = call.tensor(param.name);
      if (!made.defined()) return optional ? c10::IValue() : c10::IValue(made);
      return as_aten_wants(made, param.name, std::strncmp(call.op().aten, "_foreach", 8) == 0);
    }
    case Kind::tensors: {
      std::vector<at::Tensor> made = call.tensors(param.name);
      for (at::Tensor& one : made) one = one.defined() ? as_aten_wants(one, param.name, true) : one;
      return list(made, *type->expectRef<c10::ListType>().getElementType());
    }
    case Kind::scalar: {
      topsatenScalar_t scalar = kept.scalars[0];
      if (scalar.dtype == TOPSATEN_DATA_NONE) return c10::IValue();
      if ((call.op().traps & trap_narrow_scalars) != 0) return narrowed(to_aten(scalar), call.at(0).tensors[0].dtype);
      return number(scalar, *type);
    }
    case Kind::scalars: {
      c10::List<at::Scalar> made;
      for (const topsatenScalar_t& one : kept.scalars) made.push_back(to_aten(one));
      return c10::IValue(c10::impl::toList(std::move(made)));
    }
    case Kind::sizes:
      if (optional && kept.integers.empty()) return c10::IValue();
      return c10::List<int64_t>(kept.integers);
    case Kind::flags: {
      c10::List<bool> made;
      for (int64_t one : kept.integers) made.push_back(one != 0);
      return made;
    }
    case Kind::integer:
      return kept.integers[0];
    case Kind::boolean:
      return kept.integers[0] != 0;
    case Kind::real:
      return kept.real;
    case Kind::string:
      return kept.string;
    case Kind::dtype: {
      const auto dtype = static_cast<topsatenDataType_t>(kept.integers[0]);
      return dtype == TOPSATEN_DATA_NONE ? c10::IValue() : c10::IValue(static_cast<int64_t>(to_aten(dtype)));
    }
    default:
      return c10::IValue();
  }
}

void flatten(const c10::IValue& value, std::vector<at::Tensor>* found) {
  if (value.isTensor()) {
    found->push_back(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& one : value.toTensorVector()) found->push_back(one);
  }
}

}  // namespace

at::ScalarType to_aten(topsatenDataType_t dtype) {
  switch (dtype) {
    case TOPSATEN_DATA_I8:
      return at::kChar;
    case TOPSATEN_DATA_U8:
      return at::kByte;
    case TOPSATEN_DATA_I16:
      return at::kShort;
    case TOPSATEN_DATA_U16:
      return at::kUInt16;
    case TOPSATEN_DATA_FP16:
      return at::kHalf;
    case TOPSATEN_DATA_BF16:
      return at::kBFloat16;
    case TOPSATEN_DATA_I32:
      return at::kInt;
    case TOPSATEN_DATA_U32:
      return at::kUInt32;
    case TOPSATEN_DATA_FP32:
      return at::kFloat;
    case TOPSATEN_DATA_I64:
      return at::kLong;
    case TOPSATEN_DATA_U64:
      return at::kUInt64;
    case TOPSATEN_DATA_F64:
      return at::kDouble;
    case TOPSATEN_DATA_PRED:
      return at::kBool;
    case TOPSATEN_DATA_CFP16:
      return at::kComplexHalf;
    case TOPSATEN_DATA_CFP32:
      return at::kComplexFloat;
    case TOPSATEN_DATA_CF64:
      return at::kComplexDouble;
    default:
      TORCH_CHECK(false, "dtype ", static_cast<int>(dtype), " is not computed with");
  }
}

at::Scalar to_aten(const topsatenScalar_t& scalar) {
  switch (scalar.dtype) {
    case TOPSATEN_DATA_FP16:
    case TOPSATEN_DATA_BF16:
    case TOPSATEN_DATA_FP32:
    case TOPSATEN_DATA_F64:
      return scalar.fval;
    case TOPSATEN_DATA_PRED:
      return scalar.ival != 0;
    default:
      return scalar.ival;
  }
}

at::Tensor to_aten(const Argument& argument) {
  if (argument.host == nullptr) return {};
  return at::from_blob(argument.host, argument.sizes, argument.strides, to_aten(argument.dtype));
}

int Call::find(const char* name) const {
  for (int i = 0; i < op_.count; ++i) {
    if (std::strcmp(op_.params[i].name, name) == 0) return i;
  }
  return -1;
}

const Kept& Call::get(const char* name) const {
  const int index = find(name);
  TORCH_CHECK(index >= 0, op_.name, " has no argument ", name);
  return kept_[static_cast<size_t>(index)];
}

at::Tensor Call::tensor(const char* name) const { return to_aten(get(name).tensors.at(0)); }

std::vector<at::Tensor> Call::tensors(const char* name) const {
  std::vector<at::Tensor> made;
  for (const Argument& one : get(name).tensors) made.push_back(to_aten(one));
  return made;
}

at::Scalar Call::number(const char* name) const { return to_aten(scalar(name)); }

void Call::write(const char* name, const at::Tensor& result) const {
  const int index = find(name);
  write(get(name).tensors.at(0), op_.params[index], result);
}

void Call::write(const Argument& to, const Param& param, const at::Tensor& result) const {
  if (to.host == nullptr || !result.defined()) return;
  const at::ScalarType dtype = to_aten(to.dtype);
  const bool index = result.scalar_type() == at::kLong && dtype == at::kInt;
  const bool statistics = !param.own && at::isFloatingType(result.scalar_type()) && at::isFloatingType(dtype);
  TORCH_CHECK(result.scalar_type() == dtype || index || statistics, param.name, " has dtype ", dtype,
              ", the result has ", result.scalar_type());
  const bool one = result.numel() == 1 && to.elements == 1;
  TORCH_CHECK(one || result.sizes() == at::IntArrayRef(to.sizes), param.name, " has shape ", at::IntArrayRef(to.sizes),
              ", the result has ", result.sizes());
  to_aten(to).copy_(one ? result.reshape(to.sizes) : result);
}

std::vector<at::Tensor> call_aten(Call& call, const char* name, const char* overload) {
  const Op& op = call.op();
  const c10::OperatorHandle handle =
      c10::Dispatcher::singleton().findSchemaOrThrow((std::string("aten::") + name).c_str(), overload);
  torch::jit::Stack stack;
  for (const c10::Argument& argument : handle.schema().arguments()) {
    const int index = call.find(argument.name().c_str());
    bool given = false;
    for (int i = 0; i < op.given_count && !given; ++i) {
      if (argument.name() == op.given[i].name) {
        stack.emplace_back(op.given[i].value);
        given = true;
      }
    }
    if (given) continue;
    if (index >= 0) {
      stack.push_back(convert(call, static_cast<size_t>(index), argument));
    } else if (argument.default_value()) {
      stack.push_back(*argument.default_value());
    } else {
      TORCH_CHECK(argument.type()->kind() == c10::TypeKind::OptionalType, op.name, " gives no ", argument.name());
      stack.emplace_back();
    }
  }
  handle.callBoxed(&stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack) flatten(value, &results);
  return results;
}

void compute(Call& call) {
  const Op& op = call.op();
  const std::vector<at::Tensor> results = call_aten(call, op.aten, op.overload);
  size_t next = 0;
  for (size_t i = 0; i < op.count; ++i) {
    if (!op.params[i].written) continue;
    for (const Argument& to : call.at(i).tensors) {
      TORCH_CHECK(next < results.size(), op.name, " has more outputs than results");
      call.write(to, op.params[i], results[next++]);
    }
  }
  TORCH_CHECK(next == results.size(), op.name, " has ", results.size(), " results for ", next, " outputs");
}

}  // namespace tops_standin
