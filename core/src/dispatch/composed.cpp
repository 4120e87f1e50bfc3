// Entries of sparse and nested tensors: the keys SparsePrivateUse1, SparseCsrPrivateUse1 and NestedTensorPrivateUse1.
// The lanes that serve them are those with PyTorch's own kernels: boxing and none. Routes (those without a guard, which
// look at strided tensors), logs and census hold for them as for strided calls of the same op.
#include <ATen/core/op_registration/op_registration.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "aten/sparse.h"
#include "dispatch/lanes.h"
#include "dispatch/registry.h"

namespace torch_fl {
namespace {

using c10::DispatchKey;

// PyTorch's kernels for these look at structure, or call ops on the parts, and so are right on any device: they run as
// they are. Nothing is converted, and what they call is dispatched and counted as usual.
bool handles_parts(const std::string& op) {
  static const std::unordered_set<std::string_view> ops = {
      // parts and structure
      "_indices", "_values", "indices", "values", "crow_indices", "col_indices", "ccol_indices", "row_indices", "_nnz",
      "_dimI", "_dimV", "sparse_dim", "dense_dim", "is_coalesced", "_coalesced_", "is_pinned", "_pin_memory",
      "is_same_size", "_nested_tensor_size", "_nested_tensor_strides", "_nested_tensor_storage_offsets",
      // making, resizing and copying
      "empty.memory_format", "empty_like", "_sparse_coo_tensor_with_dims", "_sparse_coo_tensor_with_dims_and_tensors",
      "sparse_resize_", "sparse_resize_and_clear_", "resize_", "resize_as_sparse_", "zero_", "zeros.out", "clone",
      "_to_copy", "copy_", "copy_sparse_to_sparse_",
      // views of nested tensors
      "alias", "detach", "select.int", "transpose.int", "view", "squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze",
      "narrow", "chunk", "split_with_sizes", "unbind.int"};
  return ops.count(op) != 0;
}

struct PartsKernel final : c10::OperatorKernel {
  explicit PartsKernel(DispatchKey k) : key(k) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
    require_routes();
    const size_t count = op.schema().arguments().size();
    const c10::ArrayRef<c10::IValue> args(stack->data() + (stack->size() - count), count);
    const c10::DeviceGuard guard(c10::Device(kFlagos, static_cast<c10::DeviceIndex>(device_of_call(args))));
    op.redispatchBoxed(c10::DispatchKeySet(key), stack);
  }
  DispatchKey key;
};

void find_lanes(OpEntry& entry) {
  // Collectives keep their tensors beyond the call.
  if (entry.handle.operator_name().name.rfind("c10d::", 0) == 0) return;
  // A PyTorch without the vendor's key has composites for it all the same.
  const auto boxing = vendor().key_ready ? vendor().facts.boxing : std::nullopt;
  entry.on_host = entry.handle.hasComputedKernelForDispatchKey(key_on(entry.functionality, c10::DeviceType::CPU));
  entry.on_key =
      boxing.has_value() && entry.handle.hasComputedKernelForDispatchKey(key_on(entry.functionality, *boxing));
}

// An op that PyTorch gives these keys of the host no kernel, and no composite: one of another library, or of nobody.
template <DispatchKey functionality>
void fallback(const c10::OperatorHandle& op, Stack* stack) {
  static auto* const mutex = new std::mutex;
  static auto* const entries = new std::unordered_map<c10::OperatorName, std::unique_ptr<OpEntry>>;
  require_routes();
  OpEntry* entry = nullptr;
  {
    std::lock_guard<std::mutex> lock(*mutex);
    auto& slot = (*entries)[op.operator_name()];
    if (!slot) {
      slot = std::make_unique<OpEntry>(op);
      slot->functionality = functionality;
      find_lanes(*slot);
      auto* routes = new OpRoutes;
      routes->fixed = slot->on_key ? Lane::boxing : Lane::none;
      slot->routes.store(routes, std::memory_order_release);
    }
    entry = slot.get();
  }
  TORCH_CHECK_NOT_IMPLEMENTED(entry->has(Lane::boxing) || entry->has(Lane::none), "torch_fl: no lane of flagos serves ",
                              entry->name, " of ", functionality == DispatchKey::NestedTensor ? "nested" : "sparse",
                              " tensors. Convert the operand to a dense tensor first (",
                              functionality == DispatchKey::NestedTensor ? "to_padded_tensor" : "to_dense", ").");
  dispatch_call(*entry, stack);
}

std::vector<OpEntry*>& entries() {
  static auto* const e = new std::vector<OpEntry*>;
  return *e;
}

torch::Library& library_of(const char* name, DispatchKey key) {
  // Never taken apart: registrations end with their library.
  return *new torch::Library(torch::Library::IMPL, name, key, __FILE__, __LINE__);
}

template <DispatchKey functionality>
void register_key() {
  auto& dispatcher = c10::Dispatcher::singleton();
  const DispatchKey host = key_on(functionality, c10::DeviceType::CPU), ours = key_on(functionality, kFlagos);
  library_of("_", ours).fallback(torch::CppFunction::makeFromBoxedFunction<&fallback<functionality>>());
  torch::Library& library = library_of("aten", ours);
  // Each needs its own kernel: before a fallback, PyTorch takes a composite, which the host's key does not get.
  for (const c10::OperatorName& name : dispatcher.getRegistrationsForDispatchKey(host)) {
    if (name.name.rfind("aten::", 0) != 0) continue;
    const c10::OperatorHandle handle = dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
    auto entry = std::make_unique<OpEntry>(handle);
    if (handles_parts(entry->name)) {
      library.impl(entry->name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<PartsKernel>(host)));
      continue;
    }
    entry->functionality = functionality;
    find_lanes(*entry);
    library.impl(entry->name.c_str(),
                 torch::CppFunction::makeFromBoxedFunctor(std::make_unique<EntryKernel>(entry.get())));
    entries().push_back(entry.release());
  }
}

}  // namespace

const std::vector<OpEntry*>& composed_entries() { return entries(); }

bool only_composed(const c10::OperatorHandle& op) {
  for (const DispatchKey key :
       {DispatchKey::PrivateUse1, DispatchKey::CompositeImplicitAutograd, DispatchKey::CompositeExplicitAutograd,
        DispatchKey::CompositeExplicitAutogradNonFunctional})
    if (op.hasKernelForDispatchKey(key)) return false;
  return true;
}

void register_composed() {
  register_key<DispatchKey::Sparse>();
  register_key<DispatchKey::SparseCsr>();
  register_key<DispatchKey::NestedTensor>();
}

}  // namespace torch_fl
