// Device memory, pinned host memory, and copies between them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "torch_fl/vendor.h"

namespace torch_fl_sim {

const fl_ext_host_access* host_access_extension() noexcept;
const fl_ext_host_register* host_register_extension() noexcept;

// Called by DeviceOpen, under FLAGOS_SIM_PROTECT only.
void open_device_memory(int32_t device) noexcept;
void close_device_memory(int32_t device) noexcept;

// --- slots of fl_vendor_api
fl_status device_malloc(int32_t device, size_t bytes, void** ptr);
fl_status device_free(int32_t device, void* ptr);
fl_status mem_info(int32_t device, uint64_t* free_bytes, uint64_t* total_bytes);
fl_status host_malloc(size_t bytes, void** ptr);
fl_status host_free(void* ptr);
fl_status memcpy_async(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                       int32_t src_device, size_t bytes, fl_copy_kind kind, fl_stream stream);
fl_status memcpy_sync(void* dst, size_t dst_capacity, int32_t dst_device, const void* src, size_t src_capacity,
                      int32_t src_device, size_t bytes, fl_copy_kind kind);
fl_status memset_async(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes, fl_stream stream);
fl_status memset_sync(void* dst, size_t capacity, int32_t device, int32_t value, size_t bytes);

}  // namespace torch_fl_sim
