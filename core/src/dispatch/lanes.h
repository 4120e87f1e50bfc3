// One function per lane: serves a call that the plan, or the route, gave it.
#pragma once

#include "dispatch/op_entry.h"
#include "dispatch/plan.h"

namespace torch_fl {

// Runs a vendor row. False: the row answered FL_UNSUPPORTED, nothing was enqueued, the stack is as it was.
bool run_vendor(OpEntry& entry, Plan& plan, Stack* stack);
// The boxing key of the loaded vendor; CPU where it has none.
struct BoxingKey {
  c10::DeviceType type = c10::DeviceType::CPU;
  c10::DispatchKeySet keys;  // of the kernels for strided tensors
};
extern constinit BoxingKey boxing_key;
// Runs the op under the boxing key over the same memory.
void run_boxing(OpEntry& entry, Stack* stack);
// Runs the op on the host, over copies.
void run_none(OpEntry& entry, Stack* stack);
// FLAGOS_PLAIN_FALLBACK, for benchmarks: `none` is PyTorch's own fallback.
bool plain_fallback();

// Makes the plan of a call: the first lane that accepts it of those that may serve it, behind the `refused` ones.
std::shared_ptr<Plan> make_plan(OpEntry& entry, const OpRoutes& routes, const Stack& stack,
                                std::vector<LaneVerdict> refused);
// The lanes that may serve a call, in order, with the route's line in `source`: the one that the line names, then all
// others of the vendor's order, but for those that a line of the vendor's own passes over for such a call (`closing`).
using Lanes = c10::SmallVector<Lane, kLanes>;
struct Candidates {
  Lanes lanes;
  std::string_view source;
  std::string_view closing;  // empty where no lane is closed by a line
};
Candidates candidates(const OpEntry& entry, const OpRoutes& routes, c10::ArrayRef<c10::IValue> args);
bool in_order(Lane lane);
// What the lines in force say to a call, kernels or not; no line, no source.
std::pair<Lane, std::string> routed(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);

void sign(const OpEntry& entry, c10::ArrayRef<c10::IValue> args, Signature& signature);
// The device of a call: of its first device tensor, else of its device argument, else the current one.
int32_t device_of_call(c10::ArrayRef<c10::IValue> args);
// Throws PyTorch's error for tensors on several devices.
void check_devices(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);

// The layouts of a call's outputs. Throws PyTorch's own error for a call that PyTorch would refuse; sets `refuse` where
// core has no rule for this call.
using Layouts = c10::SmallVector<OutputLayout, 1>;
Layouts layouts(const OpEntry& entry, const Stack& stack, std::string& refuse);
// Those of a call that a package's function serves, as far as they are known; a dtype may be Undefined. Throws
// likewise.
Layouts package_layouts(const OpEntry& entry, const Stack& stack);

// Whether indices among the arguments are masks, and putting positions in their place. False: the call is served and
// its result on the stack.
bool has_masks(c10::ArrayRef<c10::IValue> args);
bool place_masks(const OpEntry& entry, Stack* stack);

// Serves one call with the route in force.
void dispatch_call(OpEntry& entry, Stack* stack);

OpEntry* find_entry(const std::string& name);
const std::vector<OpEntry*>& all_entries();

}  // namespace torch_fl
