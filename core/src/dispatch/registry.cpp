// Entries: one per op that PyTorch has a kernel for, registered once. What serves an op is decided behind them.
#include "dispatch/registry.h"

#include <ATen/native/RangeUtils.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/library.h>

#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>

#include "aten/alias.h"
#include "dispatch/checks.h"
#include "dispatch/device_ops.h"
#include "dispatch/dispatch.h"
#include "dispatch/fences.h"
#include "dispatch/lanes.h"
#include "dispatch/op_facts.h"
#include "dispatch/package_lane.h"
#include "dispatch/structured.h"
#include "dispatch/typed.h"

namespace torch_fl {

std::atomic<uint32_t> observers{0};

namespace {

std::string short_name(const c10::OperatorName& name) {
  const std::string base = name.name.rfind("aten::", 0) == 0 ? name.name.substr(6) : name.name;
  return name.overload_name.empty() ? base : base + "." + name.overload_name;
}

ArgKind kind_of(const c10::TypePtr& type, bool& optional) {
  switch (type->kind()) {
    case c10::TypeKind::OptionalType:
      optional = true;
      return kind_of(type->castRaw<c10::OptionalType>()->getElementType(), optional);
    case c10::TypeKind::TensorType:
      return ArgKind::tensor;
    case c10::TypeKind::NumberType:
      return ArgKind::scalar;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return ArgKind::integer;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      return ArgKind::floating;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType:
      return ArgKind::boolean;
    case c10::TypeKind::ComplexType:
      return ArgKind::complex;
    case c10::TypeKind::ScalarTypeType:
      return ArgKind::dtype;
    case c10::TypeKind::LayoutType:
      return ArgKind::layout;
    case c10::TypeKind::MemoryFormatType:
      return ArgKind::memory_format;
    case c10::TypeKind::StringType:
      return ArgKind::string;
    case c10::TypeKind::GeneratorType:
      return ArgKind::generator;
    case c10::TypeKind::DeviceObjType:
      return ArgKind::device;
    case c10::TypeKind::ListType: {
      bool element_optional = false;
      const ArgKind element = kind_of(type->castRaw<c10::ListType>()->getElementType(), element_optional);
      switch (element) {
        case ArgKind::tensor:
          return element_optional ? ArgKind::optional_tensor_list : ArgKind::tensor_list;
        case ArgKind::integer:
          return ArgKind::int_list;
        case ArgKind::floating:
          return ArgKind::double_list;
        case ArgKind::boolean:
          return ArgKind::bool_list;
        case ArgKind::scalar:
          return ArgKind::scalar_list;
        case ArgKind::string:
          return ArgKind::string_list;
        default:
          return ArgKind::other;
      }
    }
    default:
      return ArgKind::other;
  }
}

// For an op whose kernels size its output themselves, by the values of numbers: that is done here before a lane is
// chosen.
struct SizedEntryKernel final : c10::OperatorKernel {
  SizedEntryKernel(OpEntry* e, void (*s)(Stack*)) : entry(e), size(s) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) {
    size(stack);
    dispatch_call(*entry, stack);
  }
  OpEntry* entry;
  void (*size)(Stack*);
};

// arange.start_out(start, end, step, out), as at::native::arange_out checks and resizes.
void size_arange(Stack* stack) {
  const auto arg = [stack](size_t i) -> const c10::IValue& { return (*stack)[stack->size() - 4 + i]; };
  const at::Tensor& out = arg(3).toTensor();
  const c10::Scalar start = arg(0).toScalar(), end = arg(1).toScalar(), step = arg(2).toScalar();
  const int64_t size = out.scalar_type() == at::kLong ? at::native::compute_arange_size<int64_t>(start, end, step)
                                                      : at::native::compute_arange_size<double>(start, end, step);
  if (out.numel() == size) return;
  if (out.numel() > 0)
    TORCH_WARN(
        "The number of elements in the out tensor of shape ", out.sizes(), " is ", out.numel(),
        " which does not match the computed number of elements ", size,
        ". Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of "
        "shape (",
        size, ",).");
  out.resize_({size});
}

// randperm.generator_out(n, generator, out), as at::native::randperm_out_cpu checks and resizes.
void size_randperm(Stack* stack) {
  const auto arg = [stack](size_t i) -> const c10::IValue& { return (*stack)[stack->size() - 3 + i]; };
  const int64_t n = arg(0).toInt();
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  const at::Tensor& out = arg(2).toTensor();
  if (out.dim() != 1 || out.size(0) != n) out.resize_({n});
}

struct Registry {
  std::vector<OpEntry*> entries;
  std::unordered_map<std::string, OpEntry*> by_name;
  std::unique_ptr<torch::Library> library;

