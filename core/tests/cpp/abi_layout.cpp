// The layout of vendor.h is frozen within an ABI major: fields are appended, never moved. This file only compiles.
#include <ATen/dlpack.h>

#include <cstddef>

#include "torch_fl/vendor.h"

static_assert(sizeof(void*) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4,
              "the numbers below are for 64-bit machines");

#define FL_AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define FL_SIZE(type, size) static_assert(sizeof(type) == (size), #type " changed its size")

// ------------------------------------------------------------------------- DLPack's fields in DLPack's order

#define FL_LIKE_DLPACK(ours, our_field, theirs, their_field)                                        \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) &&                       \
                    sizeof(((ours*)nullptr)->our_field) == sizeof(((theirs*)nullptr)->their_field), \
                #ours "." #our_field " is not where DLPack has " #their_field)

FL_LIKE_DLPACK(fl_tensor, data, DLTensor, data);
FL_LIKE_DLPACK(fl_tensor, device, DLTensor, device);
FL_LIKE_DLPACK(fl_tensor, ndim, DLTensor, ndim);
FL_LIKE_DLPACK(fl_tensor, dtype, DLTensor, dtype);
FL_LIKE_DLPACK(fl_tensor, sizes, DLTensor, shape);
FL_LIKE_DLPACK(fl_tensor, strides, DLTensor, strides);
FL_LIKE_DLPACK(fl_tensor, byte_offset, DLTensor, byte_offset);
FL_LIKE_DLPACK(fl_device, type, DLDevice, device_type);
FL_LIKE_DLPACK(fl_device, index, DLDevice, device_id);
FL_LIKE_DLPACK(fl_dtype, code, DLDataType, code);
FL_LIKE_DLPACK(fl_dtype, bits, DLDataType, bits);
FL_LIKE_DLPACK(fl_dtype, lanes, DLDataType, lanes);
static_assert(offsetof(fl_tensor, storage_base) == sizeof(DLTensor), "what is ours comes after DLPack's fields");

static_assert(FL_DEVICE_TYPE == kDLExtDev);
static_assert(FL_CODE_INT == static_cast<int>(kDLInt) && FL_CODE_UINT == static_cast<int>(kDLUInt));
static_assert(FL_CODE_FLOAT == static_cast<int>(kDLFloat) && FL_CODE_BFLOAT == static_cast<int>(kDLBfloat));
static_assert(FL_CODE_COMPLEX == static_cast<int>(kDLComplex) && FL_CODE_BOOL == static_cast<int>(kDLBool));
static_assert(FL_CODE_FLOAT8_E4M3FN == static_cast<int>(kDLFloat8_e4m3fn));
static_assert(FL_CODE_FLOAT8_E4M3FNUZ == static_cast<int>(kDLFloat8_e4m3fnuz));
static_assert(FL_CODE_FLOAT8_E5M2 == static_cast<int>(kDLFloat8_e5m2));
static_assert(FL_CODE_FLOAT8_E5M2FNUZ == static_cast<int>(kDLFloat8_e5m2fnuz));

// ------------------------------------------------------------------------------------------------- values

FL_SIZE(fl_dtype, 4);
FL_SIZE(fl_device, 8);
FL_SIZE(fl_status, 4);

FL_SIZE(fl_tensor, 64);
FL_AT(fl_tensor, storage_base, 48);
FL_AT(fl_tensor, storage_bytes, 56);

FL_SIZE(fl_scalar, 24);
FL_AT(fl_scalar, kind, 0);
FL_AT(fl_scalar, wrapped, 4);
FL_AT(fl_scalar, v, 8);

FL_SIZE(fl_list, 24);
FL_AT(fl_list, data, 0);
FL_AT(fl_list, count, 8);
FL_AT(fl_list, element_size, 16);

FL_SIZE(fl_generator, 16);
FL_AT(fl_generator, handle, 0);
FL_AT(fl_generator, device, 8);

FL_SIZE(fl_value, 72);
FL_AT(fl_value, kind, 0);
FL_AT(fl_value, flags, 4);
FL_AT(fl_value, v, 8);

// ------------------------------------------------------------------------------------------ calls and rows

FL_SIZE(fl_call, 72);
FL_AT(fl_call, struct_size, 0);
FL_AT(fl_call, row, 8);
FL_AT(fl_call, stream, 16);
FL_AT(fl_call, device, 24);
FL_AT(fl_call, flags, 28);
FL_AT(fl_call, args, 32);
FL_AT(fl_call, outs, 40);
FL_AT(fl_call, arg_count, 48);
FL_AT(fl_call, out_count, 52);
FL_AT(fl_call, value_size, 56);
FL_AT(fl_call, core, 64);

