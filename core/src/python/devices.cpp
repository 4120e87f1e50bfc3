// Devices, streams and generators.
#include <ATen/core/Generator.h>
#include <torch/csrc/Generator.h>

#include <cstdint>
#include <string>

#include "python/bindings.h"
#include "runtime/key_runtime.h"
#include "runtime/runtime.h"

namespace torch_fl::python {
namespace {

using release_gil = py::call_guard<py::gil_scoped_release>;

py::dict properties_dict(int32_t device) {
  const fl_device_properties* p = nullptr;
  {
    py::gil_scoped_release no_gil;
    p = &device_properties(device);
  }
  py::dict out;
  out["name"] = std::string(p->name);
  out["architecture"] = std::string(p->architecture);
  out["total_memory"] = p->total_memory;
  out["multi_processor_count"] = p->multiprocessors;
  out["warp_size"] = p->warp_size;
  out["major"] = p->major;
  out["minor"] = p->minor;
  out["supported_dtypes"] = p->supported_dtypes;
  return out;
}

py::dict map_dict(int32_t device) {
  fl_device_map map{};
  {
    py::gil_scoped_release no_gil;
    map = device_map(device);
  }
  py::dict out;
  out["card"] = map.card;
  out["partition"] = map.partition;
  out["uuid"] = py::bytes(reinterpret_cast<const char*>(map.uuid), sizeof(map.uuid));
  return out;
}

}  // namespace

void bind_devices(py::module_& m) {
  m.def("device_count", &device_count, release_gil());
  m.def("current_device", &current_device, release_gil());
  m.def("set_device", &set_current_device, release_gil());
  m.def("device_properties", &properties_dict);
  m.def("device_map", &map_dict);
  m.def("can_access_peer", &can_access_peer, release_gil());
  m.def("synchronize", &synchronize_device, release_gil());
  m.def("set_memory_fraction", &set_memory_fraction, release_gil());
  // PyTorch's name of the device that this one is too ("cuda"), or None. Loads the vendor.
  m.def("shared_key", []() -> py::object {
    {
      const py::gil_scoped_release no_gil;
      vendor();
    }
    const KeyRuntime* key = key_runtime();
    return key == nullptr ? py::object(py::none()) : py::str(c10::DeviceTypeName(key->type, /*lower_case=*/true));
  });
  m.def("in_bad_fork", &in_bad_fork);
  m.def("seed_default_generators", &seed_default_generators);
  m.def("default_generator", [](int32_t device) { return default_generator(device); });
  m.def("stream_priority", &stream_priority);
  m.def("stream_priority_range", &stream_priority_range, release_gil());
  m.def("stream_native_handle",
        [](c10::Stream stream) { return reinterpret_cast<uintptr_t>(stream_native_handle(stream)); });
}

}  // namespace torch_fl::python
