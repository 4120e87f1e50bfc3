// Masks among the indices of index.Tensor, _index_put_impl_ and their like: a row takes positions, and only they tell how
// large a result is.
#include <ATen/native/IndexingUtils.h>
#include <ATen/ops/masked_fill.h>

#include "dispatch/lanes.h"

namespace torch_fl {
namespace {

bool is_mask(const std::optional<at::Tensor>& t) {
  return t.has_value() && t->defined() && (t->scalar_type() == at::kBool || t->scalar_type() == at::kByte);
}

// The one bool mask of `indices`, with a dimension for each of `self` from its first on; undefined where there are others.
at::Tensor only_mask(const at::Tensor& self, const c10::List<std::optional<at::Tensor>>& indices) {
  at::Tensor mask;
  int64_t first = 0;
  for (size_t k = 0; k < indices.size(); k++) {
    const std::optional<at::Tensor> t = indices.get(k);
    if (!t.has_value() || !t->defined()) {
      first += !mask.defined();
      continue;
    }
    if (mask.defined() || t->scalar_type() != at::kBool || t->device() != self.device()) return {};
    mask = *t;
  }
  if (!mask.defined() || self.dim() < first + mask.dim() || self.sizes().slice(static_cast<size_t>(first), static_cast<size_t>(mask.dim())) != mask.sizes())
    return {};
  at::DimVector sizes(mask.sizes().begin(), mask.sizes().end());
  sizes.resize(static_cast<size_t>(self.dim() - first), 1);
  return mask.reshape(sizes);
}

}  // namespace

bool has_masks(c10::ArrayRef<c10::IValue> args) {
  for (const c10::IValue& v : args) {
    if (!v.isOptionalTensorList()) continue;
    const auto list = v.toOptionalTensorList();
    for (size_t k = 0; k < list.size(); k++)
      if (is_mask(list.get(k))) return true;
  }
  return false;
}

bool place_masks(const OpEntry& entry, Stack* stack) {
  const size_t base = stack->size() - entry.args.size();
  at::Tensor self = (*stack)[base].toTensor();
  const auto indices = (*stack)[base + 1].toOptionalTensorList();
  // One number everywhere needs no positions, which the host would have to wait for.
  if (entry.name == "_index_put_impl_" && !(*stack)[base + 3].toBool()) {
    const at::Tensor value = (*stack)[base + 2].toTensor();
    const at::Tensor mask = value.numel() == 1 && value.scalar_type() == self.scalar_type() ? only_mask(self, indices) : at::Tensor();
    if (mask.defined()) {
      self.masked_fill_(mask, value.reshape({}));
      torch::jit::drop(*stack, entry.args.size());
      stack->push_back(std::move(self));
      return false;
    }
  }
  (*stack)[base + 1] = at::native::toListOfOptionalTensors(at::native::expandTensors(self, indices));
  return true;
}

}  // namespace torch_fl
