// A stand-in for Enflame's topsrt header, for builds without the SDK. Written by generate.py from table.yaml.
#ifndef TOPS_RUNTIME_API_H_
#define TOPS_RUNTIME_API_H_

#include <stddef.h>
#include <stdint.h>

// What the vendor's version string says about the SDK that it was built with; the real SDK does not define it.
#define TOPS_STANDIN "stand-in SDK"

#pragma GCC visibility push(default)

#ifdef __cplusplus
#define TOPS_NODISCARD [[nodiscard]]
extern "C" {
#else
#define TOPS_NODISCARD
#endif

// section 1.2
typedef enum TOPS_NODISCARD topsError_t {
  topsSuccess = 0,
  topsErrorInvalidValue = 1,
  topsErrorOutOfMemory = 2,
  topsErrorMemoryAllocation = 2,
  topsErrorNotInitialized = 3,
  topsErrorInvalidDevicePointer = 17,
  topsErrorInvalidMemcpyDirection = 21,
  topsErrorInsufficientDriver = 35,
  topsErrorNoDevice = 100,
  topsErrorInvalidDevice = 101,
  topsErrorInvalidHandle = 400,
  topsErrorInvalidResourceHandle = 400,
  topsErrorNotReady = 600,
  topsErrorPeerAccessAlreadyEnabled = 704,
  topsErrorLaunchFailure = 719,
  topsErrorNotSupported = 801,
  topsErrorStreamCaptureUnsupported = 900,
  topsErrorStreamCaptureInvalidated = 901,
  topsErrorUnknown = 999
} topsError_t;

// section 1.2
typedef enum topsMemcpyKind {
  topsMemcpyHostToHost = 0,
  topsMemcpyHostToDevice = 1,
  topsMemcpyDeviceToHost = 2,
  topsMemcpyDeviceToDevice = 3,
  topsMemcpyDefault = 4
} topsMemcpyKind;

// section 1.2
typedef enum topsMemoryType {
  topsMemoryTypeHost = 1,
  topsMemoryTypeDevice = 2
} topsMemoryType;

// section 1.2
#define topsStreamDefault 0
#define topsStreamNonBlocking 1
#define topsStreamCallbackBlocking 2
#define topsStreamNonMerging 4
#define topsEventDefault 0
#define topsEventBlockingSync 1
#define topsEventDisableTiming 2
#define topsEventInterprocess 4
#define topsEventRecordOnce 8
#define topsEventStrongOrder 16
#define topsEventDisableQueryAndSync 32
#define topsHostMallocDefault 0
#define topsHostMallocPortable 1
#define topsHostMallocMapped 2
#define topsHostMallocWriteCombined 4
#define topsHostRegisterDefault 0
#define topsDeviceMallocDefault 0
#define topsMallocTopDown 4
#define topsMallocForbidMergeMove 8
#define topsMallocPreferHighSpeedMem 16
#define topsMallocHostAccessable 32
#define topsIpcMemLazyEnablePeerAccess 1

// section 1.2
typedef struct itopsStream_t* topsStream_t;
typedef struct itopsEvent_t* topsEvent_t;
typedef struct itopsModule_t* topsModule_t;
typedef struct itopsFunction_t* topsFunction_t;
typedef void* topsDeviceptr_t;
typedef int topsDevice_t;
typedef void (*topsStreamCallback_t)(topsStream_t stream, topsError_t status, void* userData);

// section 1.2
typedef struct topsPointerAttribute_t {
  enum topsMemoryType memoryType;
  int device;
  void* device_pointer;
  void* host_pointer;
  int isManaged;
  unsigned allocationFlags;
} topsPointerAttribute_t;

// section 1.2: hip-like, and gcuArchName, mc_channel, localMemPerThread; the other names by that analogy
typedef struct topsDeviceProp_t {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;
  int memoryClockRate;
  int memoryBusWidth;
  int major;
  int minor;
  int multiProcessorCount;
  int pciDomainID;
  int pciBusID;
  int pciDeviceID;
  char gcuArchName[256];
  int mc_channel;
  size_t localMemPerThread;
} topsDeviceProp_t;

// appendix A; size by analogy with HIP
typedef struct topsIpcMemHandle_t {
  char reserved[64];
} topsIpcMemHandle_t;

// appendix A; size by analogy with HIP
typedef struct topsIpcEventHandle_t {
  char reserved[64];
} topsIpcEventHandle_t;

// appendix A
topsError_t topsInit(unsigned int flags);
// appendix A
topsError_t topsDriverGetVersion(int* driverVersion);
// appendix A
topsError_t topsRuntimeGetVersion(int* runtimeVersion);
// appendix A
topsError_t topsGetDeviceCount(int* count);
// appendix A; thread-local: section 1.2
topsError_t topsGetDevice(int* deviceId);
// appendix A; thread-local: section 1.2
topsError_t topsSetDevice(int deviceId);
// appendix A
topsError_t topsDeviceGet(topsDevice_t* device, int ordinal);
// appendix A
topsError_t topsDeviceGetName(char* name, int len, topsDevice_t device);
// appendix A
topsError_t topsDeviceTotalMem(size_t* bytes, topsDevice_t device);
// appendix A
topsError_t topsDeviceGetPCIBusId(char* pciBusId, int len, int device);
// appendix A
topsError_t topsDeviceReset(void);
// appendix A
topsError_t topsDeviceSynchronize(void);
// appendix A
topsError_t topsGetDeviceProperties(topsDeviceProp_t* prop, int deviceId);
// appendix A
topsError_t topsDeviceCanAccessPeer(int* canAccess, int deviceId, int peerDeviceId);
// appendix A
topsError_t topsDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);
// appendix A; NotReady stays until it is read: section 1.2
topsError_t topsGetLastError(void);
// section 1.2
topsError_t topsPeekAtLastError(void);
// appendix A
const char* topsGetErrorString(topsError_t topsError);
// section 1.2
const char* topsGetErrorName(topsError_t topsError);
// appendix A
topsError_t topsMalloc(void** ptr, size_t size);
// appendix A
topsError_t topsExtMallocWithFlags(void** ptr, size_t sizeBytes, unsigned int flags);
// appendix A
topsError_t topsFree(void* ptr);
// appendix A
topsError_t topsMallocAsync(void** dev_ptr, size_t size, topsStream_t stream, uint64_t flags);
// appendix A
topsError_t topsFreeAsync(void* dev_ptr, topsStream_t stream);
// appendix A
topsError_t topsMemGetInfo(size_t* free, size_t* total);
// appendix A
topsError_t topsPointerGetAttributes(topsPointerAttribute_t* attributes, const void* ptr);
// appendix A; size 0: section 1.2
topsError_t topsHostMalloc(void** ptr, size_t size, unsigned int flags);
// appendix A
topsError_t topsHostFree(void* ptr);
// appendix A
topsError_t topsHostRegister(void* hostPtr, size_t sizeBytes, unsigned int flags);
// appendix A
topsError_t topsHostUnregister(void* hostPtr);
// appendix A
topsError_t topsHostGetDevicePointer(void** devPtr, void* hostPtr, unsigned int flags);
// appendix A
topsError_t topsMemcpy(void* dst, const void* src, size_t sizeBytes, topsMemcpyKind kind);
// appendix A
topsError_t topsMemcpyAsync(void* dst, const void* src, size_t sizeBytes, topsMemcpyKind kind, topsStream_t stream);
// appendix A
topsError_t topsMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t sizeBytes);
// appendix A
topsError_t topsMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t sizeBytes,
    topsStream_t stream);
