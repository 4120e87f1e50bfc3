// Making plans: which lane, which output layout, which conversions.
#include <ATen/Context.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/grad_mode.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>
#include <c10/core/ScalarType.h>

#include <algorithm>

#include "dispatch/checks.h"
#include "dispatch/convert.h"
#include "dispatch/lanes.h"
#include "dispatch/op_facts.h"

namespace torch_fl {
namespace {

using c10::IValue;

// Thrown while a vendor plan is made: the row does not take this call.
struct Refused {
  std::string why;
};

[[noreturn]] void refuse(std::string why) { throw Refused{std::move(why)}; }

std::string names_of(uint64_t mask) {
  std::string names;
  for (int id = 0; id <= FL_F8_E5M2FNUZ; id++) {
    if ((mask & FL_MASK(id)) == 0) continue;
    static const char* const text[] = {"bool",    "uint8",    "int8",      "int16",     "int32",      "int64",        "uint16",
                                       "uint32",  "uint64",   "float16",   "bfloat16",  "float32",    "float64",      "complex32",
                                       "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"};
    names += (names.empty() ? "" : ", ") + std::string(text[id]);
  }
  return names;
}

class VendorPlanner {
 public:
  VendorPlanner(OpEntry& entry, const Stack& stack, Plan& plan)
      : entry_(entry), binding_(entry.binding), row_(*entry.binding.row), stack_(stack), plan_(plan),
        args_(stack.data() + (stack.size() - entry.args.size()), entry.args.size()) {}

  void make() {
    check_devices(entry_, args_);
    check_values(entry_, args_);
    plan_.binding = &binding_;
    plan_.device = device_of_call(args_);
    plan_.call_flags = flags();
    for (const int16_t i : binding_.unmapped) require_default(i);
    plan_.places_masks = has_masks(args_);
    if (plan_.places_masks && entry_.has(Lane::boxing)) refuse("its indices are masks: the result's shape depends on data");
    if (plan_.places_masks) return;
    std::string why;
    std::vector<OutputLayout> layout = layouts(entry_, stack_, why);
    if (!why.empty()) refuse(why);
    compute_ = compute_dtype();
    widen_ = flag(FL_ROW_WIDEN_HALF) || stages_inexact_number();
    plan_.outs.reserve(binding_.out_source.size());
    plan_.out_templates.reserve(binding_.out_source.size());
    outputs(layout);
    if (plan_.skip) return;
    plan_.args.reserve(binding_.source.size());
    plan_.arg_templates.reserve(binding_.source.size());
    for (size_t i = 0; i < binding_.source.size(); i++) argument(i);
  }

 private:
  bool flag(uint64_t f) const { return (row_.flags & f) != 0; }

  uint32_t flags() const {
    const at::Context& context = at::globalContext();
    uint32_t f = 0;
    if (context.deterministicAlgorithms()) {
      if (flag(FL_ROW_NONDETERMINISTIC)) refuse("it is not deterministic, and deterministic algorithms are asked for");
      f |= FL_CALL_DETERMINISTIC;
    }
    if (binding_.spelling == FL_INPLACE) f |= FL_CALL_IN_PLACE;
    return f;
  }

  void require_default(int16_t i) const {
    const c10::Argument& argument = entry_.handle.schema().arguments()[i];
    if (!argument.default_value().has_value() || !(*argument.default_value() == args_[i]))
      refuse(c10::str("its row does not know the argument ", argument.name()));
  }

