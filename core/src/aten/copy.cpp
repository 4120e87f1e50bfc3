// copy_: any dtypes, layouts and directions. Bytes move by the vendor's copies; what needs arithmetic (a cast between
// layouts on the device) is a call of the op `copy_` like any other: a vendor's row, the boxing key or the host.
#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/resize.h>
#include <torch/library.h>

#include <optional>

#include "aten/alias.h"
#include "aten/make.h"
#include "dispatch/dispatch.h"
#include "replay/inner_op.h"
#include "runtime/key_runtime.h"

namespace torch_fl {
namespace {

bool on_flagos(const at::Tensor& t) { return t.device().type() == kFlagos; }

// Bytes from the first element to the end of the storage.
size_t capacity(const at::Tensor& t) {
  const at::TensorImpl* impl = t.unsafeGetTensorImpl();
  return impl->unsafe_storage().nbytes() - static_cast<size_t>(impl->storage_offset()) * impl->itemsize();
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

// Both tensors list their elements in the same order of memory, without gaps.
bool same_order(const at::Tensor& a, const at::Tensor& b) {
  if (a.is_contiguous() && b.is_contiguous()) return true;
  return a.strides() == b.strides() && a.is_non_overlapping_and_dense() && b.is_non_overlapping_and_dense();
}

bool bytes_suffice(const at::Tensor& dst, const at::Tensor& src) {
  return dst.scalar_type() == src.scalar_type() && same_bits(dst, src) && same_order(dst, src);
}

// Raw bytes of tensors of one order, on a stream of `device`.
void move_bytes(const at::Tensor& dst, const at::Tensor& src, int32_t device) {
  const bool to_device = on_flagos(dst), from_device = on_flagos(src);
  const fl_copy_kind kind = !from_device ? FL_H2D : !to_device ? FL_D2H : FL_D2D;
  const size_t bytes = dst.nbytes();
  attach(device);
  FL_CHECK(vendor().api.memcpy_async(dst.mutable_data_ptr(), capacity(dst), to_device ? dst.device().index() : -1,
                                     src.const_data_ptr(), capacity(src), from_device ? src.device().index() : -1,
                                     bytes, kind, current_stream_handle(device)),
           "memcpy(bytes=", bytes, ", ", src.device(), " to ", dst.device(), ")");
}

// The host side of an asynchronous copy is not reused before the copy is done.
void keep_pinned(const at::Tensor& host, int32_t device) {
  const at::DataPtr& data = host.storage().data_ptr();
  at::getHostAllocator(kFlagos)->record_event(const_cast<void*>(data.get()), data.get_context(),
                                              current_stream(device));
}

at::Tensor host_like(const at::Tensor& layout, at::ScalarType dtype) {
  return layout.is_non_overlapping_and_dense()
             ? at::Tensor(at::detail::empty_strided_cpu(layout.sizes(), layout.strides(), dtype))
             : at::Tensor(at::detail::empty_cpu(layout.sizes(), dtype));
}

void take_bits(const at::Tensor& t, const at::Tensor& from) {
  if (from.is_conj()) t._set_conj(true);
  if (from.is_neg()) t._set_neg(true);
}

// A dense tensor of `src`'s device with `dtype` in the order of `layout`.
at::Tensor dense_on_device(const at::Tensor& src, const at::Tensor& layout, at::ScalarType dtype) {
  const int32_t device = src.device().index();
  at::Tensor t = layout.is_non_overlapping_and_dense() ? make_strided(layout.sizes(), layout.strides(), dtype, device)
                                                       : make_empty(layout.sizes(), dtype, device);
  if (at::isComplexType(dtype)) take_bits(t, layout);
  return t;
}

void copy_on_device(const at::Tensor& dst, const at::Tensor& src) {
  if (bytes_suffice(dst, src))
    move_bytes(dst, src, dst.device().index());
  else
    call_copy(dst, src);
}

void host_to_device(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  const int32_t device = dst.device().index();
  if (!dst.is_non_overlapping_and_dense()) {
    at::Tensor staged = make_empty(dst.sizes(), dst.scalar_type(), device);
    host_to_device(staged, src, non_blocking);
    copy_on_device(dst, staged);
    return;
  }
  if (bytes_suffice(dst, src)) {
    move_bytes(dst, src, device);
    const bool pinned = is_pinned(src.const_data_ptr());
    if (non_blocking && pinned)
      keep_pinned(src, device);
    else if (pinned)
      synchronize_stream(current_stream(device));
    return;
  }
  at::Tensor staged = host_like(dst, dst.scalar_type());
  take_bits(staged, dst);
  staged.copy_(src);
  move_bytes(dst, staged, device);  // pageable: the vendor is done with it when the call returns
}

void device_to_host(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  const int32_t device = src.device().index();
  if (bytes_suffice(dst, src)) {
    move_bytes(dst, src, device);
    if (non_blocking && is_pinned(dst.const_data_ptr()))
      keep_pinned(dst, device);
    else
      synchronize_stream(current_stream(device));
    return;
  }
  at::Tensor dense = src;
  if (!src.is_non_overlapping_and_dense()) {
    dense = make_empty(src.sizes(), src.scalar_type(), device);
    take_bits(dense, src);
    copy_on_device(dense, src);
  }
  at::Tensor staged = host_like(dense, src.scalar_type());
  take_bits(staged, dense);
  move_bytes(staged, dense, device);
  synchronize_stream(current_stream(device));
  dst.copy_(staged);
}

// `later` does nothing before the work enqueued on `earlier` is done.
void order(c10::Stream earlier, c10::Stream later) {
  const fl_vendor_api& api = vendor().api;
  const int32_t from = earlier.device_index(), to = later.device_index();
  fl_event event = nullptr;
  attach(from);
  FL_CHECK(api.event_create(from, 0, &event), "event_create(device=", from, ")");
  FL_CHECK(api.event_record(from, event, stream_handle(earlier)), "event_record(device=", from, ")");
  attach(to);
  FL_CHECK(api.stream_wait_event(to, stream_handle(later), event), "stream_wait_event(device=", to, ")");
  FL_CHECK(api.event_destroy(from, event), "event_destroy(device=", from, ")");
}

void device_to_device(const at::Tensor& dst, const at::Tensor& src) {
  const int32_t from = src.device().index(), to = dst.device().index();
  if (bytes_suffice(dst, src)) {
    const c10::Stream source = current_stream(from), target = current_stream(to);
    order(target, source);
    copy_bytes(dst.mutable_data_ptr(), to, src.const_data_ptr(), from, dst.nbytes(), source);
    order(source, target);
    return;
  }
  at::Tensor sent = dense_on_device(src, dst, dst.scalar_type());
  copy_on_device(sent, src);
  if (bytes_suffice(dst, sent)) {
    device_to_device(dst, sent);
    return;
  }
  at::Tensor received = make_empty(sent.sizes(), sent.scalar_type(), to);
  device_to_device(received, sent);
  copy_on_device(dst, received);
}

// A tensor of the boxing key whose device is ours too: the key's own copy serves, of aliases.
bool on_shared_key(const at::Tensor& t) {
  const KeyRuntime* key = key_runtime();
  return key != nullptr && t.device().type() == key->type;
}

void copy_on_key(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  const c10::DeviceType type = key_runtime()->type;
  at::Tensor to = on_flagos(dst) ? make_alias(dst, type, /*written=*/true) : dst;
  to.copy_(on_flagos(src) ? make_alias(src, type) : src, non_blocking);
}

at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool non_blocking) {
  const auto strided = [](const at::Tensor& t) {
    return t.unsafeGetTensorImpl()->key_set().has(c10::DispatchKey::PrivateUse1);
  };
  // What moves as bytes needs no kernel.
  if (strided(self) && strided(src) && !self.is_same(src) &&
      (self.sizes() != src.sizes() || !bytes_suffice(self, src)) && copy_boxed(self, src, non_blocking))
    return self;
  copy_into(self, src, non_blocking);
  return self;
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& dst, bool non_blocking) {
  copy_into(dst, self, non_blocking);
  return dst;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& dst) {
  dst.resize_(self.sizes());
  copy_into(dst, self, false);
  return dst;
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  note_read();
  at::Tensor host = at::detail::empty_cpu({}, self.scalar_type());
  move_bytes(host, self, self.device().index());
  synchronize_stream(current_stream(self.device().index()));
  return at::native::_local_scalar_dense_cpu(host);
}

void record_stream(at::Tensor& self, c10::Stream stream) {
  device_allocator()->recordStream(self.storage().data_ptr(), stream);
}

}  // namespace

void copy_into(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  TORCH_CHECK(dst.defined() && src.defined(), "copy_: a tensor is undefined");
  if (dst.is_same(src)) return;
  TORCH_CHECK(!src.is_meta(), "copy_: the source is a meta tensor, which has no data");
  at::AutoDispatchBelowADInplaceOrView below;
  at::Tensor source = src;
  if (dst.sizes() != src.sizes()) source = *at::expand_inplace(dst, src, "copy_");
  if (dst.is_meta() || dst.numel() == 0) return;
  at::assert_no_internal_overlap(dst);
  if (on_flagos(dst) && on_flagos(source)) {
    if (dst.device() == source.device()) {
      if (dst.storage().is_alias_of(source.storage())) {
        if (dst.const_data_ptr() == source.const_data_ptr() && dst.strides() == source.strides() &&
            dst.scalar_type() == source.scalar_type() && same_bits(dst, source))
          return;
        at::assert_no_partial_overlap(dst, source);
      }
      std::optional<InnerOp> step;
      if (C10_UNLIKELY(InnerOp::wanted())) step.emplace(nullptr, c10::ArrayRef<c10::IValue>({dst, source}));
      note_work();
      copy_on_device(dst, source);
      if (C10_UNLIKELY(step.has_value())) step->done({});
      return;
    }
  }
  note_work();
  if (on_flagos(dst) && on_flagos(source)) {
    device_to_device(dst, source);
  } else if (on_shared_key(dst) || on_shared_key(source)) {
    copy_on_key(dst, source, non_blocking);
  } else if (on_flagos(dst)) {
    host_to_device(dst, source, non_blocking);
  } else {
    device_to_host(dst, source, non_blocking);
  }
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("copy_", TORCH_FN(copy_));
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
  m.impl("record_stream", TORCH_FN(record_stream));
}

}  // namespace torch_fl
