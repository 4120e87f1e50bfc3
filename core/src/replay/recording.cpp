#include "replay/recording.h"

#include <algorithm>
#include <utility>

#include "aten/alias.h"
#include "dispatch/lanes.h"
#include "replay/inner_op.h"
#include "replay/replay.h"

namespace torch_fl {

constinit FL_TLS Recording* t_recording = nullptr;

Tensors tensors_of(c10::ArrayRef<c10::IValue> args) {
  Tensors tensors;
  for (const c10::IValue& v : args)
    each_tensor(v, [&](const at::Tensor& t) {
      if (t.device().type() == kFlagos) tensors.push_back(t.unsafeGetTensorImpl());
    });
  return tensors;
}

Recording::Recording(Tensors inputs) : inputs(std::move(inputs)), work(t_work), reads(t_reads), outer(t_recording) {
  t_recording = this;
  outer_allocations = std::exchange(t_allocations, &allocations);
}

Recording::~Recording() {
  t_recording = outer;
  t_allocations = outer_allocations;
}

bool recording() noexcept { return t_recording != nullptr; }

void record_launch(LaunchRecord launch) {
  t_work++;
  if (Recording* r = t_recording) {
    r->explained++;
    r->launches.push_back({std::move(launch), r->allocations.size()});
  }
}

void refuse_recording(const std::string& why) {
  if (t_recording != nullptr) t_recording->refuse(why);
}

// ---- ops

namespace {

// Why an op that is called again may do something else; null where it does the same.
const char* may_differ(const OpEntry* entry, c10::ArrayRef<c10::IValue> args) {
  if (entry == nullptr) return nullptr;
  if (entry->random || entry->handle.hasTag(at::Tag::nondeterministic_seeded)) return "random numbers";
  if (entry->handle.hasTag(at::Tag::data_dependent_output)) return "a number that is read back";
  const bool indexed = entry->name == "index.Tensor" || entry->name == "_unsafe_index.Tensor";
  if (entry->handle.hasTag(at::Tag::dynamic_output_shape) && (!indexed || has_masks(args)))
    return "a result whose size depends on values";
  return nullptr;
}

class OpRecorder {
 public:
  OpRecorder(OpEntry* entry, size_t launches, size_t allocations) {
    made_.call.entry = entry;
    made_.call.before = static_cast<uint32_t>(launches);
    made_.allocations = allocations;
  }

  // False: an argument cannot be had again.
  bool take(c10::ArrayRef<c10::IValue> args) {
    for (const c10::IValue& v : args) {
      if (v.isGenerator() || v.isObject() || v.isStorage() || v.isStream()) return false;
      made_.call.arguments.push_back(with_tensors(c10::IValue(v), [&](const at::Tensor& t) { return take(t); }));
    }
    return fits_;
  }

  Recording::Op&& made() && { return std::move(made_); }

 private:
  at::Tensor take(const at::Tensor& t) {
    TensorTemplate& kept = made_.call.tensors.emplace_back();
    made_.addresses.push_back(nullptr);
    if (!t.defined()) return t;
    if (t.device().is_cpu()) {
      fits_ &= t.dim() == 0;
      return fits_ ? t.clone() : t;
    }
    fits_ &= t.device().type() == kFlagos && t.layout() == at::kStrided && !t.is_conj() && !t.is_neg() &&
             !t.is_quantized() && t.unsafeGetTensorImpl()->has_storage();
    if (!fits_) return {};
    kept.dtype = t.scalar_type();
    kept.sizes = t.sizes().vec();
    kept.strides = t.strides().vec();
    made_.addresses.back() = address(t);
    return {};
  }

  Recording::Op made_;
  bool fits_ = true;
};

}  // namespace

InnerOp::InnerOp(OpEntry* entry, c10::ArrayRef<c10::IValue> args)
    : entry_(entry),
      recording_(*t_recording),
      args_(args.begin(), args.end()),
      work_(t_work),
      explained_(recording_.explained),
      launches_(recording_.launches.size()),
      ops_(recording_.ops.size()),
      allocations_(recording_.allocations.size()) {}

void InnerOp::done(c10::ArrayRef<c10::IValue> results) {
  Recording& r = recording_;
  const uint64_t work = t_work - work_;
  if (work == r.explained - explained_ || !r.refused.empty()) return;
  const char* why = may_differ(entry_, args_);
  OpRecorder op(entry_, launches_, allocations_);
  if (why == nullptr && !op.take(args_)) why = "an argument that is not the device's";
  for (const c10::IValue& v : results)
    if (why == nullptr && (!v.isTensor() || !v.toTensor().defined())) why = "a result that is no tensor";
  if (why != nullptr) {
    r.refuse(
        c10::str("it does more than launch kernels (", entry_ != nullptr ? entry_->name : "copy_", ": ", why, ")"));
    return;
  }
  r.launches.resize(launches_);
  r.ops.resize(ops_);
  r.makers.erase(std::remove_if(r.makers.begin(), r.makers.end(), [&](const auto& m) { return m.op >= ops_; }),
                 r.makers.end());
  r.explained = explained_ + work;
  r.ops.push_back(std::move(op).made());
  for (size_t i = 0; i < results.size(); i++) {
    const at::Tensor& t = results[i].toTensor();
    r.ops.back().call.results.push_back(t.sizes().vec());
    bool known = t.numel() == 0 || !t.has_storage();
    for (const c10::IValue& v : args_)
      each_tensor(
          v, [&](const at::Tensor& arg) { known |= !known && arg.has_storage() && storage_of(arg) == storage_of(t); });
    if (known) continue;
    r.makers.push_back({r.allocations.size(), static_cast<uint16_t>(ops_), static_cast<uint8_t>(i)});
    r.allocations.push_back({storage_of(t)->data(), storage_of(t)->nbytes()});
  }
}

}  // namespace torch_fl
