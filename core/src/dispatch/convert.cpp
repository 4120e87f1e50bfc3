#include "dispatch/convert.h"

#include <c10/util/Exception.h>

#include <cmath>

namespace torch_fl {

fl_dtype to_fl(at::ScalarType dtype) {
  switch (dtype) {
    case at::ScalarType::Bool:
      return {FL_CODE_BOOL, 8, 1};
    case at::ScalarType::Byte:
      return {FL_CODE_UINT, 8, 1};
    case at::ScalarType::Char:
      return {FL_CODE_INT, 8, 1};
    case at::ScalarType::Short:
      return {FL_CODE_INT, 16, 1};
    case at::ScalarType::Int:
      return {FL_CODE_INT, 32, 1};
    case at::ScalarType::Long:
      return {FL_CODE_INT, 64, 1};
    case at::ScalarType::UInt16:
      return {FL_CODE_UINT, 16, 1};
    case at::ScalarType::UInt32:
      return {FL_CODE_UINT, 32, 1};
    case at::ScalarType::UInt64:
      return {FL_CODE_UINT, 64, 1};
    case at::ScalarType::Half:
      return {FL_CODE_FLOAT, 16, 1};
    case at::ScalarType::BFloat16:
      return {FL_CODE_BFLOAT, 16, 1};
    case at::ScalarType::Float:
      return {FL_CODE_FLOAT, 32, 1};
    case at::ScalarType::Double:
      return {FL_CODE_FLOAT, 64, 1};
    case at::ScalarType::ComplexHalf:
      return {FL_CODE_COMPLEX, 32, 1};
    case at::ScalarType::ComplexFloat:
      return {FL_CODE_COMPLEX, 64, 1};
    case at::ScalarType::ComplexDouble:
      return {FL_CODE_COMPLEX, 128, 1};
    case at::ScalarType::Float8_e4m3fn:
      return {FL_CODE_FLOAT8_E4M3FN, 8, 1};
    case at::ScalarType::Float8_e4m3fnuz:
      return {FL_CODE_FLOAT8_E4M3FNUZ, 8, 1};
    case at::ScalarType::Float8_e5m2:
      return {FL_CODE_FLOAT8_E5M2, 8, 1};
    case at::ScalarType::Float8_e5m2fnuz:
      return {FL_CODE_FLOAT8_E5M2FNUZ, 8, 1};
    default:
      return {FL_CODE_OTHER, 8, 1};
  }
}

at::ScalarType from_fl(fl_dtype dtype) {
  static constexpr at::ScalarType types[] = {at::ScalarType::Bool,          at::ScalarType::Byte,
                                             at::ScalarType::Char,          at::ScalarType::Short,
                                             at::ScalarType::Int,           at::ScalarType::Long,
                                             at::ScalarType::UInt16,        at::ScalarType::UInt32,
                                             at::ScalarType::UInt64,        at::ScalarType::Half,
                                             at::ScalarType::BFloat16,      at::ScalarType::Float,
                                             at::ScalarType::Double,        at::ScalarType::ComplexHalf,
                                             at::ScalarType::ComplexFloat,  at::ScalarType::ComplexDouble,
                                             at::ScalarType::Float8_e4m3fn, at::ScalarType::Float8_e4m3fnuz,
                                             at::ScalarType::Float8_e5m2,   at::ScalarType::Float8_e5m2fnuz};
  const auto id = static_cast<size_t>(fl_dtype_to_id(dtype));
  TORCH_CHECK(id < std::size(types), "torch_fl: PyTorch has no dtype for code ", static_cast<int>(dtype.code), " with ",
              static_cast<int>(dtype.bits), " bits");
  return types[id];
}

fl_scalar to_fl(const c10::Scalar& scalar, bool wrapped) {
  fl_scalar s{};
  s.wrapped = wrapped;
  if (scalar.isBoolean()) {
    s.kind = FL_BOOLEAN;
    s.v.i = scalar.toBool();
  } else if (scalar.isIntegral(/*includeBool=*/false)) {
    s.kind = FL_INT;
    s.v.i = scalar.toLong();
  } else if (scalar.isComplex()) {
    s.kind = FL_COMPLEX;
    const auto c = scalar.toComplexDouble();
    s.v.c[0] = c.real();
    s.v.c[1] = c.imag();
  } else {
    s.kind = FL_DOUBLE;
    s.v.d = scalar.toDouble();
  }
  return s;
}

float rounded(float value, at::ScalarType half) {
  return half == at::kHalf ? static_cast<float>(at::Half(value)) : static_cast<float>(at::BFloat16(value));
}

bool holds(at::ScalarType half, const at::Tensor& number) {
  double value = 0;
  switch (number.scalar_type()) {
    case at::kDouble:
      value = *number.const_data_ptr<double>();
      break;
    case at::kFloat:
      value = *number.const_data_ptr<float>();
      break;
    case at::kLong:
      value = static_cast<double>(*number.const_data_ptr<int64_t>());
      break;
    case at::kInt:
      value = *number.const_data_ptr<int32_t>();
      break;
    default:
      return true;  // halves as they are, small integers; complex numbers make the result complex
  }
  if (!std::isfinite(value)) return true;
  return value == rounded(static_cast<float>(value), half);
}

}  // namespace torch_fl
