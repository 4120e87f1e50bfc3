#include "dispatch/typed.h"

#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/embedding_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/index_ops.h>
#include <ATen/ops/index_select_ops.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/where_ops.h>

#include <tuple>
#include <unordered_map>
#include <utility>

#include "aten/alias.h"
#include "dispatch/key_call.h"
#include "dispatch/lanes.h"
#include "dispatch/package_lane.h"
#include "dispatch/registry.h"
#include "replay/inner_op.h"

namespace torch_fl {
namespace {

// `see` gets every tensor of an argument, defined or not.
template <class See>
void each_tensor(const at::Tensor& t, const See& see) {
  see(t);
}
template <class See>
void each_tensor(const std::optional<at::Tensor>& t, const See& see) {
  if (t.has_value()) see(*t);
}
template <class See>
void each_tensor(const at::ITensorListRef& list, const See& see) {
  for (const at::Tensor& t : list) see(t);
}
template <class See>
void each_tensor(const c10::List<std::optional<at::Tensor>>& list, const See& see) {
  for (size_t k = 0; k < list.size(); k++) each_tensor(list.get(k), see);
}
template <class T, class See>
void each_tensor(const T&, const See&) {}

// Where a call runs, and how many tensors it has.
struct Where {
  int32_t device = -1;
  bool odd = false;  // the general path must look at it: a mistake, or an unusual tensor
  size_t tensors = 0;

  void see(const at::Tensor& t) {
    tensors++;
    if (!t.defined()) return;
    if (C10_LIKELY(t.device().type() == kFlagos)) {
      if (device < 0)
        device = t.device().index();
      else
        odd |= device != t.device().index();
      odd |= t.layout() != at::kStrided;
    } else {
      odd |= t.dim() != 0;
    }
  }
  bool usual() const { return device >= 0 && !odd; }
};

// The tensors of one typed call and what stands in for them: on the lane `boxing`, aliases over the same memory.
class Aliases {
 public:
  Aliases(const OpEntry&, const Where& where)
      : device_(where.device), type_(*loaded_vendor()->facts.boxing), open_(type_ == c10::DeviceType::CPU, device_) {
    slots_.reserve(where.tensors);  // references to aliases stay good
  }

  // What the operator allocates while it runs is the device's.
  using During = HostAllocationsOnDevice;

  static constexpr bool copies = false;
  void open() {}
  c10::DispatchKey key() const {
    return type_ == c10::DeviceType::CPU ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA;
  }

  at::Tensor& take(const at::Tensor& t, bool written) { return fill(slots_.emplace_back(), t, written); }
  // For a tensor that nobody else holds on to in the meantime.
  at::Tensor& take_copy(at::Tensor&& t) {
    Slot& slot = slots_.emplace_back();
    slot.held = std::move(t);
    return fill(slot, slot.held, false);
  }

  void finish() {}
  at::Tensor result(at::Tensor&& r) {
    if (C10_UNLIKELY(!r.defined())) return std::move(r);
    for (size_t i = 0; i < slots_.size(); i++) {
      if (slots_[i].alias.is_same(r)) return *slots_[i].original;
      if (slots_[i].alias.defined() && !slots_[i].shares && storage_of(slots_[i].alias) == storage_of(r))
        return wrap(slots_[i].original->storage(), r);
    }
    return adopt(std::move(r), device_);
  }

  void give_back_all() {
    // Those that share go first, so that the owners are sole owners again.
    for (size_t i = 0; i < slots_.size(); i++)
      if (slots_[i].shares) slots_[i].alias.reset();
    for (size_t i = 0; i < slots_.size(); i++)
      if (!slots_[i].shares) give_back(std::move(slots_[i].alias), *slots_[i].original);
  }

 private:
  struct Slot {
    const at::Tensor* original = nullptr;
    at::Tensor alias;
    at::Tensor held;
    bool shares = false;
  };

  at::Tensor& fill(Slot& slot, const at::Tensor& t, bool written) {
    slot.original = &t;
    if (!t.defined() || t.device().type() != kFlagos) {
      slot.alias = t;
      slot.shares = true;
      return slot.alias;
    }
    for (size_t i = 0; i + 1 < slots_.size(); i++)
      if (!slots_[i].shares && storage_of(*slots_[i].original) == storage_of(t)) {
        slot.shares = true;
        slot.alias = slots_[i].original->is_same(t) ? slots_[i].alias : make_alias_on(t, slots_[i].alias);
        return slot.alias;
      }
    slot.alias = borrow_alias(t, type_, written);
    return slot.alias;
  }

  int32_t device_;
  c10::DeviceType type_;
  OpenMemory open_;
  c10::SmallVector<Slot, 6> slots_;
};

// The same on the lane `none`: host copies.
class Copies {
 public:
  Copies(const OpEntry& entry, const Where& where) : call_(entry, c10::DeviceType::CPU, /*mirror=*/true, where.device) {
    taken_.reserve(where.tensors);
  }

