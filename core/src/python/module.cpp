// torch_fl._C: what the Python half of core asks of libtorch_fl.
#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>

#include <exception>

#include "dispatch/api.h"
#include "python/bindings.h"

PYBIND11_MODULE(_C, m) {
  namespace py = pybind11;
  m.doc() = "Native half of torch_fl. Private: use torch_fl and torch.flagos.";

  // PyTorch's own translation of c10::Error: IndexError stays IndexError, out of memory is torch.OutOfMemoryError, and
  // the text comes without the C++ stack unless TORCH_SHOW_CPP_STACKTRACES asks for it.
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const c10::Error&) {
      torch::translate_exception_to_python(error);
    }
  });

  torch_fl::start();
  torch_fl::python::bind_vendor(m);
  torch_fl::python::bind_devices(m);
  torch_fl::python::bind_dispatch(m);
  torch_fl::python::bind_explain(m);
  torch_fl::python::bind_compile(m);
  torch_fl::python::bind_packages(m);
}
