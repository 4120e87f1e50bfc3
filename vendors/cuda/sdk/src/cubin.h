// NVIDIA's compiled kernels, as far as launching one goes: the sizes of its parameters and the threads that it has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace torch_fl_cuda {

struct CubinKernel {
  std::vector<uint32_t> sizes;  // bytes of each parameter
  int shared = 0;               // bytes of shared memory that it has without being asked
  int threads = 1024;           // of a block, at most
};

// The image begins with an ELF header for NVIDIA's devices.
bool is_cubin(const void* image);
// By name. An image that the tools of CUDA 12 have not written comes out as one without kernels or parameters.
std::map<std::string, CubinKernel> kernels_of(const void* image);

}  // namespace torch_fl_cuda
