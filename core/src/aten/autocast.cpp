// Autocast on the device: PyTorch's own lists. What is in none of them falls through.
#include <ATen/autocast_mode.h>
#include <torch/library.h>

using namespace at;
using namespace at::autocast;

// What the at::autocast macros make of each entry of PyTorch's lists.
#define FL_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define FL_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define FL_FP32_OPT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define FL_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
#define FL_FP32_APPEND(...) KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE(__VA_ARGS__)

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  AT_FORALL_LOWER_PRECISION_FP(FL_LOWER)
  AT_FORALL_FP32(FL_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(FL_FP32_OPT)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(FL_FP32_APPEND)
  AT_FORALL_PROMOTE(FL_PROMOTE)
}
