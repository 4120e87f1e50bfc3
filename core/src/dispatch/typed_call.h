// One call of a typed entry: the same decision as a boxed entry's, without packing the arguments where the call is
// boxed to another key. The entries themselves are generated (codegen/typed.py).
#pragma once

#include <ATen/core/IListRef.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/alias.h"
#include "dispatch/key_call.h"
#include "dispatch/lanes.h"
#include "dispatch/registry.h"
#include "dispatch/typed.h"
#include "replay/inner_op.h"

namespace torch_fl::typed {

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
void each_tensor(at::TensorList list, const See& see) {
  for (const at::Tensor& t : list) see(t);
}
template <class See>
void each_tensor(const c10::List<std::optional<at::Tensor>>& list, const See& see) {
  for (size_t k = 0; k < list.size(); k++) each_tensor(list.get(k), see);
}
template <class T, class See>
void each_tensor(const T&, const See&) {}

// Of a strided tensor of flagos.
inline constexpr c10::DispatchKeySet kStrided(c10::DispatchKey::PrivateUse1);

// Where a call runs, and how many tensors it has.
struct Where {
  int32_t device = -1;
  bool odd = false;  // the general path must look at it: a mistake, or an unusual argument
  uint32_t tensors = 0;

  [[gnu::always_inline]] void see(const at::Tensor& t, bool written) {
    tensors++;
    const at::TensorImpl* impl = t.unsafeGetTensorImpl();
    if (C10_LIKELY(impl->key_set().has_all(kStrided))) {
      const int32_t index = AliasImpl::device_of(impl).index();
      odd |= device >= 0 && device != index;
      device = index;
    } else if (t.defined()) {
      odd |= written || t.dim() != 0 || t.device().type() == kFlagos;
    }
  }
  // Generators have other twins on each key.
  void see(const std::optional<at::Generator>& generator) { odd |= generator.has_value(); }
  bool usual() const { return device >= 0 && !odd; }
};

// The tensors of one call and what stands in for them: on the lane `boxing`, aliases over the same memory.
class Aliases {
 public:
  [[gnu::always_inline]] Aliases(const OpEntry&, const Where& where)
      : device_(boxing_key.type, static_cast<c10::DeviceIndex>(where.device)),
        flagos_(where.device),
        open_(device_.type() == c10::DeviceType::CPU, where.device),
        pool_(alias_pool(device_.type())) {
    if (device_.type() == c10::DeviceType::CPU) device_ = kHost;
    if (C10_UNLIKELY(where.tensors > kFew)) expect(where.tensors);
  }
  [[gnu::always_inline]] ~Aliases() {
    if (C10_UNLIKELY(count_ != 0)) abandon();
  }
  Aliases(const Aliases&) = delete;
  Aliases& operator=(const Aliases&) = delete;

  // What the operator allocates while it runs is the device's.
  using During = HostAllocationsOnDevice;

  static constexpr bool copies = false;
  void open() {}
  c10::DispatchKeySet keys() const { return boxing_key.keys; }

  // What stands in for `t`: it may be `t` itself, an earlier argument's, or in `alias`.
  const at::Tensor& take(const at::Tensor& t, at::Tensor& alias, bool written) {
    return stand_in(t, alias, written, /*lend=*/pool_.can_lend());
  }
  // The same, and surely in `alias`.
  void put(const at::Tensor& t, at::Tensor& alias, bool written);

  // Brings what the operator did to written aliases, besides their elements, to the tensors that they stand for.
  void finish() {
    for (uint32_t i = 0; i < count_; i++)
      if (slots_[i].written) follow(slots_[i]);
  }
  at::Tensor result(at::Tensor&& r) const;
  void give_back_all();

 private:
  static constexpr uint32_t kFew = 8;

