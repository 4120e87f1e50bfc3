// What Python (core/src/python/module.cpp) asks of dispatch. Everything here is thread-safe.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/runtime.h"

namespace torch_fl {

// Registers the entries of all ops. Once, after the library's own static registrations (primitives come first).
FL_API void start();

enum class Lane : uint8_t { none = 0, vendor = 1, boxing = 2, flaggems = 3, tileops = 4 };
constexpr int kLanes = 5;
// "none", the vendor's name, "boxing", ...
FL_API std::string lane_name(Lane lane);

// ---- routes

// One condition of a guard: `<field> <op> <values>`. Fields: dtype, out.dtype, <arg>.dtype, rank, <arg>.rank, numel,
// rows(d), inner(d), layout, alike, scalar. d is a number, or the name of the argument that holds it. A set of values
// means "one of" (=) or "none of" (!=).
struct Condition {
  enum class Op : uint8_t { eq, ne, lt, le, gt, ge };
  enum class Field : uint8_t { dtype, out_dtype, arg_dtype, rank, arg_rank, numel, rows, inner, layout, alike, scalar };
  Field field = Field::dtype;
  Op op = Op::eq;
  std::string arg;              // of arg_dtype, arg_rank; of rows, inner where it is not `dim`
  int64_t dim = 0;              // of rows, inner
  std::vector<int64_t> values;  // c10::ScalarType numbers, sizes, layouts, 0 or 1 (alike), or scalar kinds (fl_kind)
};

struct Rule {
  std::string op;  // "add.Tensor"
  std::vector<Condition> guard;
  Lane lane = Lane::none;
  std::string source;  // "routes.conf:12", "FLAGOS_OP_add__Tensor", "torch_fl.routes()"
  // From a generated conf, which may be made for another torch: without a kernel in its lane it is switched off.
  bool generated = false;
  // A generated line that lines of the user's stand in for. It gives no call to a lane, but it still closes the lanes
  // before its own, of which a gap was measured.
  bool replaced = false;
};

// Replaces all routes at once. Calls that run meanwhile use the old or the new set, never a mixture.
FL_API void set_routes(std::vector<Rule> rules);
// Told at the first use of the device instead of routes (an unreadable conf, an unknown op, ...).
FL_API void set_routes_error(std::string why);
// Why nothing of a lane is installed, for those who name it.
FL_API void set_lane_off(int lane, std::string why);

// ---- what there is

struct OpInfo {
  std::string name;  // "add.Tensor"
  std::string schema;
  bool primitive = false;   // served by core itself
  bool typed = false;       // its entry takes the arguments as they are: nothing is packed where boxing serves
  std::vector<Lane> lanes;  // lanes that have a kernel for it
  std::vector<Rule> rules;  // its routes, in order
};
// Loads the vendor if need be.
FL_API std::vector<OpInfo> ops();
// The overload exists in this torch ("aten::" + name), registered or not.
FL_API bool op_exists(const std::string& name);
// Every aten overload of this torch, for "did you mean".
FL_API std::vector<std::string> op_names();

// ---- decisions

struct LaneVerdict {
  Lane lane;
  bool chosen = false;
  std::string reason;  // why (not)
};
struct Decision {
  std::string op;
  Lane lane = Lane::none;
  std::string source;  // the route's line
  // What the lines in force say, whether or not this process has a kernel in that lane; source "" for no line.
  Lane routed = Lane::none;
  std::string routed_source;
  std::vector<LaneVerdict> lanes;
  std::string plan;  // conversions and output layout, for people
};
// What would happen to this call. Tensors may be on flagos or on meta (taken as flagos:0). Runs nothing.
FL_API Decision explain(const std::string& op, std::vector<c10::IValue> arguments);

// ---- switches

struct Switches {
  bool log_dispatch = false;
  bool log_dispatch_legacy = false;
  bool log_fallback = false;
  bool log_plan = false;
  bool strict = false;  // every demotion and every fallback is an error
  bool census = false;
};
FL_API void set_switches(const Switches& switches);
FL_API Switches switches();

// ---- census

struct CensusRow {
  std::string op;
  Lane lane = Lane::none;
  std::string dtypes;  // of the tensor arguments, "float32,int64"
  std::string shapes;  // of the first call
  std::string reason;  // of a fallback or demotion
  uint64_t calls = 0;
  uint64_t nanoseconds = 0;  // spent inside the entry, host side
  uint64_t bytes = 0;        // of all tensor arguments and results
  std::string call;          // the arguments of the first call, as JSON (call_text.h)
  uint64_t replayed = 0;     // calls of a package's lane that needed no Python
};
FL_API std::vector<CensusRow> census();
FL_API void reset_census();

// ---- plans

struct PlanStats {
  uint64_t misses = 0;  // plans made
  uint64_t plans = 0;   // kept now
  uint64_t evictions = 0;
  uint64_t demotions = 0;
};
FL_API PlanStats plan_stats();

}  // namespace torch_fl
