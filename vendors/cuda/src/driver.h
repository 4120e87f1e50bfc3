// The part of the CUDA driver API that this library calls, declared by us: libcuda is opened at run time, so that
// neither the toolkit's headers nor the library are needed to build. Functions have the names that libcuda exports,
// types and constants those of NVIDIA's documentation (without CU_ where the enum says what it is).
#pragma once

#include <cstddef>
#include <cstdint>

namespace torch_fl_cuda {

using CUdevice = int;           // an ordinal, after CUDA_VISIBLE_DEVICES
using CUdeviceptr = uintptr_t;  // one address space for all devices and the host (64-bit systems)
using CUcontext = struct Context*;
using CUstream = struct Stream*;
using CUevent = struct Event*;
using CUmodule = struct Module*;
using CUfunction = struct Function*;
using CUgraph = struct Graph*;
using CUgraphExec = struct GraphExec*;
struct CUuuid {
  uint8_t bytes[16];
};
struct CUipcMemHandle {
  uint8_t bytes[64];
};
struct CUipcEventHandle {
  uint8_t bytes[64];
};

// CUresult; others reach core as the number that they are.
enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
};

enum CUdevice_attribute : int {
  DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};
enum CUfunction_attribute : int {
  FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,  // what the kernel has without being asked
  FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};
enum CUstreamCaptureMode : int { STREAM_CAPTURE_MODE_GLOBAL = 0, STREAM_CAPTURE_MODE_THREAD_LOCAL = 1 };
enum CUstreamCaptureStatus : int { STREAM_CAPTURE_STATUS_NONE = 0, STREAM_CAPTURE_STATUS_ACTIVE = 1 };

constexpr unsigned STREAM_NON_BLOCKING = 1;
constexpr unsigned EVENT_BLOCKING_SYNC = 1;
constexpr unsigned EVENT_DISABLE_TIMING = 2;
constexpr unsigned EVENT_INTERPROCESS = 4;
constexpr unsigned MEMHOSTALLOC_PORTABLE = 1;  // page-locked for every context
constexpr unsigned MEMHOSTREGISTER_PORTABLE = 1;
constexpr unsigned IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1;

// The default stream of the current context. Zero means the same to the driver, but an fl_stream is never null.
inline CUstream const STREAM_LEGACY = reinterpret_cast<CUstream>(uintptr_t{1});