// appendix A
topsError_t topsMemcpyHtoD(topsDeviceptr_t dst, void* src, size_t sizeBytes);
// appendix A
topsError_t topsMemcpyDtoH(void* dst, topsDeviceptr_t src, size_t sizeBytes);
// appendix A
topsError_t topsMemcpyDtoD(topsDeviceptr_t dst, topsDeviceptr_t src, size_t sizeBytes);
// appendix A
topsError_t topsMemcpyHtoDAsync(topsDeviceptr_t dst, void* src, size_t sizeBytes, topsStream_t stream);
// appendix A
topsError_t topsMemcpyDtoHAsync(void* dst, topsDeviceptr_t src, size_t sizeBytes, topsStream_t stream);
// appendix A
topsError_t topsMemcpyDtoDAsync(topsDeviceptr_t dst, topsDeviceptr_t src, size_t sizeBytes, topsStream_t stream);
// appendix A
topsError_t topsMemset(void* dst, int value, size_t sizeBytes);
// appendix A
topsError_t topsMemsetAsync(void* dst, int value, size_t sizeBytes, topsStream_t stream);
// appendix A
topsError_t topsMemsetD8(topsDeviceptr_t dest, unsigned char value, size_t count);
// appendix A
topsError_t topsMemsetD8Async(topsDeviceptr_t dest, unsigned char value, size_t count, topsStream_t stream);
// appendix A
topsError_t topsMemsetD16(topsDeviceptr_t dest, unsigned short value, size_t count);
// appendix A
topsError_t topsMemsetD16Async(topsDeviceptr_t dest, unsigned short value, size_t count, topsStream_t stream);
// appendix A
topsError_t topsMemsetD32(topsDeviceptr_t dest, int value, size_t count);
// section 1.2
topsError_t topsMemsetD32Async(topsDeviceptr_t dest, int value, size_t count, topsStream_t stream);
// appendix A
topsError_t topsStreamCreate(topsStream_t* stream);
// appendix A; no priorities: section 1.2
topsError_t topsStreamCreateWithFlags(topsStream_t* stream, unsigned int flags);
// appendix A
topsError_t topsStreamDestroy(topsStream_t stream);
// appendix A
topsError_t topsStreamQuery(topsStream_t stream);
// appendix A
topsError_t topsStreamSynchronize(topsStream_t stream);
// appendix A
topsError_t topsStreamWaitEvent(topsStream_t stream, topsEvent_t event, unsigned int flags);
// appendix A
topsError_t topsStreamAddCallback(topsStream_t stream, topsStreamCallback_t callback, void* userData,
    unsigned int flags);
