// The parts of the Python module `torch_fl._C`. Each part binds one concern; none holds logic.
#pragma once

#include <torch/csrc/utils/pybind.h>

namespace torch_fl::python {

namespace py = pybind11;

void bind_vendor(py::module_& m);
void bind_devices(py::module_& m);
void bind_dispatch(py::module_& m);
void bind_explain(py::module_& m);
void bind_compile(py::module_& m);
void bind_packages(py::module_& m);

}  // namespace torch_fl::python
