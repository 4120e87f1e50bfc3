// Counting and logging what served which call. Off by default: an entry then pays one predictable branch.
#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <unordered_map>

#include "aten/sparse.h"
#include "dispatch/call_text.h"
#include "dispatch/lanes.h"
#include "dispatch/registry.h"
#include "dispatch/tensors.h"

namespace torch_fl {
namespace {

struct Counters {
  std::atomic<uint64_t> misses{0}, evictions{0}, demotions{0};
};
Counters& counters() {
  static auto* const c = new Counters;
  return *c;
}

std::mutex& mutex() {
  static auto* const m = new std::mutex;
  return *m;
}
std::unordered_map<std::string, CensusRow>& table() {
  static auto* const t = new std::unordered_map<std::string, CensusRow>;
  return *t;
}
Switches& switches_in_force() {
  static auto* const s = new Switches;
  return *s;
}

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

template <class F>
void each(c10::ArrayRef<c10::IValue> values, const F& f) {
  for (const c10::IValue& v : values) each_tensor(v, f);
}

// Of the elements that are there.
uint64_t bytes_of(const at::Tensor& t) {
  if (C10_LIKELY(!is_composed(t))) return t.numel() * t.element_size();
  uint64_t bytes = 0;
  for (const at::Tensor& part : parts_of(t)) bytes += bytes_of(part);
  return bytes;
}

}  // namespace

Observation observe(const OpEntry& entry, c10::ArrayRef<c10::IValue> args) {
  Observation seen;
  if ((observers.load(std::memory_order_relaxed) & kCensus) != 0) seen.call = call_text(entry, args);
  each(args, [&](const at::Tensor& t) {
    const std::string dtype = dtype_name(t.scalar_type());
    if (("," + seen.dtypes + ",").find("," + dtype + ",") == std::string::npos)
      seen.dtypes += (seen.dtypes.empty() ? "" : ",") + dtype;
    if (seen.shapes.size() < 120) {
      if (!seen.shapes.empty()) seen.shapes += ' ';
      seen.shapes += '(';
      if (t.is_nested())
        seen.shapes += "nested";
      else
        for (int64_t d = 0; d < t.dim(); d++) seen.shapes += (d == 0 ? "" : ",") + std::to_string(t.size(d));
      seen.shapes += ')';
    }
    seen.bytes += bytes_of(t);
  });
  seen.start_ns = now();
  return seen;
}

void record(const OpEntry& entry, Lane lane, const Observation& seen, const std::string& reason, bool replayed,
            c10::ArrayRef<c10::IValue> results) {
  const uint64_t took = now() - seen.start_ns;
  const uint32_t bits = observers.load(std::memory_order_relaxed);
  if ((bits & kCensus) != 0) {
    uint64_t bytes = seen.bytes;
    each(results, [&](const at::Tensor& t) { bytes += bytes_of(t); });
    std::lock_guard<std::mutex> lock(mutex());
    CensusRow& row =
        table()[entry.name + '\n' + static_cast<char>('0' + static_cast<int>(lane)) + seen.dtypes + '\n' + reason];
    if (row.calls == 0) {
      row.op = entry.name;
      row.lane = lane;
      row.dtypes = seen.dtypes;
      row.shapes = seen.shapes;
      row.reason = reason;
      row.call = seen.call;
    }
    row.calls++;
    row.replayed += replayed ? 1 : 0;
    row.nanoseconds += took;
    row.bytes += bytes;
  }
  if ((bits & kLogDispatch) != 0) {
    // The names that old scripts look for.
    const std::string name = (bits & kLogLegacy) != 0 && lane == Lane::flaggems ? "flagos_python" : lane_name(lane);
    log_line("[flagos dispatch] " + entry.name + " -> " + name);
  }
  if ((bits & kLogFallback) != 0 && (lane == Lane::none || !reason.empty()))
    log_line("[flagos fallback] " + entry.name + " (" + seen.dtypes + ") -> " + lane_name(lane) +
             (reason.empty() ? "" : ": " + reason));
}

void log_line(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

void count_miss() { counters().misses.fetch_add(1, std::memory_order_relaxed); }
void count_evictions(size_t n) {
  if (n != 0) counters().evictions.fetch_add(n, std::memory_order_relaxed);
}
void count_demotion() { counters().demotions.fetch_add(1, std::memory_order_relaxed); }

void set_switches(const Switches& s) {
  std::lock_guard<std::mutex> lock(mutex());
  switches_in_force() = s;
  const auto bit = [](bool on, uint32_t flag) { return on ? flag : 0u; };
  observers = bit(s.log_dispatch || s.log_dispatch_legacy, kLogDispatch) | bit(s.log_dispatch_legacy, kLogLegacy) |
              bit(s.log_fallback, kLogFallback) | bit(s.log_plan, kLogPlan) | bit(s.strict, kStrict) |
              bit(s.census, kCensus);
}

Switches switches() {
  std::lock_guard<std::mutex> lock(mutex());
  return switches_in_force();
}

std::vector<CensusRow> census() {
  std::lock_guard<std::mutex> lock(mutex());
  std::vector<CensusRow> rows;
  rows.reserve(table().size());
  for (const auto& [key, row] : table()) rows.push_back(row);
  return rows;
}

void reset_census() {
  std::lock_guard<std::mutex> lock(mutex());
  table().clear();
}

PlanStats plan_stats() {
  PlanStats s;
  s.misses = counters().misses;
  s.evictions = counters().evictions;
  s.demotions = counters().demotions;
  s.plans = CachedPlan::count.load(std::memory_order_relaxed);
  return s;
}

}  // namespace torch_fl