// appendix A
topsError_t topsEventCreate(topsEvent_t* event);
// appendix A
topsError_t topsEventCreateWithFlags(topsEvent_t* event, unsigned flags);
// appendix A
topsError_t topsEventRecord(topsEvent_t event, topsStream_t stream);
// appendix A
topsError_t topsEventQuery(topsEvent_t event);
// appendix A
topsError_t topsEventSynchronize(topsEvent_t event);
// appendix A
topsError_t topsEventElapsedTime(float* ms, topsEvent_t start, topsEvent_t stop);
// appendix A
topsError_t topsEventDestroy(topsEvent_t event);
// appendix A
topsError_t topsIpcGetMemHandle(topsIpcMemHandle_t* handle, void* devPtr);
// appendix A
topsError_t topsIpcOpenMemHandle(void** devPtr, topsIpcMemHandle_t handle, unsigned int flags);
// appendix A
topsError_t topsIpcCloseMemHandle(void* devPtr);
// appendix A; not supported: section 1.2
topsError_t topsIpcGetEventHandle(topsIpcEventHandle_t* handle, topsEvent_t event);
// appendix A; not supported: section 1.2
topsError_t topsIpcOpenEventHandle(topsEvent_t* event, topsIpcEventHandle_t handle);
// appendix A
topsError_t topsModuleLoad(topsModule_t* module, const char* fname);
// appendix A
topsError_t topsModuleLoadData(topsModule_t* module, const void* image);
// appendix A
topsError_t topsModuleUnload(topsModule_t module);
// appendix A
topsError_t topsModuleGetFunction(topsFunction_t* function, topsModule_t module, const char* kname);
// appendix A; grid limits: ancestor 3.4
topsError_t topsModuleLaunchKernel(topsFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
    unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
    unsigned int sharedMemBytes, topsStream_t stream, void** kernelParams, void** extra);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif  // TOPS_RUNTIME_API_H_
