// Checks of values that PyTorch makes inside its kernels, for rows that replace those kernels. They run when a plan is
// made, and on every call of ops whose numbers are not in the plan's signature.
#pragma once

#include <string>

#include "dispatch/op_entry.h"

namespace torch_fl {

// Throws PyTorch's error for numbers that the op refuses.
inline void check_values(const OpEntry& entry, c10::ArrayRef<c10::IValue> args) {
  if (C10_UNLIKELY(entry.check != nullptr)) entry.check(entry, args);
}
// For a call whose results have no elements, and for which no kernel runs: throws what the host's kernel refuses.
void check_as_host(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
// For a call that a package's function would serve, which may compute what PyTorch refuses: what the host's kernel says
// to these dtypes where it does not have them; "" where it has, or cannot tell. Another device may have them all the
// same.
std::string host_lacks_dtypes(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
// For a call that a package's function would serve: "" unless Triton promotes its dtypes otherwise than PyTorch does.
std::string mixes_dtypes(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
// For such a call: "" unless complex numbers are written into a given tensor. FlagGems computes them in a tensor of its
// own and leaves the given one as it was (pointwise_dynamic, _call_complex_cross), or raises
// (_call_complex_elementwise).
std::string writes_complex(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
// For such a call: why a function that reads and writes as it likes may not have it; "" where what it writes lies apart
// from what it reads, or is meant to be the same. Whether PyTorch takes the call, the next lane says.
std::string overlaps(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
// For such a call, where the host can tell in a moment: what the host's kernel refuses sizes and numbers with.
// Functions check few of them, and read beyond their tensors; the next lane raises. Of dtypes another device may have
// more.
std::string host_refuses(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
// The check of an op ("fill_.Scalar"), or null.
ValueCheck check_of(const std::string& op);

}  // namespace torch_fl
