// Making plans: which lane, which output layout, which conversions.
#include <ATen/Context.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/grad_mode.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TypeProperties.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarType.h>

#include <algorithm>

#include "dispatch/checks.h"
#include "dispatch/convert.h"
#include "dispatch/lanes.h"
#include "dispatch/op_facts.h"
#include "dispatch/package_lane.h"
#include "dispatch/tensors.h"
#include "replay/replay.h"

namespace torch_fl {
namespace {

using c10::IValue;

std::string names_of(uint64_t mask) {
  std::string names;
  for (int id = 0; id <= FL_F8_E5M2FNUZ; id++) {
    if ((mask & FL_MASK(id)) == 0) continue;
    static const char* const text[] = {
        "bool",      "uint8",      "int8",          "int16",           "int32",       "int64",          "uint16",
        "uint32",    "uint64",     "float16",       "bfloat16",        "float32",     "float64",        "complex32",
        "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"};
    names += (names.empty() ? "" : ", ") + std::string(text[id]);
  }
  return names;
}

// Makes the vendor part of a plan. What can refuse the call returns false, and has said why: a throw would cost more
// than the plan.
class VendorPlanner {
 public:
  VendorPlanner(OpEntry& entry, const Stack& stack, Plan& plan)
      : entry_(entry),
        binding_(entry.binding),
        row_(*entry.binding.row),
        stack_(stack),
        plan_(plan),
        args_(stack.data() + (stack.size() - entry.args.size()), entry.args.size()) {}

  bool make() {
    check_devices(entry_, args_);
    check_values(entry_, args_);
    plan_.binding = &binding_;
    plan_.device = device_of_call(args_);
    if (!flags()) return false;
    for (const int16_t i : binding_.unmapped)
      if (!has_default(i)) return false;
    plan_.places_masks = has_masks(args_);
    if (plan_.places_masks)
      return !entry_.has(Lane::boxing) || refuse("its indices are masks: the result's shape depends on data");
    const Layouts layout = layouts(entry_, stack_, why_);
    if (!why_.empty()) return false;
    compute_ = compute_dtype();
    widen_ = flag(FL_ROW_WIDEN_HALF) || stages_inexact_number();
    if (!outputs(layout)) return false;
    if (plan_.skip) return true;
    for (size_t i = 0; i < binding_.source.size(); i++)
      if (!argument(i)) return false;
    return true;
  }

  std::string why() && { return std::move(why_); }

 private:
  bool flag(uint64_t f) const { return (row_.flags & f) != 0; }

  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool flags() {
    if (at::globalContext().deterministicAlgorithms()) {
      if (flag(FL_ROW_NONDETERMINISTIC))
        return refuse("it is not deterministic, and deterministic algorithms are asked for");
      plan_.call_flags |= FL_CALL_DETERMINISTIC;
    }
    if (binding_.spelling == FL_INPLACE) plan_.call_flags |= FL_CALL_IN_PLACE;
    return true;
  }

  bool has_default(int16_t i) {
    const c10::Argument& argument = entry_.handle.schema().arguments()[i];
    return (argument.default_value().has_value() && *argument.default_value() == args_[i]) ||
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
    if (!entry_.exact_numbers || (compute_ != at::kHalf && compute_ != at::kBFloat16)) return false;
    for (const IValue& v : args_)
      if (v.isTensor() && v.toTensor().defined() && v.toTensor().device().type() != kFlagos &&
          v.toTensor().dim() == 0 && !holds(compute_, v.toTensor()))
        return true;
    return false;
  }

  // ---- outputs