  struct During {
    explicit During(int32_t) {}
  };

  static constexpr bool copies = true;
  void see(const at::Tensor& t) { call_.survey(t, /*whole=*/false); }
  void open() { call_.download(); }
  c10::DispatchKey key() const { return c10::DispatchKey::CPU; }

  at::Tensor& take(const at::Tensor& t, bool written) {
    if (t.defined() && !call_.is_ours(t)) call_.note_host(t);
    return taken_.emplace_back(call_.in(t, written));
  }
  at::Tensor& take_copy(at::Tensor&& t) { return take(t, false); }

  void finish() { call_.finish(); }
  at::Tensor result(at::Tensor&& r) { return call_.out(std::move(r)); }
  void give_back_all() {
    taken_.clear();
    call_.give_back_all();
  }

 private:
  KeyCall call_;
  c10::SmallVector<at::Tensor, 6> taken_;
};

template <class T>
const T& boxable(const T& value) {
  return value;
}
c10::List<at::Tensor> boxable(const at::ITensorListRef& list) {
  c10::List<at::Tensor> boxed;
  boxed.reserve(list.size());
  for (const at::Tensor& t : list) boxed.push_back(t);
  return boxed;
}

// The memory of a boxed call's arguments is used again.
class BoxedArguments {
 public:
  BoxedArguments() { stack.swap(spare()); }
  ~BoxedArguments() {
    stack.clear();
    stack.swap(spare());
  }
  BoxedArguments(const BoxedArguments&) = delete;
  BoxedArguments& operator=(const BoxedArguments&) = delete;
  Stack stack;

 private:
  static Stack& spare() {
    thread_local Stack mine;
    return mine;
  }
};

// One argument as the operator gets it.
template <class T>
struct Pass {
  template <class StandIns>
  static T&& of(StandIns&, T& value) {
    return std::forward<T>(value);
  }
};
template <>
struct Pass<const at::Tensor&> {
  template <class StandIns>
  static const at::Tensor& of(StandIns& s, const at::Tensor& t) {
    return s.take(t, false);
  }
};
template <>
struct Pass<at::Tensor&> {
  template <class StandIns>
  static at::Tensor& of(StandIns& s, at::Tensor& t) {
    return s.take(t, true);
  }
};
template <>
struct Pass<const std::optional<at::Tensor>&> {
  template <class StandIns>
  static std::optional<at::Tensor> of(StandIns& s, const std::optional<at::Tensor>& t) {
    return t.has_value() ? std::optional<at::Tensor>(s.take(*t, false)) : std::nullopt;
  }
};
template <>
struct Pass<const at::ITensorListRef&> {
  template <class StandIns>
  static c10::SmallVector<at::Tensor, 4> of(StandIns& s, const at::ITensorListRef& list) {
    c10::SmallVector<at::Tensor, 4> others;
    others.reserve(list.size());
    for (const at::Tensor& t : list) others.push_back(s.take(t, false));
    return others;
  }
};
template <>
struct Pass<const c10::List<std::optional<at::Tensor>>&> {
  template <class StandIns>
  static c10::List<std::optional<at::Tensor>> of(StandIns& s, const c10::List<std::optional<at::Tensor>>& list) {
    c10::List<std::optional<at::Tensor>> others;
    others.reserve(list.size());
    for (size_t k = 0; k < list.size(); k++) {
      std::optional<at::Tensor> t = list.get(k);
      others.push_back(t.has_value() ? std::optional<at::Tensor>(s.take_copy(std::move(*t))) : std::nullopt);
    }
    return others;
  }
};

template <class R>
struct Result {
  template <class StandIns>
  static R of(StandIns& s, R&& r) {
    return s.result(std::move(r));
  }
  static R pop(Stack& stack) { return std::move(stack[0]).toTensor(); }
};
template <class... T>
struct Result<std::tuple<T...>> {
  template <class StandIns>
  static std::tuple<T...> of(StandIns& s, std::tuple<T...>&& r) {
    return std::apply([&](auto&&... t) { return std::tuple<T...>(s.result(std::move(t))...); }, std::move(r));
  }
  static std::tuple<T...> pop(Stack& stack) { return pop(stack, std::index_sequence_for<T...>()); }
  template <size_t... I>
  static std::tuple<T...> pop(Stack& stack, std::index_sequence<I...>) {
    return {std::move(stack[I]).toTensor()...};
  }
};

template <class Op, class Schema = typename Op::schema>
struct Typed;

template <class Op, class R, class... A>
struct Typed<Op, R(A...)> {
  static inline OpEntry* entry = nullptr;