FL_SIZE(fl_row, 88);
FL_AT(fl_row, struct_size, 0);
FL_AT(fl_row, schema, 8);
FL_AT(fl_row, prepare, 16);
FL_AT(fl_row, run, 24);
FL_AT(fl_row, release, 32);
FL_AT(fl_row, arg_dtypes, 40);
FL_AT(fl_row, out_dtypes, 48);
FL_AT(fl_row, arg_count, 56);
FL_AT(fl_row, out_count, 60);
FL_AT(fl_row, max_rank, 64);
FL_AT(fl_row, spellings, 68);
FL_AT(fl_row, flags, 72);
FL_AT(fl_row, layout, 80);

// --------------------------------------------------------------------------------------------- core's table

FL_SIZE(fl_core_api, 72);
FL_AT(fl_core_api, struct_size, 0);
FL_AT(fl_core_api, abi_major, 8);
FL_AT(fl_core_api, abi_minor, 12);
FL_AT(fl_core_api, alloc, 16);
FL_AT(fl_core_api, free, 24);
FL_AT(fl_core_api, current_stream, 32);
FL_AT(fl_core_api, alloc_output, 40);
FL_AT(fl_core_api, philox, 48);
FL_AT(fl_core_api, log, 56);
FL_AT(fl_core_api, set_error, 64);

// ------------------------------------------------------------------------------------------ vendor's table

FL_SIZE(fl_device_properties, 232);
FL_AT(fl_device_properties, struct_size, 0);
FL_AT(fl_device_properties, name, 8);
FL_AT(fl_device_properties, architecture, 136);
FL_AT(fl_device_properties, total_memory, 200);
FL_AT(fl_device_properties, multiprocessors, 208);
FL_AT(fl_device_properties, warp_size, 212);
FL_AT(fl_device_properties, major, 216);
FL_AT(fl_device_properties, minor, 220);
FL_AT(fl_device_properties, supported_dtypes, 224);

FL_SIZE(fl_device_map, 32);
FL_AT(fl_device_map, struct_size, 0);
FL_AT(fl_device_map, card, 8);
FL_AT(fl_device_map, partition, 12);
FL_AT(fl_device_map, uuid, 16);

FL_SIZE(fl_vendor_api, 328);
FL_AT(fl_vendor_api, struct_size, 0);
FL_AT(fl_vendor_api, abi_major, 8);
FL_AT(fl_vendor_api, abi_minor, 12);
FL_AT(fl_vendor_api, name, 16);
FL_AT(fl_vendor_api, version, 24);
FL_AT(fl_vendor_api, init, 32);
FL_AT(fl_vendor_api, shutdown, 40);
FL_AT(fl_vendor_api, thread_attach, 48);
FL_AT(fl_vendor_api, device_count, 56);
FL_AT(fl_vendor_api, set_device, 64);
FL_AT(fl_vendor_api, device_synchronize, 72);
FL_AT(fl_vendor_api, device_get_properties, 80);
FL_AT(fl_vendor_api, device_get_map, 88);
FL_AT(fl_vendor_api, can_access_peer, 96);
FL_AT(fl_vendor_api, enable_peer_access, 104);
FL_AT(fl_vendor_api, malloc, 112);
FL_AT(fl_vendor_api, free, 120);
FL_AT(fl_vendor_api, mem_info, 128);
FL_AT(fl_vendor_api, host_malloc, 136);
FL_AT(fl_vendor_api, host_free, 144);
FL_AT(fl_vendor_api, memcpy_async, 152);
FL_AT(fl_vendor_api, memcpy_sync, 160);
FL_AT(fl_vendor_api, memset_async, 168);
FL_AT(fl_vendor_api, memset_sync, 176);
FL_AT(fl_vendor_api, stream_priority_range, 184);
FL_AT(fl_vendor_api, stream_create, 192);
FL_AT(fl_vendor_api, stream_destroy, 200);
FL_AT(fl_vendor_api, stream_synchronize, 208);
FL_AT(fl_vendor_api, stream_query, 216);
FL_AT(fl_vendor_api, stream_wait_event, 224);
FL_AT(fl_vendor_api, stream_native_handle, 232);
FL_AT(fl_vendor_api, host_callback, 240);
FL_AT(fl_vendor_api, event_create, 248);
FL_AT(fl_vendor_api, event_destroy, 256);
FL_AT(fl_vendor_api, event_record, 264);
FL_AT(fl_vendor_api, event_query, 272);
FL_AT(fl_vendor_api, event_synchronize, 280);
FL_AT(fl_vendor_api, event_elapsed, 288);
FL_AT(fl_vendor_api, rows, 296);
FL_AT(fl_vendor_api, row_count, 304);
FL_AT(fl_vendor_api, row_size, 312);
FL_AT(fl_vendor_api, get_extension, 320);

