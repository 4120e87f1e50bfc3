// The choice of a vendor, made by Python, and what the loaded one says of itself.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings.h"
#include "runtime/runtime.h"

namespace torch_fl::python {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

VendorFacts facts_of(const py::dict& facts) {
  VendorFacts out;
  out.name = py::cast<std::string>(facts["name"]);
  out.library = py::cast<std::string>(facts["library"]);
  out.lanes = py::cast<std::vector<std::string>>(facts["lanes"]);
  out.fences = py::cast<std::vector<std::pair<std::string, std::string>>>(facts["fences"]);
  out.spare = py::cast<std::string>(facts["spare"]);
  if (!facts["boxing_key"].is_none()) {
    out.boxing = c10::Device(lower(py::cast<std::string>(facts["boxing_key"]))).type();
  }
  return out;
}

py::object vendor_info() {
  const Vendor* vendor = loaded_vendor();
  if (vendor == nullptr) {
    return py::none();
  }
  py::dict out;
  out["name"] = vendor->facts.name;
  out["library"] = vendor->facts.library;
  out["lanes"] = vendor->facts.lanes;
  out["fences"] = vendor->facts.fences;
  out["boxing_key"] =
      vendor->facts.boxing ? py::object(py::str(c10::DeviceTypeName(*vendor->facts.boxing))) : py::object(py::none());
  out["version"] = vendor->version;
  out["device_count"] = vendor->device_count;
  out["abi"] = py::make_tuple(vendor->api.abi_major, vendor->api.abi_minor);
  out["rows"] = vendor->api.row_count;
  return out;
}

}  // namespace

void bind_vendor(py::module_& m) {
  m.attr("abi") = py::make_tuple(FL_ABI_MAJOR, FL_ABI_MINOR);
  m.def("set_vendor", [](const py::dict& facts) { set_vendor(facts_of(facts)); });
  m.def("set_no_vendor", &set_no_vendor);
  m.def("has_vendor", &has_vendor);
  m.def("load", [] { vendor(); }, py::call_guard<py::gil_scoped_release>());
  m.def("vendor_info", &vendor_info);
}

}  // namespace torch_fl::python
