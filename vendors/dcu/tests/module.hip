// The kernel of module.cpp for a device: hipcc --genco makes an image of it.
#include <hip/hip_runtime.h>

extern "C" __global__ void scale(float* data, float factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}