  // The common dtype of the value arguments, where the row asks core to promote; else Undefined.
  at::ScalarType compute_dtype() const {
    if (!flag(FL_ROW_PROMOTE) && !flag(FL_ROW_PROMOTE_FLOAT)) return at::ScalarType::Undefined;
    at::native::ResultTypeState state;
    for (size_t i = 0; i < args_.size(); i++) {
      const ArgInfo& info = entry_.args[i];
      if (info.is_out || info.index_or_mask) continue;
      const IValue& v = args_[i];
      if (v.isTensor()) {
        if (v.toTensor().defined()) state = at::native::update_result_type_state(v.toTensor(), state);
      } else if (v.isTensorList()) {
        for (const at::Tensor& t : v.toTensorVector()) state = at::native::update_result_type_state(t, state);
      } else if (info.kind == ArgKind::scalar && v.isScalar() && scalar_promotes(info.name)) {
        state = at::native::update_result_type_state(v.toScalar(), state);
      }
    }
    const at::ScalarType common = at::native::result_type(state);
    if (flag(FL_ROW_PROMOTE_FLOAT) && c10::isIntegralType(common, /*includeBool=*/true))
      return c10::get_default_dtype_as_scalartype();
    return common;
  }

  at::ScalarType kernel_dtype(at::ScalarType dtype) const {
    return widen_ && (dtype == at::kHalf || dtype == at::kBFloat16) ? at::kFloat : dtype;
  }

  // A number that core would have to round to half precision to make it a tensor, in an op that takes it as it is.
  bool stages_inexact_number() const {
    if (!entry_.exact_numbers || flag(FL_ROW_HOST_SCALARS) || (compute_ != at::kHalf && compute_ != at::kBFloat16)) return false;
    for (const IValue& v : args_)
      if (v.isTensor() && v.toTensor().defined() && v.toTensor().device().type() != kFlagos && v.toTensor().dim() == 0 &&
          !holds(compute_, v.toTensor()))
        return true;
    return false;
  }

  // ---- outputs

  void outputs(const std::vector<OutputLayout>& layout) {
    size_t next = 0;
    bool any_element = false;
    for (size_t o = 0; o < binding_.out_source.size(); o++) {
      const int16_t source = binding_.out_source[o];
      OutStep step;
      const bool list = source >= 0 ? args_[source].isTensorList() : is_list_output(o);
      if (list) {
        step.list = true;
        step.source = source;
        std::vector<at::Tensor> given;
        if (source >= 0) given = args_[source].toTensorVector();
        const size_t count = source >= 0 ? given.size() : layout.size() - next;
        for (size_t k = 0; k < count; k++) {
          if (next >= layout.size()) refuse("its layout rule gives fewer outputs than its row");
          OutStep element = output(o, layout[next++], source >= 0 ? given[k] : at::Tensor());
          element.source = source;
          any_element |= elements(element.layout) != 0;
          step.elements.push_back(std::move(element));
        }
        fl_value v{};
        v.kind = FL_TENSOR_LIST;
        plan_.out_templates.push_back(v);
        plan_.tensor_lists.emplace_back();
        for (const OutStep& e : step.elements) plan_.tensor_lists.back().push_back(tensor_template(e.kernel_geometry, e.kernel_dtype));
      } else {
        if (next >= layout.size()) refuse("its layout rule gives fewer outputs than its row");
        step = output(o, layout[next++], source >= 0 ? args_[source].toTensor() : at::Tensor());
        step.source = source;
        any_element |= elements(step.layout) != 0;
        fl_value v{};
        v.kind = step.layout.dtype == at::ScalarType::Undefined ? FL_NONE : FL_TENSOR;
        if (v.kind == FL_TENSOR) v.v.tensor = tensor_template(step.kernel_geometry, step.kernel_dtype);
        plan_.out_templates.push_back(v);
      }
      plan_.outs.push_back(std::move(step));
    }
    plan_.skip = !any_element && !flag(FL_ROW_DYNAMIC_OUTPUT);
    for (const OutStep& step : plan_.outs) {
      plan_.simple &= !step.staged && !step.resize && !step.list;
      for (const OutStep& e : step.elements) plan_.simple &= !e.staged;
    }
  }

  bool is_list_output(size_t o) const {
    const auto& returns = entry_.handle.schema().returns();
    return o < returns.size() && returns[o].type()->kind() == c10::TypeKind::ListType;
  }

