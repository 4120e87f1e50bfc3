// What of a call enters its signature.
#include <ATen/Context.h>
#include <c10/core/DefaultDtype.h>

#include <functional>
#include <string_view>
#include <utility>

#include "dispatch/convert.h"
#include "dispatch/lanes.h"

namespace torch_fl {
namespace {

using c10::IValue;

enum Tag : uint64_t {
  kNone = 1,
  kTensor,
  kUndefined,
  kList,
  kInt,
  kDouble,
  kBool,
  kComplex,
  kString,
  kGenerator,
  kDevice,
  kOther
};

constexpr uint64_t tagged(Tag tag, uint64_t rest = 0) { return tag | (rest << 8); }

// Which earlier tensors of the call share the storage, and how: the same elements, others in memory that may overlap,
// or others apart from it.
struct Seen {
  c10::SmallVector<const at::TensorImpl*, 8> tensors;
  c10::SmallVector<uint64_t, 4> shared;  // of the tensor that was asked last: number of the earlier one, and how

  void relate(const at::TensorImpl* t) {
    shared.clear();
    if (!t->has_storage() || t->unsafe_storage().unsafeGetStorageImpl() == nullptr) return;
    for (size_t i = 0; i < tensors.size(); i++) {
      const at::TensorImpl* other = tensors[i];
      if (C10_LIKELY(other->unsafe_storage().unsafeGetStorageImpl() != t->unsafe_storage().unsafeGetStorageImpl()))
        continue;
      const bool same = other->storage_offset() == t->storage_offset() && other->sizes() == t->sizes() &&
                        other->strides() == t->strides();
      shared.push_back((i << 2) | (same ? 1 : apart(*other, *t) ? 2 : 3));
    }
    if (tensors.size() < 64) tensors.push_back(t);
  }

