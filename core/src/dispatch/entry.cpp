// A call's way through an entry: routes, plan, lane.
#include <c10/util/Exception.h>

#include <optional>

#include "dispatch/lanes.h"
#include "dispatch/package_lane.h"
#include "dispatch/registry.h"
#include "dispatch/tensors.h"
#include "replay/inner_op.h"

namespace torch_fl {
namespace {

// What served a call, for those who watch.
struct Served {
  Lane lane = Lane::none;
  std::string reason;
  bool replayed = false;
};

// FLAGOS_STRICT forbids the host, and every lane but the one that the routes name. The way out that the text names is
// one that works for this cause: a line to the lane none is a fallback as well.
void forbid_fallback(const OpEntry& entry, Lane lane, std::string_view source, const std::string& reason) {
  if ((observers.load(std::memory_order_relaxed) & kStrict) == 0 || (lane != Lane::none && reason.empty())) return;
  std::string what;
  if (lane != Lane::none)
    what = c10::str(" would be served by ", lane_name(lane), " because ", reason,
                    ". Give it a kernel that takes this call, route such calls to ", lane_name(lane));
  else if (!reason.empty())
    what = " would run on the CPU, because " + reason + ". Give it a kernel that takes this call";
  else if (source == kLaneOrder)
    what = " would run on the CPU: no lane has a kernel for it. Give it a kernel";
  else
    what = c10::str(" is routed to none, the CPU, by ", source, ". Route it to another lane");
  TORCH_CHECK(false, "FLAGOS_STRICT: ", entry.name, what, ", or unset FLAGOS_STRICT.");
}

// Notes what serves a call, and why it is on the CPU where no lane that was asked refused it. `reason`: of the last
// that did.
void note(const OpEntry& entry, const OpRoutes& routes, Lane lane, std::string_view source, std::string reason,
          Served& served) {
  if (lane == Lane::none && reason.empty() && source == kLaneOrder) reason = routes.absent;
  forbid_fallback(entry, lane, source, reason);
  if (lane == Lane::none && reason.empty()) reason = c10::str("routed to none by ", source);
  served = {lane, std::move(reason), false};
}

void run_lane(OpEntry& entry, Lane lane, Stack* stack) {
  if (lane == Lane::boxing)
    run_boxing(entry, stack);
  else
    run_none(entry, stack);
}

void serve(OpEntry& entry, const OpRoutes& routes, Stack* stack, Served* served) {
  if (!routes.needs_plan) {
    if (served != nullptr) note(entry, routes, routes.fixed, routes.fixed_source, "", *served);
    t_work++;
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
  std::vector<LaneVerdict> refused;
  bool keep = true;  // what is decided holds for the signature, whoever calls
  for (;;) {
    if (C10_UNLIKELY(plan == nullptr)) {
      std::shared_ptr<Plan> made = make_plan(entry, routes, *stack, std::move(refused));
      count_miss();
      if (C10_LIKELY(keep)) count_evictions(entry.plans.insert(&routes, signature, made));
      held = made;
      plan = made.get();
      if ((observers.load(std::memory_order_relaxed) & kLogPlan) != 0)
        log_line(c10::str("[flagos plan] ", entry.name, " -> ", lane_name(plan->lane),
                          plan->refused.empty() ? "" : " (" + plan->reason() + ")"));
    }
    if (served != nullptr) note(entry, routes, plan->lane, plan->source, plan->reason(), *served);
    std::string why;  // empty until a package refuses: a text here would be memory on every call
    if (C10_UNLIKELY(from_package(plan->lane))) {
      if (C10_UNLIKELY(inside_package(entry, plan->lane))) {
        refused = plan->refused;
        refused.push_back({plan->lane, false, "its own function calls it"});
        keep = false;
        plan = nullptr;
        continue;
      }
      bool replayed = false;
      if (run_package(entry, *plan, stack, why, replayed)) {
        if (served != nullptr) served->replayed = replayed;
        return;
      }
    } else if (plan->lane != Lane::vendor) {
      t_work++;
      run_lane(entry, plan->lane, stack);
      return;
    }
    if (C10_UNLIKELY(plan->places_masks)) {
      if (place_masks(entry, stack)) serve(entry, routes, stack, served);
      return;
    }
    if (plan->lane == Lane::vendor) {
      t_work++;
      if (C10_LIKELY(run_vendor(entry, *plan, stack))) return;
    }
    // Nothing was enqueued or written that the caller could see: this signature goes to the next lane from now on.
    if (!held) held = *entry.plans.find(&routes, signature);
    refused = plan->refused;
    refused.push_back(
        {plan->lane, false, plan->lane == Lane::vendor ? "its kernel answered UNSUPPORTED for this call" : why});
    count_demotion();
    // A pair of dtypes that copy_'s kernel does not convert is an everyday limit: printing a tensor makes float64 of
    // it.
    if (!entry.primitive)
      TORCH_WARN_ONCE("torch_fl: ", entry.name, ": the ", lane_name(plan->lane),
                      " kernel does not support this call; it is served by the next lane. Calls like it are counted "
                      "by torch_fl.census(); this is said once.");
    if (keep) plan->stale.store(true, std::memory_order_relaxed);
    plan = nullptr;
  }
}

// As on CUDA, lists over several devices are taken apart: each tensor's op then comes back here.
bool spread(const OpEntry& entry, const Stack& stack) {
  std::optional<c10::Device> first;
  bool several = false;
  for (const c10::IValue& v : c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - entry.args.size()))
    each_tensor(v, [&](const at::Tensor& t) {
      if (t.device().type() != kFlagos) return;
      if (!first.has_value()) first = t.device();
      several |= t.device() != *first;
    });
  return several;
}

void dispatch_observed(OpEntry& entry, const OpRoutes& routes, Stack* stack) {
  const size_t count = entry.args.size();
  const Observation seen = observe(entry, c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - count), count));
  Served served;
  serve(entry, routes, stack, &served);
  const size_t results = static_cast<size_t>(entry.returns);
  record(entry, served.lane, seen, served.reason, served.replayed,
         c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - results), results));
}

}  // namespace

void dispatch_call(OpEntry& entry, Stack* stack) {
  const OpRoutes* routes = entry.routes.load(std::memory_order_acquire);
  if (C10_UNLIKELY(routes == nullptr)) {
    require_routes();
    routes = entry.routes.load(std::memory_order_acquire);
  }
  if (C10_UNLIKELY(entry.of_lists) && spread(entry, *stack)) {
    entry.handle.callBoxedForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd, *stack);
    return;
  }
  std::optional<InnerOp> step;
  if (C10_UNLIKELY(InnerOp::wanted()))
    step.emplace(&entry, c10::ArrayRef<c10::IValue>(*stack).slice(stack->size() - entry.args.size()));
  if (C10_UNLIKELY(observers.load(std::memory_order_relaxed) != 0))
    dispatch_observed(entry, *routes, stack);
  else
    serve(entry, *routes, stack, nullptr);
  if (C10_UNLIKELY(step.has_value()))
    step->done(c10::ArrayRef<c10::IValue>(*stack).slice(stack->size() - static_cast<size_t>(entry.returns)));
}

}  // namespace torch_fl
