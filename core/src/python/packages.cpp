// Calls of packages' Python functions (FlagGems, TileOps) for ops that are routed to them.
#include <torch/csrc/jit/python/pybind_utils.h>

#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aten/alias.h"
#include "dispatch/package_lane.h"
#include "dispatch/tensors.h"
#include "python/bindings.h"
#include "replay/replay.h"

namespace torch_fl::python {
namespace {

// Per lane: what gives a function for an op's name, and the functions that it gave. Never destroyed: Python is gone
// before. Touched with the GIL held.
struct Package {
  py::object resolve;
  std::unordered_map<const OpEntry*, py::object> functions;
};
Package& package(Lane lane) {
  static auto* const packages = new std::array<Package, kLanes>;
  return (*packages)[static_cast<size_t>(lane)];
}

std::string text_of(const py::error_already_set& error) {
  const std::string name = py::cast<std::string>(error.type().attr("__name__"));
  const std::string text = py::cast<std::string>(py::str(error.value()));
  const size_t line = text.find('\n');
  return text.empty() ? name : name + ": " + text.substr(0, line);
}

// An Exception refuses; KeyboardInterrupt and its like go on their way.
bool refuses(const py::error_already_set& error) { return error.matches(PyExc_Exception); }

// As Python writes the argument. A number that PyTorch made a tensor of is a number again: a kernel compiled for the
// tensor would be one of float64.
py::object argument(const ArgInfo& info, const c10::IValue& v) {
  if (v.isInt()) {
    if (info.kind == ArgKind::dtype) return py::cast(static_cast<at::ScalarType>(v.toInt()));
    if (info.kind == ArgKind::layout) return py::cast(static_cast<at::Layout>(v.toInt()));
    if (info.kind == ArgKind::memory_format) return py::cast(static_cast<at::MemoryFormat>(v.toInt()));
  }
  if (v.isTensor() && v.toTensor().defined() && v.toTensor().device().is_cpu() &&
      v.toTensor().unsafeGetTensorImpl()->is_wrapped_number())
    return torch::jit::toPyObject(v.toTensor().item());
  return torch::jit::toPyObject(v);
}

bool is_default(const c10::Argument& argument, const c10::IValue& v) {
  if (!argument.default_value().has_value()) return false;
  const c10::IValue& other = *argument.default_value();
  if (v.isNone() || other.isNone()) return v.isNone() && other.isNone();
  return !v.isTensor() && !v.isGenerator() && v == other;
}

// Positional arguments up to the last one that is not the schema's default, then the keywords of others.
std::pair<py::tuple, py::dict> arguments_of(const OpEntry& entry, c10::ArrayRef<c10::IValue> values) {
  const auto& schema = entry.handle.schema().arguments();
  size_t positional = 0, given = 0;
  while (positional < schema.size() && !schema[positional].kwarg_only()) positional++;
  for (size_t i = 0; i < positional; i++)
    if (!is_default(schema[i], values[i])) given = i + 1;
  py::tuple args(given);
  for (size_t i = 0; i < given; i++) args[i] = argument(entry.args[i], values[i]);
  py::dict kwargs;
  for (size_t i = positional; i < schema.size(); i++)
    if (!is_default(schema[i], values[i])) kwargs[py::str(schema[i].name())] = argument(entry.args[i], values[i]);
  return {std::move(args), std::move(kwargs)};
}

// Throws c10::Error or pybind11's cast_error where the schema has other results.
Stack results_of(const OpEntry& entry, const py::object& result) {
  const auto& returns = entry.handle.schema().returns();
  Stack results;
  if (returns.size() == 1) {
    results.push_back(torch::jit::toIValue(result, returns[0].real_type()));
  } else if (!returns.empty()) {
    const auto several = py::cast<py::sequence>(result);
    TORCH_CHECK(several.size() == returns.size(), "it gives ", several.size(), " results, not ", returns.size());
    for (size_t i = 0; i < returns.size(); i++)
      results.push_back(torch::jit::toIValue(several[i], returns[i].real_type()));
  }
  return results;
}

// The out= arguments of a call. What they hold after a failure is of no account, as whoever serves the call writes over
// all of it: unless it is read as well, or the call writes to something else, or has drawn random numbers.
class Outs {
 public:
  Outs(const OpEntry& entry, c10::ArrayRef<c10::IValue> args) {
    if (!entry.any_written || entry.random) return;
    for (size_t i = 0; i < args.size(); i++) {
      if (!entry.args[i].written) continue;
      if (!entry.args[i].is_out) return;
      each_tensor(args[i], [&](const at::Tensor& t) { keep(t); });
    }
    for (size_t i = 0; i < args.size(); i++)
      if (!entry.args[i].is_out) each_tensor(args[i], [&](const at::Tensor& t) { alone_ &= !shares(t); });
    all_ = alone_;
  }

