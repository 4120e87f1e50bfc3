// Routes, ops, switches, census and plan statistics.
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dispatch/api.h"
#include "python/bindings.h"

namespace torch_fl::python {
namespace {

using release_gil = py::call_guard<py::gil_scoped_release>;

// (field, operator, argument name, dimension, values)
using ConditionTuple = std::tuple<std::string, std::string, std::string, int64_t, std::vector<int64_t>>;
// (op, guard, lane number, source)
using RuleTuple = std::tuple<std::string, std::vector<ConditionTuple>, int, std::string, bool>;

template <class Enum>
using Names = std::vector<std::pair<const char*, Enum>>;

const Names<Condition::Field>& fields() {
  using F = Condition::Field;
  static const Names<F> names = {{"dtype", F::dtype}, {"out.dtype", F::out_dtype}, {"arg.dtype", F::arg_dtype},
                                 {"rank", F::rank},   {"arg.rank", F::arg_rank},   {"numel", F::numel},
                                 {"rows", F::rows},   {"inner", F::inner},         {"layout", F::layout},
                                 {"alike", F::alike}, {"scalar", F::scalar}};
  return names;
}

const Names<Condition::Op>& operators() {
  using O = Condition::Op;
  static const Names<O> names = {{"=", O::eq}, {"!=", O::ne}, {"<", O::lt}, {"<=", O::le}, {">", O::gt}, {">=", O::ge}};
  return names;
}

template <class Enum>
Enum from_name(const Names<Enum>& names, const std::string& name) {
  for (const auto& [text, value] : names) {
    if (name == text) {
      return value;
    }
  }
  TORCH_CHECK_VALUE(false, "torch_fl: '", name, "' is no part of a guard");
}

template <class Enum>
std::string to_name(const Names<Enum>& names, Enum value) {
  for (const auto& [text, candidate] : names) {
    if (candidate == value) {
      return text;
    }
  }
  return "?";
}

Lane to_lane(int number) {
  TORCH_CHECK_VALUE(number >= 0 && number < kLanes, "torch_fl: there is no lane number ", number);
  return static_cast<Lane>(number);
}

void add_rules(const std::vector<RuleTuple>& tuples, bool replaced, std::vector<Rule>& rules) {
  for (const auto& [op, guard, lane, source, generated] : tuples) {
    Rule& rule = rules.emplace_back();
    rule.op = op;
    rule.lane = to_lane(lane);
    rule.source = source;
    rule.generated = generated;
    rule.replaced = replaced;
    for (const auto& [field, comparison, arg, dim, values] : guard) {
      rule.guard.push_back({from_name(fields(), field), from_name(operators(), comparison), arg, dim, values});
    }
  }
}

void set_rules(const std::vector<RuleTuple>& tuples, const std::vector<RuleTuple>& replaced) {
  std::vector<Rule> rules;
  rules.reserve(tuples.size() + replaced.size());
  add_rules(tuples, false, rules);
  add_rules(replaced, true, rules);
  py::gil_scoped_release no_gil;
  set_routes(std::move(rules));
}

RuleTuple to_tuple(const Rule& rule) {
  std::vector<ConditionTuple> guard;
  for (const Condition& c : rule.guard) {
    guard.emplace_back(to_name(fields(), c.field), to_name(operators(), c.op), c.arg, c.dim, c.values);
  }
  return {rule.op, std::move(guard), static_cast<int>(rule.lane), rule.source, rule.generated};
}

py::list op_list() {
  std::vector<OpInfo> infos;
  {
    py::gil_scoped_release no_gil;
    infos = ops();
  }
  py::list out;
  for (const OpInfo& info : infos) {
    py::list lanes;
    for (const Lane lane : info.lanes) {
      lanes.append(static_cast<int>(lane));
    }
    py::list rules;
    for (const Rule& rule : info.rules) {
      rules.append(to_tuple(rule));
    }
    out.append(py::make_tuple(info.name, info.schema, info.primitive, lanes, rules, info.typed));
  }
  return out;
}

py::list census_rows() {
  std::vector<CensusRow> rows;
  {
    py::gil_scoped_release no_gil;
    rows = census();
  }
  py::list out;
  for (const CensusRow& r : rows) {
    out.append(py::make_tuple(r.op, lane_name(r.lane), r.dtypes, r.shapes, r.reason, r.calls, r.nanoseconds, r.bytes,
                              r.call, r.replayed));
  }
  return out;
}

// One table of switches, so that reading and writing cannot disagree.
const std::vector<std::pair<const char*, bool Switches::*>>& switch_fields() {
  static const std::vector<std::pair<const char*, bool Switches::*>> table = {
      {"log_dispatch", &Switches::log_dispatch},
      {"log_dispatch_legacy", &Switches::log_dispatch_legacy},
      {"log_fallback", &Switches::log_fallback},
      {"log_plan", &Switches::log_plan},
      {"strict", &Switches::strict},
      {"census", &Switches::census}};
  return table;
}

py::dict get_switches() {
  const Switches now = switches();
  py::dict out;
  for (const auto& [name, member] : switch_fields()) {
    out[name] = now.*member;
  }
  return out;
}

void change_switches(const py::kwargs& changes) {
  Switches now = switches();
  size_t known = 0;
  for (const auto& [name, member] : switch_fields()) {
    if (changes.contains(name)) {
      now.*member = py::cast<bool>(changes[name]);
      ++known;
    }
  }
  TORCH_CHECK_VALUE(known == changes.size(), "torch_fl: unknown switch in ", py::cast<std::string>(py::repr(changes)));
  py::gil_scoped_release no_gil;
  set_switches(now);
}

py::dict plan_statistics() {
  const PlanStats stats = plan_stats();
  py::dict out;
  out["misses"] = stats.misses;
  out["plans"] = stats.plans;
  out["evictions"] = stats.evictions;
  out["demotions"] = stats.demotions;
  return out;
}

}  // namespace

void bind_dispatch(py::module_& m) {
  m.attr("lane_count") = kLanes;
  m.def("lane_name", [](int number) { return lane_name(to_lane(number)); });
  m.def("set_routes", &set_rules, py::arg("rules"), py::arg("replaced") = std::vector<RuleTuple>());
  m.def("set_routes_error", &set_routes_error);
  m.def("set_lane_off", &set_lane_off);
  m.def("ops", &op_list);
  m.def("op_exists", &op_exists);
  m.def("op_names", &op_names, release_gil());
  m.def("set_switches", &change_switches);
  m.def("switches", &get_switches);
  m.def("census", &census_rows);
  m.def("reset_census", &reset_census, release_gil());
  m.def("plan_stats", &plan_statistics);
}

}  // namespace torch_fl::python