  bool outputs(const Layouts& layout) {
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
        step.elements.resize(count);
        for (size_t k = 0; k < count; k++) {
          OutStep& element = step.elements[k];
          if (next >= layout.size()) return refuse("its layout rule gives fewer outputs than its row");
          if (!output(o, layout[next++], source >= 0 ? given[k] : at::Tensor(), element)) return false;
          element.source = source;
          any_element |= has_elements(element);
        }
        fl_value v{};
        v.kind = FL_TENSOR_LIST;
        plan_.out_templates.push_back(v);
        plan_.tensor_lists.emplace_back();
        for (const OutStep& e : step.elements) plan_.tensor_lists.back().push_back(output_template(e));
      } else {
        if (next >= layout.size()) return refuse("its layout rule gives fewer outputs than its row");
        if (!output(o, layout[next++], source >= 0 ? args_[source].toTensor() : at::Tensor(), step)) return false;
        step.source = source;
        any_element |= has_elements(step);
        fl_value v{};
        v.kind = step.dtype == at::ScalarType::Undefined ? FL_NONE : FL_TENSOR;
        if (v.kind == FL_TENSOR) v.v.tensor = output_template(step);
        plan_.out_templates.push_back(v);
      }
      plan_.outs.push_back(std::move(step));
    }
    plan_.skip = !any_element && !flag(FL_ROW_DYNAMIC_OUTPUT);
    for (const OutStep& step : plan_.outs) {
      plan_.simple &= !step.staged && !step.resize && !step.list;
      for (const OutStep& e : step.elements) plan_.simple &= !e.staged;
    }
    return true;
  }

  bool is_list_output(size_t o) const {
    const auto& returns = entry_.handle.schema().returns();
    return o < returns.size() && returns[o].type()->kind() == c10::TypeKind::ListType;
  }

  static bool has_elements(const OutStep& step) {
    return step.dtype != at::ScalarType::Undefined &&
           std::find(step.sizes.begin(), step.sizes.end(), 0) == step.sizes.end();
  }

  bool output(size_t o, const OutputLayout& layout, const at::Tensor& given, OutStep& step) {
    if (layout.dtype == at::ScalarType::Undefined) return true;
    const uint64_t mask = row_.out_dtypes[o];
    const bool structured = row_.layout == nullptr && binding_.spelling != FL_INPLACE;
    step.dtype = layout.dtype;
    c10::IntArrayRef sizes = layout.geometry.sizes, strides = layout.geometry.strides;
    if (given.defined()) {
      if (binding_.spelling == FL_OUT) {
        if (given.sizes() != sizes) step.resize = true;
        if (!structured && given.scalar_type() != layout.dtype) return refuse("out= has another dtype than the result");
        step.dtype = given.scalar_type();
      }
      if (binding_.spelling == FL_OUT && (entry_.meta == nullptr || kernel_checks_overlap(entry_.name)))
        refuse_overlap(given);
      if (at::has_internal_overlap(given) == at::MemOverlap::Yes) return refuse("the written tensor overlaps itself");
      if (!step.resize) {
        sizes = given.sizes();
        strides = given.strides();
      }
      step.staged = must_stage(o, given);
    }
    step.sizes = plan_.numbers.keep(sizes);
    step.strides = plan_.numbers.keep(strides);
    // What the kernel writes: the compute dtype where results follow it, else what the op says.
    at::ScalarType writes = step.dtype;
    if (given.defined() && mask == FL_MASK(FL_BOOL))
      writes = at::kBool;
    else if (given.defined() && compute_ != at::ScalarType::Undefined && (mask & mask_of(compute_)) != 0)
      writes = compute_;
    writes = kernel_dtype(writes);
    step.kernel_dtype = writes;
    if (writes != step.dtype) step.staged = true;
    if ((mask & mask_of(writes)) == 0)
      return refuse(c10::str("output ", o, " is ", c10::toString(writes), "; the kernel writes ", names_of(mask)));
    if (!rank(sizes.size())) return false;
    if ((flag(FL_ROW_CONTIGUOUS) || flag(FL_ROW_DENSE)) && !contiguous(sizes, strides)) step.staged = true;
    step.kernel_strides = step.strides;
    if (step.staged) {
      int64_t* own = plan_.numbers.make(sizes.size());
      fill_contiguous(sizes, own);
      step.kernel_strides = {own, sizes.size()};
    }
    return true;
  }

