// The edge of a graph that is compiled for the boxing key: tensors of flagos become the key's, and the graph's own
// become tensors of flagos, over the same memory.
#include <ATen/ops/empty_strided.h>
#include <torch/csrc/autograd/python_variable.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/share.h"
#include "dispatch/graph_run.h"
#include "python/bindings.h"
#include "runtime/runtime.h"

namespace torch_fl::python {
namespace {

bool is_flagos(const py::handle& value) {
  return THPVariable_Check(value.ptr()) && THPVariable_Unpack(value.ptr()).device().type() == kFlagos;
}

py::object to_python(at::Tensor&& t) { return py::reinterpret_steal<py::object>(THPVariable_Wrap(std::move(t))); }

// A Python object, whoever lets go of it.
std::shared_ptr<void> held(PyObject* object) {
  Py_INCREF(object);
  return {object, [](PyObject* o) {
            if (!Py_IsInitialized()) return;
            const py::gil_scoped_acquire gil;
            Py_DECREF(o);
          }};
}

// The aliases of what a graph is given again and again, such as parameters. An alias is kept as long as the Python
// object of its tensor lives. The GIL guards them.
class Known : public std::enable_shared_from_this<Known> {
 public:
  py::object alias_of(size_t at, const py::handle& value, c10::DeviceType key) {
    const at::Tensor& t = THPVariable_Unpack(value.ptr());
    if (slots_.size() <= at) slots_.resize(at + 1);
    Slot& slot = slots_[at];
    const bool again = slot.seen == t.unsafeGetTensorImpl();
    if (again && slot.alias && mirrors(THPVariable_Unpack(slot.alias.ptr()), t)) return slot.alias;
    py::object alias = to_python(alias_on_key(t, key));
    if (!again) {
      // What comes once is not kept: it is freed as soon as the graph has used it.
      slot = Slot{t.unsafeGetTensorImpl(), {}, {}};
      return alias;
    }
    // The address may be that of a new tensor, which is then kept at first sight; an alias is gone with its tensor.
    if (!slot.until) slot.until = py::weakref(value, forget(at));
    slot.alias = alias;
    return alias;
  }

 private:
  struct Slot {
    const at::TensorImpl* seen = nullptr;
    py::object alias, until;
  };

  py::cpp_function forget(size_t at) {
    return [self = weak_from_this(), at](const py::handle&) {
      if (const auto known = self.lock()) known->slots_[at] = Slot();
    };
  }

  std::vector<Slot> slots_;
};

class Edge {
 public:
  Edge(py::object graph, std::vector<int32_t> outputs, std::vector<int32_t> returned, std::vector<int32_t> devices,
       bool random)
      : graph_(std::move(graph)),
        outputs_(std::move(outputs)),
        returned_(std::move(returned)),
        devices_(std::move(devices)),
        random_(random),
        key_(sharing_key()) {}

  py::list operator()(const py::list& args) {
    const size_t count = args.size();
    std::vector<py::object> given(outputs_.size());  // nothing else is held on to
    for (size_t i = 0; i < outputs_.size(); i++)
      if (returned_[i] >= 0) given[i] = args[static_cast<size_t>(returned_[i])];
    py::list inputs(count);
    for (size_t i = 0; i < count; i++) {
      py::object value = args[i];
      inputs[i] = is_flagos(value) ? known_->alias_of(i, value, key_) : std::move(value);
    }
    args.attr("clear")();
    py::object results;
    {
      std::optional<GraphRun> run;
      {
        const py::gil_scoped_release no_gil;  // it waits for work, which may need the GIL to end
        run.emplace(devices_, random_);
      }
      results = graph_(std::move(inputs));
    }
    graph_has_run();
    const bool theirs = results.ref_count() != 1;  // kept by the graph, as are its outputs
    py::list out(results);
    results = py::object();
    TORCH_CHECK(out.size() == outputs_.size(), "torch_fl: a compiled graph gave ", out.size(), " outputs, not ",
                outputs_.size());
    for (size_t i = 0; i < out.size(); i++) {
      PyObject* item = PyList_GET_ITEM(out.ptr(), static_cast<py::ssize_t>(i));
      if (!THPVariable_Check(item)) continue;
      const at::Tensor& t = THPVariable_Unpack(item);
      if (t.device().type() != key_) continue;
      if (given[i] && is_flagos(given[i]) && mirrors(t, THPVariable_Unpack(given[i].ptr())))
        out[i] = given[i];
      else if (outputs_[i] >= 0)
        adopt(out, i, t, !theirs && Py_REFCNT(item) == 1);
      else if (key_ == c10::DeviceType::CPU && t.nbytes() != 0 && is_device_memory(t))
        out[i] = to_python(alias_on_flagos(t).to(at::kCPU));  // meant for the host, made in memory of the device
    }
    return out;
  }

