// Lanes whose kernels are another package's Python functions over Triton: flaggems, tileops. The Python half says which
// ops a package has, and calls its functions; what is PyTorch's in a call (checks, sizes, what a failure means) is
// here.
#pragma once

#include <string>
#include <vector>

#include "dispatch/op_entry.h"

namespace torch_fl {

struct Plan;

constexpr bool from_package(Lane lane) { return lane == Lane::flaggems || lane == Lane::tileops; }

// Calls a package's function for the arguments on the stack, and leaves its results there in their place. False, with
// the reason: the function refused the call, and the stack is as it was. Throws what the function threw after it may
// have written to tensors of the caller's that are not written over as a whole.
using PackageCall = bool (*)(Lane lane, const OpEntry& entry, Stack* stack, std::string& why);
FL_API void set_package_call(PackageCall call);

// These ops, and no others, have a function in the package from now on. Gives back the names that cannot be served so:
// there is no such op in this PyTorch, core serves it itself, or PyTorch composes it of others, with its gradient.
FL_API std::vector<std::string> offer(Lane lane, const std::vector<std::string>& ops, bool composed);

// Grows with each offer: plans that were made before hold no more.
uint64_t packages_generation();

// Serves a call with the package's function, or by a replay of what that did. False: see PackageCall.
bool run_package(OpEntry& entry, Plan& plan, Stack* stack, std::string& why, bool& replayed);
// True while a function of the package runs on this thread for this op: what it calls itself must not come back to it.
bool inside_package(const OpEntry& entry, Lane lane);
// The op whose function a package runs on this thread, the innermost one; "" for none.
FL_API std::string package_op();

}  // namespace torch_fl
