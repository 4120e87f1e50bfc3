#include "dispatch/call_text.h"

#include <c10/core/ScalarType.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "dispatch/tensors.h"

namespace torch_fl {
namespace {

using c10::IValue;

template <class T>
void add_number(std::string& text, T value) {
  char room[32];
  const auto end = std::to_chars(room, room + sizeof room, value).ptr;
  text.append(room, end);
}

void add_numbers(std::string& text, c10::IntArrayRef values) {
  text += '[';
  for (size_t i = 0; i < values.size(); i++) {
    if (i != 0) text += ',';
    add_number(text, values[i]);
  }
  text += ']';
}

void add_double(std::string& text, double value) {
  if (!std::isfinite(value)) {
    text += std::isnan(value) ? R"({"float":"nan"})" : value > 0 ? R"({"float":"inf"})" : R"({"float":"-inf"})";
    return;
  }
  const size_t start = text.size();
  add_number(text, value);
  if (text.find_first_of(".e", start) == std::string::npos) text += ".0";  // a float stays one
}

void add_string(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= ' ') text += c;
  }
  text += '"';
}

void add_scalar(std::string& text, const c10::Scalar& value) {
  if (value.isBoolean()) {
    text += value.toBool() ? "true" : "false";
  } else if (value.isIntegral(/*includeBool=*/false)) {
    add_number(text, value.toLong());
  } else if (value.isComplex()) {
    const auto c = value.toComplexDouble();
    text += R"({"complex":[)";
    add_double(text, c.real());
    text += ',';
    add_double(text, c.imag());
    text += "]}";
  } else {
    add_double(text, value.toDouble());
  }
}

void add_kind(std::string& text, std::string_view kind) {
  text += R"({"kind":)";
  add_string(text, kind);
  text += '}';
}

void add_tensor(std::string& text, const at::Tensor& t) {
  if (!t.defined()) {
    text += "null";
  } else if (t.is_nested() || t.layout() != at::kStrided) {
    add_kind(text, t.is_nested() ? "nested" : "sparse");
  } else if (t.device().is_cpu() && t.unsafeGetTensorImpl()->is_wrapped_number()) {
    add_scalar(text, t.item());
  } else {
    text += R"({"shape":)";
    add_numbers(text, t.sizes());
    text += R"(,"dtype":")" + dtype_name(t.scalar_type()) + '"';
    if (!t.is_contiguous()) {
      text += R"(,"strides":)";
      add_numbers(text, t.strides());
    }
    if (t.storage_offset() != 0) {
      text += R"(,"offset":)";
      add_number(text, t.storage_offset());
    }
    text += '}';
  }
}

template <class List, class F>
void add_list(std::string& text, const List& values, const F& add) {
  text += '[';
  bool first = true;
  for (const auto& v : values) {
    if (!first) text += ',';
    first = false;
    add(v);
  }
  text += ']';
}

void add_value(std::string& text, ArgKind kind, const IValue& v) {
  if (v.isNone()) {
    text += "null";
  } else if (v.isTensor()) {
    add_tensor(text, v.toTensor());
  } else if (v.isTensorList()) {
    add_list(text, v.toTensorVector(), [&](const at::Tensor& t) { add_tensor(text, t); });
  } else if (v.isOptionalTensorList()) {
    add_list(text, v.toOptionalTensorVector(),
             [&](const std::optional<at::Tensor>& t) { add_tensor(text, t.value_or(at::Tensor())); });
  } else if (v.isInt() && kind == ArgKind::dtype) {
    text += R"({"dtype":")" + dtype_name(static_cast<at::ScalarType>(v.toInt())) + R"("})";
  } else if (v.isInt() && (kind == ArgKind::layout || kind == ArgKind::memory_format)) {
    add_kind(text, kind == ArgKind::layout ? "layout" : "memory format");
  } else if (v.isScalar()) {
    add_scalar(text, v.toScalar());
  } else if (v.isString()) {
    add_string(text, v.toStringRef());
  } else if (v.isIntList()) {
    add_numbers(text, v.toDimVector());
  } else if (v.isDoubleList()) {
    add_list(text, v.toDoubleVector(), [&](double d) { add_double(text, d); });
  } else if (v.isBoolList()) {
    add_list(text, v.toBoolList(), [&](bool b) { text += b ? "true" : "false"; });
  } else if (v.isList()) {
    add_list(text, v.toListRef(), [&](const IValue& e) { add_value(text, ArgKind::other, e); });
  } else {
    add_kind(text, v.tagKind());
  }
}

}  // namespace

std::string dtype_name(at::ScalarType t) {
  static const std::unordered_map<at::ScalarType, const char*> names = {{at::kFloat, "float32"},
                                                                        {at::kDouble, "float64"},
                                                                        {at::kHalf, "float16"},
                                                                        {at::kBFloat16, "bfloat16"},
                                                                        {at::kLong, "int64"},
                                                                        {at::kInt, "int32"},
                                                                        {at::kShort, "int16"},
                                                                        {at::kChar, "int8"},
                                                                        {at::kByte, "uint8"},
                                                                        {at::kUInt16, "uint16"},
                                                                        {at::kUInt32, "uint32"},
                                                                        {at::kUInt64, "uint64"},
                                                                        {at::kBool, "bool"},
                                                                        {at::kComplexHalf, "complex32"},
                                                                        {at::kComplexFloat, "complex64"},
                                                                        {at::kComplexDouble, "complex128"},
                                                                        {at::kFloat8_e4m3fn, "float8_e4m3fn"},
                                                                        {at::kFloat8_e5m2, "float8_e5m2"}};
  const auto found = names.find(t);
  return found == names.end() ? c10::toString(t) : found->second;
}

std::string call_text(const OpEntry& entry, c10::ArrayRef<IValue> args) {
  std::string text = "[";
  for (size_t i = 0; i < args.size(); i++) {
    if (i != 0) text += ',';
    add_value(text, entry.args[i].kind, args[i]);
  }
  text += ']';
  return text;
}

}  // namespace torch_fl