  static int64_t elements(const OutputLayout& l) {
    if (l.dtype == at::ScalarType::Undefined) return 0;
    int64_t n = 1;
    for (const int64_t s : l.geometry.sizes) n *= s;
    return n;
  }

  OutStep output(size_t o, const OutputLayout& layout, const at::Tensor& given) {
    OutStep step;
    step.layout = layout;
    if (layout.dtype == at::ScalarType::Undefined) return step;
    const uint64_t mask = row_.out_dtypes[o];
    const bool structured = row_.layout == nullptr && binding_.spelling != FL_INPLACE;
    if (given.defined()) {
      if (binding_.spelling == FL_OUT) {
        if (given.sizes() != c10::IntArrayRef(layout.geometry.sizes)) step.resize = true;
        if (!structured && given.scalar_type() != layout.dtype) refuse("out= has another dtype than the result");
        step.layout.dtype = given.scalar_type();
      }
      if (at::has_internal_overlap(given) == at::MemOverlap::Yes) refuse("the written tensor overlaps itself");
      if (!step.resize) {
        step.layout.geometry.sizes = Sizes(given.sizes().begin(), given.sizes().end());
        step.layout.geometry.strides = Sizes(given.strides().begin(), given.strides().end());
      }
      step.staged = must_stage(o, given);
    }
    // What the kernel writes: the compute dtype where results follow it, else what the op says.
    at::ScalarType writes = step.layout.dtype;
    if (given.defined() && compute_ != at::ScalarType::Undefined && writes != compute_ && (mask & mask_of(compute_)) != 0 &&
        (mask & mask_of(at::kBool)) == 0)
      writes = compute_;
    else if (given.defined() && (mask & ~FL_MASK(FL_BOOL)) == 0)
      writes = at::kBool;
    writes = kernel_dtype(writes);
    step.kernel_dtype = writes;
    if (writes != step.layout.dtype) step.staged = true;
    if ((mask & mask_of(writes)) == 0)
      refuse(c10::str("output ", o, " is ", c10::toString(writes), "; the kernel writes ", names_of(mask)));
    rank(step.layout.geometry.sizes.size());
    if ((flag(FL_ROW_CONTIGUOUS) || flag(FL_ROW_DENSE)) && !contiguous(step.layout.geometry)) step.staged = true;
    step.kernel_geometry = step.layout.geometry;
    if (step.staged) fill_contiguous(step.kernel_geometry);
    return step;
  }

  static bool contiguous(const Geometry& g) {
    int64_t step = 1;
    for (size_t d = g.sizes.size(); d-- > 0;) {
      if (g.sizes[d] != 1 && g.strides[d] != step) return false;
      step *= std::max<int64_t>(g.sizes[d], 1);
    }
    return true;
  }

  static void fill_contiguous(Geometry& g) {
    g.strides.resize(g.sizes.size());
    int64_t step = 1;
    for (size_t d = g.sizes.size(); d-- > 0;) {
      g.strides[d] = step;
      step *= std::max<int64_t>(g.sizes[d], 1);
    }
  }

  // A written tensor that shares memory with what is read gets a temporary, unless each element is read only where it
  // is written.
  bool must_stage(size_t o, const at::Tensor& given) const {
    for (size_t i = 0; i < args_.size(); i++) {
      if (static_cast<int16_t>(i) == binding_.out_source[o]) {
        if (binding_.spelling == FL_INPLACE && flag(FL_ROW_NO_ALIAS)) return true;
        continue;
      }
      const auto clashes = [&](const at::Tensor& t) {
        if (!t.defined() || t.device().type() != kFlagos || !t.storage().is_alias_of(given.storage())) return false;
        const auto overlap = at::get_overlap_status(given, t);
        if (overlap == at::MemOverlapStatus::No) return false;
        return overlap != at::MemOverlapStatus::Full || !flag(FL_ROW_BROADCAST) || flag(FL_ROW_NO_ALIAS);
      };
      const IValue& v = args_[i];
      if (v.isTensor()) {
        if (clashes(v.toTensor())) return true;
      } else if (v.isTensorList()) {
        for (const at::Tensor& t : v.toTensorVector())
          if (!t.is_same(given) && clashes(t)) return true;
      }
    }
    return false;
  }