  // Makes them as large as they were, and where they were, for another to write to. False where that cannot be, and
  // where they are not all that matters.
  bool put_back() const {
    if (!all_) return false;
    for (const Kept& k : kept_)
      if (k.tensor.scalar_type() != k.dtype || k.storage.nbytes() < k.bytes) return false;
    for (const Kept& k : kept_) {
      at::TensorImpl* t = k.tensor.unsafeGetTensorImpl();
      if (storage_of(k.tensor) != k.storage.unsafeGetStorageImpl()) t->set_storage_keep_dtype(k.storage);
      if (k.storage.nbytes() != k.bytes) k.storage.unsafeGetStorageImpl()->set_nbytes(k.bytes);
      if (t->sizes() != k.sizes || t->strides() != k.strides || t->storage_offset() != k.offset)
        t->set_sizes_and_strides(k.sizes, k.strides, k.offset);
    }
    return true;
  }

 private:
  struct Kept {
    at::Tensor tensor;
    c10::Storage storage;
    size_t bytes;
    at::ScalarType dtype;
    c10::DimVector sizes, strides;
    int64_t offset;
  };

  void keep(const at::Tensor& t) {
    alone_ &= t.layout() == at::kStrided && t.unsafeGetTensorImpl()->has_storage();
    if (!alone_) return;
    kept_.push_back({t, t.storage(), t.storage().nbytes(), t.scalar_type(), c10::DimVector(t.sizes()),
                     c10::DimVector(t.strides()), t.storage_offset()});
  }

  bool shares(const at::Tensor& t) const {
    if (!t.unsafeGetTensorImpl()->has_storage()) return false;
    for (const Kept& k : kept_)
      if (storage_of(t) == k.storage.unsafeGetStorageImpl()) return true;
    return false;
  }