  struct Slot {
    const at::Tensor* original;
    at::Tensor* alias;
    at::StorageImpl* storage;  // the original's; null: the alias is that of another slot
    bool own;                  // false: its storage is that of another slot
    bool lent;                 // it lies in the pool
    bool written;
  };
  // Of calls with many tensors.
  struct Many {
    std::unique_ptr<Slot[]> slots;
    std::vector<uint32_t> table;  // where storages are among the slots, by hash; 0: nowhere
    uint32_t indexed = 0;         // slots that are in the table
  };

  // The same as take(), in the pool's memory where `lend`.
  const at::Tensor& stand_in(const at::Tensor& t, at::Tensor& alias, bool written, bool lend);
  const at::Tensor& take_shared(Slot& with, const at::Tensor& t, at::Tensor& alias, bool written);
  void give_back_shared();
  void abandon();
  void expect(uint32_t tensors);
  Slot* find(const at::StorageImpl* storage);
  Slot* find_in_many(const at::StorageImpl* storage);
  void follow(const Slot& s) const;

  c10::Device device_;
  int32_t flagos_;
  OpenMemory open_;
  AliasPool& pool_;
  Slot few_[kFew];
  Slot* slots_ = few_;
  uint32_t count_ = 0;
  bool any_shared_ = false;
  std::unique_ptr<Many> many_;
};

// The same on the lane `none`: host copies.
class Copies {
 public:
  Copies(const OpEntry& entry, const Where& where)
      : call_(entry, c10::DeviceType::CPU, /*mirror=*/true, where.device) {}

  struct During {
    explicit During(int32_t) {}
  };

  static constexpr bool copies = true;
  void see(const at::Tensor& t) { call_.survey(t, /*whole=*/false); }
  void open() { call_.download(); }
  c10::DispatchKeySet keys() const { return c10::DispatchKeySet(c10::DispatchKey::CPU); }

  const at::Tensor& take(const at::Tensor& t, at::Tensor& alias, bool written) {
    put(t, alias, written);
    taken_.push_back(&alias);
    return alias;
  }
  void put(const at::Tensor& t, at::Tensor& alias, bool written) {
    if (t.defined() && !call_.is_ours(t)) call_.note_host(t);
    alias = call_.in(t, written);
  }

  void finish() { call_.finish(); }
  at::Tensor result(at::Tensor&& r) { return call_.out(std::move(r)); }
  void give_back_all() {
    for (at::Tensor* t : taken_) t->reset();
    call_.give_back_all();
  }

 private:
  KeyCall call_;
  c10::SmallVector<at::Tensor*, 6> taken_;
};

// One argument as the operator gets it. Stays where it is from take() to the end of the call.
template <class A>
struct Hold {
  template <class StandIns>
  void take(StandIns&, std::remove_reference_t<A>&, bool) {}
  A&& use(std::remove_reference_t<A>& a) { return std::forward<A>(a); }
  void drop() {}
};

template <>
struct Hold<const at::Tensor&> {
  at::Tensor alias;
  const at::Tensor* stand_in = nullptr;

  template <class StandIns>
  void take(StandIns& s, const at::Tensor& t, bool written) {
    stand_in = &s.take(t, alias, written);
  }
  const at::Tensor& use(const at::Tensor&) { return *stand_in; }
  void drop() {}
};

template <>
struct Hold<at::Tensor&> : Hold<const at::Tensor&> {
  at::Tensor& use(at::Tensor&) { return const_cast<at::Tensor&>(*stand_in); }
};

template <>
struct Hold<const std::optional<at::Tensor>&> {
  std::optional<at::Tensor> alias;

  template <class StandIns>
  void take(StandIns& s, const std::optional<at::Tensor>& t, bool written) {
    if (t.has_value()) s.put(*t, alias.emplace(), written);
  }
  const std::optional<at::Tensor>& use(const std::optional<at::Tensor>&) { return alias; }
  void drop() {}
};

template <>
struct Hold<at::TensorList> {
  c10::SmallVector<at::Tensor, 4> aliases;