  static R call(A... args) {
    const OpRoutes* routes = entry->routes.load(std::memory_order_acquire);
    if (C10_LIKELY(routes != nullptr && !routes->needs_plan && observers.load(std::memory_order_relaxed) == 0 &&
                   !InnerOp::wanted())) {
      Where where;
      (each_tensor(args, [&](const at::Tensor& t) { where.see(t); }), ...);
      if (C10_LIKELY(where.usual())) {
        if (C10_LIKELY(routes->fixed == Lane::boxing)) return serve<Aliases>(where, std::forward<A>(args)...);
        if (routes->fixed == Lane::none && !plain_fallback()) return serve<Copies>(where, std::forward<A>(args)...);
      }
    }
    BoxedArguments boxed;
    Stack& stack = boxed.stack;
    (torch::jit::push(stack, boxable(args)), ...);
    dispatch_call(*entry, &stack);
    if constexpr (std::is_reference_v<R>)
      return std::get<0>(std::tie(args...));
    else
      return Result<R>::pop(stack);
  }

  template <class StandIns>
  static R serve(const Where& where, A... args) {
    t_work++;
    StandIns s(*entry, where);
    if constexpr (StandIns::copies) (each_tensor(args, [&](const at::Tensor& t) { s.see(t); }), ...);
    s.open();
    const auto run = [&]() -> R {
      typename StandIns::During during(where.device);
      return Op::redispatch(c10::DispatchKeySet(s.key()), Pass<A>::of(s, args)...);
    };
    if constexpr (std::is_reference_v<R>) {
      run();
      s.finish();
      s.give_back_all();
      return std::get<0>(std::tie(args...));
    } else {
      R result = Result<R>::of(s, run());
      s.give_back_all();
      return result;
    }
  }
};

template <class Op>
void install(torch::Library& library, OpEntry& entry) {
  Typed<Op>::entry = &entry;
  library.impl(entry.name.c_str(), torch::CppFunction(&Typed<Op>::call));
}

using Install = void (*)(torch::Library&, OpEntry&);

}  // namespace

bool register_typed(torch::Library& library, OpEntry& entry) {
  static const std::unordered_map<std::string, Install> hot = {
      {"add.Tensor", install<at::_ops::add_Tensor>},
      {"add_.Tensor", install<at::_ops::add__Tensor>},
      {"sub.Tensor", install<at::_ops::sub_Tensor>},
      {"mul.Tensor", install<at::_ops::mul_Tensor>},
      {"mul_.Tensor", install<at::_ops::mul__Tensor>},
      {"div.Tensor", install<at::_ops::div_Tensor>},
      {"div_.Tensor", install<at::_ops::div__Tensor>},
      {"maximum", install<at::_ops::maximum>},
      {"eq.Tensor", install<at::_ops::eq_Tensor>},
      {"eq.Scalar", install<at::_ops::eq_Scalar>},
      {"le.Tensor", install<at::_ops::le_Tensor>},
      {"le.Scalar", install<at::_ops::le_Scalar>},
      {"where.self", install<at::_ops::where_self>},
      {"cat", install<at::_ops::cat>},
      {"index.Tensor", install<at::_ops::index_Tensor>},
      {"embedding", install<at::_ops::embedding>},
      {"neg", install<at::_ops::neg>},
      {"exp", install<at::_ops::exp>},
      {"sqrt", install<at::_ops::sqrt>},
      {"rsqrt", install<at::_ops::rsqrt>},
      {"sin", install<at::_ops::sin>},
      {"cos", install<at::_ops::cos>},
      {"tanh", install<at::_ops::tanh>},
      {"sigmoid", install<at::_ops::sigmoid>},
      {"relu", install<at::_ops::relu>},
      {"relu_", install<at::_ops::relu_>},
      {"silu", install<at::_ops::silu>},
      {"gelu", install<at::_ops::gelu>},
      {"pow.Tensor_Scalar", install<at::_ops::pow_Tensor_Scalar>},
      {"mm", install<at::_ops::mm>},
      {"bmm", install<at::_ops::bmm>},
      {"addmm", install<at::_ops::addmm>},
      {"_softmax", install<at::_ops::_softmax>},
      {"_log_softmax", install<at::_ops::_log_softmax>},
      {"native_layer_norm", install<at::_ops::native_layer_norm>},
      {"sum.dim_IntList", install<at::_ops::sum_dim_IntList>},
      {"mean.dim", install<at::_ops::mean_dim>},
      {"index_select", install<at::_ops::index_select>},
      {"fill_.Scalar", install<at::_ops::fill__Scalar>},
  };
  const auto found = hot.find(entry.name);
  if (found == hot.end()) return false;
  found->second(library, entry);
  return true;
}

}  // namespace torch_fl