  void rank(size_t ndim) const {
    if (row_.max_rank >= 0 && ndim > static_cast<size_t>(row_.max_rank))
      refuse(c10::str("rank ", ndim, " is above ", row_.max_rank));
  }

  fl_tensor tensor_template(const Geometry& g, at::ScalarType dtype) {
    plan_.geometries.push_back(g);
    Geometry& kept = plan_.geometries.back();
    if (flag(FL_ROW_RANK0_AS_RANK1) && kept.sizes.empty()) {
      kept.sizes.push_back(1);
      kept.strides.push_back(1);
    }
    fl_tensor t{};
    t.device = {FL_DEVICE_TYPE, plan_.device};
    t.ndim = static_cast<int32_t>(kept.sizes.size());
    t.dtype = to_fl(dtype);
    t.sizes = kept.sizes.data();
    t.strides = kept.strides.data();
    return t;
  }

  // ---- arguments

  void argument(size_t i) {
    const int16_t source = binding_.source[i];
    ArgStep step;
    step.source = source;
    fl_value value{};
    if (source < 0) refuse(c10::str("the op has no argument ", binding_.names[i], " here"));
    const IValue& v = args_[source];
    const ArgKind kind = binding_.kinds[i];
    if (entry_.args[source].written) value.flags |= FL_VALUE_WRITTEN;
    if (v.isNone()) {
      value.kind = FL_NONE;
    } else if (v.isTensor()) {
      tensor(i, v.toTensor(), step, value);
    } else if (kind == ArgKind::tensor && v.isScalar()) {
      scalar_as_tensor(i, v.toScalar(), step, value);
    } else if (v.isTensorList() || v.isOptionalTensorList()) {
      list(i, v, step, value);
    } else {
      plain(kind, v, step, value);
      if (kind == ArgKind::scalar && flag(FL_ROW_STAGE_SCALARS)) scalar_as_tensor(i, v.toScalar(), step, value);
    }
    plan_.simple &= !step.legalise.needed() && step.kind != ArgStep::Kind::tensor_list;
    plan_.args.push_back(std::move(step));
    plan_.arg_templates.push_back(value);
  }

  at::ScalarType wanted_dtype(size_t i, at::ScalarType dtype) const {
    if (compute_ == at::ScalarType::Undefined || binding_.index_or_mask[i]) return kernel_dtype(dtype);
    return kernel_dtype(compute_);
  }

  // The dtype of a number among the call's tensors: theirs, as long as that can hold its kind.
  at::ScalarType beside(const c10::Scalar& scalar) const {
    for (size_t k = 0; k < args_.size(); k++) {
      if (entry_.args[k].is_out || entry_.args[k].index_or_mask || !args_[k].isTensor() || !args_[k].toTensor().defined()) continue;
      const at::ScalarType dtype = args_[k].toTensor().scalar_type();
      if (!c10::canCast(scalar.type(), dtype)) refuse("a number among its arguments is of a wider kind than its tensors");
      return dtype;
    }
    return scalar.type();
  }

  void scalar_as_tensor(size_t i, const c10::Scalar& scalar, ArgStep& step, fl_value& value) {
    const at::ScalarType dtype = wanted_dtype(i, compute_ != at::ScalarType::Undefined ? compute_ : beside(scalar));
    step.legalise.stage = true;
    step.legalise.cast = dtype;
    step.kind = ArgStep::Kind::tensor;
    value.kind = FL_TENSOR;
    Geometry g;
    expand_to_output(i, g);
    value.v.tensor = tensor_template(g, dtype);
  }

