#include "replay/run.h"

#include <ATen/EmptyTensor.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "aten/alias.h"
#include "aten/make.h"
#include "dispatch/lanes.h"
#include "replay/recording.h"
#include "replay/replay.h"

namespace torch_fl {

const fl_ext_module* module_of(const Vendor& v) {
  static const auto* const extension =
      v.api.get_extension == nullptr ? nullptr : static_cast<const fl_ext_module*>(v.api.get_extension("module", 1));
  return extension != nullptr && extension->launch != nullptr ? extension : nullptr;
}

LaunchAbilities launch_abilities() {
  LaunchAbilities able;
  const fl_ext_module* module = module_of(vendor());
  // A vendor from before them has a shorter table.
  if (module == nullptr || module->struct_size < sizeof(fl_ext_module)) return able;
  able.features = module->launch_features;
  if (module->encode_tensor_map != nullptr) able.tensor_map_bytes = module->tensor_map_bytes;
  return able;
}

namespace {

c10::Storage storage_for(int32_t device, size_t bytes) {
  return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes, allocate(device, bytes),
                                               device_allocator(), /*resizable=*/true);
}

at::Tensor tensor_over(c10::Storage storage, at::ScalarType dtype, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                       int64_t offset = 0) {
  at::Tensor t = at::detail::make_tensor_base<at::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), c10::scalarTypeToTypeMeta(dtype));
  t.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return t;
}

class Run {
 public:
  Run(const CallTemplate& call, const Tensors& inputs, int32_t device)
      : call_(call), inputs_(inputs), device_(device), module_(*module_of(vendor())) {
    for (const ResultTemplate& r : call.results)
      if (r.argument >= 0)
        results_.emplace_back(
            c10::intrusive_ptr<at::TensorImpl>::reclaim_copy(inputs[static_cast<size_t>(r.argument)]));
      else if (r.op >= 0)
        results_.emplace_back();
      else
        results_.push_back(tensor_over(storage_for(device, r.bytes), r.dtype, r.sizes, r.strides));
    for (const size_t bytes : call.temporaries) temporaries_.push_back(storage_for(device, bytes));
  }

  void steps() {
    attach(device_);
    const fl_stream stream = current_stream_handle(device_);
    size_t op = 0;
    for (size_t i = 0; i < call_.launches.size(); i++) {
      while (C10_UNLIKELY(op < call_.ops.size() && call_.ops[op].before == i)) run(call_.ops[op++]);
      t_work++;
      launch(call_.launches[i], stream);
    }
    while (C10_UNLIKELY(op < call_.ops.size())) run(call_.ops[op++]);
  }

  void give(Stack* stack) {
    for (size_t i = 0; i < results_.size(); i++) {
      const ResultTemplate& r = call_.results[i];
      if (C10_UNLIKELY(r.op >= 0))
        stack->emplace_back(
            tensor_over(made_[static_cast<size_t>(r.op)][r.op_result].storage(), r.dtype, r.sizes, r.strides));
      else
        stack->emplace_back(std::move(results_[i]));
    }
  }

 private:
  const char* address_of(const PointerOrigin& p) const {
    switch (p.kind) {
      case PointerOrigin::Kind::input:
        return address(inputs_[p.index]) + p.offset;
      case PointerOrigin::Kind::output:
        return address(results_[p.index]) + p.offset;
      case PointerOrigin::Kind::temporary:
        return static_cast<const char*>(temporaries_[p.index].data()) + p.offset;
      case PointerOrigin::Kind::op:
        return static_cast<const char*>(made_[p.index][p.result].storage().data()) + p.offset;
    }
    return nullptr;
  }

  const c10::Storage& storage_of(const PointerOrigin& p) const {
    switch (p.kind) {
      case PointerOrigin::Kind::input:
        return inputs_[p.index]->unsafe_storage();
      case PointerOrigin::Kind::output:
        return results_[p.index].storage();
      case PointerOrigin::Kind::temporary:
        return temporaries_[p.index];
      case PointerOrigin::Kind::op:
        break;
    }
    return made_[p.index][p.result].storage();
  }

  void launch(const LaunchTemplate& l, fl_stream stream) const {
    constexpr size_t kInline = 768;
    alignas(64) std::byte room[kInline];
    std::unique_ptr<std::byte[]> more;
    std::byte* values = room;
    if (C10_UNLIKELY(l.values.size() > kInline)) {
      more.reset(new std::byte[l.values.size() + 63]);
      values = more.get() + (-reinterpret_cast<uintptr_t>(more.get()) & 63);
    }
    std::memcpy(values, l.values.data(), l.values.size());
    for (const PointerOrigin& p : l.pointers) {
      const char* pointer = address_of(p);
      std::memcpy(values + p.value, &pointer, sizeof pointer);
    }
    for (const LaunchTemplate::Map& described : l.maps) {
      fl_tensor_map map = described.map;
      map.address = const_cast<char*>(address_of(described.origin));
      FL_CHECK(module_.encode_tensor_map(device_, &map, values + described.origin.value),
               "encode_tensor_map(device=", device_, ")");
    }
    c10::SmallVector<const void*, 48> pointers(l.parameters.size());
    c10::SmallVector<size_t, 48> sizes(l.parameters.size());
    for (size_t i = 0; i < l.parameters.size(); i++) {
      pointers[i] = values + l.parameters[i].position;
      sizes[i] = l.parameters[i].size;
    }
    fl_launch call{};
    call.struct_size = sizeof call;
    std::copy_n(l.grid, 3, call.grid);
    std::copy_n(l.block, 3, call.block);
    call.shared_bytes = l.shared_bytes;
    call.arg_count = static_cast<uint32_t>(pointers.size());
    call.args = pointers.data();
    call.arg_sizes = sizes.data();
    call.cluster = l.cluster;
    call.features = l.features;
    FL_CHECK(module_.launch(device_, l.function, &call, stream), "launch(device=", device_, ")");
  }

