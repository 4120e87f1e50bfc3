// One call under another key: its tensors' stand-ins before it, its results' way back after it. Boxing gives aliases
// over the same memory, `none` gives host copies.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/SmallVector.h>

#include <cstring>
#include <memory>
#include <utility>

#include "aten/alias.h"
#include "aten/make.h"
#include "aten/sparse.h"
#include "dispatch/op_entry.h"
#include "dispatch/tensors.h"

namespace torch_fl {

inline const c10::Device kHost(c10::DeviceType::CPU);

inline c10::Device host_or(c10::DeviceType type, c10::DeviceIndex index) {
  return type == c10::DeviceType::CPU ? kHost : c10::Device(type, index);
}

// A call's tensors under another key. `original` keeps the caller's tensor alive while its stand-in is on the stack.
struct StandIn {
  at::Tensor original;
  at::Tensor alias;
  bool written;
  bool shares;  // over the alias storage of an earlier stand-in
};

struct ComposedStandIn {
  at::Tensor original;
  at::Tensor alias;  // over stand-ins of the parts
  bool written;
};

// Host copies of the bytes that a call can reach in one storage.
struct Mirror {
  at::StorageImpl* storage;
  size_t low, high;      // bytes of the storage that are copied
  char* copy = nullptr;  // of those bytes
  at::DataPtr memory;    // owns the copy, where it is not in the thread's scratch memory

  // Where the storage would begin in the copy.
  char* base() const { return copy == nullptr ? nullptr : copy - low; }
};

// Host memory for a thread's small mirrors. Calls inside calls stack up.
inline constexpr size_t kScratchBytes = size_t{1} << 16;

struct Scratch {
  std::unique_ptr<char[]> memory{new char[kScratchBytes]};
  size_t used = 0;

  char* take(size_t bytes) {
    const size_t from = (used + 63) & ~size_t{63};
    if (bytes > kScratchBytes - from || from > kScratchBytes) return nullptr;
    used = from + bytes;
    return memory.get() + from;
  }
};

inline Scratch& scratch() {
  thread_local Scratch mine;
  return mine;
}

// The bytes of its storage that a tensor covers.
inline std::pair<size_t, size_t> extent(const at::Tensor& t) {
  if (t.numel() == 0) return {0, 0};
  int64_t last = 0;
  for (int64_t d = 0; d < t.dim(); d++) last += (t.size(d) - 1) * t.stride(d);
  const size_t item = t.element_size(), first = static_cast<size_t>(t.storage_offset()) * item;
  return {first, first + static_cast<size_t>(last + 1) * item};
}

class KeyCall {
 public:
  KeyCall(const OpEntry& entry, c10::DeviceType type, bool mirror, int32_t device)
      : entry_(entry), type_(type), mirror_(mirror), device_(device), scratch_(mirror ? &scratch() : nullptr) {
    if (mirror) scratch_before_ = scratch_->used;
  }
  ~KeyCall() {
    if (mirror_) scratch_->used = scratch_before_;
  }
  KeyCall(const KeyCall&) = delete;
  KeyCall& operator=(const KeyCall&) = delete;

  // ---- before the call

  void survey(const at::Tensor& t, bool whole) {  // mirror only: what must be copied
    if (!is_ours(t)) return;
    if (C10_UNLIKELY(is_composed(t))) {
      for (const at::Tensor& part : parts_of(t)) survey(part, whole);
      return;
    }
    auto [low, high] = extent(t);
    at::StorageImpl* storage = storage_of(t);
    if (whole) low = 0, high = std::max(high, storage->nbytes());
    for (Mirror& m : mirrors_)
      if (m.storage == storage) {
        if (high > low) {
          m.low = m.high > m.low ? std::min(m.low, low) : low;
          m.high = std::max(m.high, high);
        }
        return;
      }
    mirrors_.push_back({storage, low, high, nullptr, at::DataPtr()});
  }

  void download() {
    const fl_vendor_api& api = vendor().api;
    attach(device_);
    const fl_stream stream = current_stream_handle(device_);
    for (Mirror& m : mirrors_) {
      const size_t bytes = m.high - m.low;
      if (bytes == 0) continue;
      m.copy = scratch_->take(bytes);
      if (m.copy == nullptr) {
        m.memory = c10::GetCPUAllocator()->allocate(bytes);
        m.copy = static_cast<char*>(m.memory.get());
      }
      FL_CHECK(api.memcpy_async(m.copy, bytes, -1, static_cast<const char*>(m.storage->data()) + m.low,
                                m.storage->nbytes() - m.low, device_, bytes, FL_D2H, stream),
               "memcpy(device=", device_, ", bytes=", bytes, ", device to host) for ", entry_.name);
      bytes_ += bytes;
    }
    if (bytes_ != 0) synchronize_stream(current_stream(device_));
  }