  void tensor(size_t i, const at::Tensor& t, ArgStep& step, fl_value& value) {
    if (!t.defined()) {
      value.kind = FL_NONE;
      return;
    }
    const uint64_t mask = row_.arg_dtypes[i];
    if (t.layout() != at::kStrided) refuse("an argument is not strided");
    // Only copy_ sees these bits; PyTorch has resolved them for every other op.
    if (t.is_conj() || t.is_neg()) refuse("an argument is a lazy conjugate or negative");
    const bool host = t.device().type() != kFlagos;
    if (host && t.dim() != 0) refuse(c10::str("argument ", binding_.names[i], " is on the host"));
    if (host && flag(FL_ROW_HOST_SCALARS) && !binding_.index_or_mask[i]) {
      value.kind = FL_SCALAR;
      step.kind = ArgStep::Kind::host_scalar;
      // The row computes in float32 what PyTorch computes in half precision, from a number of that precision.
      if (flag(FL_ROW_WIDEN_HALF) && (compute_ == at::kHalf || compute_ == at::kBFloat16)) step.legalise.cast = compute_;
      return;
    }
    Legalisation& l = step.legalise;
    step.kind = ArgStep::Kind::tensor;
    value.kind = FL_TENSOR;
    if (!host && t.numel() == 0) refuse("an argument has no elements");
    const at::ScalarType dtype = legal_dtype(i, t, mask, l);
    l.stage = host;
    value.v.tensor = tensor_template(legal_geometry(i, t, l), dtype);
  }

  at::ScalarType legal_dtype(size_t i, const at::Tensor& t, uint64_t mask, Legalisation& l) const {
    at::ScalarType dtype = t.scalar_type();
    if (binding_.index_or_mask[i]) {
      if (flag(FL_ROW_INDEX_I32) && dtype == at::kLong && (mask & mask_of(at::kInt)) != 0) {
        if (indexed_size() >= (int64_t{1} << 31)) refuse("the indexed size does not fit int32");
        l.narrow_index = true;
        dtype = at::kInt;
      }
    } else {
      const at::ScalarType wanted = wanted_dtype(i, dtype);
      if (wanted != dtype) {
        l.cast = wanted;
        dtype = wanted;
      }
    }
    if ((mask & mask_of(dtype)) == 0)
      refuse(c10::str("argument ", binding_.names[i], " is ", c10::toString(dtype), "; the kernel takes ", names_of(mask)));
    return dtype;
  }

  // The largest dimension that an index of this call can point into.
  int64_t indexed_size() const {
    int64_t largest = 0;
    for (const IValue& v : args_)
      if (v.isTensor() && v.toTensor().defined())
        for (const int64_t s : v.toTensor().sizes()) largest = std::max(largest, s);
    return largest;
  }

  bool expands(size_t i) const {
    return flag(FL_ROW_BROADCAST) && !plan_.outs.empty() && !plan_.outs[0].list && row_.arg_dtypes[i] != 0;
  }

  void expand_to_output(size_t i, Geometry& g) const {
    if (!expands(i)) return;
    const Sizes& target = plan_.outs[0].layout.geometry.sizes;
    Geometry wide;
    wide.sizes = target;
    wide.strides.assign(target.size(), 0);
    if (g.sizes.size() > target.size()) refuse("an argument has more dimensions than the output");
    const size_t lead = target.size() - g.sizes.size();
    for (size_t d = 0; d < g.sizes.size(); d++) {
      if (g.sizes[d] != target[lead + d] && g.sizes[d] != 1) refuse("an argument does not broadcast to the output");
      wide.strides[lead + d] = g.sizes[d] == 1 && target[lead + d] != 1 ? 0 : g.strides[d];
    }
    g = std::move(wide);
  }