// --------------------------------------------------------------------------------------------- extensions

FL_SIZE(fl_launch, 72);
FL_AT(fl_launch, grid, 8);
FL_AT(fl_launch, block, 20);
FL_AT(fl_launch, shared_bytes, 32);
FL_AT(fl_launch, arg_count, 36);
FL_AT(fl_launch, args, 40);
FL_AT(fl_launch, arg_sizes, 48);
FL_AT(fl_launch, metadata, 56);
FL_AT(fl_launch, cluster, 64);
FL_AT(fl_launch, features, 68);
FL_SIZE(fl_tensor_map, 136);
FL_AT(fl_tensor_map, address, 8);
FL_AT(fl_tensor_map, element_type, 16);
FL_AT(fl_tensor_map, element_bytes, 20);
FL_AT(fl_tensor_map, swizzle, 24);
FL_AT(fl_tensor_map, fill, 28);
FL_AT(fl_tensor_map, rank, 32);
FL_AT(fl_tensor_map, box, 36);
FL_AT(fl_tensor_map, sizes, 56);
FL_AT(fl_tensor_map, strides, 96);
FL_SIZE(fl_ext_module, 64);
FL_AT(fl_ext_module, load, 8);
FL_AT(fl_ext_module, unload, 16);
FL_AT(fl_ext_module, get_function, 24);
FL_AT(fl_ext_module, launch, 32);
FL_AT(fl_ext_module, launch_features, 40);
FL_AT(fl_ext_module, tensor_map_bytes, 48);
FL_AT(fl_ext_module, encode_tensor_map, 56);

FL_SIZE(fl_activity, 72);
FL_AT(fl_activity, name, 8);
FL_AT(fl_activity, device, 16);
FL_AT(fl_activity, kind, 20);
FL_AT(fl_activity, stream, 24);
FL_AT(fl_activity, correlation, 32);
FL_AT(fl_activity, enqueue_ns, 40);
FL_AT(fl_activity, start_ns, 48);
FL_AT(fl_activity, end_ns, 56);
FL_AT(fl_activity, bytes, 64);
FL_SIZE(fl_ext_profiler, 24);
FL_AT(fl_ext_profiler, start, 8);
FL_AT(fl_ext_profiler, stop, 16);

FL_SIZE(fl_ext_host_access, 24);
FL_AT(fl_ext_host_access, begin, 8);
FL_AT(fl_ext_host_access, end, 16);

FL_SIZE(fl_ext_host_register, 24);
FL_AT(fl_ext_host_register, pin, 8);
FL_AT(fl_ext_host_register, unpin, 16);

FL_SIZE(fl_ext_ipc, 56);
FL_AT(fl_ext_ipc, handle_bytes, 8);
FL_AT(fl_ext_ipc, memory_export, 16);
FL_AT(fl_ext_ipc, memory_open, 24);
FL_AT(fl_ext_ipc, memory_close, 32);
FL_AT(fl_ext_ipc, event_export, 40);
FL_AT(fl_ext_ipc, event_open, 48);

FL_SIZE(fl_ext_capture, 48);
FL_AT(fl_ext_capture, begin, 8);
FL_AT(fl_ext_capture, end, 16);
FL_AT(fl_ext_capture, is_capturing, 24);
FL_AT(fl_ext_capture, replay, 32);
FL_AT(fl_ext_capture, destroy, 40);

FL_SIZE(fl_ext_collectives, 88);
FL_AT(fl_ext_collectives, unique_id_bytes, 8);
FL_AT(fl_ext_collectives, unique_id, 16);
FL_AT(fl_ext_collectives, init, 24);
FL_AT(fl_ext_collectives, destroy, 32);
FL_AT(fl_ext_collectives, all_reduce, 40);
FL_AT(fl_ext_collectives, broadcast, 48);
FL_AT(fl_ext_collectives, all_gather, 56);
FL_AT(fl_ext_collectives, reduce_scatter, 64);
FL_AT(fl_ext_collectives, send, 72);
FL_AT(fl_ext_collectives, recv, 80);

FL_SIZE(fl_ext_key_runtime, 16);
FL_AT(fl_ext_key_runtime, adopt_stream, 8);