  OpEntry* add(const c10::OperatorHandle& handle) {
    auto* entry = new OpEntry(handle);
    entries.push_back(entry);
    by_name.emplace(entry->name, entry);
    return entry;
  }
};

Registry& registry() {
  static auto* const r = new Registry;
  return *r;
}

void add_convolution(Registry& r, const char* name, const char* stand_in, void (*adapt)(Stack*)) {
  auto& dispatcher = c10::Dispatcher::singleton();
  OpEntry* entry = r.add(dispatcher.findSchemaOrThrow((std::string("aten::") + name).c_str(), ""));
  entry->stand_in = dispatcher.findSchemaOrThrow((std::string("aten::") + stand_in).c_str(), "");
  entry->adapt = adapt;
  if (register_typed(*r.library, *entry)) return;
  r.library->impl(name, torch::CppFunction::makeFromBoxedFunctor(std::make_unique<EntryKernel>(entry)));
}

void add_entry(Registry& r, const c10::OperatorHandle& handle) {
  OpEntry* entry = r.add(handle);
  static const std::unordered_map<std::string, void (*)(Stack*)> sized = {{"arange.start_out", size_arange},
                                                                          {"randperm.generator_out", size_randperm}};
  if (const auto found = sized.find(entry->name); found != sized.end()) {
    auto kernel = std::make_unique<SizedEntryKernel>(entry, found->second);
    r.library->impl(entry->name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
    return;
  }
  if (!register_typed(*r.library, *entry))
    r.library->impl(entry->name.c_str(),
                    torch::CppFunction::makeFromBoxedFunctor(std::make_unique<EntryKernel>(entry)));
}

// An op that PrivateUse1 gets from a composite with its gradient: a kernel there would lose it, unless the host has one
// too (then the op has a formula).
bool left_to_composite(const c10::OperatorHandle& handle) {
  return handle.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
         !handle.hasKernelForDispatchKey(c10::DispatchKey::CPU);
}

void register_entries() {
  Registry& r = registry();
  auto& dispatcher = c10::Dispatcher::singleton();
  r.library =
      std::make_unique<torch::Library>(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  for (const std::string name : device_ops()) {
    const size_t dot = name.find('.');
    const auto handle =
        dispatcher.findSchema({"aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)});
    if (!handle.has_value() || handle->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1) ||
        left_to_composite(*handle))
      continue;
    add_entry(r, *handle);
  }
  // PyTorch composes it of three ops; its composite on the boxing key is one call of ours.
  if (find_entry("embedding") == nullptr) add_entry(r, dispatcher.findSchemaOrThrow("aten::embedding", ""));
  // PyTorch sends an out-of-tree device's convolutions to these, and has no kernel for them: other keys run the plain
  // op.
  add_convolution(r, "convolution_overrideable", "convolution", nullptr);
  add_convolution(r, "convolution_backward_overrideable", "convolution_backward", [](Stack* stack) {
    // convolution_backward also takes the bias' sizes, behind the weight.
    const size_t base = stack->size() - 10;
    const at::Tensor grad = (*stack)[base].toTensor();
    const bool has_bias = (*stack)[base + 9].toBoolList()[2];
    stack->insert(stack->begin() + static_cast<int64_t>(base) + 3,
                  has_bias ? c10::IValue(std::vector<int64_t>{grad.size(1)}) : c10::IValue());
  });
  // Served by core, by its lanes where it needs arithmetic.
  OpEntry* copy = r.add(dispatcher.findSchemaOrThrow("aten::copy_", ""));
  copy->primitive = true;
}

void fallback(const c10::OperatorHandle& op, Stack* stack) { dispatch_call(entry_of(op), stack); }

// ---- rows

bool same_arguments(const c10::FunctionSchema& row, const c10::FunctionSchema& op, bool skip_out) {
  size_t matched = 0;
  for (const c10::Argument& a : op.arguments()) {
    if (skip_out && a.is_out()) continue;
    const auto index = row.argumentIndexWithName(a.name());
    if (!index.has_value() || !(*row.arguments()[*index].type() == *a.type())) return false;
    matched++;
  }
  return matched == row.arguments().size();
}

bool bind(OpEntry& entry, const fl_row& row, const c10::FunctionSchema& schema, fl_spelling spelling) {
  const c10::FunctionSchema& op = entry.handle.schema();
  RowBinding b;
  b.row = &row;
  b.spelling = spelling;
  std::vector<bool> mapped(op.arguments().size(), false);
  for (const c10::Argument& a : schema.arguments()) {
    if (a.is_out()) continue;
    const auto index = op.argumentIndexWithName(a.name());
    if (!index.has_value()) return false;  // this torch has no such argument
    mapped[*index] = true;
    b.source.push_back(static_cast<int16_t>(*index));
    b.kinds.push_back(entry.args[*index].kind);
    b.names.push_back(a.name());
    b.index_or_mask.push_back(is_index_or_mask(a.name()));
  }
  for (size_t i = 0; i < mapped.size(); i++) {
    if (mapped[i]) continue;
    if (op.arguments()[i].is_out()) continue;
    if (!op.arguments()[i].default_value().has_value()) return false;
    b.unmapped.push_back(static_cast<int16_t>(i));
  }
  if (spelling == FL_FUNCTIONAL) {
    b.out_source.assign(static_cast<size_t>(row.out_count), -1);
  } else {
    for (size_t i = 0; i < op.arguments().size(); i++)
      if (op.arguments()[i].is_out() || (spelling == FL_INPLACE && entry.args[i].written))
        b.out_source.push_back(static_cast<int16_t>(i));
    if (static_cast<int32_t>(b.out_source.size()) != row.out_count) return false;
  }
  entry.binding = std::move(b);
  entry.meta = structured_meta(entry.name);
  entry.check = check_of(entry.name);
  entry.exact_numbers = takes_exact_numbers(entry.name) && (row.flags & FL_ROW_HOST_SCALARS) == 0;
  return true;
}

// A vendor may serve an op that PyTorch only composes (embedding).
void add_missing_entry(const c10::OperatorName& name) {
  if (find_entry(short_name(name)) != nullptr) return;
  const auto handle = c10::Dispatcher::singleton().findSchema(name);
  if (!handle.has_value() || handle->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1) ||
      left_to_composite(*handle))
    return;
  add_entry(registry(), *handle);
}

void install(const Vendor& vendor) {
  const auto boxing = vendor.key_ready ? vendor.facts.boxing : std::nullopt;
  if (boxing == c10::DeviceType::CPU) install_host_redirect();
  fences_exist = !vendor.facts.fences.empty();
  const auto key =
      boxing.has_value()
          ? std::optional<c10::DispatchKey>(c10::computeDispatchKey(std::nullopt, std::nullopt, c10::Device(*boxing)))
          : std::nullopt;
  if (boxing.has_value()) boxing_key = {*boxing, c10::DispatchKeySet(*key)};
  bind_rows(vendor);
  for (OpEntry* entry : all_entries()) {
    entry->on_host = entry->primitive || entry->stand_in.has_value() ||
                     entry->handle.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
    entry->on_key = key.has_value() && (entry->primitive || entry->stand_in.has_value() ||
                                        entry->handle.hasComputedKernelForDispatchKey(*key));
  }
  // Not before there is a device: no such tensor exists, and PyTorch walks all its ops for each fallback.
  register_composed();
  apply_routes();
}

}  // namespace

void start() {
  static const bool started = [] {
    register_entries();
    on_vendor_loaded(install);
    return true;
  }();
  (void)started;
}

OpEntry::OpEntry(const c10::OperatorHandle& h) : handle(h), name(short_name(h.operator_name())) {
  const c10::FunctionSchema& schema = h.schema();
  returns = static_cast<int16_t>(schema.returns().size());
  custom = h.operator_name().name.rfind("aten::", 0) != 0;
  for (const c10::Argument& a : schema.arguments()) {
    ArgInfo info;
    info.name = a.name();
    info.kind = kind_of(a.real_type(), info.optional);
    info.is_out = a.is_out();
    info.written = (a.alias_info() != nullptr && a.alias_info()->isWrite()) || writes_unannounced(name, a.name());
    info.index_or_mask = is_index_or_mask(a.name());
    info.host_allowed = host_tensor_allowed(name, a.name());
    any_written |= info.written;
    if (info.kind == ArgKind::generator) generator_arg = static_cast<int16_t>(args.size());
    args.push_back(std::move(info));
  }
  value_args = numbers_decide(name);
  host_as_double = host_lacks_integers(name);
  // The host's flash attention takes no dropout, whatever its tag says.
  random = generator_arg >= 0 ||
           (h.hasTag(at::Tag::nondeterministic_seeded) && name != "_scaled_dot_product_flash_attention_for_cpu");
  of_lists = name.starts_with("_foreach_") && h.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd);
}

bool OpEntry::has(Lane lane) const {
  switch (lane) {
    case Lane::vendor:
      return binding.row != nullptr;
    case Lane::boxing:
      return on_key;
    case Lane::none:
      return on_host;
    case Lane::flaggems:
    case Lane::tileops:
      return (packages.load(std::memory_order_relaxed) >> static_cast<int>(lane) & 1) != 0;
  }
  return false;
}

namespace {
std::atomic<uint64_t> g_offers{0};
}  // namespace

uint64_t packages_generation() { return g_offers.load(std::memory_order_relaxed); }

std::vector<std::string> offer(Lane lane, const std::vector<std::string>& ops, bool composed) {
  const auto bit = static_cast<uint8_t>(1U << static_cast<int>(lane));
  for (OpEntry* entry : all_entries()) entry->packages.fetch_and(static_cast<uint8_t>(~bit), std::memory_order_relaxed);
  std::vector<std::string> refused;
  for (const std::string& name : ops) {
    const size_t dot = name.find('.');
    if (composed && !better_composed(name))
      add_missing_entry({"aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)});
    OpEntry* entry = find_entry(name);
    if (entry == nullptr || entry->primitive || entry->stand_in.has_value()) {
      refused.push_back(name);
      continue;
    }
    entry->packages.fetch_or(bit, std::memory_order_relaxed);
    if (entry->meta == nullptr) entry->meta = structured_meta(name);
    if (entry->check == nullptr) entry->check = check_of(name);
  }
  g_offers++;
  if (loaded_vendor() != nullptr) apply_routes();
  return refused;
}

OpEntry& entry_of(const c10::OperatorHandle& op) {
  static auto* const mutex = new std::shared_mutex;
  static auto* const entries = new std::unordered_map<c10::OperatorName, std::unique_ptr<OpEntry>>;
  require_routes();
  {
    std::shared_lock<std::shared_mutex> lock(*mutex);
    const auto found = entries->find(op.operator_name());
    if (found != entries->end()) return *found->second;
  }
  std::unique_lock<std::shared_mutex> lock(*mutex);
  auto& slot = (*entries)[op.operator_name()];
  if (!slot) {
    slot = std::make_unique<OpEntry>(op);
    slot->on_host = op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
    const auto boxing = vendor().key_ready ? vendor().facts.boxing : std::nullopt;
    slot->on_key = boxing.has_value() && op.hasComputedKernelForDispatchKey(
                                             c10::computeDispatchKey(std::nullopt, std::nullopt, c10::Device(*boxing)));
    auto* routes = new OpRoutes;
    routes->fixed = slot->on_key ? Lane::boxing : Lane::none;
    routes->needs_plan = !slot->has(routes->fixed);  // making the plan explains that nothing serves it
    slot->routes.store(routes, std::memory_order_release);
  }
  return *slot;
}

OpEntry* find_entry(const std::string& name) {
  const auto found = registry().by_name.find(name);
  return found == registry().by_name.end() ? nullptr : found->second;
}

const std::vector<OpEntry*>& all_entries() { return registry().entries; }

void bind_rows(const Vendor& vendor) {
  std::unordered_map<std::string, std::vector<OpEntry*>> by_base;
  for (OpEntry* entry : all_entries()) by_base[entry->name.substr(0, entry->name.find('.'))].push_back(entry);
  for (size_t i = 0; i < vendor.api.row_count; i++) {
    const fl_row& row =
        *reinterpret_cast<const fl_row*>(reinterpret_cast<const char*>(vendor.api.rows) + i * vendor.api.row_size);
    const c10::FunctionSchema schema = torch::jit::parseSchema(row.schema);
    const std::string name = short_name(schema.operator_name());
    const std::string base = name.substr(0, name.find('.'));
    add_missing_entry(schema.operator_name());
    bool own_written = false;
    for (const c10::Argument& a : schema.arguments())
      own_written |= a.alias_info() != nullptr && a.alias_info()->isWrite();
    if (own_written) {
      // The op has no functional spelling: the row is written for its in-place or out= form.
      OpEntry* entry = find_entry(name);
      const bool out = !schema.arguments().empty() && schema.arguments().back().is_out();
      if (entry != nullptr) bind(*entry, row, schema, out ? FL_OUT : FL_INPLACE);
      continue;
    }
    if ((row.spellings & FL_FUNCTIONAL) != 0)
      if (OpEntry* entry = find_entry(name)) bind(*entry, row, schema, FL_FUNCTIONAL);
    if ((row.spellings & FL_INPLACE) != 0) {
      // "add_" of "add", "__ilshift__" of "__lshift__".
      const std::string other = base.rfind("__", 0) == 0 ? "__i" + base.substr(2) : base + "_";
      const std::string inplace = other + name.substr(base.size());
      add_missing_entry({"aten::" + other, schema.operator_name().overload_name});
      OpEntry* entry = find_entry(inplace);
      if (entry != nullptr && same_arguments(schema, entry->handle.schema(), false))
        bind(*entry, row, schema, FL_INPLACE);
    }
    if ((row.spellings & FL_OUT) != 0)
      for (OpEntry* entry : by_base[base])
        if (!entry->handle.schema().arguments().empty() && entry->handle.schema().arguments().back().is_out() &&
            same_arguments(schema, entry->handle.schema(), true))
          bind(*entry, row, schema, FL_OUT);
  }
}

bool op_exists(const std::string& name) {
  const size_t dot = name.find('.');
  return c10::Dispatcher::singleton()
      .findSchema({"aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)})
      .has_value();
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
    if (name.name.rfind("aten::", 0) == 0) names.push_back(short_name(name));
  return names;
}

void call_copy(const at::Tensor& dst, const at::Tensor& src) {
  static OpEntry* const entry = find_entry("copy_");
  Stack stack{dst, src, false};
  dispatch_call(*entry, &stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

}  // namespace torch_fl
