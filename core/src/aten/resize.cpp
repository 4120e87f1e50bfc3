// resize_, set_: what a tensor's storage is and how large.
#include <ATen/Context.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <torch/library.h>

#include "aten/make.h"

namespace torch_fl {
namespace {

// Deterministic mode wants no uninitialised memory: what was grown is filled as a fresh tensor is.
void fill_new_memory(const at::Tensor& self, size_t before) {
  const size_t item = self.element_size(), after = self.storage().nbytes();
  if (C10_LIKELY(!at::globalContext().deterministicAlgorithms() ||
                 !at::globalContext().deterministicFillUninitializedMemory()) ||
      after <= before)
    return;
  const auto first = static_cast<int64_t>(before / item), count = static_cast<int64_t>(after / item) - first;
  const int64_t one = 1;
  const at::Tensor grown =
      at::native::as_strided_tensorimpl(self, at::IntArrayRef(&count, 1), at::IntArrayRef(&one, 1), first);
  at::Tensor host = at::detail::empty_cpu({count}, self.scalar_type());
  at::native::fill_empty_deterministic_(host);
  copy_into(grown, host, false);
}

const at::Tensor& resize_(const at::Tensor& self, c10::SymIntArrayRef sizes, std::optional<at::MemoryFormat> format) {
  const c10::IntArrayRef wanted = C10_AS_INTARRAYREF_SLOW(sizes);
  at::TensorImpl* impl = self.unsafeGetTensorImpl();
  const size_t before = self.storage().nbytes();
  if (impl->sizes() != wanted) {
    impl->set_sizes_contiguous(wanted);
    if (impl->numel() != 0)
      grow_storage(impl, at::detail::computeStorageNbytesContiguous(wanted, impl->itemsize(), impl->storage_offset()));
  }
  fill_new_memory(self, before);
  if (format.has_value()) {
    TORCH_CHECK(*format != at::MemoryFormat::Preserve, "Unsupported memory format ", *format);
    impl->empty_tensor_restride(*format);
  }
  return self;
}

at::Tensor& set_source_storage_offset(at::Tensor& self, at::Storage source, c10::SymInt offset,
                                      c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides) {
  const c10::IntArrayRef size = C10_AS_INTARRAYREF_SLOW(sizes);
  const c10::IntArrayRef stride = C10_AS_INTARRAYREF_SLOW(strides);
  at::native::checkSetStorage(self, std::move(source), offset.expect_int(), size, stride);
  at::TensorImpl* impl = self.unsafeGetTensorImpl();
  impl->set_storage_offset(offset.expect_int());
  if (strides.data() != nullptr) {
    impl->set_sizes_and_strides(size, stride);
    if (impl->numel() != 0)
      grow_storage(impl, at::detail::computeStorageNbytes(size, stride, impl->itemsize(), impl->storage_offset()));
  } else {
    resize_(self, sizes, std::nullopt);
  }
  return self;
}

at::Tensor& set_(at::Tensor& self) {
  c10::Storage empty(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), 0, allocate(self.device().index(), 0), device_allocator(), true));
  const int64_t zero = 0;
  return set_source_storage_offset(self, std::move(empty), 0, c10::fromIntArrayRefSlow(c10::IntArrayRef(&zero, 1)), {});
}

}  // namespace

void grow_storage(at::TensorImpl* self, size_t bytes) {
  const c10::Storage& storage = self->unsafe_storage();
  if (bytes > storage.nbytes()) at::native::resize_bytes_nocuda(storage, static_cast<int64_t>(bytes));
}

void resize_out(const at::Tensor& out, c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  if (at::native::resize_output(out, sizes) && out.strides() != strides) {
    at::TensorImpl* impl = out.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(sizes, strides);
    if (impl->numel() != 0)
      grow_storage(impl, at::detail::computeStorageNbytes(sizes, strides, impl->itemsize(), impl->storage_offset()));
  }
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("resize_", TORCH_FN(resize_));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_source_storage_offset));
  m.impl("set_.source_Storage",
         [](at::Tensor& self, at::Storage source) -> at::Tensor& { return at::native::set_(self, std::move(source)); });
  m.impl("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
  m.impl("set_", TORCH_FN(set_));
}

}  // namespace torch_fl