  at::Tensor in(const at::Tensor& t, bool written) {
    if (!is_ours(t)) return t;
    if (C10_UNLIKELY(is_composed(t))) return in_composed(t, written);
    for (StandIn& s : stand_ins_) {
      if (s.original.is_same(t)) {
        s.written |= written;
        return s.alias;
      }
    }
    for (StandIn& s : stand_ins_)
      if (s.original.storage().is_alias_of(t.storage())) {
        stand_ins_.push_back({t, alias_pool(type_).borrow_on(t, s.alias), written, true});
        check_mirrored(stand_ins_.back());
        return stand_ins_.back().alias;
      }
    stand_ins_.push_back(
        {t, mirror_ ? borrow_alias_over(t, base_of(t), kHost) : borrow_alias(t, type_, written), written, false});
    check_mirrored(stand_ins_.back());
    return stand_ins_.back().alias;
  }

  // The same for an argument of any type.
  c10::IValue in(c10::IValue&& v, bool written) {
    if (v.isTensor() && v.toTensor().defined() && !is_ours(v.toTensor())) note_host(v.toTensor());
    return with_tensors(std::move(v), [&](const at::Tensor& t) { return in(t, written); });
  }

  // ---- after the call

  void finish() {
    for (StandIn& s : stand_ins_) {
      if (!s.written) continue;
      at::TensorImpl* original = s.original.unsafeGetTensorImpl();
      at::TensorImpl* alias = s.alias.unsafeGetTensorImpl();
      at::StorageImpl* alias_storage = storage_of(s.alias);
      const bool moved = alias_storage->data() != (mirror_ ? base_of(s.original) : storage_of(s.original)->data());
      if (C10_UNLIKELY(moved)) {
        if (mirror_)
          replace_storage(s);
        else
          take_storage(alias_storage, storage_of(s.original), device_);
      } else if (mirror_) {
        upload(s);
      }
      if (original->sizes() != alias->sizes() || original->strides() != alias->strides() ||
          original->storage_offset() != alias->storage_offset())
        original->set_sizes_and_strides(alias->sizes(), alias->strides(), alias->storage_offset());
    }
    for (const ComposedStandIn& c : composed_)
      if (c.written) recompose(c.original, c.alias, parts_out(c.alias));
  }

  at::Tensor out(at::Tensor&& r) {
    if (!r.defined() || r.device().type() != type_) return std::move(r);
    if (C10_UNLIKELY(is_composed(r))) return out_composed(std::move(r));
    for (StandIn& s : stand_ins_)
      if (s.alias.is_same(r)) return s.original;
    if (C10_UNLIKELY(r.is_quantized())) return quantized();
    if (!r.unsafeGetTensorImpl()->has_storage()) return other_layout(r);
    for (StandIn& s : stand_ins_)
      if (storage_of(s.alias) == storage_of(r)) return wrap(s.original.storage(), r);
    for (const at::Tensor& host : host_args_)
      if (host.is_same(r)) return std::move(r);
    if (!mirror_) return adopt(std::move(r), device_);
    if (r._is_zerotensor()) return make_empty(r.sizes(), r.scalar_type(), device_).zero_();
    const bool dense = r.is_non_overlapping_and_dense();
    at::Tensor result = dense ? make_strided(r.sizes(), r.strides(), r.scalar_type(), device_)
                              : make_empty(r.sizes(), r.scalar_type(), device_);
    if (C10_UNLIKELY(r.is_conj())) result._set_conj(true);
    if (C10_UNLIKELY(r.is_neg())) result._set_neg(true);
    if (dense) {
      const size_t bytes = r.nbytes();
      if (bytes != 0) send(storage_of(result)->mutable_data(), bytes, r.const_data_ptr(), bytes);
    } else {
      copy_into(result, r, false);
    }
    return result;
  }

  void give_back_all() {
    composed_.clear();  // they hold stand-ins
    // Those that share go first, so that the owners are sole owners again.
    for (StandIn& s : stand_ins_)
      if (s.shares && !alias_pool(type_).reclaim_shared(s.alias)) s.alias.reset();
    for (StandIn& s : stand_ins_) {
      if (s.shares) continue;
      if (!mirror_)
        give_back(std::move(s.alias), s.original);
      else if (C10_UNLIKELY(!reclaim(s.alias)))
        keep_mirror(s);
    }
  }

  // Some sparse kernels ask their operands whether a gradient is wanted, and compute what it needs only then.
  void want_gradients() { gradients_ = true; }
  void note_host(const at::Tensor& t) { host_args_.push_back(t); }
  bool is_ours(const at::Tensor& t) const { return t.defined() && t.device().type() == kFlagos; }

