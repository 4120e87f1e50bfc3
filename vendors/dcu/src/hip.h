// HIP as this vendor uses it, from 5.2 (Debian) to 6.3 (DTK), on its own platform and on NVIDIA's.
//
// FL_KERNELS_ON_HOST: the kernels are compiled as plain C++ and run on the host, in the order of the stream
// (kernels/host.h); the runtime's functions alone are needed.
#pragma once

#ifdef FL_KERNELS_ON_HOST
#include <hip/hip_runtime_api.h>
#else
#include <hip/hip_runtime.h>
#endif
#include <hip/hip_version.h>

// Declared in 5.2, but not in its library, nor in its headers for NVIDIA.
#define FL_HIP_HAS_HOST_FUNC (HIP_VERSION_MAJOR >= 6)
