// Routes: rules from Python become, per op, one interned object that calls read without a lock.
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "dispatch/lanes.h"
#include "dispatch/package_lane.h"
#include "dispatch/registry.h"

namespace torch_fl {
namespace {

using c10::IValue;

std::mutex g_mutex;
std::vector<Rule>& rules_in_force() {
  static auto* const rules = new std::vector<Rule>;
  return *rules;
}
std::string& error_text() {
  static auto* const text = new std::string;
  return *text;
}
std::atomic<bool> g_error{false};

// ---- guards

bool compare(int64_t value, const Condition& c) {
  const auto& v = c.values;
  switch (c.op) {
    case Condition::Op::eq:
      return std::find(v.begin(), v.end(), value) != v.end();
    case Condition::Op::ne:
      return std::find(v.begin(), v.end(), value) == v.end();
    case Condition::Op::lt:
      return value < v.at(0);
    case Condition::Op::le:
      return value <= v.at(0);
    case Condition::Op::gt:
      return value > v.at(0);
    case Condition::Op::ge:
      return value >= v.at(0);
  }
  return false;
}

std::optional<at::Tensor> first_tensor(const OpEntry& entry, c10::ArrayRef<IValue> args, const std::string& name) {
  for (size_t i = 0; i < args.size(); i++) {
    if (name.empty() ? (entry.args[i].index_or_mask || entry.args[i].is_out) : entry.args[i].name != name) continue;
    if (args[i].isTensor() && args[i].toTensor().defined()) return args[i].toTensor();
    if (args[i].isTensorList() && !args[i].toTensorVector().empty()) return args[i].toTensorVector()[0];
  }
  return std::nullopt;
}

std::optional<int64_t> integer(const OpEntry& entry, c10::ArrayRef<IValue> args, const std::string& name) {
  for (size_t i = 0; i < args.size(); i++)
    if (entry.args[i].name == name && args[i].isInt()) return args[i].toInt();
  return std::nullopt;
}

at::ScalarType promoted(const OpEntry& entry, c10::ArrayRef<IValue> args) {
  at::ScalarType common = at::ScalarType::Undefined;
  bool from_dims = false;
  for (size_t i = 0; i < args.size(); i++) {
    if (entry.args[i].index_or_mask || entry.args[i].is_out) continue;
    const auto add = [&](const at::Tensor& t) {
      if (!t.defined()) return;
      // A number or a 0-d tensor yields to tensors with dimensions of the same category.
      const bool dims = t.dim() > 0;
      if (common == at::ScalarType::Undefined ||
          (dims && !from_dims && !(c10::isFloatingType(common) && !c10::isFloatingType(t.scalar_type()))))
        common = t.scalar_type();
      else if (dims == from_dims)
        common = c10::promoteTypes(common, t.scalar_type());
      from_dims |= dims;
    };
    if (args[i].isTensor()) add(args[i].toTensor());
    if (args[i].isTensorList())
      for (const at::Tensor& t : args[i].toTensorVector()) add(t);
  }
  return common;
}

std::optional<int64_t> field(const OpEntry& entry, c10::ArrayRef<IValue> args, const Condition& c) {
  switch (c.field) {
    case Condition::Field::dtype: {
      const at::ScalarType t = promoted(entry, args);
      if (t == at::ScalarType::Undefined) return std::nullopt;
      return static_cast<int64_t>(t);
    }
    case Condition::Field::out_dtype:
      for (size_t i = 0; i < args.size(); i++)
        if (entry.args[i].is_out && args[i].isTensor()) return static_cast<int64_t>(args[i].toTensor().scalar_type());
      for (size_t i = 0; i < args.size(); i++)
        if (entry.args[i].kind == ArgKind::dtype && args[i].isInt()) return args[i].toInt();
      return field(entry, args, Condition{Condition::Field::dtype, c.op, "", 0, c.values});
    case Condition::Field::arg_dtype:
    case Condition::Field::arg_rank: {
      const auto t = first_tensor(entry, args, c.arg);
      if (!t.has_value()) return std::nullopt;
      return c.field == Condition::Field::arg_rank ? t->dim() : static_cast<int64_t>(t->scalar_type());
    }
    case Condition::Field::scalar:
      for (size_t i = 0; i < args.size(); i++) {
        const bool wrapped = args[i].isTensor() && args[i].toTensor().defined() &&
                             args[i].toTensor().unsafeGetTensorImpl()->is_wrapped_number();
        if (entry.args[i].kind == ArgKind::scalar && args[i].isScalar())
          return args[i].isDouble() ? FL_DOUBLE : args[i].isBool() ? FL_BOOLEAN : args[i].isInt() ? FL_INT : FL_COMPLEX;
        if (wrapped) {
          const at::ScalarType t = args[i].toTensor().scalar_type();
          return c10::isComplexType(t)    ? FL_COMPLEX
                 : c10::isFloatingType(t) ? FL_DOUBLE
                 : t == at::kBool         ? FL_BOOLEAN
                                          : FL_INT;
        }
      }
      return std::nullopt;
    default:
      break;
  }
  const auto t = first_tensor(entry, args, "");
  if (!t.has_value()) return std::nullopt;
  switch (c.field) {
    case Condition::Field::rank: {
      int64_t rank = 0;
      for (const IValue& v : args)
        if (v.isTensor() && v.toTensor().defined()) rank = std::max(rank, v.toTensor().dim());
      return rank;
    }
    case Condition::Field::numel:
      return t->numel();
    case Condition::Field::layout:
      return t->is_contiguous() ? 1 : t->is_non_overlapping_and_dense() ? 2 : 0;
    case Condition::Field::alike: {
      const auto as_first = [&](const at::Tensor& other) {
        if (!other.defined() || other.unsafeGetTensorImpl()->is_wrapped_number()) return true;
        return other.scalar_type() == t->scalar_type() && other.sizes() == t->sizes() &&
               other.strides() == t->strides();
      };
      return std::all_of(args.begin(), args.end(), [&](const IValue& v) {
        if (v.isTensor()) return as_first(v.toTensor());
        if (!v.isTensorList()) return true;
        const std::vector<at::Tensor> list = v.toTensorVector();
        return std::all_of(list.begin(), list.end(), as_first);
      });
    }
    case Condition::Field::rows:
    case Condition::Field::inner: {
      const std::optional<int64_t> wanted = c.arg.empty() ? c.dim : integer(entry, args, c.arg);
      if (!wanted.has_value()) return std::nullopt;
      const int64_t rank = t->dim(), dim = *wanted < 0 ? *wanted + rank : *wanted;
      if (dim < 0 || dim >= rank) return std::nullopt;
      int64_t product = 1;
      for (int64_t d = c.field == Condition::Field::rows ? 0 : dim + 1;
           d < (c.field == Condition::Field::rows ? dim : rank); d++)
        product *= t->size(d);
      return product;
    }
    default:
      return std::nullopt;
  }
}

bool accepts(const OpEntry& entry, c10::ArrayRef<IValue> args, const Rule& rule) {
  for (const Condition& c : rule.guard) {
    const auto value = field(entry, args, c);
    if (!value.has_value() || !compare(*value, c)) return false;
  }
  return true;
}

// The last guarded line that takes a call, or null.
const Rule* guarded_line(const OpEntry& entry, c10::ArrayRef<IValue> args, const std::vector<Rule>& lines) {
  for (size_t i = lines.size(); i-- > 0;)
    if (!lines[i].guard.empty() && accepts(entry, args, lines[i])) return &lines[i];
  return nullptr;
}

// The line that takes a call: the last guarded one, else the last plain one, or null.
const Rule* line_of(const OpEntry& entry, c10::ArrayRef<IValue> args, const std::vector<Rule>& lines) {
  const Rule* line = guarded_line(entry, args, lines);
  for (size_t i = lines.size(); line == nullptr && i-- > 0;)
    if (lines[i].guard.empty()) line = &lines[i];
  return line;
}

// ---- per-op objects

std::string content_of(const std::vector<Rule>& rules) {
  std::string text;
  for (const Rule& r : rules) {
    text += c10::str('\n', r.source, r.replaced ? "~" : "", '=', static_cast<int>(r.lane));
    for (const Condition& c : r.guard) {
      text += c10::str('|', static_cast<int>(c.field), ',', static_cast<int>(c.op), ',', c.arg, ',', c.dim);
      for (const int64_t v : c.values) text += c10::str(':', v);
    }
  }
  return text;
}

// The vendor's order of lanes, `none` last.
const Lanes& lane_order() {
  static const Lanes order = [] {
    Lanes lanes;
    for (const std::string& name : vendor().facts.lanes)
      for (int l = 0; l < kLanes; l++)
        if (lane_name(static_cast<Lane>(l)) == name) lanes.push_back(static_cast<Lane>(l));
    if (std::find(lanes.begin(), lanes.end(), Lane::none) == lanes.end()) lanes.push_back(Lane::none);
    return lanes;
  }();
  return order;
}

const OpRoutes* routes_of(const OpEntry& entry, const std::vector<Rule>& lines) {
  std::string absent;
  std::vector<Rule> rules, own;
  for (const Rule& r : lines) {
    const bool holds = !r.generated || entry.has(r.lane);
    if (!holds && r.guard.empty() && !r.replaced)
      absent = c10::str(lane_name(r.lane), ", which ", r.source, " names, has no kernel for it in this installation");
    if (holds && !r.replaced) rules.push_back(r);
    if (holds && r.generated) own.push_back(r);
  }
  Lane fixed = Lane::none;
  std::string fixed_source = kLaneOrder;
  for (const Lane lane : lane_order())
    if (entry.has(lane)) {
      fixed = lane;
      break;
    }
  bool guarded = false;
  for (const Rule& r : rules) {
    if (!r.guard.empty()) {
      guarded = true;
      continue;
    }
    fixed = r.lane;
    fixed_source = r.source;
  }
  static auto* const interned = new std::unordered_map<std::string, std::unique_ptr<OpRoutes>>;
  std::unique_ptr<OpRoutes>& slot =
      (*interned)[c10::str(entry.name, static_cast<int>(fixed), content_of(rules), "\n---", content_of(own), '\n',
                           absent, '\n', packages_generation())];
  if (!slot) {
    slot = std::make_unique<OpRoutes>();
    slot->rules = std::move(rules);
    slot->own = std::move(own);
    slot->fixed = fixed;
    slot->guarded = guarded;
    slot->fixed_source = fixed_source;
    slot->absent = absent;
    slot->needs_plan = guarded || (fixed != Lane::boxing && fixed != Lane::none) || !entry.has(fixed);
  }
  return slot.get();
}

}  // namespace

std::string lane_name(Lane lane) {
  switch (lane) {
    case Lane::none:
      return "none";
    case Lane::vendor: {
      const Vendor* v = loaded_vendor();
      return v != nullptr ? v->facts.name : "vendor";
    }
    case Lane::boxing:
      return "boxing";
    case Lane::flaggems:
      return "flaggems";
    case Lane::tileops:
      return "tileops";
  }
  return "?";
}

bool in_order(Lane lane) { return std::find(lane_order().begin(), lane_order().end(), lane) != lane_order().end(); }

Candidates candidates(const OpEntry& entry, const OpRoutes& routes, c10::ArrayRef<IValue> args) {
  const Rule* line = guarded_line(entry, args, routes.rules);
  const Lane chosen = line != nullptr ? line->lane : routes.fixed;
  const Lanes& order = lane_order();
  Candidates result;
  result.source = line != nullptr ? line->source : routes.fixed_source;
  if (entry.has(chosen)) result.lanes.push_back(chosen);
  const Lane* from = order.begin();
  if (const Rule* own = line_of(entry, args, routes.own)) {
    from = std::find(order.begin(), order.end(), own->lane);
    if (from != order.begin() && from != order.end()) result.closing = own->source;
    if (from == order.end()) from = order.begin();
  }
  if (chosen == Lane::none) return result;  // the host takes every call, or nothing may
  for (; from != order.end(); ++from)
    if (*from != chosen && entry.has(*from)) result.lanes.push_back(*from);
  return result;
}

std::pair<Lane, std::string> routed(const OpEntry& entry, c10::ArrayRef<IValue> args) {
  std::lock_guard<std::mutex> lock(g_mutex);
  std::vector<Rule> lines;
  for (const Rule& rule : rules_in_force())
    if (rule.op == entry.name && !rule.replaced) lines.push_back(rule);
  const Rule* line = line_of(entry, args, lines);
  return line == nullptr ? std::pair<Lane, std::string>{Lane::none, ""} : std::pair{line->lane, line->source};
}

namespace {

using RulesByOp = std::unordered_map<std::string, std::vector<Rule>>;

RulesByOp by_op(const std::vector<Rule>& rules) {
  RulesByOp result;
  for (const Rule& r : rules) result[r.op].push_back(r);
  return result;
}

// Per lane: why nothing of it is installed.
std::array<std::string, kLanes>& off() {
  static auto* const reasons = new std::array<std::string, kLanes>;
  return *reasons;
}

// Routes to lanes without a kernel are mistakes, a line of text each, told before anything changes. Empty: all is well.
std::string mistakes_in(const std::vector<Rule>& rules) {
  std::string text;
  for (const Rule& r : rules) {
    if (r.generated || r.lane == Lane::none) continue;
    const OpEntry* entry = find_entry(r.op);
    if (entry == nullptr)
      for (const OpEntry* composed : composed_entries())
        if (composed->name == r.op && only_composed(composed->handle)) entry = composed;
    if (entry == nullptr || entry->has(r.lane)) continue;
    std::string names;
    for (int l = 0; l < kLanes; l++)
      if (entry->has(static_cast<Lane>(l))) names += (names.empty() ? "" : ", ") + lane_name(static_cast<Lane>(l));
    text += c10::str(text.empty() ? "torch_fl: " : "\n", r.source, ": ", r.op, " has no kernel in lane ",
                     lane_name(r.lane), ". Lanes that have one: ", names.empty() ? "none at all" : names);
    const std::string& why = off()[static_cast<size_t>(r.lane)];
    if (!why.empty()) text += ". " + why;
  }
  return text;
}

void put_in_force(const RulesByOp& rules) {
  static const std::vector<Rule> none;
  for (OpEntry* entry : all_entries()) {
    const auto found = rules.find(entry->name);
    entry->routes.store(routes_of(*entry, found == rules.end() ? none : found->second), std::memory_order_release);
  }
  // Sparse and nested tensors take no rule that they have no lane for, and no guard: guards look at strided tensors.
  for (OpEntry* entry : composed_entries()) {
    const auto found = rules.find(entry->name);
    std::vector<Rule> taken;
    if (found != rules.end())
      std::copy_if(found->second.begin(), found->second.end(), std::back_inserter(taken),
                   [&](const Rule& r) { return r.guard.empty() && entry->has(r.lane); });
    entry->routes.store(routes_of(*entry, taken), std::memory_order_release);
  }
}

}  // namespace

void set_routes(std::vector<Rule> rules) {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (loaded_vendor() != nullptr) {
    const std::string mistakes = mistakes_in(rules);
    TORCH_CHECK(mistakes.empty(), mistakes);
    put_in_force(by_op(rules));
  }
  rules_in_force() = std::move(rules);
  error_text().clear();
  g_error = false;
}

void set_lane_off(int lane, std::string why) { off().at(static_cast<size_t>(lane)) = std::move(why); }

void set_routes_error(std::string why) {
  std::lock_guard<std::mutex> lock(g_mutex);
  error_text() = std::move(why);
  g_error = true;
}

void apply_routes() {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (g_error) return;
  error_text() = mistakes_in(rules_in_force());
  if (!error_text().empty()) {
    g_error = true;
    return;
  }
  put_in_force(by_op(rules_in_force()));
}

void require_routes() {
  vendor();
  if (C10_UNLIKELY(g_error.load(std::memory_order_relaxed))) {
    std::lock_guard<std::mutex> lock(g_mutex);
    TORCH_CHECK(false, error_text());
  }
}

namespace {

OpInfo info_of(const OpEntry& entry) {
  OpInfo info;
  info.name = entry.name;
  info.schema = c10::toString(entry.handle.schema());
  info.primitive = entry.primitive;
  info.typed = entry.typed;
  for (int l = 0; l < kLanes; l++)
    if (entry.has(static_cast<Lane>(l))) info.lanes.push_back(static_cast<Lane>(l));
  const OpRoutes* routes = entry.routes.load(std::memory_order_acquire);
  if (routes != nullptr) {
    info.rules = routes->rules;
    if (std::none_of(info.rules.begin(), info.rules.end(), [](const Rule& r) { return r.guard.empty(); }))
      info.rules.insert(info.rules.begin(), Rule{entry.name, {}, routes->fixed, routes->fixed_source});
  }
  return info;
}

}  // namespace

// Needs no routes: what can be routed is asked for a conf with mistakes, to tell all of them.
std::vector<OpInfo> ops() {
  vendor();
  std::vector<OpInfo> result;
  std::unordered_set<std::string> listed;
  const auto add = [&](const OpEntry* entry) {
    if (listed.insert(entry->name).second) result.push_back(info_of(*entry));
  };
  for (const OpEntry* entry : all_entries()) add(entry);
  for (const OpEntry* entry : composed_entries())
    if (only_composed(entry->handle)) add(entry);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::DispatchKey key : {c10::DispatchKey::PrivateUse1, c10::DispatchKey::SparsePrivateUse1,
                                     c10::DispatchKey::SparseCsrPrivateUse1, c10::DispatchKey::NestedTensorPrivateUse1})
    for (const c10::OperatorName& name : dispatcher.getRegistrationsForDispatchKey(key)) {
      if (name.name.rfind("aten::", 0) != 0) continue;
      const c10::OperatorHandle handle = dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
      if (key != c10::DispatchKey::PrivateUse1 && !only_composed(handle)) continue;
      OpInfo info;
      info.name = name.name.substr(6) + (name.overload_name.empty() ? "" : "." + name.overload_name);
      if (!listed.insert(info.name).second) continue;
      info.schema = c10::toString(handle.schema());
      info.primitive = true;
      result.push_back(std::move(info));
    }
  return result;
}

}  // namespace torch_fl