  c10::SmallVector<Kept, 1> kept_;
  bool alone_ = true;  // none of them is read
  bool all_ = false;   // and the call writes nothing else
};

bool call(Lane lane, const OpEntry& entry, Stack* stack, std::string& why) {
  const size_t count = entry.args.size(), base = stack->size() - count;
  if (entry.generator_arg >= 0 && !(*stack)[base + static_cast<size_t>(entry.generator_arg)].isNone()) {
    why = "its functions draw from the device's own generator, whatever they are given";
    return false;
  }
  const py::gil_scoped_acquire gil;
  const Outs outs(entry, c10::ArrayRef<c10::IValue>(stack->data() + base, count));
  const uint64_t before = t_work;
  // A functional op has written nothing that its caller could see.
  const auto may_go_on = [&] { return outs.put_back() || !entry.any_written || t_work == before; };
  Stack results;
  try {
    py::object function = package(lane).functions[&entry];
    if (!function) {
      // Offers may change meanwhile, by what is imported here or by another thread.
      const py::object resolve = package(lane).resolve;
      package(lane).functions[&entry] = function = resolve(entry.name);
    }
    const auto [args, kwargs] = arguments_of(entry, c10::ArrayRef<c10::IValue>(stack->data() + base, count));
    results = results_of(entry, function(*args, **kwargs));
  } catch (py::error_already_set& error) {
    if (!refuses(error) || !may_go_on()) throw;
    why = text_of(error);
    return false;
  } catch (const py::cast_error&) {
    if (!may_go_on()) throw;
    why = "its results are not those of " + c10::toString(entry.handle.schema());
    return false;
  }
  stack->resize(base);
  stack->insert(stack->end(), std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
  return true;
}

Lane package_lane(int number) {
  const auto lane = static_cast<Lane>(number);
  TORCH_CHECK_VALUE(number >= 0 && number < kLanes && from_package(lane), "torch_fl: lane ", number,
                    " is no package's");
  return lane;
}

// (bytes, a LaunchRecord::Kind) of each value, in the order of the kernel's parameters; True is 1, a pointer.
using Values = std::vector<std::pair<py::bytes, int>>;

LaunchRecord launch_record(uintptr_t function, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                           uint32_t shared_bytes, const Values& values) {
  using Kind = LaunchRecord::Kind;
  LaunchRecord launch;
  launch.function = reinterpret_cast<void*>(function);
  std::copy(grid.begin(), grid.end(), launch.grid);
  std::copy(block.begin(), block.end(), launch.block);
  launch.shared_bytes = shared_bytes;
  for (const auto& [bytes, kind] : values) {
    std::string value(bytes);
    const size_t size = value.size();
    TORCH_CHECK_VALUE(kind >= 0 && kind <= static_cast<int>(Kind::tensor_map) &&
                          size == (kind == static_cast<int>(Kind::pointer)      ? sizeof(void*)
                                   : kind == static_cast<int>(Kind::scratch)    ? 2 * sizeof(uint64_t)
                                   : kind == static_cast<int>(Kind::tensor_map) ? sizeof(fl_tensor_map)
                                                                                : size),
                      "torch_fl: a kernel's value of kind ", kind, " has ", size, " bytes");
    launch.values.push_back({std::move(value), static_cast<Kind>(kind)});
  }
  return launch;
}

py::dict replay_statistics() {
  py::dict out;
  for (const auto& [op, stats] : replay_stats()) {
    py::dict row;
    row["replays"] = stats.replays;
    row["recordings"] = stats.recordings;
    row["templates"] = stats.templates;
    row["audits"] = stats.audits;
    row["mismatches"] = stats.mismatches;
    row["refused"] = stats.refused;
    out[py::str(op)] = row;
  }
  return out;
}

}  // namespace

void bind_packages(py::module_& m) {
  set_package_call(&call);
  m.def("offer", [](int lane, const std::vector<std::string>& ops, py::object resolve, bool composed) {
    package(package_lane(lane)).resolve = std::move(resolve);
    package(package_lane(lane)).functions.clear();
    const py::gil_scoped_release no_gil;
    return offer(package_lane(lane), ops, composed);
  });
  m.def("package_op", &package_op);
  m.def("note_work", &note_work);
  m.def("recording", &recording);
  m.def("record_launch", [](uintptr_t function, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                            uint32_t shared_bytes, const Values& values, uint32_t cluster, uint32_t features,
                            const std::vector<std::pair<int32_t, uint32_t>>& tiles) {
    LaunchRecord launch = launch_record(function, grid, block, shared_bytes, values);
    launch.cluster = cluster;
    launch.features = features;
    for (const auto& [value, elements] : tiles) launch.tiles.push_back({value, elements});
    record_launch(std::move(launch));
  });
  m.def("refuse_recording", &refuse_recording);
  m.def("switch_replay", &switch_replay);
  m.def("allow_replay", &allow_replay);
  m.def("set_replay_audit", &set_replay_audit);
  m.def("replay_stats", &replay_statistics);
  m.def("replay_memory", [] {
    const ReplayMemory memory = replay_memory();
    return std::array<size_t, 3>{memory.plans, memory.bytes, memory.most};
  });
  m.def("load_kernel", [](int32_t device, const std::string& image, const std::string& name) {
    const py::gil_scoped_release no_gil;
    return reinterpret_cast<uintptr_t>(load_kernel(device, image, name));
  });
  m.def("launch_kernel", [](int32_t device, uintptr_t function, std::array<uint32_t, 3> grid,
                            std::array<uint32_t, 3> block, uint32_t shared_bytes, const Values& values) {
    LaunchRecord launch = launch_record(function, grid, block, shared_bytes, values);
    const py::gil_scoped_release no_gil;
    launch_kernel(device, std::move(launch));
  });
}

}  // namespace torch_fl::python