 private:
  // A tensor that another thread has changed since it was surveyed must not reach beyond what was copied. Looked at is
  // what the stand-in is over: the original may be back in the storage that was surveyed by now.
  void check_mirrored(const StandIn& s) const {
    if (!mirror_) return;
    const auto [low, high] = extent(s.alias);
    if (high <= low) return;
    const void* base = storage_of(s.alias)->data();
    bool copied = false;
    for (const Mirror& m : mirrors_) copied |= m.copy != nullptr && m.base() == base && low >= m.low && high <= m.high;
    TORCH_CHECK(copied, entry_.name, ": another thread changes a tensor while this call reads it");
  }

  at::Tensor in_composed(const at::Tensor& t, bool written) {
    Parts parts = parts_of(t);
    for (at::Tensor& part : parts) part = in(part, written);
    for (ComposedStandIn& c : composed_) {
      if (!c.original.is_same(t)) continue;
      c.written |= written;
      return c.alias;
    }
    composed_.push_back({t, compose(t, host_or(type_, t.device().index()), parts), written});
    if (gradients_ && (t.is_floating_point() || t.is_complex()))
      composed_.back().alias.unsafeGetTensorImpl()->set_requires_grad(true);
    return composed_.back().alias;
  }

  at::Tensor out_composed(at::Tensor&& r) {
    for (const ComposedStandIn& c : composed_)
      if (c.alias.is_same(r)) return c.original;
    for (const at::Tensor& host : host_args_)
      if (host.is_same(r)) return std::move(r);
    return compose(r, c10::Device(kFlagos, static_cast<c10::DeviceIndex>(device_)), parts_out(r));
  }

  Parts parts_out(const at::Tensor& t) {
    Parts parts = parts_of(t);
    for (at::Tensor& part : parts) part = out(std::move(part));
    return parts;
  }

  // The operator keeps a host copy (a custom one may): the copy gets memory that lives as long as it does.
  void keep_mirror(const StandIn& s) {
    at::StorageImpl* host = storage_of(s.alias);
    const Mirror* m = mirror_of(s.original);
    if (m == nullptr || m->copy == nullptr || host->data() != m->base()) return;
    at::DataPtr kept = c10::GetCPUAllocator()->allocate(m->high);
    std::memcpy(static_cast<char*>(kept.get()) + m->low, m->copy, m->high - m->low);
    host->set_data_ptr_noswap(std::move(kept));
  }

  const Mirror* mirror_of(const at::Tensor& original) const {
    for (const Mirror& m : mirrors_)
      if (m.storage == storage_of(original)) return &m;
    return nullptr;
  }

  // Where the storage of a tensor would begin in its host copy.
  char* base_of(const at::Tensor& original) const {
    const Mirror* m = mirror_of(original);
    return m != nullptr ? m->base() : nullptr;
  }

  void send(void* to, size_t capacity, const void* from, size_t bytes) {
    attach(device_);
    FL_CHECK(vendor().api.memcpy_async(to, capacity, device_, from, bytes, -1, bytes, FL_H2D,
                                       current_stream_handle(device_)),
             "memcpy(device=", device_, ", bytes=", bytes, ", host to device) for ", entry_.name);
    bytes_ += bytes;
  }

  void upload(const StandIn& s) {
    const Mirror* m = mirror_of(s.original);
    auto [low, high] = extent(s.alias);
    if (m == nullptr || high <= low) return;
    at::StorageImpl* storage = storage_of(s.original);
    send(static_cast<char*>(storage->mutable_data()) + low, storage->nbytes() - low, m->base() + low, high - low);
  }

  void replace_storage(const StandIn& s) {
    at::StorageImpl* host = storage_of(s.alias);
    const size_t bytes = host->nbytes();
    at::DataPtr fresh = allocate(device_, bytes);
    if (bytes != 0) send(fresh.get(), bytes, host->data(), bytes);
    storage_of(s.original)->set_data_ptr_noswap(std::move(fresh));
    storage_of(s.original)->set_nbytes(bytes);
    host->set_data_ptr_noswap(at::DataPtr(nullptr, kHost));
  }

  at::Tensor quantized() {
    TORCH_CHECK_NOT_IMPLEMENTED(false, entry_.name, ": its result is a quantized tensor, which flagos cannot hold. ",
                                "Quantize on the CPU, or with torch.fake_quantize_per_tensor_affine.");
  }

  at::Tensor other_layout(const at::Tensor& r) {
    TORCH_CHECK(false, entry_.name, ": its result has layout ", r.layout(),
                ", which flagos cannot hold. Move the operand to the CPU first (tensor.cpu()).");
  }

  const OpEntry& entry_;
  c10::DeviceType type_;
  bool mirror_;
  int32_t device_;
  size_t bytes_ = 0;
  Scratch* scratch_;
  size_t scratch_before_ = 0;
  c10::SmallVector<StandIn, 6> stand_ins_;
  c10::SmallVector<ComposedStandIn, 1> composed_;
  bool gradients_ = false;
  c10::SmallVector<Mirror, 2> mirrors_;
  c10::SmallVector<at::Tensor, 2> host_args_;
};

}  // namespace torch_fl