  Geometry legal_geometry(size_t i, const at::Tensor& t, Legalisation& l) const {
    Geometry g;
    g.sizes = Sizes(t.sizes().begin(), t.sizes().end());
    g.strides = Sizes(t.strides().begin(), t.strides().end());
    // A converted tensor is a dense copy in the order of the original.
    if ((l.cast != at::ScalarType::Undefined || l.narrow_index) && !l.stage) {
      const auto strides = t.is_non_overlapping_and_dense() ? t.strides().vec() : at::infer_dense_strides(t.sizes(), t.strides());
      g.strides = Sizes(strides.begin(), strides.end());
    }
    if (flag(FL_ROW_DENSE) && !contiguous(g)) {
      l.contiguous = l.own_sizes = true;
      fill_contiguous(g);
    }
    expand_to_output(i, g);
    rank(g.sizes.size());
    if (flag(FL_ROW_CONTIGUOUS) && !contiguous(g)) {
      l.contiguous = true;
      fill_contiguous(g);
    }
    return g;
  }

  void list(size_t i, const IValue& v, ArgStep& step, fl_value& value) {
    step.kind = ArgStep::Kind::tensor_list;
    value.kind = v.isTensorList() ? FL_TENSOR_LIST : FL_OPTIONAL_TENSOR_LIST;
    std::vector<at::Tensor> tensors;
    if (v.isTensorList()) {
      tensors = v.toTensorVector();
    } else {
      for (const auto& t : v.toOptionalTensorVector()) tensors.push_back(t.has_value() ? *t : at::Tensor());
    }
    const uint64_t mask = row_.arg_dtypes[i];
    std::vector<fl_tensor> templates;
    for (const at::Tensor& t : tensors) {
      Legalisation l;
      if (!t.defined()) {
        fl_tensor none{};
        none.ndim = -1;
        templates.push_back(none);
      } else {
        if (t.layout() != at::kStrided || t.device().type() != kFlagos) refuse(c10::str("a tensor of ", binding_.names[i], " is not on the device"));
        const at::ScalarType dtype = legal_dtype(i, t, mask, l);
        Geometry g;
        g.sizes = Sizes(t.sizes().begin(), t.sizes().end());
        g.strides = Sizes(t.strides().begin(), t.strides().end());
        if (l.cast != at::ScalarType::Undefined || l.narrow_index) {
          const auto strides = t.is_non_overlapping_and_dense() ? t.strides().vec() : at::infer_dense_strides(t.sizes(), t.strides());
          g.strides = Sizes(strides.begin(), strides.end());
        }
        rank(g.sizes.size());
        if ((flag(FL_ROW_CONTIGUOUS) || flag(FL_ROW_DENSE)) && !contiguous(g)) {
          l.contiguous = true;
          fill_contiguous(g);
        }
        templates.push_back(tensor_template(g, dtype));
      }
      step.elements.push_back(l);
    }
    plan_.tensor_lists.push_back(std::move(templates));
    value.v.list = {plan_.tensor_lists.back().data(), plan_.tensor_lists.back().size(), sizeof(fl_tensor)};
  }

  template <class T>
  void keep_list(const std::vector<T>& items, uint32_t kind, fl_value& value) {
    plan_.bytes.emplace_back(items.size() * sizeof(T));
    if (!items.empty()) std::memcpy(plan_.bytes.back().data(), items.data(), items.size() * sizeof(T));
    value.kind = kind;
    value.v.list = {plan_.bytes.back().data(), items.size(), sizeof(T)};
  }

