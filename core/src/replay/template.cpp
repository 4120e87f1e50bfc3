#include "replay/template.h"

#include <algorithm>

namespace torch_fl {

void LaunchTemplate::take_shape(const LaunchRecord& launch) {
  function = launch.function;
  std::copy_n(launch.grid, 3, grid);
  std::copy_n(launch.block, 3, block);
  shared_bytes = launch.shared_bytes;
  cluster = launch.cluster;
  features = launch.features;
  tiles = launch.tiles;
}

uint32_t LaunchTemplate::add(size_t bytes, bool number) {
  // What describes a tensor is the one value of more than 16 bytes.
  const size_t alignment = bytes > 16 ? 64 : std::max<size_t>(bytes, 1);
  values.resize((values.size() + alignment - 1) / alignment * alignment);
  const auto position = static_cast<uint32_t>(values.size());
  parameters.push_back({position, static_cast<uint16_t>(bytes), number});
  values.resize(values.size() + bytes);
  return position;
}

namespace {

// Numbers by their bits: one that is not a number is like itself.
bool same(const c10::IValue& a, const c10::IValue& b) {
  if (a.isTensor() || b.isTensor()) {
    if (!a.isTensor() || !b.isTensor() || a.toTensor().defined() != b.toTensor().defined()) return false;
    if (!a.toTensor().defined()) return true;
    // A number of the host.
    const at::Tensor &x = a.toTensor(), &y = b.toTensor();
    return x.scalar_type() == y.scalar_type() && x.nbytes() == y.nbytes() &&
           std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
  }
  if (a.isDouble() && b.isDouble()) {
    const double x = a.toDouble(), y = b.toDouble();
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (a.isList() && b.isList()) {
    const auto x = a.toListRef(), y = b.toListRef();
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same);
  }
  return a.tagKind() == b.tagKind() && a == b;
}

}  // namespace

bool OpTemplate::operator==(const OpTemplate& other) const {
  return entry == other.entry && before == other.before && tensors == other.tensors && results == other.results &&
         arguments.size() == other.arguments.size() &&
         std::equal(arguments.begin(), arguments.end(), other.arguments.begin(), same);
}

size_t CallTemplate::footprint() const {
  const auto of = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
  size_t bytes = sizeof *this + of(results) + of(temporaries) + of(launches) + of(ops);
  for (const ResultTemplate& r : results) bytes += of(r.sizes) + of(r.strides);
  for (const LaunchTemplate& l : launches)
    bytes += of(l.values) + of(l.parameters) + of(l.pointers) + of(l.maps) + of(l.tiles);
  for (const OpTemplate& o : ops) {
    bytes += of(o.arguments) + of(o.tensors);
    for (const TensorTemplate& t : o.tensors) bytes += of(t.sizes) + of(t.strides);
  }
  return bytes;
}

}  // namespace torch_fl
