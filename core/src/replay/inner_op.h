// Ops that a package's function calls while its call is recorded.
#pragma once

#include <c10/util/ArrayRef.h>

#include "dispatch/op_entry.h"
#include "runtime/runtime.h"

namespace torch_fl {

struct Recording;
// The innermost recording of this thread, or null.
extern constinit FL_TLS Recording* t_recording;

// The op becomes a step of the recording, with all that happens between begin and done, unless each part of that is a
// step by itself (a package's function serves it). Of an op that throws nothing becomes a step.
class InnerOp {
 public:
  // True while a call is recorded on this thread.
  static bool wanted() noexcept { return t_recording != nullptr; }

  // entry: null for a copy of the second argument into the first.
  InnerOp(OpEntry* entry, c10::ArrayRef<c10::IValue> args);
  void done(c10::ArrayRef<c10::IValue> results);

 private:
  OpEntry* entry_;
  Recording& recording_;
  const torch::jit::Stack args_;
  const uint64_t work_, explained_;
  const size_t launches_, ops_, allocations_;
};

}  // namespace torch_fl
