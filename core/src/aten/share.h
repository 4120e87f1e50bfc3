// Tensors of flagos and of the boxing key over one memory, which both keep alive, with one version counter: for users,
// and for compiled graphs.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "runtime/runtime.h"

namespace torch_fl {

// The boxing key of the loaded vendor. Throws where it has none, or this PyTorch lacks it.
FL_API c10::DeviceType sharing_key();

// `t`, of flagos, as a tensor of the boxing key that needs no gradient.
FL_API at::Tensor share_as_key(const at::Tensor& t);
// The reverse. Throws where the memory of `t` is not the device's.
FL_API at::Tensor share_as_flagos(const at::Tensor& t);
// The same for a graph's tensors, of which autograd is known to know nothing.
FL_API at::Tensor alias_on_key(const at::Tensor& t, c10::DeviceType type);
FL_API at::Tensor alias_on_flagos(const at::Tensor& t);
// `other` lives as long as the memory of `ours`, which alias_on_flagos() made.
FL_API void keep_with(const at::Tensor& ours, std::shared_ptr<void> other);
// False where the memory of `t`, of the boxing key, is not the device's.
FL_API bool is_device_memory(const at::Tensor& t);

// To be called when a compiled graph has run, which may have taken the memory of its earlier results
// (runtime/twin_storage.h).
FL_API void graph_has_run();

// True where `alias` is over the memory of `t` as that is now, with the same geometry and dtype.
FL_API bool mirrors(const at::Tensor& alias, const at::Tensor& t);

// `t`, of the boxing key, becomes a tensor of flagos itself, where only its Python object and it know each other and
// the storage, whose memory is that of `device`. Else false, and nothing done.
FL_API bool relabel(const at::Tensor& t, int32_t device);

}  // namespace torch_fl
