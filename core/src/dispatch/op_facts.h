// What PyTorch's schemas do not say about its ops. Each table is short, and each line has its reason.
#pragma once

#include <string>

namespace torch_fl {

// Arguments that an op writes though its schema does not say so (native_batch_norm's running statistics).
bool writes_unannounced(const std::string& op, const std::string& argument);
// Arguments that may be host tensors of any size beside device tensors.
bool host_tensor_allowed(const std::string& op, const std::string& argument);
// Numbers of this op decide its output's layout, or whether it raises.
bool numbers_decide(const std::string& op);
// Masks and indices take no part in type promotion.
bool is_index_or_mask(const std::string& argument);
// Arguments of type Scalar that take part in type promotion, as tensors do.
bool scalar_promotes(const std::string& argument);
// Devices count integers in it, the host's kernel only floating point.
bool host_lacks_integers(const std::string& op);
// By an overload's name: PyTorch multiplies and divides by a number as it is, also among tensors of half precision.
bool takes_exact_numbers(const std::string& op);

// PyTorch makes it of other ops, and a device that served it whole would have to know of other devices (_to_copy).
bool better_composed(const std::string& op);

// Structured, and yet it is the kernel that refuses an out= which overlaps an argument in part.
bool kernel_checks_overlap(const std::string& op);

}  // namespace torch_fl
