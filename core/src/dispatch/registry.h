// The state that every entry shares: entries, routes in force, switches.
#pragma once

#include <ATen/core/op_registration/op_registration.h>

#include <atomic>
#include <cstdint>

#include "dispatch/lanes.h"

namespace torch_fl {

// Loads the vendor if need be; throws where the routes cannot be used (an unreadable conf, an unknown op).
void require_routes();

// Bits of `observers`: calls take the slower path that logs, counts or forbids. 0: one predictable branch per call.
enum Observer : uint32_t {
  kLogDispatch = 1,
  kLogLegacy = 2,
  kLogFallback = 4,
  kLogPlan = 8,
  kStrict = 16,
  kCensus = 32
};
extern std::atomic<uint32_t> observers;

// The boxed kernel of every entry.
struct EntryKernel final : c10::OperatorKernel {
  explicit EntryKernel(OpEntry* e) : entry(e) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) { dispatch_call(*entry, stack); }
  OpEntry* entry;
};

// The entry of an op without a registration of its own (a custom op, an op of another library).
OpEntry& entry_of(const c10::OperatorHandle& op);

// Finds the vendor's row for each op, and the lanes with a kernel.
void bind_rows(const Vendor& vendor);
// Makes the entries of sparse and nested tensors (composed.cpp), once, when the vendor is loaded.
void register_composed();
const std::vector<OpEntry*>& composed_entries();
// Only sparse or nested tensors reach it: strided ones have no kernel for it on any key, and no composite.
bool only_composed(const c10::OperatorHandle& op);
// Computes the routes of every op from the rules in force, once the vendor's rows are bound.
void apply_routes();

void count_miss();
void count_evictions(size_t n);
void count_demotion();

// Census and logs of one served call.
struct Observation {
  uint64_t start_ns = 0;
  std::string dtypes, shapes;
  std::string call;  // call_text.h, with a census on
  uint64_t bytes = 0;
};
Observation observe(const OpEntry& entry, c10::ArrayRef<c10::IValue> args);
void record(const OpEntry& entry, Lane lane, const Observation& seen, const std::string& reason, bool replayed,
            c10::ArrayRef<c10::IValue> results);
void log_line(const std::string& line);

}  // namespace torch_fl
