// Included before HIP's headers where CUDA is 13 or newer and HIP is 5.2: what its wrappers over CUDA call, and CUDA no
// longer has in that form. Nothing of it is called by this vendor; it only has to compile.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000

// Members that the properties of a device have lost.
struct FlDeviceProp : cudaDeviceProp {
  int clockRate, memoryClockRate, computeMode, kernelExecTimeoutEnabled, cooperativeMultiDeviceLaunch;
};
#define cudaDeviceProp FlDeviceProp
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrCooperativeLaunch

// Places are structs now.
static inline cudaMemLocation fl_location(int device) {
  cudaMemLocation made{};
  made.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  made.id = device;
  return made;
}
#define cudaMemAdvise(ptr, count, advice, device) (cudaMemAdvise)(ptr, count, advice, fl_location(device))
#define cudaMemPrefetchAsync(ptr, count, device, stream) \
  (cudaMemPrefetchAsync)(ptr, count, fl_location(device), 0u, stream)

#undef cuCtxCreate
#define cuCtxCreate(context, flags, device) cuCtxCreate_v4(context, nullptr, flags, device)

// Edges of graphs carry data.
#define cudaGraphAddDependencies(graph, from, to, n) (cudaGraphAddDependencies)(graph, from, to, nullptr, n)
#define cudaGraphRemoveDependencies(graph, from, to, n) (cudaGraphRemoveDependencies)(graph, from, to, nullptr, n)
#define cudaGraphGetEdges(graph, from, to, n) (cudaGraphGetEdges)(graph, from, to, nullptr, n)
#define cudaGraphNodeGetDependencies(node, found, n) (cudaGraphNodeGetDependencies)(node, found, nullptr, n)
#define cudaGraphNodeGetDependentNodes(node, found, n) (cudaGraphNodeGetDependentNodes)(node, found, nullptr, n)
#define cudaStreamUpdateCaptureDependencies(stream, nodes, n, flags) \
  (cudaStreamUpdateCaptureDependencies)(stream, nodes, nullptr, n, flags)
#define cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, n) \
  (cudaStreamGetCaptureInfo)(stream, status, id, graph, nodes, nullptr, n)

// Gone altogether.
template <class T, int dim, enum cudaTextureReadMode mode>
struct texture {};
struct textureReference;
#define cudaBindTexture(...) cudaErrorNotSupported
#define cudaBindTexture2D(...) cudaErrorNotSupported
#define cudaBindTextureToArray(...) cudaErrorNotSupported
#define cudaBindTextureToMipmappedArray(...) cudaErrorNotSupported
#define cudaUnbindTexture(...) cudaErrorNotSupported
#define cudaGetTextureAlignmentOffset(...) cudaErrorNotSupported
#define cudaGetTextureReference(...) cudaErrorNotSupported
#define cudaLaunchCooperativeKernelMultiDevice(...) cudaErrorNotSupported

#endif
