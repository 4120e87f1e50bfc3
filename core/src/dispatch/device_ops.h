// The ops that a device of PyTorch has a kernel for.
#pragma once

#include <c10/util/ArrayRef.h>

namespace torch_fl {

// Every overload ("add.Tensor") with a CPU or CUDA kernel, its own or its structured delegate's, in this torch; sorted.
// Each gets an entry: where an op has a CompositeExplicitAutograd kernel besides (_foreach_*, native_layer_norm, abs,
// ...) a device without a kernel would silently get that one, with other numerics. The list comes from PyTorch's
// schemas, because a build for the CPU cannot tell which ops CUDA has kernels for.
c10::ArrayRef<const char*> device_ops();

}  // namespace torch_fl
