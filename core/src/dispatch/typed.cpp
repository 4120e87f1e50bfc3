// What typed entries share.
#include "dispatch/typed.h"

#include <ATen/ops/copy_ops.h>

#include "dispatch/dispatch.h"
#include "dispatch/typed_call.h"

namespace torch_fl {

bool register_typed(torch::Library& library, OpEntry& entry) {
  static const typed::Table hot = [] {
    typed::Table table;
    typed::fill(table);
    return table;
  }();
  const auto found = hot.find(entry.name);
  if (found == hot.end()) return false;
  found->second(library, entry);
  entry.typed = true;
  return true;
}

bool copy_boxed(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  static OpEntry* const entry = find_entry("copy_");
  const OpRoutes* routes = entry->routes.load(std::memory_order_acquire);
  if (routes == nullptr || routes->needs_plan || routes->fixed != Lane::boxing ||
      boxing_key.type == c10::DeviceType::CPU || observers.load(std::memory_order_relaxed) != 0 || InnerOp::wanted())
    return false;
  typed::Where where;
  where.see(dst, /*written=*/true);
  where.see(src, /*written=*/true);  // a copy from the host is another matter
  if (!where.usual()) return false;
  t_work++;
  typed::Aliases aliases(*entry, where);
  at::Tensor to, from;
  const at::Tensor& written = aliases.take(dst, to, true);
  const at::Tensor& read = aliases.take(src, from, false);
  at::_ops::copy_::redispatch(boxing_key.keys, const_cast<at::Tensor&>(written), read, non_blocking);
  aliases.give_back_all();
  return true;
}

namespace typed {

Info info_of(OpEntry& entry) {
  Info info;
  info.entry = &entry;
  for (size_t i = 0; i < entry.args.size(); i++)
    if (entry.args[i].written) info.written |= UINT64_C(1) << i;
  info.unlike_on_host = entry.random || entry.host_as_double;
  return info;
}

c10::List<at::Tensor> boxable(const at::ITensorListRef& list) {
  c10::List<at::Tensor> boxed;
  boxed.reserve(list.size());
  for (const at::Tensor& t : list) boxed.push_back(t);
  return boxed;
}

Stack& BoxedArguments::spare() {
  thread_local Stack mine;
  return mine;
}

// What every typed call runs stands together in the library's text: between two calls a model runs much else, and finds
// each page of code that is apart cold.
[[gnu::hot]] const at::Tensor& Aliases::stand_in(const at::Tensor& t, at::Tensor& alias, bool written, bool lend) {
  if (C10_UNLIKELY(!t.unsafeGetTensorImpl()->key_set().has_all(kStrided))) return t;
  at::StorageImpl* storage = storage_of(t);
  if (Slot* with = find(storage); C10_UNLIKELY(with != nullptr)) return take_shared(*with, t, alias, written);
  void* data = data_of(storage, written);
  at::Tensor& made = C10_LIKELY(lend) ? pool_.lend(t, data, device_) : alias = pool_.borrow(t, data, device_);
  slots_[count_++] = {&t, &made, storage, /*own=*/true, lend, written};
  return made;
}

const at::Tensor& Aliases::take_shared(Slot& with, const at::Tensor& t, at::Tensor& alias, bool written) {
  if (written && !with.written) {
    data_of(with.storage, true);
    with.written = true;
  }
  if (with.original->is_same(t)) return *with.alias;
  any_shared_ = true;
  alias = pool_.borrow_on(t, *with.alias);
  slots_[count_++] = {&t, &alias, with.storage, /*own=*/false, /*lent=*/false, written};
  return alias;
}

void Aliases::put(const at::Tensor& t, at::Tensor& alias, bool written) {
  const at::Tensor& other = stand_in(t, alias, written, /*lend=*/false);
  if (C10_LIKELY(&other == &alias)) return;
  alias = other;
  if (&other == &t) return;  // of the host, or undefined
  any_shared_ = true;
  slots_[count_++] = {&t, &alias, nullptr, /*own=*/false, /*lent=*/false, false};
}

void Aliases::expect(uint32_t tensors) {
  many_ = std::make_unique<Many>();
  many_->slots = std::make_unique_for_overwrite<Slot[]>(tensors);
  slots_ = many_->slots.get();
  size_t size = 16;
  while (size < tensors * size_t{2}) size *= 2;
  many_->table.resize(size);
}

// The slot whose alias has a storage of its own over this one.
inline Aliases::Slot* Aliases::find(const at::StorageImpl* storage) {
  if (C10_UNLIKELY(many_ != nullptr)) return find_in_many(storage);
  for (uint32_t i = 0; i < count_; i++)
    if (C10_UNLIKELY(slots_[i].storage == storage && slots_[i].own)) return &slots_[i];
  return nullptr;
}

// The same where looking at each would take a time that grows with the square of their number.
Aliases::Slot* Aliases::find_in_many(const at::StorageImpl* storage) {
  std::vector<uint32_t>& table = many_->table;
  const auto place = [&](const at::StorageImpl* of) -> uint32_t& {
    size_t i = (reinterpret_cast<uintptr_t>(of) / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table.size() - 1);
    while (table[i] != 0 && slots_[table[i] - 1].storage != of) i = (i + 1) & (table.size() - 1);
    return table[i];
  };
  for (uint32_t& n = many_->indexed; n < count_; n++)
    if (slots_[n].own) place(slots_[n].storage) = n + 1;
  const uint32_t found = place(storage);
  return found == 0 ? nullptr : &slots_[found - 1];
}

void Aliases::follow(const Slot& s) const {
  const at::TensorImpl* alias = s.alias->unsafeGetTensorImpl();
  at::TensorImpl* original = s.original->unsafeGetTensorImpl();
  at::StorageImpl* alias_storage = alias->unsafe_storage().unsafeGetStorageImpl();
  // An alias owns no memory, unless the operator gave it other memory.
  if (C10_UNLIKELY(s.own && owns_memory(alias_storage))) take_storage(alias_storage, s.storage, flagos_);
  if (C10_UNLIKELY(original->sizes() != alias->sizes() || original->strides() != alias->strides() ||
                   original->storage_offset() != alias->storage_offset()))
    original->set_sizes_and_strides(alias->sizes(), alias->strides(), alias->storage_offset());
}

[[gnu::hot]] at::Tensor Aliases::result(at::Tensor&& r) const {
  if (C10_UNLIKELY(!r.defined() || r.device().type() != device_.type())) return std::move(r);
  // An alias and its storage have another owner: a slot.
  if (C10_LIKELY(sole_owner(r))) return adopt(std::move(r), flagos_);
  const at::StorageImpl* storage = storage_of(r);
  for (uint32_t i = 0; i < count_; i++) {
    const Slot& s = slots_[i];
    if (C10_LIKELY(s.storage == nullptr || storage_of(*s.alias) != storage)) continue;
    if (s.alias->is_same(r)) return *s.original;
    // A view; of which tensor of several over one storage does not matter.
    for (uint32_t k = i + 1; k < count_; k++)
      if (slots_[k].storage != nullptr && slots_[k].alias->is_same(r)) return *slots_[k].original;
    return wrap(s.original->storage(), r);
  }
  return adopt(std::move(r), flagos_);
}

[[gnu::hot]] void Aliases::give_back_all() {
  // Those that share go first, so that the owners are sole owners again.
  if (C10_UNLIKELY(any_shared_)) give_back_shared();
  for (uint32_t i = count_; i-- > 0;) {
    const Slot& s = slots_[i];
    if (C10_UNLIKELY(!s.own) || C10_LIKELY(s.lent ? pool_.end_loan(*s.alias) : pool_.reclaim(*s.alias))) continue;
    keep_alias(*s.alias, *s.original);
    s.alias->reset();
  }
  count_ = 0;
}

// After an error. What is not in the pool's memory is gone already.
void Aliases::abandon() {
  for (uint32_t i = count_; i-- > 0;) {
    if (!slots_[i].lent) continue;
    pool_.end_loan(*slots_[i].alias);
    slots_[i].alias->reset();
  }
}

void Aliases::give_back_shared() {
  for (uint32_t i = 0; i < count_; i++) {
    const Slot& s = slots_[i];
    if (!s.own && (s.storage == nullptr || !pool_.reclaim_shared(*s.alias))) s.alias->reset();
  }
}

}  // namespace typed
}  // namespace torch_fl
