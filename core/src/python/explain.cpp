// explain(op, *args, **kwargs): Python values to IValues by the op's schema, and the decision back.
#include <ATen/ScalarOps.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/Export.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/api.h"
#include "python/bindings.h"

// torch/csrc/jit/python/pybind_utils.h declares it, and takes half a minute to compile.
namespace torch::jit {
TORCH_PYTHON_API c10::IValue toIValue(pybind11::handle value, const c10::TypePtr& type, std::optional<int32_t> length);
}  // namespace torch::jit

namespace torch_fl::python {
namespace {

const c10::FunctionSchema& schema_of(const std::string& op) {
  const auto dot = op.find('.');
  const auto handle = c10::Dispatcher::singleton().findSchema(
      {"aten::" + op.substr(0, dot), dot == std::string::npos ? std::string() : op.substr(dot + 1)});
  TORCH_CHECK_VALUE(handle.has_value(), "torch_fl: aten has no op '", op, "' in this torch");
  return handle->schema();
}

// A number in the place of a tensor becomes what PyTorch makes of it: a 0-d tensor that yields in type promotion.
c10::IValue to_value(py::handle value, const c10::Argument& argument) {
  const bool number = PyBool_Check(value.ptr()) || PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()) ||
                      PyComplex_Check(value.ptr());
  if (number && argument.real_type()->kind() == c10::TypeKind::TensorType) {
    at::Tensor tensor = c10::scalar_to_tensor(torch::jit::toIValue(value, c10::NumberType::get(), {}).toScalar());
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
  }
  return torch::jit::toIValue(value, argument.real_type(), argument.N());
}

std::vector<c10::IValue> to_stack(const c10::FunctionSchema& schema, const py::args& args, const py::kwargs& kwargs) {
  const auto& formal = schema.arguments();
  TORCH_CHECK_TYPE(args.size() <= formal.size(), schema.name(), " takes ", formal.size(), " arguments, not ",
                   args.size());
  std::vector<c10::IValue> stack;
  stack.reserve(formal.size());
  size_t named = 0;
  for (size_t i = 0; i < formal.size(); ++i) {
    const c10::Argument& argument = formal[i];
    const char* name = argument.name().c_str();
    if (i < args.size()) {
      stack.push_back(to_value(args[i], argument));
    } else if (kwargs.contains(name)) {
      stack.push_back(to_value(kwargs[name], argument));
      ++named;
    } else {
      TORCH_CHECK_TYPE(argument.default_value().has_value(), schema.name(), " needs an argument '", name, "'");
      stack.push_back(*argument.default_value());
    }
  }
  TORCH_CHECK_TYPE(named == kwargs.size(), schema.name(), " does not take all of ",
                   py::cast<std::string>(py::repr(kwargs)));
  return stack;
}

py::dict explain_call(const std::string& op, const py::args& args, const py::kwargs& kwargs) {
  auto stack = to_stack(schema_of(op), args, kwargs);
  Decision decision;
  {
    py::gil_scoped_release no_gil;
    decision = explain(op, std::move(stack));
  }
  py::list lanes;
  for (const LaneVerdict& verdict : decision.lanes) {
    lanes.append(py::make_tuple(lane_name(verdict.lane), verdict.chosen, verdict.reason));
  }
  py::dict out;
  out["op"] = decision.op;
  out["lane"] = lane_name(decision.lane);
  out["source"] = decision.source;
  out["routed"] = decision.routed_source.empty() ? "" : lane_name(decision.routed);
  out["lanes"] = lanes;
  out["plan"] = decision.plan;
  return out;
}

}  // namespace

void bind_explain(py::module_& m) { m.def("explain", &explain_call); }

}  // namespace torch_fl::python