  template <class StandIns>
  void take(StandIns& s, at::TensorList list, bool written) {
    aliases.resize(list.size());
    for (size_t k = 0; k < list.size(); k++) s.put(list[k], aliases[k], written);
  }
  at::TensorList use(at::TensorList) { return aliases; }
  void drop() {}
};

template <>
struct Hold<const at::ITensorListRef&> {
  c10::SmallVector<at::Tensor, 4> aliases;
  at::ITensorListRef list;

  template <class StandIns>
  void take(StandIns& s, const at::ITensorListRef& of, bool written) {
    aliases.resize(of.size());
    size_t k = 0;
    for (const at::Tensor& t : of) s.put(t, aliases[k++], written);
    list = at::TensorList(aliases);
  }
  const at::ITensorListRef& use(const at::ITensorListRef&) { return list; }
  void drop() {}
};

template <>
struct Hold<const c10::List<std::optional<at::Tensor>>&> {
  // The list gives its tensors out as values: those are kept here for as long as something stands in for them.
  c10::SmallVector<at::Tensor, 4> originals, aliases;
  c10::List<std::optional<at::Tensor>> list;

  template <class StandIns>
  void take(StandIns& s, const c10::List<std::optional<at::Tensor>>& of, bool written) {
    originals.resize(of.size());
    aliases.resize(of.size());
    list.reserve(of.size());
    for (size_t k = 0; k < of.size(); k++) {
      std::optional<at::Tensor> t = of.get(k);
      if (t.has_value()) {
        originals[k] = *std::move(t);
        s.put(originals[k], aliases[k], written);
        list.push_back(aliases[k]);
      } else {
        list.push_back(std::nullopt);
      }
    }
  }
  const c10::List<std::optional<at::Tensor>>& use(const c10::List<std::optional<at::Tensor>>&) { return list; }
  void drop() { list.clear(); }
};

// ---- results

template <class StandIns, class T>
T back(StandIns&, T&& value) {
  return std::forward<T>(value);
}
template <class StandIns>
at::Tensor back(StandIns& s, at::Tensor&& r) {
  return s.result(std::move(r));
}
template <class StandIns>
std::vector<at::Tensor> back(StandIns& s, std::vector<at::Tensor>&& list) {
  for (at::Tensor& t : list) t = s.result(std::move(t));
  return std::move(list);
}
template <class StandIns, class... T>
std::tuple<T...> back(StandIns& s, std::tuple<T...>&& r) {
  return std::apply([&](auto&&... t) { return std::tuple<T...>{back(s, std::move(t))...}; }, std::move(r));
}

template <class R>
struct Popped {
  static R from(Stack& stack) { return std::move(stack[0]).to<R>(); }
};
template <class... T>
struct Popped<std::tuple<T...>> {
  static std::tuple<T...> from(Stack& stack) { return from(stack, std::index_sequence_for<T...>()); }
  template <size_t... I>
  static std::tuple<T...> from(Stack& stack, std::index_sequence<I...>) {
    return {std::move(stack[I]).to<T>()...};
  }
};

// What an operator that writes its arguments returns: them.
template <class R, class... A>
R written_of(A&&... args) {
  const auto all = std::tuple_cat([](auto&& a) {
    if constexpr (std::is_same_v<decltype(a), at::Tensor&>)
      return std::tuple<at::Tensor&>(a);
    else
      return std::tuple<>();
  }(std::forward<A>(args))...);
  if constexpr (std::is_reference_v<R>)
    return std::get<0>(all);
  else
    return all;
}
template <class R>
constexpr bool returns_written = std::is_same_v<R, at::Tensor&>;
template <class... T>
constexpr bool returns_written<std::tuple<T...>> = (std::is_same_v<T, at::Tensor&> && ...);

// ---- the call

template <class T>
const T& boxable(const T& value) {
  return value;
}
c10::List<at::Tensor> boxable(const at::ITensorListRef& list);

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
  static Stack& spare();
};