  // PyTorch's kernels refuse an out= that overlaps an argument in part, where no meta function has done so.
  void refuse_overlap(const at::Tensor& given) const {
    for (size_t i = 0; i < args_.size(); i++) {
      if (entry_.args[i].is_out) continue;
      each_tensor(args_[i], [&](const at::Tensor& t) {
        if (t.device().type() == kFlagos) at::assert_no_partial_overlap(given, t);
      });
    }
  }

  static bool contiguous(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
    int64_t step = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] != 1 && strides[d] != step) return false;
      step *= std::max<int64_t>(sizes[d], 1);
    }
    return true;
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

  bool rank(size_t ndim) {
    return row_.max_rank < 0 || ndim <= static_cast<size_t>(row_.max_rank) ||
           refuse(c10::str("rank ", ndim, " is above ", row_.max_rank));
  }

  fl_tensor tensor_template(const Geometry& g, at::ScalarType dtype) {
    return template_over(plan_.numbers.keep(g.sizes), plan_.numbers.keep(g.strides), dtype);
  }

  fl_tensor output_template(const OutStep& step) {
    return template_over(step.sizes, step.kernel_strides, step.kernel_dtype);
  }

  // `sizes` and `strides` are of the plan's numbers.
  fl_tensor template_over(c10::IntArrayRef sizes, c10::IntArrayRef strides, at::ScalarType dtype) {
    fl_tensor t{};
    t.device = {FL_DEVICE_TYPE, plan_.device};
    t.ndim = static_cast<int32_t>(sizes.size());
    t.dtype = to_fl(dtype);
    t.sizes = const_cast<int64_t*>(sizes.data());
    t.strides = const_cast<int64_t*>(strides.data());
    if (flag(FL_ROW_RANK0_AS_RANK1) && sizes.empty()) {
      t.ndim = 1;
      t.sizes = t.strides = plan_.numbers.make(1);
      *t.sizes = 1;
    }
    return t;
  }

  // ---- arguments

  bool argument(size_t i) {
    const int16_t source = binding_.source[i];
    ArgStep& step = plan_.args.emplace_back();
    step.source = source;
    fl_value& value = plan_.arg_templates.emplace_back();
    value = {};
    const IValue& v = args_[source];
    const ArgKind kind = binding_.kinds[i];
    if (entry_.args[source].written) value.flags |= FL_VALUE_WRITTEN;
    if (v.isNone()) {
      value.kind = FL_NONE;
    } else if (v.isTensor()) {
      if (!tensor(i, v.toTensor(), step, value)) return false;
      share(source, step, value);
      step.give_back = entry_.args[source].written && step.legalise.needed() && !is_output(source);
    } else if (v.isScalar() && (kind == ArgKind::tensor || (kind == ArgKind::scalar && flag(FL_ROW_STAGE_SCALARS)))) {
      if (!scalar_as_tensor(i, v.toScalar(), step, value)) return false;
    } else if (v.isTensorList() || v.isOptionalTensorList()) {
      if (!list(i, v, step, value)) return false;
    } else if (!plain(kind, v, entry_.handle.schema().arguments()[source], step, value)) {
      return false;
    }
    plan_.simple &= !step.legalise.needed() && step.shared < 0 && step.kind != ArgStep::Kind::tensor_list;
    return true;
  }

  // In place, the written argument and the output are one tensor. Where the kernel gets a temporary for it they still
  // are, and it holds the argument: of an op that writes some elements, or none, the others stay what they are.
  void share(int16_t source, ArgStep& step, fl_value& value) {
    if (binding_.spelling != FL_INPLACE || flag(FL_ROW_NO_ALIAS) || value.kind != FL_TENSOR) return;
    for (size_t o = 0; o < plan_.outs.size(); o++) {
      OutStep& out = plan_.outs[o];
      if (out.source != source || out.list || !out.staged) continue;
      const fl_tensor& written = plan_.out_templates[o].v.tensor;
      const fl_dtype &read = value.v.tensor.dtype, &made = written.dtype;
      // A test gives bool, whatever it reads: it writes every element. So does what rounds its arguments.
      if (read.code != made.code || read.bits != made.bits || step.legalise.by != at::ScalarType::Undefined) continue;
      out.filled = true;
      step.shared = static_cast<int16_t>(o);
      step.legalise = {};
      value.v.tensor = written;
      return;
    }
  }

  bool is_output(int16_t source) const {
    return std::find(binding_.out_source.begin(), binding_.out_source.end(), source) != binding_.out_source.end();
  }

  at::ScalarType wanted_dtype(size_t i, at::ScalarType dtype) const {
    if (compute_ == at::ScalarType::Undefined || binding_.index_or_mask[i]) return kernel_dtype(dtype);
    return kernel_dtype(compute_);
  }

  // Where the row computes in float32 what PyTorch computes in half precision: the dtype that a tensor of another one
  // is rounded to before, as PyTorch does, or Undefined.
  at::ScalarType rounds_to(const at::Tensor& t, at::ScalarType wanted) const {
    const at::ScalarType from = t.scalar_type();
    if (compute_ == at::ScalarType::Undefined || wanted == compute_ || from == compute_)
      return at::ScalarType::Undefined;
    // Half precision holds all of these.
    if (from == at::kBool || from == at::kByte || from == at::kChar) return at::ScalarType::Undefined;
    // An op that takes numbers as they are computes in float32 for their sake.
    if (t.device().type() != kFlagos && !flag(FL_ROW_WIDEN_HALF)) return at::ScalarType::Undefined;
    return compute_;
  }

  // The dtype of a number among the call's tensors: theirs, or Undefined where that cannot hold its kind.
  at::ScalarType beside(const c10::Scalar& scalar) const {
    for (size_t k = 0; k < args_.size(); k++) {
      if (entry_.args[k].is_out || entry_.args[k].index_or_mask || !args_[k].isTensor() ||
          !args_[k].toTensor().defined())
        continue;
      const at::ScalarType dtype = args_[k].toTensor().scalar_type();
      return c10::canCast(scalar.type(), dtype) ? dtype : at::ScalarType::Undefined;
    }
    return scalar.type();
  }

  bool scalar_as_tensor(size_t i, const c10::Scalar& scalar, ArgStep& step, fl_value& value) {
    const at::ScalarType among = compute_ != at::ScalarType::Undefined ? compute_ : beside(scalar);
    if (among == at::ScalarType::Undefined)
      return refuse("a number among its arguments is of a wider kind than its tensors");
    const at::ScalarType dtype = wanted_dtype(i, among);
    step.legalise.stage = true;
    step.legalise.cast = dtype;
    step.kind = ArgStep::Kind::tensor;
    value.kind = FL_TENSOR;
    Geometry g;
    if (!expand_to_output(i, g)) return false;
    value.v.tensor = tensor_template(g, dtype);
    return true;
  }

  bool tensor(size_t i, const at::Tensor& t, ArgStep& step, fl_value& value) {
    if (!t.defined()) {
      value.kind = FL_NONE;
      return true;
    }
    if (t.layout() != at::kStrided) return refuse("an argument is not strided");
    // Only copy_ sees these bits; PyTorch has resolved them for every other op.
    if (t.is_conj() || t.is_neg()) return refuse("an argument is a lazy conjugate or negative");
    const bool host = t.device().type() != kFlagos;
    if (host && t.dim() != 0) return refuse(c10::str("argument ", binding_.names[i], " is on the host"));
    if (host && flag(FL_ROW_HOST_SCALARS) && !binding_.index_or_mask[i]) {
      value.kind = FL_SCALAR;
      step.kind = ArgStep::Kind::host_scalar;
      // The row computes in float32 what PyTorch computes in half precision, from a number of that precision.
      if (flag(FL_ROW_WIDEN_HALF) && (compute_ == at::kHalf || compute_ == at::kBFloat16))
        step.legalise.cast = compute_;
      return true;
    }
    Legalisation& l = step.legalise;
    step.kind = ArgStep::Kind::tensor;
    value.kind = FL_TENSOR;
    if (!host && t.numel() == 0) return refuse("an argument has no elements");
    at::ScalarType dtype;
    if (!legal_dtype(i, t, l, dtype)) return false;
    l.stage = host;
    Geometry g = geometry_of(t, !host && (l.cast != at::ScalarType::Undefined || l.narrow_index));
    if (flag(FL_ROW_DENSE) && !contiguous(g.sizes, g.strides)) {
      l.contiguous = l.own_sizes = true;
      make_contiguous(g);
    }
    if (!expand_to_output(i, g) || !rank(g.sizes.size())) return false;
    if (flag(FL_ROW_CONTIGUOUS) && !contiguous(g.sizes, g.strides)) {
      l.contiguous = true;
      make_contiguous(g);
    }
    value.v.tensor = tensor_template(g, dtype);
    return true;
  }

  bool legal_dtype(size_t i, const at::Tensor& t, Legalisation& l, at::ScalarType& dtype) {
    const uint64_t mask = row_.arg_dtypes[i];
    dtype = t.scalar_type();
    if (binding_.index_or_mask[i]) {
      if (flag(FL_ROW_INDEX_I32) && dtype == at::kLong && (mask & mask_of(at::kInt)) != 0) {
        if (indexed_size() >= (int64_t{1} << 31)) return refuse("the indexed size does not fit int32");
        l.narrow_index = true;
        dtype = at::kInt;
      }
    } else {
      const at::ScalarType wanted = wanted_dtype(i, dtype);
      l.by = rounds_to(t, wanted);
      if (wanted != dtype || l.by != at::ScalarType::Undefined) {
        l.cast = wanted;
        dtype = wanted;
      }
    }
    return (mask & mask_of(dtype)) != 0 || refuse(c10::str("argument ", binding_.names[i], " is ", c10::toString(dtype),
                                                           "; the kernel takes ", names_of(mask)));
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

  bool expand_to_output(size_t i, Geometry& g) {
    if (!expands(i)) return true;
    const c10::IntArrayRef target = plan_.outs[0].sizes;
    if (target == c10::IntArrayRef(g.sizes)) return true;
    if (g.sizes.size() > target.size()) return refuse("an argument has more dimensions than the output");
    const size_t lead = target.size() - g.sizes.size();
    Sizes strides(target.size(), 0);
    for (size_t d = 0; d < g.sizes.size(); d++) {
      if (g.sizes[d] != target[lead + d] && g.sizes[d] != 1)
        return refuse("an argument does not broadcast to the output");
      strides[lead + d] = g.sizes[d] == 1 && target[lead + d] != 1 ? 0 : g.strides[d];
    }
    g.sizes.assign(target.begin(), target.end());
    g.strides = std::move(strides);
    return true;
  }

  // Of a tensor, or of its converted copy, which is dense in the order of the original.
  static Geometry geometry_of(const at::Tensor& t, bool converted) {
    Geometry g{Sizes(t.sizes().begin(), t.sizes().end()), Sizes(t.strides().begin(), t.strides().end())};
    if (converted && !t.is_non_overlapping_and_dense()) {
      const auto strides = at::infer_dense_strides(t.sizes(), t.strides());
      g.strides.assign(strides.begin(), strides.end());
    }
    return g;
  }

  bool list(size_t i, const IValue& v, ArgStep& step, fl_value& value) {
    step.kind = ArgStep::Kind::tensor_list;
    value.kind = v.isTensorList() ? FL_TENSOR_LIST : FL_OPTIONAL_TENSOR_LIST;
    std::vector<at::Tensor> tensors;
    if (v.isTensorList()) {
      tensors = v.toTensorVector();
    } else {
      for (const auto& t : v.toOptionalTensorVector()) tensors.push_back(t.has_value() ? *t : at::Tensor());
    }
    std::vector<fl_tensor> templates;
    for (const at::Tensor& t : tensors) {
      Legalisation l;
      if (!t.defined()) {
        fl_tensor none{};
        none.ndim = -1;
        templates.push_back(none);
      } else {
        if (t.layout() != at::kStrided || t.device().type() != kFlagos)
          return refuse(c10::str("a tensor of ", binding_.names[i], " is not on the device"));
        at::ScalarType dtype;
        if (!legal_dtype(i, t, l, dtype)) return false;
        Geometry g = geometry_of(t, l.cast != at::ScalarType::Undefined || l.narrow_index);
        if (!rank(g.sizes.size())) return false;
        if ((flag(FL_ROW_CONTIGUOUS) || flag(FL_ROW_DENSE)) && !contiguous(g.sizes, g.strides)) {
          l.contiguous = true;
          make_contiguous(g);
        }
        templates.push_back(tensor_template(g, dtype));
      }
      step.elements.push_back(l);
    }
    plan_.tensor_lists.push_back(std::move(templates));
    value.v.list = {plan_.tensor_lists.back().data(), plan_.tensor_lists.back().size(), sizeof(fl_tensor)};
    return true;
  }

  template <class T>
  void keep_list(const std::vector<T>& items, uint32_t kind, fl_value& value) {
    plan_.bytes.emplace_back(items.size() * sizeof(T));
    if (!items.empty()) std::memcpy(plan_.bytes.back().data(), items.data(), items.size() * sizeof(T));
    value.kind = kind;
    value.v.list = {plan_.bytes.back().data(), items.size(), sizeof(T)};
  }

  // Of a list whose length the schema says (int[2]), one number stands for all.
  static std::vector<int64_t> numbers(const IValue& v, const c10::Argument& argument) {
    if (v.isInt()) return {v.toInt()};
    const auto given = v.toDimVector();
    if (given.size() == 1 && argument.N().has_value()) return std::vector<int64_t>(*argument.N(), given[0]);
    return std::vector<int64_t>(given.begin(), given.end());
  }

  bool plain(ArgKind kind, const IValue& v, const c10::Argument& argument, ArgStep& step, fl_value& value) {
    switch (kind) {
      case ArgKind::scalar:
        value.kind = FL_SCALAR;
        step.kind = ArgStep::Kind::scalar;
        return true;
      case ArgKind::integer:
        value.kind = FL_INT;
        value.v.i = v.toInt();
        return true;
      case ArgKind::boolean:
        value.kind = FL_BOOLEAN;
        value.v.i = v.toBool();
        return true;
      case ArgKind::floating:
        value.kind = FL_DOUBLE;
        step.kind = ArgStep::Kind::floating;
        return true;
      case ArgKind::complex:
        value.kind = FL_COMPLEX;
        step.kind = ArgStep::Kind::complex;
        return true;
      case ArgKind::dtype:
        value.kind = FL_DTYPE;
        value.v.dtype = to_fl(static_cast<at::ScalarType>(v.toInt()));
        return true;
      case ArgKind::layout:
        value.kind = FL_LAYOUT;
        value.v.e = static_cast<int32_t>(v.toInt());
        return true;
      case ArgKind::memory_format:
        value.kind = FL_MEMORY_FORMAT;
        value.v.e = static_cast<int32_t>(v.toInt());
        return true;
      case ArgKind::string:
        plan_.bytes.emplace_back(v.toStringRef().begin(), v.toStringRef().end());
        plan_.bytes.back().push_back(0);
        value.kind = FL_STRING;
        value.v.s = reinterpret_cast<const char*>(plan_.bytes.back().data());
        return true;
      case ArgKind::generator:
        value.kind = FL_GENERATOR;
        step.kind = ArgStep::Kind::generator;
        return true;
      case ArgKind::device:
        value.kind = FL_DEVICE;
        value.v.device = {FL_DEVICE_TYPE, plan_.device};
        return true;
      case ArgKind::int_list:
        keep_list(numbers(v, argument), FL_INT_LIST, value);
        return true;
      case ArgKind::bool_list: {
        std::vector<uint8_t> items;
        for (const bool b : v.toBoolList()) items.push_back(b);
        keep_list(items, FL_BOOL_LIST, value);
        return true;
      }
      case ArgKind::double_list:
        value.kind = FL_DOUBLE_LIST;
        step.kind = ArgStep::Kind::double_list;
        return true;
      case ArgKind::scalar_list:
        value.kind = FL_SCALAR_LIST;
        step.kind = ArgStep::Kind::scalar_list;
        return true;
      default:
        return refuse("an argument has a kind that vendor.h does not know");
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
  std::string why_;     // the row does not take this call
};

// Whether a call reads, writes or makes float64 or complex128. Numbers, and tensors on the host that stand for one,
// take the precision of the tensors beside them.
bool in_double(const OpEntry& entry, c10::ArrayRef<IValue> args, const Plan& plan) {
  const auto wide = [](at::ScalarType type) { return type == at::kDouble || type == at::kComplexDouble; };
  bool any = false, tensors = false;
  for (const OutputLayout& result : plan.expected) any |= wide(result.dtype);
  for (size_t i = 0; i < args.size(); i++) {
    any |=
        entry.args[i].kind == ArgKind::dtype && args[i].isInt() && wide(static_cast<at::ScalarType>(args[i].toInt()));
    each_tensor(args[i], [&](const at::Tensor& t) {
      tensors = true;
      any |= t.device().type() == kFlagos && wide(t.scalar_type());
    });
  }
  return any || (!tensors && c10::get_default_dtype_as_scalartype() == at::kDouble);  // a factory
}

// Why a package's function is not asked for a call; "" where it is.
std::string package_lacks(const OpEntry& entry, c10::ArrayRef<IValue> args, const Plan& plan) {
  // Triton hands a Python number to a kernel as float32, and most kernels convert to float32 what they load, too.
  if (plan.lane == Lane::flaggems && in_double(entry, args, plan)) return "its functions compute float64 in float32";
  if (std::string said = host_lacks_dtypes(entry, args); !said.empty()) return "PyTorch on the host: " + said;
  for (const auto& check : {mixes_dtypes, writes_complex})
    if (std::string why = check(entry, args); !why.empty()) return why;
  if (std::string why = overlaps(entry, args); !why.empty()) return why;
  const std::string said = host_refuses(entry, args);
  return said.empty() ? "" : "PyTorch on the host: " + said;
}

}  // namespace

Plan::~Plan() {
  if (prepared.load() && binding != nullptr && binding->row->release != nullptr && state != nullptr)
    binding->row->release(state);
}

std::shared_ptr<Plan> make_plan(OpEntry& entry, const OpRoutes& routes, const Stack& stack,
                                std::vector<LaneVerdict> refused) {
  const c10::ArrayRef<IValue> args(stack.data() + (stack.size() - entry.args.size()), entry.args.size());
  const Candidates may = candidates(entry, routes, args);
  while (refused.size() < may.lanes.size()) {
    auto plan = std::make_shared<Plan>();
    plan->lane = may.lanes[refused.size()];
    plan->source = may.source;
    if (plan->lane == Lane::vendor) {
      VendorPlanner planner(entry, stack, *plan);
      if (!planner.make()) {
        refused.push_back({Lane::vendor, false, std::move(planner).why()});
        continue;
      }
      if (plan->skip) check_as_host(entry, args);
    } else if (from_package(plan->lane)) {
      // What PyTorch refuses is refused before the package's function is asked.
      check_devices(entry, args);
      check_values(entry, args);
      plan->expected = package_layouts(entry, stack);  // throws for a call that PyTorch refuses
      if (std::string why = package_lacks(entry, args, *plan); !why.empty()) {
        refused.push_back({plan->lane, false, std::move(why)});
        continue;
      }
      plan->replays = std::make_unique<Replays>(plan->lane);
    }
    plan->refused = std::move(refused);
    return plan;
  }
  std::string text;
  for (const LaneVerdict& v : refused) text += "\n  " + lane_name(v.lane) + ": " + v.reason;
  C10_THROW_ERROR(NotImplementedError, c10::str("torch_fl: no lane of flagos serves ", entry.name,
                                                text.empty() ? ": it has no kernel in any lane" : text));
}

}  // namespace torch_fl
