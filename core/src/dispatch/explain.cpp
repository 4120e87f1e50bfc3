// What would happen to a call, without running it.
#include "dispatch/lanes.h"
#include "dispatch/package_lane.h"
#include "dispatch/registry.h"
#include "dispatch/tensors.h"

#include "aten/alias.h"
#include "aten/make.h"
#include "aten/sparse.h"
#include "replay/replay.h"

namespace torch_fl {
namespace {

// A flagos tensor of the same geometry without memory: plans look at geometry, dtypes and storage identity only.
at::Tensor on_flagos(const at::Tensor& t, std::vector<std::pair<at::Tensor, at::Tensor>>& made) {
  if (!t.defined() || t.device().type() != c10::DeviceType::Meta) return t;
  for (const auto& [meta, copy] : made)
    if (meta.is_same(t)) return copy;
  const c10::Device device(kFlagos, 0);
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), t.storage().nbytes(),
                                                       at::DataPtr(nullptr, device), device_allocator(), false);
  for (const auto& [meta, copy] : made)
    if (meta.storage().is_alias_of(t.storage())) {
      made.emplace_back(t, wrap(copy.storage(), t));
      return made.back().second;
    }
  made.emplace_back(t, wrap(c10::Storage(std::move(storage)), t));
  return made.back().second;
}

std::string describe(const Plan& plan) {
  if (plan.lane != Lane::vendor) return "";
  std::string text;
  const auto add = [&text](const OutStep& o) {
    text += c10::str(text.empty() ? "out " : ", out ", c10::toString(o.dtype), " ", o.sizes, " strides ", o.strides,
                     o.staged ? " through a temporary" : "", o.resize ? " resized" : "");
  };
  for (const OutStep& o : plan.outs)
    if (o.list)
      for (const OutStep& element : o.elements) add(element);
    else if (o.dtype != at::ScalarType::Undefined)
      add(o);
  for (size_t i = 0; i < plan.args.size(); i++) {
    const Legalisation& l = plan.args[i].legalise;
    if (!l.needed()) continue;
    text += "; " + plan.binding->names[i] + ":";
    if (l.stage) text += " staged on the device";
    if (l.by != at::ScalarType::Undefined) text += c10::str(" rounded to ", c10::toString(l.by), ",");
    if (l.cast != at::ScalarType::Undefined) text += c10::str(" to ", c10::toString(l.cast));
    if (l.narrow_index) text += " narrowed to int32";
    if (l.contiguous) text += " made contiguous";
  }
  return text;
}

c10::DispatchKeySet composed_keys(const std::vector<c10::IValue>& arguments) {
  c10::DispatchKeySet keys;
  for (const c10::IValue& v : arguments)
    if (v.isTensor() && v.toTensor().defined() && is_composed(v.toTensor())) keys = keys | v.toTensor().key_set();
  return keys;
}

// The entry that sparse or nested arguments lead to, or that only those can reach.
const OpEntry* composed_entry(const std::string& op, c10::DispatchKeySet keys) {
  const OpEntry* found = nullptr;
  for (const OpEntry* entry : composed_entries())  // in the order of the keys: the last one that applies wins
    if (entry->name == op && (keys.has(entry->functionality) || (keys.empty() && only_composed(entry->handle))))
      found = entry;
  return found;
}

// The plan that calls like this one have had, which knows what their lanes answered; or null.
std::shared_ptr<Plan> known_plan(OpEntry& entry, const OpRoutes& routes, const std::vector<c10::IValue>& arguments) {
  Signature signature;
  sign(entry, arguments, signature);
  const CachedPlanPtr* found = entry.plans.find(&routes, signature);
  return found == nullptr ? nullptr : std::static_pointer_cast<Plan>(*found);
}

void decide_by_routes(const OpEntry& entry, Decision& decision) {
  const OpRoutes& routes = *entry.routes.load(std::memory_order_acquire);
  decision.lane = routes.fixed;
  decision.source = routes.fixed_source;
  decision.plan = "part by part: sparse and nested tensors are composed of strided ones";
  for (int l = 0; l < kLanes; l++) {
    const Lane lane = static_cast<Lane>(l);
    decision.lanes.push_back({lane, lane == routes.fixed,
                              lane == routes.fixed ? "routed here"
                              : entry.has(lane)    ? "not needed"
                                                   : "no kernel"});
  }
}

}  // namespace

Decision explain(const std::string& op, std::vector<c10::IValue> arguments) {
  require_routes();
  OpEntry* entry = find_entry(op);
  Decision decision;
  decision.op = op;
  const c10::DispatchKeySet keys = composed_keys(arguments);
  if (const OpEntry* composed = composed_entry(op, keys)) {
    decide_by_routes(*composed, decision);
    return decision;
  }
  if (entry == nullptr || !keys.empty()) {
    TORCH_CHECK(op_exists(op), "torch_fl: there is no op ", op);
    decision.source = "core";
    decision.plan = "not routed: core serves it itself, or PyTorch decomposes it into other ops";
    return decision;
  }
  std::vector<std::pair<at::Tensor, at::Tensor>> made;
  for (c10::IValue& v : arguments)
    v = with_tensors(std::move(v), [&](const at::Tensor& t) { return on_flagos(t, made); });
  const OpRoutes& routes = *entry->routes.load(std::memory_order_acquire);
  std::tie(decision.routed, decision.routed_source) = routed(*entry, arguments);
  std::shared_ptr<Plan> plan = known_plan(*entry, routes, arguments);
  const bool known = plan != nullptr;
  if (!known) plan = make_plan(*entry, routes, Stack(arguments.begin(), arguments.end()), {});
  decision.lane = plan->lane;
  decision.source = plan->source;
  decision.lanes = plan->refused;
  std::string chosen = plan->refused.empty() ? "routed here" : "next in the lane order";
  if (from_package(plan->lane) && !known) chosen += "; its function has not met such a call yet, and may refuse it";
  decision.lanes.push_back({plan->lane, true, std::move(chosen)});
  const Candidates may = candidates(*entry, routes, arguments);
  for (size_t i = decision.lanes.size(); i < may.lanes.size(); i++)
    decision.lanes.push_back({may.lanes[i], false, "not needed"});
  if (!from_package(plan->lane))
    decision.plan = describe(*plan);
  else
    decision.plan = known && plan->replays != nullptr ? plan->replays->about() : "never called";
  for (int l = 0; l < kLanes; l++) {
    const Lane lane = static_cast<Lane>(l);
    bool listed = false;
    for (const LaneVerdict& v : decision.lanes) listed |= v.lane == lane;
    if (listed) continue;
    std::string why = "no kernel";
    if (entry->has(lane))
      why = !in_order(lane)       ? "only by a line that names it: not in the lane order"
            : may.closing.empty() ? "not asked behind none, which takes every call"
                                  : c10::str("passed over by ", may.closing);
    if (lane == decision.routed && !decision.routed_source.empty() && !entry->has(lane))
      why = "routed here by " + decision.routed_source + ", but this installation has no kernel of it";
    decision.lanes.push_back({lane, false, why});
  }
  return decision;
}

}  // namespace torch_fl
