// An op as dispatch sees it: what its arguments are, which lanes have a kernel, which routes are in force.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/api.h"
#include "dispatch/plan_cache.h"

namespace torch_fl {

using torch::jit::Stack;

enum class ArgKind : uint8_t {
  tensor,
  tensor_list,
  optional_tensor_list,
  scalar,
  integer,
  floating,
  boolean,
  complex,
  int_list,
  double_list,
  bool_list,
  scalar_list,
  dtype,
  layout,
  memory_format,
  string,
  string_list,
  generator,
  device,
  other
};

struct ArgInfo {
  std::string name;
  ArgKind kind = ArgKind::other;
  bool optional = false;
  bool written = false;  // announced by the schema, or listed in unannounced_writes()
  bool is_out = false;
  bool index_or_mask = false;  // takes no part in type promotion
  bool host_allowed = false;   // a host tensor of any size is fine among device tensors
};

// A vendor's row as one of the op's spellings sees it.
struct RowBinding {
  const fl_row* row = nullptr;
  fl_spelling spelling = FL_FUNCTIONAL;
  std::vector<int16_t> source;      // per argument of the row's schema: the op's argument
  std::vector<int16_t> out_source;  // per output: the op's written argument, or -1: a new tensor
  std::vector<int16_t> unmapped;    // the op's arguments that the row does not know: they must have their default
  std::vector<ArgKind> kinds;       // per argument of the row's schema
  std::vector<std::string> names;
  std::vector<bool> index_or_mask;
};

// The source of a route that no line gives.
inline constexpr const char* kLaneOrder = "the lane order";

// The routes of one op. Interned: the same content is the same object for ever, so plans may refer to it.
struct OpRoutes {
  std::vector<Rule> rules;
  std::vector<Rule> own;    // the vendor's, replaced ones too: what they pass over is closed to the calls they take
  Lane fixed = Lane::none;  // the lane of every call, where no guard decides
  bool guarded = false;
  bool needs_plan = false;  // guarded, or fixed to a lane whose decision depends on the signature
  std::string fixed_source = kLaneOrder;
  std::string absent;  // why the line of the generated file does not hold: its lane is not installed
};

struct OpEntry;
using ValueCheck = void (*)(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);

struct OpEntry {
  explicit OpEntry(const c10::OperatorHandle& handle);

  c10::OperatorHandle handle;
  std::string name;  // "add.Tensor"
  c10::DispatchKey functionality =
      c10::DispatchKey::Dense;  // of the keys that serve it: strided, sparse or nested tensors
  std::vector<ArgInfo> args;
  int16_t returns = 0;
  bool any_written = false;
  bool value_args = false;      // numbers decide layouts or checks: they are part of the signature
  bool exact_numbers = false;   // its row gets numbers as tensors, and must not lose precision that half tensors lack
  bool random = false;          // draws random numbers
  bool host_as_double = false;  // on the host, integers are computed in float64
  bool of_lists = false;        // _foreach_*, with a kernel of PyTorch's that takes the lists apart
  int16_t generator_arg = -1;
  bool primitive = false;  // served by core itself; here only for its lanes (copy_)
  bool custom = false;     // not an aten op
  bool typed = false;      // has a typed entry (typed.h)
  // Under another key, this op runs in its place; `adapt` makes its arguments of ours.
  std::optional<c10::OperatorHandle> stand_in;
  void (*adapt)(Stack*) = nullptr;

  RowBinding binding;                         // binding.row is null where the vendor has none
  const c10::KernelFunction* meta = nullptr;  // PyTorch's structured meta function (structured.h), where a row is bound
  ValueCheck check = nullptr;                 // of values (checks.h), likewise
  bool on_key = false;                        // the boxing key has a kernel
  bool on_host = false;                       // the CPU key has a kernel
  mutable std::atomic<uint64_t> replayed{0};  // calls that were replayed (replay.h)
  std::atomic<uint8_t> packages{0};           // the packages (package_lane.h) that have a function, a bit per lane

  std::atomic<const OpRoutes*> routes{nullptr};
  PlanCache plans;

  bool has(Lane lane) const;
};

}  // namespace torch_fl