// X(function, arguments): all that have to be there, from CUDA 11.4 on.
#define FL_CUDA_FUNCTIONS(X)                                                                                         \
  X(cuInit, (unsigned flags))                                                                                        \
  X(cuGetErrorName, (CUresult code, const char** name))                                                              \
  X(cuGetErrorString, (CUresult code, const char** words))                                                           \
  X(cuDeviceGetCount, (int* count))                                                                                  \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                                                                   \
  X(cuDeviceGetName, (char* name, int size, CUdevice device))                                                        \
  X(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device))                                                               \
  X(cuDeviceTotalMem_v2, (size_t* bytes, CUdevice device))                                                           \
  X(cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))                               \
  X(cuDeviceCanAccessPeer, (int* can, CUdevice device, CUdevice peer))                                               \
  X(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned* flags, int* active))                                     \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                                \
  X(cuCtxGetCurrent, (CUcontext * context))                                                                          \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                                                        \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                                                       \
  X(cuCtxSynchronize, ())                                                                                            \
  X(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags))                                                         \
  X(cuCtxGetStreamPriorityRange, (int* least, int* greatest))                                                        \
  X(cuMemAlloc_v2, (CUdeviceptr * ptr, size_t bytes))                                                                \
  X(cuMemFree_v2, (CUdeviceptr ptr))                                                                                 \
  X(cuMemGetInfo_v2, (size_t* free, size_t* total))                                                                  \
  X(cuMemHostAlloc, (void** ptr, size_t bytes, unsigned flags))                                                      \
  X(cuMemFreeHost, (void* ptr))                                                                                      \
  X(cuMemHostRegister_v2, (void* ptr, size_t bytes, unsigned flags))                                                 \
  X(cuMemHostUnregister, (void* ptr))                                                                                \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void* src, size_t bytes, CUstream stream))                         \
  X(cuMemcpyDtoHAsync_v2, (void* dst, CUdeviceptr src, size_t bytes, CUstream stream))                               \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))                         \
  X(cuMemcpyPeerAsync,                                                                                               \
    (CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context, size_t bytes, CUstream stream)) \
  X(cuMemsetD8Async, (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream))                          \
  X(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority))                                   \
  X(cuStreamDestroy_v2, (CUstream stream))                                                                           \
  X(cuStreamSynchronize, (CUstream stream))                                                                          \
  X(cuStreamQuery, (CUstream stream))                                                                                \
  X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                                             \
  X(cuStreamGetCtx, (CUstream stream, CUcontext * context))                                                          \
  X(cuLaunchHostFunc, (CUstream stream, void (*function)(void* user), void* user))                                   \
  X(cuEventCreate, (CUevent * event, unsigned flags))                                                                \
  X(cuEventDestroy_v2, (CUevent event))                                                                              \
  X(cuEventRecord, (CUevent event, CUstream stream))                                                                 \
  X(cuEventQuery, (CUevent event))                                                                                   \
  X(cuEventSynchronize, (CUevent event))                                                                             \
  X(cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))                                           \
  X(cuModuleLoadData, (CUmodule * module, const void* image))                                                        \
  X(cuModuleUnload, (CUmodule module))                                                                               \
  X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))                                 \
  X(cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function))                           \
  X(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))                            \
  X(cuLaunchKernel,                                                                                                  \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,     \
     unsigned block_z, unsigned shared_bytes, CUstream stream, void** args, void** extra))                           \
  X(cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr ptr))                                                   \
  X(cuIpcOpenMemHandle_v2, (CUdeviceptr * ptr, CUipcMemHandle handle, unsigned flags))                               \
  X(cuIpcCloseMemHandle, (CUdeviceptr ptr))                                                                          \
  X(cuIpcGetEventHandle, (CUipcEventHandle * handle, CUevent event))                                                 \
  X(cuIpcOpenEventHandle, (CUevent * event, CUipcEventHandle handle))                                                \
  X(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                                            \
  X(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                                          \
  X(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                                          \
  X(cuGraphInstantiateWithFlags, (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                \
  X(cuGraphDestroy, (CUgraph graph))                                                                                 \
  X(cuGraphLaunch, (CUgraphExec executable, CUstream stream))                                                        \
  X(cuGraphExecDestroy, (CUgraphExec executable))

// How a launch runs beyond its grid: CUlaunchAttribute, whose value is a union of 64 bytes.
enum CUlaunchAttributeID : int {
  LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
  LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
};
constexpr uint32_t CLUSTER_SCHEDULING_POLICY_SPREAD = 1;
struct alignas(8) CUlaunchAttribute {
  CUlaunchAttributeID id;
  char padding[4];
  uint32_t value[16];
};
struct CUlaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  CUstream stream;
  const CUlaunchAttribute* attributes;
  unsigned attribute_count;
};
struct alignas(64) CUtensorMap {
  uint64_t opaque[16];
};
constexpr int TENSOR_MAP_INTERLEAVE_NONE = 0;
constexpr int TENSOR_MAP_L2_PROMOTION_L2_128B = 2;

struct Driver {
#define FL_MEMBER(name, arguments) CUresult(*name) arguments;
  FL_CUDA_FUNCTIONS(FL_MEMBER)
#undef FL_MEMBER
  // Tells the parts of a divided card apart; drivers before 11.4 do not.
  CUresult (*cuDeviceGetUuid_v2)(CUuuid* uuid, CUdevice device);
  // From CUDA 11.8 and 12.0 on.
  CUresult (*cuLaunchKernelEx)(const CUlaunchConfig* config, CUfunction function, void** args, void** extra);
  CUresult (*cuTensorMapEncodeTiled)(CUtensorMap* map, int type, uint32_t rank, void* address, const uint64_t* sizes,
                                     const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides,
                                     int interleave, int swizzle, int l2_promotion, int fill);
};

// Filled by load_driver(); until then every function is null.
const Driver& driver() noexcept;
// Opens libcuda.so.1. What is wrong with it, or null.
const char* load_driver() noexcept;

}  // namespace torch_fl_cuda
