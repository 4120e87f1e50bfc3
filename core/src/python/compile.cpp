// What the code that a compiler made calls.
#include <torch/csrc/autograd/python_variable.h>

#include <cstdint>
#include <optional>

#include "python/bindings.h"
#include "runtime/runtime.h"

namespace torch_fl::python {
namespace {

// The device of the first of our tensors among the arguments, or -1.
int32_t device_of_args(const py::args& args) {
  for (const py::handle arg : args) {
    if (!THPVariable_Check(arg.ptr())) continue;
    const c10::Device device = THPVariable_Unpack(arg.ptr()).device();
    if (device.type() == kFlagos) return device.index();
  }
  return -1;
}

// A kernel for the host runs on memory of the device: after the work of the device's current stream, before what is
// enqueued next.
py::object run_on_host(const py::object& kernel, const py::args& args) {
  const int32_t device = device_of_args(args);
  std::optional<HostAccess> open;
  if (device >= 0) {
    py::gil_scoped_release no_gil;  // it waits for work, which may need the GIL to end
    open.emplace(device);
  }
  return kernel(*args);
}

}  // namespace

void bind_compile(py::module_& m) { m.def("run_on_host", &run_on_host); }

}  // namespace torch_fl::python
