// A call's way through an entry: routes, plan, lane.
#include <c10/util/Exception.h>

#include "dispatch/lanes.h"
#include "dispatch/registry.h"

namespace torch_fl {
namespace {

// What served a call, for those who watch.
struct Served {
  Lane lane = Lane::none;
  std::string reason;
};

// The way out that the text names is one that works for this cause: a line to the lane none is a fallback as well.
void forbid(const OpEntry& entry, Lane lane, const std::string& reason) {
  const std::string routed = "routed to none by ", order = "the lane order";
  std::string what;
  if (reason.rfind(routed, 0) == 0 && reason != routed + order)
    what = " is routed to none, the CPU, by " + reason.substr(routed.size()) + ". Route it to another lane";
  else if (lane == Lane::none && reason.empty())
    what = " is routed to none, the CPU, for this call (`torch-fl routes explain` shows by which line). Route it to another lane";
  else if (reason == routed + order)
    what = " would run on the CPU: no lane has a kernel for it. Give it a kernel";
  else if (lane == Lane::none)
    what = " would run on the CPU, because " + reason + ". Give it a kernel that takes this call";
  else
    what = c10::str(" would be served by ", lane_name(lane), " because ", reason, ". Give it a kernel that takes this call, route such calls to ",
                    lane_name(lane));
  TORCH_CHECK(false, "FLAGOS_STRICT: ", entry.name, what, ", or unset FLAGOS_STRICT.");
}

void run_lane(OpEntry& entry, Lane lane, Stack* stack) {
  if (lane == Lane::boxing)
    run_boxing(entry, stack);
  else
    run_none(entry, stack);
}

// Lane::none means that the op has no accelerated kernel here; only routes that name it expect it.
bool strict_forbids(Lane lane, const std::string& reason) {
  return (observers.load(std::memory_order_relaxed) & kStrict) != 0 && (lane == Lane::none || !reason.empty());
}

void serve(OpEntry& entry, const OpRoutes& routes, Stack* stack, Served* served) {
  if (!routes.needs_plan) {
    if (served != nullptr) {
      served->lane = routes.fixed;
      if (routes.fixed == Lane::none) served->reason = "routed to none by " + routes.fixed_source;
      if (strict_forbids(routes.fixed, "")) forbid(entry, routes.fixed, served->reason);
    }
    run_lane(entry, routes.fixed, stack);
    return;
  }
  const size_t count = entry.args.size();
  Signature signature;
  sign(entry, c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - count), count), signature);
  CachedPlanPtr held;
  Plan* plan = nullptr;
  if (const CachedPlanPtr* hit = entry.plans.find(&routes, signature)) {
    plan = static_cast<Plan*>(hit->get());
    // Whatever may call back into dispatch may replace this thread's reference.
    if (!plan->simple || plan->lane != Lane::vendor) held = *hit;
  }
  size_t skip = 0;
  std::string demotion;
  for (;;) {
    if (C10_UNLIKELY(plan == nullptr)) {
      std::shared_ptr<Plan> made = make_plan(entry, routes, *stack, skip, demotion);
      count_miss();
      count_evictions(entry.plans.insert(&routes, signature, made));
      held = made;
      plan = made.get();
      if ((observers.load(std::memory_order_relaxed) & kLogPlan) != 0)
        log_line(c10::str("[flagos plan] ", entry.name, " -> ", lane_name(plan->lane), plan->reason.empty() ? "" : " (" + plan->reason + ")"));
    }
    if (served != nullptr) {
      served->lane = plan->lane;
      served->reason = plan->reason;
      if (strict_forbids(plan->lane, plan->reason)) forbid(entry, plan->lane, plan->reason);
    }
    if (plan->lane != Lane::vendor) {
      run_lane(entry, plan->lane, stack);
      return;
    }
    if (C10_UNLIKELY(plan->places_masks)) {
      if (place_masks(entry, stack)) serve(entry, routes, stack, served);
      return;
    }
    if (C10_LIKELY(run_vendor(entry, *plan, stack))) return;
    // The row promises that nothing was enqueued or written: this signature goes to the next lane from now on.
    if (!held) held = *entry.plans.find(&routes, signature);
    size_t position = 0;
    for (; position < plan->verdicts.size() && !plan->verdicts[position].chosen; position++) {
    }
    skip = position + 1;
    demotion = "its kernel answered UNSUPPORTED for this call";
    count_demotion();
    TORCH_WARN_ONCE("torch_fl: ", entry.name, ": the ", lane_name(Lane::vendor),
                    " kernel does not support this call; it is served by the next lane. Calls like it are counted by "
                    "torch_fl.census(); this is said once.");
    plan->stale.store(true, std::memory_order_relaxed);
    plan = nullptr;
  }
}

void dispatch_observed(OpEntry& entry, const OpRoutes& routes, Stack* stack) {
  const size_t count = entry.args.size();
  const Observation seen = observe(c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - count), count));
  Served served;
  serve(entry, routes, stack, &served);
  const size_t results = static_cast<size_t>(entry.returns);
  record(entry, served.lane, seen, served.reason, c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - results), results));
}

}  // namespace

void dispatch_call(OpEntry& entry, Stack* stack) {
  const OpRoutes* routes = entry.routes.load(std::memory_order_acquire);
  if (C10_UNLIKELY(routes == nullptr)) {
    require_routes();
    routes = entry.routes.load(std::memory_order_acquire);
  }
  if (C10_UNLIKELY(observers.load(std::memory_order_relaxed) != 0))
    dispatch_observed(entry, *routes, stack);
  else
    serve(entry, *routes, stack, nullptr);
}

}  // namespace torch_fl