  void plain(ArgKind kind, const IValue& v, ArgStep& step, fl_value& value) {
    switch (kind) {
      case ArgKind::scalar:
        value.kind = FL_SCALAR;
        step.kind = ArgStep::Kind::scalar;
        return;
      case ArgKind::integer:
        value.kind = FL_INT;
        value.v.i = v.toInt();
        return;
      case ArgKind::boolean:
        value.kind = FL_BOOLEAN;
        value.v.i = v.toBool();
        return;
      case ArgKind::floating:
        value.kind = FL_DOUBLE;
        step.kind = ArgStep::Kind::floating;
        return;
      case ArgKind::complex:
        value.kind = FL_COMPLEX;
        step.kind = ArgStep::Kind::complex;
        return;
      case ArgKind::dtype:
        value.kind = FL_DTYPE;
        value.v.dtype = to_fl(static_cast<at::ScalarType>(v.toInt()));
        return;
      case ArgKind::layout:
        value.kind = FL_LAYOUT;
        value.v.e = static_cast<int32_t>(v.toInt());
        return;
      case ArgKind::memory_format:
        value.kind = FL_MEMORY_FORMAT;
        value.v.e = static_cast<int32_t>(v.toInt());
        return;
      case ArgKind::string:
        plan_.strings.push_back(v.toStringRef());
        value.kind = FL_STRING;
        value.v.s = plan_.strings.back().c_str();
        return;
      case ArgKind::generator:
        value.kind = FL_GENERATOR;
        step.kind = ArgStep::Kind::generator;
        return;
      case ArgKind::device:
        value.kind = FL_DEVICE;
        value.v.device = {FL_DEVICE_TYPE, plan_.device};
        return;
      case ArgKind::int_list:
        if (v.isInt()) {
          keep_list(std::vector<int64_t>{v.toInt()}, FL_INT_LIST, value);
        } else {
          const auto items = v.toDimVector();
          keep_list(std::vector<int64_t>(items.begin(), items.end()), FL_INT_LIST, value);
        }
        return;
      case ArgKind::bool_list: {
        std::vector<uint8_t> items;
        for (const bool b : v.toBoolList()) items.push_back(b);
        keep_list(items, FL_BOOL_LIST, value);
        return;
      }
      case ArgKind::double_list:
        value.kind = FL_DOUBLE_LIST;
        step.kind = ArgStep::Kind::double_list;
        return;
      case ArgKind::scalar_list:
        value.kind = FL_SCALAR_LIST;
        step.kind = ArgStep::Kind::scalar_list;
        return;
      default:
        refuse("an argument has a kind that vendor.h does not know");
    }
  }

  OpEntry& entry_;
  const RowBinding& binding_;
  const fl_row& row_;
  const Stack& stack_;
  Plan& plan_;
  c10::ArrayRef<IValue> args_;
  at::ScalarType compute_ = at::ScalarType::Undefined;
  bool widen_ = false;  // compute in float32 what is of half precision
};

}  // namespace

Plan::~Plan() {
  if (prepared.load() && binding != nullptr && binding->row->release != nullptr && state != nullptr) binding->row->release(state);
}

std::shared_ptr<Plan> make_plan(OpEntry& entry, const OpRoutes& routes, const Stack& stack, size_t skip, const std::string& demotion) {
  const c10::ArrayRef<IValue> args(stack.data() + (stack.size() - entry.args.size()), entry.args.size());
  std::string_view source;
  const std::vector<Lane> lanes = candidates(entry, routes, args, source);
  std::vector<LaneVerdict> verdicts;
  verdicts.reserve(lanes.size());
  std::string reason = demotion;
  for (size_t i = 0; i < lanes.size(); i++) {
    const Lane lane = lanes[i];
    if (i < skip) {
      verdicts.push_back({lane, false, demotion});
      continue;
    }
    auto plan = std::make_shared<Plan>();
    plan->lane = lane;
    plan->source = source;
    if (lane == Lane::vendor) {
      try {
        VendorPlanner(entry, stack, *plan).make();
      } catch (const Refused& refused) {
        verdicts.push_back({lane, false, refused.why});
        reason = lane_name(lane) + ": " + refused.why;
        continue;
      }
    }
    verdicts.push_back({lane, true, i == 0 ? "routed here" : "next in the lane order"});
    for (size_t k = i + 1; k < lanes.size(); k++) verdicts.push_back({lanes[k], false, "not needed"});
    plan->verdicts = std::move(verdicts);
    plan->reason = i == 0 ? "" : reason;
    return plan;
  }
  std::string text;
  for (const LaneVerdict& v : verdicts) text += "\n  " + lane_name(v.lane) + ": " + v.reason;
  C10_THROW_ERROR(NotImplementedError, c10::str("torch_fl: no lane of flagos serves ", entry.name,
                                                text.empty() ? ": it has no kernel in any lane" : text));
}

}  // namespace torch_fl
