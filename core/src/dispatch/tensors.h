// The tensors among boxed arguments: alone, in lists, in lists that leave some out.
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <optional>
#include <utility>

namespace torch_fl {

// `see` gets every defined tensor of an argument.
template <class See>
void each_tensor(const c10::IValue& v, const See& see) {
  const auto look = [&](const c10::IValue& one) {
    if (one.isTensor() && one.toTensor().defined()) see(one.toTensor());
  };
  if (v.isTensorList() || v.isOptionalTensorList()) {
    for (const c10::IValue& one : v.toListRef()) look(one);
  } else {
    look(v);
  }
}

// The argument with `other(t)` in the place of each of its tensors t, undefined ones included.
template <class Other>
c10::IValue with_tensors(c10::IValue&& v, const Other& other) {
  if (v.isTensor()) return other(std::move(v).toTensor());
  if (v.isTensorList()) {
    const auto list = v.toTensorList();
    c10::List<at::Tensor> others;
    others.reserve(list.size());
    for (size_t k = 0; k < list.size(); k++) others.push_back(other(list.get(k)));
    return others;
  }
  if (v.isOptionalTensorList()) {
    const auto list = v.toOptionalTensorList();
    c10::List<std::optional<at::Tensor>> others;
    others.reserve(list.size());
    for (size_t k = 0; k < list.size(); k++) {
      const std::optional<at::Tensor> t = list.get(k);
      others.push_back(t.has_value() ? std::optional<at::Tensor>(other(*t)) : t);
    }
    return others;
  }
  return std::move(v);
}

}  // namespace torch_fl
