// The recording of this thread: what a package's function launches and calls while it serves one call.
#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <memory>
#include <string>
#include <vector>

#include "dispatch/tensors.h"
#include "replay/inner_op.h"
#include "replay/template.h"
#include "runtime/state.h"

namespace torch_fl {

// The call's tensors of the device. Its arguments keep them alive.
using Tensors = c10::SmallVector<at::TensorImpl*, 8>;
Tensors tensors_of(c10::ArrayRef<c10::IValue> args);

inline const char* address(const at::TensorImpl* t) { return static_cast<const char*>(t->data()); }
inline const char* address(const at::Tensor& t) { return address(t.unsafeGetTensorImpl()); }

struct Recording {
  explicit Recording(Tensors inputs);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  struct Launch {
    LaunchRecord record;
    size_t allocations;  // made before it
  };
  struct Op {
    OpTemplate call;                     // the tensors' origins are not known yet
    std::vector<const char*> addresses;  // of its tensors
    size_t allocations;                  // made before it
  };
  struct Maker {  // of memory that is an op's result
    size_t allocation;
    uint16_t op;
    uint8_t result;
  };

  void refuse(std::string why) {
    if (refused.empty()) refused = std::move(why);
  }

  const Tensors inputs;
  std::vector<Allocation> allocations;
  std::vector<Launch> launches;
  std::vector<Op> ops;
  std::vector<Maker> makers;
  std::string refused;
  uint64_t work, reads;    // of the thread when it began
  uint64_t explained = 0;  // work that launches and ops stand for
  Recording* outer;
  std::vector<Allocation>* outer_allocations;
};

// The template of a recording whose call has these results. Null, and `recording.refused` says why, where there can be
// none.
std::shared_ptr<const CallTemplate> build(Recording& recording, c10::ArrayRef<c10::IValue> results);

}  // namespace torch_fl
