// The vendor's own kernels: the plan's templates get this call's pointers and numbers, and the row runs.
#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clamp.h>
#include <c10/core/CachingDeviceAllocator.h>

#include "aten/make.h"
#include "dispatch/checks.h"
#include "dispatch/convert.h"
#include "dispatch/fences.h"
#include "dispatch/lanes.h"

namespace torch_fl {
namespace {

using c10::IValue;

void point(fl_tensor& slot, const at::Tensor& t, bool written) {
  const at::TensorImpl* impl = t.unsafeGetTensorImpl();
  at::StorageImpl* storage = impl->unsafe_storage().unsafeGetStorageImpl();
  char* base = static_cast<char*>(written ? storage->mutable_data() : const_cast<void*>(storage->data()));
  slot.storage_base = base;
  slot.storage_bytes = storage->nbytes();
  slot.data = base + static_cast<size_t>(impl->storage_offset()) * impl->itemsize();
}

// What a run must keep alive, and what it gives back.
struct Run {
  OpEntry& entry;
  Plan& plan;
  c10::ArrayRef<IValue> args;
  c10::SmallVector<at::Tensor, 4> results;  // per output: the caller's tensor or a new one
  c10::SmallVector<at::Tensor, 4> temporaries;
  c10::SmallVector<std::pair<at::Tensor, at::Tensor>, 2> copy_back;  // (result, what the kernel wrote)
  std::vector<std::vector<at::Tensor>> lists;                        // results of list outputs
  c10::SmallVector<std::vector<fl_tensor>, 2> tensor_lists;
  c10::SmallVector<std::vector<fl_scalar>, 1> scalar_lists;
  c10::SmallVector<std::vector<double>, 1> double_lists;
};

at::Tensor stage(const at::Tensor& host, const Legalisation& l, int32_t device) {
  at::Tensor t = make_empty({}, l.cast == at::ScalarType::Undefined ? host.scalar_type() : l.cast, device);
  copy_into(t, l.by == at::ScalarType::Undefined ? host : host.to(l.by), false);
  return t;
}

// A copy in another dtype, dense in the order of the original.
at::Tensor converted(const at::Tensor& t, const at::Tensor& from, at::ScalarType dtype, int32_t device) {
  at::Tensor made = t.is_non_overlapping_and_dense()
                        ? make_strided(t.sizes(), t.strides(), dtype, device)
                        : make_strided(t.sizes(), at::infer_dense_strides(t.sizes(), t.strides()), dtype, device);
  copy_into(made, from, false);
  return made;
}

// The legalised tensor; `slot` has the geometry that the kernel sees.
at::Tensor legalise(const at::Tensor& t, const Legalisation& l, const fl_tensor& slot, int32_t device) {
  at::Tensor result = t;
  if (l.stage) {
    result = stage(t, l, device);
  } else if (l.cast != at::ScalarType::Undefined) {
    const at::Tensor rounded = l.by == at::ScalarType::Undefined ? t : converted(t, t, l.by, device);
    result = converted(t, rounded, l.cast, device);
  } else if (l.narrow_index) {
    constexpr int64_t low = std::numeric_limits<int32_t>::min(), high = std::numeric_limits<int32_t>::max();
    result = converted(t, at::clamp(t, low, high), at::kInt, device);
  }
  if (l.contiguous) {
    at::Tensor whole = make_empty(l.own_sizes ? result.sizes() : c10::IntArrayRef(slot.sizes, slot.ndim),
                                  result.scalar_type(), device);
    copy_into(whole, result, false);
    result = whole;
  }
  return result;
}

fl_scalar host_number(const at::Tensor& host) {
  const bool wrapped = host.unsafeGetTensorImpl()->is_wrapped_number();
  switch (host.scalar_type()) {
    case at::kDouble: {
      fl_scalar s{FL_DOUBLE, wrapped, {}};
      s.v.d = *host.const_data_ptr<double>();
      return s;
    }
    case at::kLong: {
      fl_scalar s{FL_INT, wrapped, {}};
      s.v.i = *host.const_data_ptr<int64_t>();
      return s;
    }
    default:
      return to_fl(host.item(), wrapped);
  }
}

void round_number(fl_scalar& s, at::ScalarType half) {
  if (s.kind == FL_COMPLEX) return;
  s.v.d = rounded(static_cast<float>(s.kind == FL_DOUBLE ? s.v.d : static_cast<double>(s.v.i)), half);
  s.kind = FL_DOUBLE;
}

void fill_argument(Run& run, size_t i, fl_value& value, const fl_value* outs) {
  const ArgStep& step = run.plan.args[i];
  const IValue& v = run.args[step.source];
  switch (step.kind) {
    case ArgStep::Kind::constant:
      return;
    case ArgStep::Kind::tensor: {
      if (C10_UNLIKELY(step.shared >= 0)) {
        const uint32_t flags = value.flags;
        value = outs[step.shared];
        value.flags = flags;
        return;
      }
      if (C10_LIKELY(!step.legalise.needed())) {
        point(value.v.tensor, v.toTensor(), (value.flags & FL_VALUE_WRITTEN) != 0);
        return;
      }
      const at::Tensor given =
          v.isTensor() ? v.toTensor() : at::Tensor(at::detail::empty_cpu({}, step.legalise.cast)).fill_(v.toScalar());
      run.temporaries.push_back(legalise(given, step.legalise, value.v.tensor, run.plan.device));
      point(value.v.tensor, run.temporaries.back(), step.give_back);
      if (C10_UNLIKELY(step.give_back)) run.copy_back.emplace_back(given, run.temporaries.back());
      return;
    }
    case ArgStep::Kind::host_scalar:
      value.v.scalar = host_number(v.toTensor());
      if (C10_UNLIKELY(step.legalise.cast != at::ScalarType::Undefined))
        round_number(value.v.scalar, step.legalise.cast);
      return;
    case ArgStep::Kind::scalar:
      value.v.scalar = to_fl(v.toScalar(), false);
      return;
    case ArgStep::Kind::floating:
      value.v.d = v.isInt() ? static_cast<double>(v.toInt()) : v.toDouble();
      return;
    case ArgStep::Kind::complex: {
      const auto c = v.toComplexDouble();
      value.v.c[0] = c.real();
      value.v.c[1] = c.imag();
      return;
    }
    case ArgStep::Kind::generator:
      value.v.generator = {v.toGenerator().unsafeGetGeneratorImpl(), v.toGenerator().device().index()};
      return;
    case ArgStep::Kind::tensor_list: {
      const auto* templates = static_cast<const fl_tensor*>(value.v.list.data);
      run.tensor_lists.emplace_back(templates, templates + value.v.list.count);
      std::vector<fl_tensor>& list = run.tensor_lists.back();
      const auto element = [&](size_t k, const at::Tensor& t) {
        if (!t.defined()) return;
        if (step.elements[k].needed()) {
          run.temporaries.push_back(legalise(t, step.elements[k], list[k], run.plan.device));
          point(list[k], run.temporaries.back(), false);
        } else {
          point(list[k], t, (value.flags & FL_VALUE_WRITTEN) != 0);
        }
      };
      if (v.isTensorList()) {
        const auto tensors = v.toTensorList();
        for (size_t k = 0; k < list.size(); k++) element(k, tensors.get(k));
      } else {
        const auto tensors = v.toOptionalTensorList();
        for (size_t k = 0; k < list.size(); k++) {
          const std::optional<at::Tensor> t = tensors.get(k);
          element(k, t.has_value() ? *t : at::Tensor());
        }
      }
      value.v.list.data = list.data();
      return;
    }
    case ArgStep::Kind::scalar_list: {
      std::vector<fl_scalar> list;
      for (const IValue& x : v.toListRef()) list.push_back(to_fl(x.toScalar(), false));
      run.scalar_lists.push_back(std::move(list));
      value.v.list = {run.scalar_lists.back().data(), run.scalar_lists.back().size(), sizeof(fl_scalar)};
      return;
    }
    case ArgStep::Kind::double_list: {
      const auto given = v.toDoubleList();
      std::vector<double> list;
      for (size_t k = 0; k < given.size(); k++) list.push_back(given.get(k));
      run.double_lists.push_back(std::move(list));
      value.v.list = {run.double_lists.back().data(), run.double_lists.back().size(), sizeof(double)};
      return;
    }
  }
}

// One tensor output: the caller's or a new one, and a temporary where the kernel writes into one.
at::Tensor open_output(Run& run, const OutStep& step, const at::Tensor& given, fl_tensor& slot) {
  at::Tensor result = given;
  if (!result.defined())
    result = make_strided(step.sizes, step.strides, step.dtype, run.plan.device);
  else if (step.resize)
    resize_out(result, step.sizes, step.strides);
  if (C10_UNLIKELY(step.staged)) {
    at::Tensor temporary = make_strided(step.sizes, step.kernel_strides, step.kernel_dtype, run.plan.device);
    point(slot, temporary, true);
    if (step.filled) copy_into(temporary, result, false);
    run.copy_back.emplace_back(result, std::move(temporary));
  } else {
    point(slot, result, true);
  }
  return result;
}

void fill_output(Run& run, size_t o, fl_value& value) {
  const OutStep& step = run.plan.outs[o];
  if (C10_UNLIKELY(step.list)) {
    std::vector<at::Tensor> given;
    if (step.source >= 0) given = run.args[step.source].toTensorVector();
    // The templates of list outputs come first among the plan's lists, in the order of the outputs.
    run.tensor_lists.push_back(run.plan.tensor_lists[run.lists.size()]);
    std::vector<fl_tensor>& list = run.tensor_lists.back();
    std::vector<at::Tensor> results;
    for (size_t k = 0; k < list.size(); k++)
      results.push_back(open_output(run, step.elements[k], step.source >= 0 ? given[k] : at::Tensor(), list[k]));
    run.lists.push_back(std::move(results));
    value.v.list = {list.data(), list.size(), sizeof(fl_tensor)};
    return;
  }
  if (step.dtype == at::ScalarType::Undefined) {
    run.results.emplace_back();
    return;
  }
  run.results.push_back(
      open_output(run, step, step.source >= 0 ? run.args[step.source].toTensor() : at::Tensor(), value.v.tensor));
}

// alloc_output() of fl_core_api: only inside a DYNAMIC_OUTPUT row's run, on the thread that runs it.
fl_status alloc_output(const fl_call* call, int32_t slot, fl_dtype dtype, int32_t ndim, const int64_t* sizes,
                       fl_tensor* out) {
  auto* run = static_cast<Run*>(call->core);
  if (run == nullptr || slot < 0 || slot >= static_cast<int32_t>(run->results.size()) || out == nullptr)
    return FL_INVALID_VALUE;
  try {
    const OutStep& step = run->plan.outs[slot];
    const c10::IntArrayRef shape(sizes, static_cast<size_t>(ndim));
    const at::ScalarType type = from_fl(dtype);
    // A rule for the output says whether a matrix is laid out by columns; the sizes are the kernel's.
    const c10::IntArrayRef ruled = step.strides;
    const bool columns = ndim == 2 && ruled.size() == 2 && ruled[0] <= ruled[1];
    const auto make = [&] {
      return columns ? make_strided(shape, {1, std::max<int64_t>(shape[0], 1)}, type, run->plan.device)
                     : make_empty(shape, type, run->plan.device);
    };
    at::Tensor& result = run->results[slot];
    if (step.source < 0) {
      result = make();
      run->temporaries.push_back(result);
    } else {
      resize_out(result, shape, at::detail::defaultStrides(shape));
      if (result.scalar_type() == type && !step.staged) {
        run->temporaries.push_back(result);
      } else {
        run->temporaries.push_back(make());
        run->copy_back.emplace_back(result, run->temporaries.back());
      }
    }
    at::Tensor& written = run->temporaries.back();
    *out = fl_tensor{};
    out->device = {FL_DEVICE_TYPE, run->plan.device};
    out->ndim = ndim;
    out->dtype = dtype;
    out->sizes = const_cast<int64_t*>(written.sizes().data());
    out->strides = const_cast<int64_t*>(written.strides().data());
    point(*out, written, true);
    return FL_OK;
  } catch (const c10::OutOfMemoryError&) {
    return FL_OOM;
  } catch (const std::exception& e) {
    core_api().set_error(0, e.what());
    return FL_FAILED;
  }
}

const bool installed = [] {
  core_api().alloc_output = alloc_output;
  return true;
}();

fl_status prepare(Plan& plan, const fl_call& call) {
  if (plan.prepared.load(std::memory_order_acquire)) return FL_OK;
  std::lock_guard<std::mutex> lock(plan.prepare_mutex);
  if (plan.prepared.load(std::memory_order_relaxed)) return FL_OK;
  void* state = nullptr;
  const fl_status status = plan.binding->row->prepare(&call, &state);
  if (status == FL_OK) {
    plan.state = state;
    plan.prepared.store(true, std::memory_order_release);
  }
  return status;
}

}  // namespace

bool run_vendor(OpEntry& entry, Plan& plan, Stack* stack) {
  const size_t count = entry.args.size(), base = stack->size() - count;
  const fl_row& row = *plan.binding->row;
  Run run{entry, plan, c10::ArrayRef<IValue>(stack->data() + base, count), {}, {}, {}, {}, {}, {}, {}};
  if (C10_UNLIKELY(entry.value_args)) check_values(entry, run.args);

  constexpr size_t kInline = 12;
  fl_value inline_args[kInline], inline_outs[kInline];
  std::vector<fl_value> many;
  const size_t nargs = plan.arg_templates.size(), nouts = plan.out_templates.size();
  fl_value* args = inline_args;
  fl_value* outs = inline_outs;
  if (C10_UNLIKELY(nargs > kInline || nouts > kInline)) {
    many.resize(nargs + nouts);
    args = many.data();
    outs = many.data() + nargs;
  }
  if (nargs != 0) std::memcpy(args, plan.arg_templates.data(), nargs * sizeof(fl_value));
  if (nouts != 0) std::memcpy(outs, plan.out_templates.data(), nouts * sizeof(fl_value));
  run.tensor_lists.reserve(plan.tensor_lists.size());

  fl_status status = FL_OK;
  if (C10_UNLIKELY((row.flags & FL_ROW_DYNAMIC_OUTPUT) != 0)) {
    for (size_t o = 0; o < nouts; o++)
      run.results.push_back(plan.outs[o].source >= 0 ? run.args[plan.outs[o].source].toTensor() : at::Tensor());
  } else {
    for (size_t o = 0; o < nouts; o++) fill_output(run, o, outs[o]);
  }
  if (C10_LIKELY(!plan.skip)) {
    for (size_t i = 0; i < nargs; i++) fill_argument(run, i, args[i], outs);
    attach(plan.device);
    fl_call call;
    call.struct_size = sizeof(fl_call);
    call.row = &row;
    call.stream = current_stream_handle(plan.device);
    call.device = plan.device;
    call.flags = plan.call_flags;
    call.args = args;
    call.outs = outs;
    call.arg_count = static_cast<int32_t>(nargs);
    call.out_count = static_cast<int32_t>(nouts);
    call.value_size = sizeof(fl_value);
    call.core = &run;
    fence_before(Lane::vendor, plan.device, call.stream);
    for (int attempt = 0;; attempt++) {
      status = row.prepare != nullptr ? prepare(plan, call) : FL_OK;
      if (status == FL_OK) status = row.run(&call, plan.state);
      if (status != FL_OOM || attempt != 0) break;
      device_allocator()->emptyCache();
    }
    if (status == FL_UNSUPPORTED) return false;
    if (C10_UNLIKELY(status != FL_OK)) throw_status(status, c10::str(entry.name, "(device=", plan.device, ")"));
  }
  for (const auto& [result, written] : run.copy_back) copy_into(result, written, false);

  c10::SmallVector<IValue, 3> returned;
  if (!run.lists.empty()) {
    for (std::vector<at::Tensor>& list : run.lists) returned.emplace_back(std::move(list));
  } else {
    for (at::Tensor& t : run.results) returned.emplace_back(std::move(t));
  }
  torch::jit::drop(*stack, count);
  for (size_t i = 0; i < static_cast<size_t>(entry.returns) && i < returned.size(); i++)
    stack->push_back(std::move(returned[i]));
  return true;
}

}  // namespace torch_fl