 private:
  // Bytes of the storage from the first element to behind the last.
  static std::pair<int64_t, int64_t> range(const at::TensorImpl& t) {
    int64_t last = t.storage_offset();
    for (int64_t d = 0; d < t.dim(); d++) last += (t.size(d) - 1) * t.stride(d);
    const auto item = static_cast<int64_t>(t.itemsize());
    return {t.storage_offset() * item, (last + 1) * item};
  }
  static bool apart(const at::TensorImpl& a, const at::TensorImpl& b) {
    if (a.numel() == 0 || b.numel() == 0) return true;
    const auto [a_begin, a_end] = range(a);
    const auto [b_begin, b_end] = range(b);
    return a_end <= b_begin || b_end <= a_begin;
  }
};

void sign_tensor(const OpEntry& entry, const at::Tensor& t, Signature& s, Seen& seen) {
  if (!t.defined()) {
    s.push(tagged(kUndefined));
    return;
  }
  const at::TensorImpl* impl = t.unsafeGetTensorImpl();
  const c10::IntArrayRef sizes = impl->sizes(), strides = impl->strides();
  const bool ours = impl->device_type() == kFlagos;
  uint64_t flags =
      (impl->is_wrapped_number() ? 1 : 0) | (ours ? 2 : 0) | (impl->is_conj() ? 4 : 0) | (impl->is_neg() ? 8 : 0);
  // A number is computed with as it is: a plan may depend on whether a tensor's half precision holds it.
  if (!ours && sizes.empty() && entry.exact_numbers)
    flags |= (holds(at::kHalf, t) ? 16 : 0) | (holds(at::kBFloat16, t) ? 32 : 0);
  size_t shared = 0;
  if (ours) {
    seen.relate(impl);
    shared = seen.shared.size();
  }
  s.push(tagged(kTensor, static_cast<uint64_t>(c10::typeMetaToScalarType(impl->dtype())) | (sizes.size() << 8) |
                             (flags << 16) | (static_cast<uint64_t>(ours ? impl->device().index() : 0xff) << 24) |
                             (static_cast<uint64_t>(shared) << 32) | (static_cast<uint64_t>(impl->layout()) << 48)));
  for (size_t k = 0; k < shared; k++) s.push(seen.shared[k]);
  for (size_t d = 0; d < sizes.size(); d++) {
    s.push(static_cast<uint64_t>(sizes[d]));
    s.push(static_cast<uint64_t>(strides[d]));
  }
}

void sign_scalar(const IValue& v, bool by_value, Signature& s) {
  if (v.isDouble()) {
    const double d = v.toDouble();
    s.push(tagged(kDouble));
    if (by_value) {
      uint64_t bits;
      std::memcpy(&bits, &d, sizeof bits);
      s.push(bits);
    }
  } else if (v.isInt()) {
    s.push(tagged(kInt));
    if (by_value) s.push(static_cast<uint64_t>(v.toInt()));
  } else if (v.isBool()) {
    s.push(tagged(kBool));
    if (by_value) s.push(v.toBool());
  } else {
    s.push(tagged(v.isComplexDouble() ? kComplex : kOther));
    if (by_value && v.isComplexDouble()) {
      const auto c = v.toComplexDouble();
      uint64_t bits[2];
      std::memcpy(bits, &c, sizeof bits);
      s.push(bits[0]);
      s.push(bits[1]);
    }
  }
}

}  // namespace

void sign(const OpEntry& entry, c10::ArrayRef<IValue> args, Signature& s) {
  Seen seen;
  // A row that prepares may bake numbers into its state.
  const bool values = entry.value_args || (entry.binding.row != nullptr && entry.binding.row->prepare != nullptr);
  const at::Context& context = at::globalContext();
  s.push(static_cast<uint64_t>(c10::get_default_dtype_as_scalartype()) |
         (context.deterministicAlgorithms() ? 1u << 8 : 0));
  for (size_t i = 0; i < args.size(); i++) {
    const IValue& v = args[i];
    if (v.isTensor()) {
      sign_tensor(entry, v.toTensor(), s, seen);
      continue;
    }
    switch (entry.args[i].kind) {
      case ArgKind::scalar:
      case ArgKind::floating:
      case ArgKind::complex:
        if (v.isNone())
          s.push(tagged(kNone));
        else
          sign_scalar(v, values, s);
        continue;
      default:
        break;
    }
    if (v.isNone()) {
      s.push(tagged(kNone));
    } else if (v.isInt()) {
      s.push(tagged(kInt));
      s.push(static_cast<uint64_t>(v.toInt()));
    } else if (v.isBool()) {
      s.push(tagged(kBool, v.toBool()));
    } else if (v.isIntList()) {
      const auto list = v.toDimVector();
      s.push(tagged(kList, list.size()));
      for (const int64_t x : list) s.push(static_cast<uint64_t>(x));
    } else if (v.isTensorList()) {
      const auto list = v.toTensorList();
      s.push(tagged(kList, list.size()));
      for (size_t k = 0; k < list.size(); k++) sign_tensor(entry, list.get(k), s, seen);
    } else if (v.isOptionalTensorList()) {
      const auto list = v.toOptionalTensorList();
      s.push(tagged(kList, list.size()));
      for (size_t k = 0; k < list.size(); k++) {
        const std::optional<at::Tensor> t = list.get(k);
        sign_tensor(entry, t.has_value() ? *t : at::Tensor(), s, seen);
      }
    } else if (v.isBoolList()) {
      const auto list = v.toBoolList();
      uint64_t bits = 1;
      for (size_t k = 0; k < list.size(); k++) bits = (bits << 1) | (list[k] ? 1 : 0);
      s.push(tagged(kList, list.size()));
      s.push(bits);
    } else if (v.isDoubleList()) {
      const auto list = v.toDoubleList();
      s.push(tagged(kList, list.size()));
      if (values)
        for (size_t k = 0; k < list.size(); k++) sign_scalar(IValue(list.get(k)), true, s);
    } else if (v.isList()) {  // Scalar[], str[]
      const auto list = v.toListRef();
      s.push(tagged(kList, list.size()));
      for (const IValue& x : list) {
        if (x.isString())
          s.push(tagged(kString, std::hash<std::string_view>()(x.toStringView())));
        else
          sign_scalar(x, values, s);
      }
    } else if (v.isString()) {
      s.push(tagged(kString, std::hash<std::string_view>()(v.toStringView())));
    } else if (v.isGenerator()) {
      s.push(tagged(kGenerator, static_cast<uint64_t>(v.toGenerator().device().index() + 1)));
    } else if (v.isDevice()) {
      s.push(tagged(kDevice, static_cast<uint64_t>(v.toDevice().type()) |
                                 (static_cast<uint64_t>(v.toDevice().index() + 1) << 8)));
    } else {
      s.push(tagged(kOther));
    }
  }
}

}  // namespace torch_fl
