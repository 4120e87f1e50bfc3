// What the layout rules share. A rule computes the layouts of a call's outputs as PyTorch would make them, and makes
// the checks that PyTorch makes on the way, with its words; what only core cannot lay out it refuses.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/MemoryFormat.h>

#include "dispatch/lanes.h"
#include "dispatch/op_entry.h"

namespace torch_fl::rules {

// The arguments of a call, by number or by the schema's name.
struct Args {
  c10::ArrayRef<c10::IValue> values;
  const OpEntry& entry;
  std::string& refusal;

  const c10::IValue* find(const char* name) const;
  const c10::IValue& get(const char* name) const;
  at::Tensor tensor(size_t i) const { return values[i].toTensor(); }
  at::Tensor tensor(const char* name) const;  // undefined where it is None, or a number
  int64_t integer(const char* name) const { return get(name).toInt(); }
  bool boolean(const char* name) const { return get(name).toBool(); }
  double number(const char* name) const { return get(name).toScalar().to<double>(); }
  c10::DimVector list(const char* name) const { return get(name).toDimVector(); }
  // Leaves the call to the next lane.
  Layouts refuse(std::string why) const;
};

OutputLayout of(const at::Tensor& t);
OutputLayout dense(c10::IntArrayRef sizes, at::ScalarType dtype,
                   at::MemoryFormat format = at::MemoryFormat::Contiguous);
// As empty_like: the tensor's own strides where it is dense, else its order of dimensions.
OutputLayout like(const at::Tensor& t, at::ScalarType dtype);
// Gradients of (input, weight, bias) under output_mask.
Layouts masked_like(const Args& a, const at::Tensor& input, const at::Tensor& weight, at::IntArrayRef bias,
                    at::ScalarType bias_dtype, bool has_weight, bool has_bias);

// Of all value tensors, in their common dtype.
Layouts broadcast(const Args& a);

// layouts_windows.cpp
Layouts convolution(const Args& a), convolution_backward(const Args& a), pad(const Args& a), spatial(const Args& a);
Layouts max_pool3d(const Args& a), im2col(const Args& a), col2im(const Args& a), channel_shuffle(const Args& a);
Layouts grid_sampler_2d(const Args& a), grid_sampler_3d(const Args& a);

// layouts_functions.cpp
Layouts bucketize(const Args& a), frexp(const Args& a), polar(const Args& a), fft(const Args& a), histc(const Args& a);
Layouts normal(const Args& a), linspace(const Args& a), eye(const Args& a), weight_norm(const Args& a);
Layouts loss(const Args& a), nll_loss2d(const Args& a), multi_margin_loss(const Args& a);

}  // namespace torch_fl::rules