  at::Tensor tensor_of(const TensorTemplate& t) const {
    if (t.dtype == at::ScalarType::Undefined) return {};
    const c10::Storage& storage = storage_of(t.origin);
    const int64_t bytes = address_of(t.origin) - static_cast<const char*>(storage.data());
    return tensor_over(storage, t.dtype, t.sizes, t.strides,
                       bytes / static_cast<int64_t>(c10::scalarTypeToTypeMeta(t.dtype).itemsize()));
  }

  void run(const OpTemplate& op) {
    c10::SmallVector<at::Tensor, 2>& made = made_.emplace_back();
    size_t next = 0;
    Stack stack;
    stack.reserve(op.arguments.size());
    for (const c10::IValue& argument : op.arguments)
      stack.push_back(with_tensors(c10::IValue(argument), [&](const at::Tensor& t) {
        const TensorTemplate& kept = op.tensors[next++];
        return t.defined() ? t : tensor_of(kept);
      }));
    if (op.entry == nullptr) {
      copy_into(stack[0].toTensor(), stack[1].toTensor(), false);
      return;
    }
    dispatch_call(*op.entry, &stack);
    for (size_t i = 0; i < stack.size(); i++) {
      made.push_back(std::move(stack[i]).toTensor());
      TORCH_CHECK(made.back().sizes() == c10::IntArrayRef(op.results[i]), "torch_fl: ", op.entry->name,
                  " gives a result of other sizes when it is replayed: ", made.back().sizes(),
                  ". Report it, and set FLAGOS_REPLAY=0 meanwhile.");
    }
  }

  const CallTemplate& call_;
  const Tensors& inputs_;
  const int32_t device_;
  const fl_ext_module& module_;
  c10::SmallVector<at::Tensor, 4> results_;
  c10::SmallVector<c10::Storage, 2> temporaries_;
  std::vector<c10::SmallVector<at::Tensor, 2>> made_;  // by ops
};

const fl_ext_module& need_module() {
  const Vendor& v = vendor();
  const fl_ext_module* module = module_of(v);
  TORCH_CHECK_NOT_IMPLEMENTED(module != nullptr, "torch_fl[", v.facts.name, "]: this vendor loads no compiled kernels ",
                              "(the extension \"module\")");
  return *module;
}

}  // namespace

void run(const CallTemplate& call, const OpEntry& entry, Stack* stack) {
  const size_t base = stack->size() - entry.args.size();
  const Tensors inputs = tensors_of(c10::ArrayRef<c10::IValue>(stack->data() + base, entry.args.size()));
  Run run(call, inputs, inputs[0]->device().index());
  run.steps();
  stack->resize(base);
  run.give(stack);
}

void* load_kernel(int32_t device, const std::string& image, const std::string& name) {
  const fl_ext_module& module = need_module();
  check_device(device);
  attach(device);
  void *loaded = nullptr, *function = nullptr;
  FL_CHECK(module.load(device, image.data(), image.size(), &loaded), "module.load(device=", device,
           ", bytes=", image.size(), ")");
  FL_CHECK(module.get_function(device, loaded, name.c_str(), &function), "module.get_function(", name, ")");
  return function;
}

void launch_kernel(int32_t device, LaunchRecord launch) {
  const fl_ext_module& module = need_module();
  check_device(device);
  std::vector<const void*> pointers;
  std::vector<size_t> sizes;
  for (const LaunchRecord::Value& value : launch.values) {
    TORCH_CHECK_VALUE(value.kind == LaunchRecord::Kind::number || value.kind == LaunchRecord::Kind::pointer,
                      "torch_fl: launch_kernel() takes numbers and pointers");
    pointers.push_back(value.bytes.data());
    sizes.push_back(value.bytes.size());
  }
  fl_launch call{};
  call.struct_size = sizeof call;
  std::copy_n(launch.grid, 3, call.grid);
  std::copy_n(launch.block, 3, call.block);
  call.shared_bytes = launch.shared_bytes;
  call.arg_count = static_cast<uint32_t>(pointers.size());
  call.args = pointers.data();
  call.arg_sizes = sizes.data();
  attach(device);
  FL_CHECK(module.launch(device, launch.function, &call, current_stream_handle(device)), "launch(device=", device, ")");
  record_launch(std::move(launch));
}

}  // namespace torch_fl