// What an entry is asked for each call.
struct Info {
  OpEntry* entry = nullptr;
  uint64_t written = 0;         // by argument
  bool unlike_on_host = false;  // the host needs more than aliases: a generator of its own, another dtype
};
Info info_of(OpEntry& entry);

// `Op` is the entry's, `Run` what runs in its place under the other key; `kHostCopies`: the lane `none` is typed, too.
template <class Op, class Run, bool kHostCopies, class Schema = typename Op::schema>
struct Entry;

template <class Op, class Run, bool kHostCopies, class R, class... A>
struct Entry<Op, Run, kHostCopies, R(A...)> {
  static inline Info info;
  using Each = std::index_sequence_for<A...>;

  static bool writes(size_t i) { return (info.written >> i & 1) != 0; }

  static R call(A... args) {
    OpEntry& entry = *info.entry;
    const OpRoutes* routes = entry.routes.load(std::memory_order_acquire);
    if (C10_LIKELY(routes != nullptr && !routes->needs_plan && observers.load(std::memory_order_relaxed) == 0 &&
                   !InnerOp::wanted())) {
      const Where where = survey(Each(), args...);
      if (C10_LIKELY(where.usual())) {
        if (C10_LIKELY(routes->fixed == Lane::boxing)) {
          if (C10_LIKELY(!info.unlike_on_host || boxing_key.type != c10::DeviceType::CPU))
            return serve<Aliases>(where, Each(), args...);
        } else if constexpr (kHostCopies) {
          if (routes->fixed == Lane::none && !plain_fallback() && !info.unlike_on_host)
            return serve<Copies>(where, Each(), args...);
        }
      }
    }
    return boxed(args...);
  }

  template <size_t... I>
  static Where survey(std::index_sequence<I...>, std::remove_reference_t<A>&... args) {
    Where where;
    (
        [&] {
          if constexpr (std::is_same_v<std::decay_t<A>, std::optional<at::Generator>>)
            where.see(args);
          else
            each_tensor(args, [&](const at::Tensor& t) { where.see(t, writes(I)); });
        }(),
        ...);
    return where;
  }

  [[gnu::noinline]] static R boxed(std::remove_reference_t<A>&... args) {
    BoxedArguments arguments;
    Stack& stack = arguments.stack;
    (torch::jit::push(stack, boxable(args)), ...);
    dispatch_call(*info.entry, &stack);
    if constexpr (returns_written<R>)
      return written_of<R>(args...);
    else if constexpr (!std::is_void_v<R>)
      return Popped<R>::from(stack);
  }

  template <class StandIns, size_t... I>
  static R serve(const Where& where, std::index_sequence<I...>, std::remove_reference_t<A>&... args) {
    t_work++;
    StandIns s(*info.entry, where);
    if constexpr (StandIns::copies) (each_tensor(args, [&](const at::Tensor& t) { s.see(t); }), ...);
    s.open();
    std::tuple<Hold<A>...> held;
    (std::get<I>(held).take(s, args, writes(I)), ...);
    const auto run = [&]() -> decltype(auto) {
      typename StandIns::During during(where.device);
      return Run::redispatch(s.keys(), std::get<I>(held).use(args)...);
    };
    const auto end = [&] {
      if (info.written != 0) s.finish();
    };
    const auto clear = [&] {
      (std::get<I>(held).drop(), ...);
      s.give_back_all();
    };
    if constexpr (returns_written<R> || std::is_void_v<R>) {
      run();
      end();
      clear();
      if constexpr (!std::is_void_v<R>) return written_of<R>(args...);
    } else {
      R raw = run();
      end();
      R result = back(s, std::move(raw));
      clear();
      return result;
    }
  }
};

template <class Op, class Run = Op, bool kHostCopies = false>
void install(torch::Library& library, OpEntry& entry) {
  using Typed = Entry<Op, Run, kHostCopies>;
  Typed::info = info_of(entry);
  library.impl(entry.name.c_str(), torch::CppFunction(&Typed::call));
}

}  // namespace torch_fl::typed