 private:
  // `alone`: nobody else has the output's Python object.
  void adopt(py::list& out, size_t i, const at::Tensor& t, bool alone) {
    const c10::Device device(kFlagos, static_cast<c10::DeviceIndex>(outputs_[i]));
    if (!is_device_memory(t)) {  // a library's own on the host
      at::Tensor copy = at::empty_strided(t.sizes(), t.strides(), t.options().device(device));
      out[i] = to_python(std::move(copy.copy_(t)));
    } else if (!alone || !relabel(t, outputs_[i])) {
      at::Tensor ours = alias_on_flagos(t);
      // What a graph knows of its results' lives it knows by their Python objects.
      if (!alone) keep_with(ours, held(PyList_GET_ITEM(out.ptr(), static_cast<py::ssize_t>(i))));
      out[i] = to_python(ours.device() == device ? std::move(ours) : ours.to(device));
    }
  }

  const py::object graph_;
  const std::vector<int32_t> outputs_, returned_, devices_;
  const bool random_;
  const c10::DeviceType key_;
  const std::shared_ptr<Known> known_ = std::make_shared<Known>();
};

// While it is entered, the host may touch the memory of devices.
class Opened {
 public:
  explicit Opened(std::vector<int32_t> devices) : devices_(std::move(devices)) {}
  void enter() {
    const py::gil_scoped_release no_gil;
    open_.emplace(devices_);
  }
  void exit(const py::args&) { open_.reset(); }

 private:
  const std::vector<int32_t> devices_;
  std::optional<HostMemory> open_;
};

}  // namespace

void bind_compile(py::module_& m) {
  // PyTorch's name of the boxing key. Loads the vendor; NotImplementedError where there is no such key.
  m.def("sharing_key", [] {
    const py::gil_scoped_release no_gil;
    return std::string(c10::DeviceTypeName(sharing_key(), /*lower_case=*/true));
  });
  m.def("as_key", &share_as_key, py::call_guard<py::gil_scoped_release>());
  m.def("from_key", &share_as_flagos, py::call_guard<py::gil_scoped_release>());
  py::class_<Edge>(m, "Edge")
      // graph: takes a list and gives a list or tuple. Of each output: the index of its device of flagos, or -1 where
      // it stays what it is; and the index of the input that it is, or -1. Then the devices whose memory is used, and
      // whether random numbers are drawn, which are the first one's.
      .def(py::init<py::object, std::vector<int32_t>, std::vector<int32_t>, std::vector<int32_t>, bool>())
      // The list of arguments is emptied, so that the graph can free what it no longer needs.
      .def("__call__", &Edge::operator())
      .def_property_readonly_static("_boxed_call", [](const py::object&) { return true; });
  py::class_<Opened>(m, "HostMemory")
      .def(py::init<std::vector<int32_t>>())
      .def("__enter__", &Opened::enter)
      .def("__exit__", &Opened::exit);
}

}  // namespace torch_fl::python
