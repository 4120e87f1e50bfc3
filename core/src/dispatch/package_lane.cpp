#include "dispatch/package_lane.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "aten/make.h"
#include "dispatch/checks.h"
#include "dispatch/lanes.h"
#include "dispatch/registry.h"
#include "replay/replay.h"

namespace torch_fl {

namespace {

std::atomic<PackageCall> g_call{nullptr};

// The calls of packages' functions on this thread, innermost first.
struct Running {
  Running(const OpEntry& entry, Lane lane) : entry(&entry), lane(lane), outer(innermost) { innermost = this; }
  ~Running() { innermost = outer; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  const OpEntry* entry;
  Lane lane;
  Running* outer;
  static constinit FL_TLS Running* innermost;
};
constinit FL_TLS Running* Running::innermost = nullptr;

std::string shape_of(const at::Tensor& t) { return c10::str(t.scalar_type(), t.sizes()); }

c10::DimVector without_ones(c10::IntArrayRef sizes) {
  c10::DimVector kept;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(kept), [](int64_t n) { return n != 1; });
  return kept;
}

// A result that PyTorch would have made otherwise: of a functional op, it can still be dropped. One that lacks a
// dimension of one element, or has one too many, is given the right ones.
std::string misfit(const Plan& plan, c10::ArrayRef<c10::IValue> results) {
  for (size_t i = 0; i < results.size(); i++) {
    if (results[i].isNone() || (results[i].isTensor() && !results[i].toTensor().defined())) {
      if (results.size() == 1) return "it gives no result";
      continue;  // a masked gradient
    }
    if (!results[i].isTensor()) continue;
    const at::Tensor& t = results[i].toTensor();
    if (t.device().type() != kFlagos) return c10::str("its result is on ", t.device());
    if (i >= plan.expected.size()) continue;
    const OutputLayout& want = plan.expected[i];
    const bool dtype_fits = want.dtype == at::ScalarType::Undefined || want.dtype == t.scalar_type();
    if (dtype_fits && want.geometry.sizes == t.sizes()) continue;
    if (dtype_fits && t.is_contiguous() && without_ones(want.geometry.sizes) == without_ones(t.sizes())) {
      t.unsafeGetTensorImpl()->set_sizes_contiguous(want.geometry.sizes);
      continue;
    }
    return c10::str("its result is ", shape_of(t), ", PyTorch's is ", want.dtype, want.geometry.sizes);
  }
  return "";
}

}  // namespace

void set_package_call(PackageCall call) { g_call.store(call, std::memory_order_release); }

bool inside_package(const OpEntry& entry, Lane lane) {
  for (const Running* r = Running::innermost; r != nullptr; r = r->outer)
    if (r->entry == &entry && r->lane == lane) return true;
  return false;
}

std::string package_op() { return Running::innermost == nullptr ? "" : Running::innermost->entry->name; }

bool run_package(OpEntry& entry, Plan& plan, Stack* stack, std::string& why, bool& replayed) {
  const size_t count = entry.args.size(), base = stack->size() - count;
  if (C10_UNLIKELY(entry.value_args)) check_values(entry, c10::ArrayRef<c10::IValue>(stack->data() + base, count));
  // out= is sized as PyTorch sizes it; the functions take what they are given.
  if (C10_UNLIKELY(entry.any_written))
    for (size_t i = 0, o = 0; i < count && o < plan.expected.size(); i++)
      if (entry.args[i].is_out && (*stack)[base + i].isTensor()) {
        const Geometry& g = plan.expected[o++].geometry;
        resize_out((*stack)[base + i].toTensor(), g.sizes, g.strides);
      }
  // Also of a replay: an op that it calls must not come back to it.
  const Running running(entry, plan.lane);
  replayed = plan.replays->replay(entry, stack);
  if (replayed) return true;
  const PackageCall call = g_call.load(std::memory_order_acquire);
  if (call == nullptr) {
    why = "its functions have not been loaded";
    return false;
  }
  const Stack arguments(stack->begin() + static_cast<int64_t>(base), stack->end());
  const auto function = [&] {
    if (!call(plan.lane, entry, stack, why)) return false;
    if (entry.any_written) return true;
    const size_t results = stack->size() - static_cast<size_t>(entry.returns);
    why = misfit(plan, c10::ArrayRef<c10::IValue>(*stack).slice(results));
    if (why.empty()) return true;
    stack->resize(results);
    stack->insert(stack->end(), arguments.begin(), arguments.end());
    return false;
  };
  if (!plan.replays->record(entry, stack, function)) return false;
  if (!entry.any_written) return true;
  const size_t results = stack->size() - static_cast<size_t>(entry.returns);
  // What the schema says is an argument is that very argument.
  const c10::FunctionSchema& schema = entry.handle.schema();
  for (size_t r = 0; r < static_cast<size_t>(entry.returns); r++) {
    const c10::AliasInfo* alias = schema.returns()[r].alias_info();
    if (alias == nullptr) continue;
    for (size_t i = 0; i < count; i++)
      if (schema.arguments()[i].alias_info() != nullptr && *schema.arguments()[i].alias_info() == *alias)
        (*stack)[results + r] = arguments[i];
  }
  return true;
}

}  // namespace torch_fl
