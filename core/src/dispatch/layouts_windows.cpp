// Layouts of what slides over images and volumes, or samples them.
#include <ATen/native/ConvUtils.h>
#include <ATen/native/GridSamplerUtils.h>
#include <ATen/native/Pool.h>
#include <ATen/native/im2col_shape_check.h>
#include <c10/util/TypeCast.h>

#include <array>

#include "dispatch/layouts.h"

namespace torch_fl::rules {
namespace {

Sizes sizes_of(const at::Tensor& t) { return Sizes(t.sizes().begin(), t.sizes().end()); }

// Height and width, as PyTorch's im2col and col2im ask for them.
std::array<int64_t, 2> pair(const Args& a, const char* name) {
  const auto given = a.list(name);
  TORCH_CHECK(given.size() == 2, "It is expected ", name, " equals to 2, but got size ", given.size());
  return {given[0], given[1]};
}

// Three numbers, where one may stand for all and, for a stride, none for those of the kernel.
std::array<int, 3> triple(const Args& a, const char* name, const char* takes, bool may_be_empty = false) {
  const auto given = a.list(name);
  TORCH_CHECK(given.size() == 1 || given.size() == 3 || (may_be_empty && given.empty()), "max_pool3d: ", name, " must ",
              takes);
  if (given.empty()) return triple(a, "kernel_size", takes);
  const auto number = [&](size_t d) {
    return c10::checked_convert<int, int64_t>(given[given.size() == 1 ? 0 : d], "int");
  };
  return {number(0), number(1), number(2)};
}

Layouts grid_sampler(const at::Tensor& input, const at::Tensor& grid) {
  Sizes sizes{input.size(0), input.size(1)};
  sizes.append(grid.sizes().begin() + 1, grid.sizes().end() - 1);
  return {dense(sizes, input.scalar_type())};
}

}  // namespace

Layouts convolution(const Args& a) {
  const at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
  const auto stride = a.list("stride"), padding = a.list("padding"), dilation = a.list("dilation"),
             output_padding = a.list("output_padding");
  const auto sizes = a.boolean("transposed")
                         ? at::native::conv_input_size(input.sizes(), weight.sizes(), padding, output_padding, stride,
                                                       dilation, a.integer("groups"))
                         : at::native::conv_output_size(input.sizes(), weight.sizes(), padding, stride, dilation);
  const at::MemoryFormat format = input.dim() == 4 ? input.suggest_memory_format() : at::MemoryFormat::Contiguous;
  return {dense(sizes, input.scalar_type(), format)};
}

Layouts convolution_backward(const Args& a) {
  const at::Tensor input = a.tensor("input"), weight = a.tensor("weight"), grad = a.tensor("grad_output");
  const int64_t channels = grad.size(1);
  return masked_like(a, input, weight, at::IntArrayRef(&channels, 1), grad.scalar_type(), true, true);
}

// `padding` before and after, from the last dimension on.
Layouts pad(const Args& a) {
  const at::Tensor self = a.tensor(size_t{0});
  const auto padding = a.list("padding");
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  TORCH_CHECK(padding.size() % 2 == 0 && padding.size() / 2 < sizes.size(), a.entry.name, ": padding of ",
              padding.size(), " numbers for an input of ", sizes.size(), " dimensions");
  for (size_t k = 0; k < padding.size() / 2; k++) {
    int64_t& size = sizes[sizes.size() - 1 - k];
    TORCH_CHECK(padding[2 * k] < size && padding[2 * k + 1] < size,
                "Argument #4: Padding size should be less than the corresponding "
                "input dimension, but got: padding (",
                padding[2 * k], ", ", padding[2 * k + 1], ") at dimension ", sizes.size() - 1 - k, " of input ",
                self.sizes());
    size += padding[2 * k] + padding[2 * k + 1];
    TORCH_CHECK(size >= 1, "input ", self.sizes(), " is too small for the padding");
  }
  return {dense(sizes, self.scalar_type())};
}

// The last dimensions become `output_size`.
Layouts spatial(const Args& a) {
  const at::Tensor self = a.tensor(size_t{0});
  const auto wanted = a.list("output_size");
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  TORCH_CHECK(wanted.size() < sizes.size(), a.entry.name, ": output_size ", c10::IntArrayRef(wanted),
              " for an input of shape ", self.sizes());
  std::copy(wanted.begin(), wanted.end(), sizes.end() - static_cast<std::ptrdiff_t>(wanted.size()));
  const at::MemoryFormat format = self.dim() == 4 ? self.suggest_memory_format() : at::MemoryFormat::Contiguous;
  return {dense(sizes, self.scalar_type(), format)};
}

Layouts max_pool3d(const Args& a) {
  const at::Tensor self = a.tensor("self");
  const auto kernel = triple(a, "kernel_size", "either be a single int, or a tuple of three ints"),
             stride = triple(a, "stride", "either be omitted, a single int, or a tuple of three ints", true),
             padding = triple(a, "padding", "either be a single int, or a tuple of three ints"),
             dilation = triple(a, "dilation", "be either a single int, or a tuple of three ints");
  TORCH_CHECK(self.dim() == 4 || self.dim() == 5, "non-empty 4D or 5D (batch mode) tensor expected for input");
  Sizes sizes = sizes_of(self);
  int64_t* const out = sizes.end() - 3;
  const int64_t in[] = {out[0], out[1], out[2]};
  for (size_t d = 0; d < 3; d++)
    out[d] = at::native::pooling_output_shape<int64_t>(in[d], kernel[d], padding[d], stride[d], dilation[d],
                                                       a.boolean("ceil_mode"));
  at::native::pool3d_shape_check(self, self.size(-4), kernel[0], kernel[1], kernel[2], stride[0], stride[1], stride[2],
                                 padding[0], padding[1], padding[2], dilation[0], dilation[1], dilation[2], in[0],
                                 in[1], in[2], out[0], out[1], out[2], "max_pool3d_with_indices_out_cpu_template()");
  const at::MemoryFormat format = self.dim() == 5 ? self.suggest_memory_format() : at::MemoryFormat::Contiguous;
  return {dense(sizes, self.scalar_type(), format), dense(sizes, at::kLong, format)};
}

// (batch, channels * area of the kernel, places of the kernel)
Layouts im2col(const Args& a) {
  const at::Tensor self = a.tensor("self");
  const auto kernel = pair(a, "kernel_size"), dilation = pair(a, "dilation"), padding = pair(a, "padding"),
             stride = pair(a, "stride");
  at::native::im2col_shape_check(self, at::Tensor(), kernel[0], kernel[1], dilation[0], dilation[1], padding[0],
                                 padding[1], stride[0], stride[1]);
  int64_t places = 1;
  for (size_t d = 0; d < 2; d++)
    places *= at::native::pooling_output_shape_pad_lr<int64_t>(self.size(static_cast<int64_t>(d) - 2), kernel[d],
                                                               padding[d], padding[d], stride[d], dilation[d], false);
  Sizes sizes{self.size(-3) * kernel[0] * kernel[1], places};
  if (self.dim() == 4) sizes.insert(sizes.begin(), self.size(0));
  return {dense(sizes, self.scalar_type())};
}

Layouts col2im(const Args& a) {
  const at::Tensor self = a.tensor("self");
  const auto image = pair(a, "output_size"), kernel = pair(a, "kernel_size"), dilation = pair(a, "dilation"),
             padding = pair(a, "padding"), stride = pair(a, "stride");
  at::native::col2im_shape_check(self, at::Tensor(), image[0], image[1], kernel[0], kernel[1], dilation[0], dilation[1],
                                 padding[0], padding[1], stride[0], stride[1]);
  Sizes sizes{self.size(-2) / (kernel[0] * kernel[1]), image[0], image[1]};
  if (self.dim() == 3) sizes.insert(sizes.begin(), self.size(0));
  return {dense(sizes, self.scalar_type())};
}

Layouts grid_sampler_2d(const Args& a) {
  const at::Tensor input = a.tensor("input"), grid = a.tensor("grid");
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_2d(input, grid);
  return grid_sampler(input, grid);
}

Layouts grid_sampler_3d(const Args& a) {
  const at::Tensor input = a.tensor("input"), grid = a.tensor("grid");
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_3d(input, grid, a.integer("interpolation_mode"));
  return grid_sampler(input, grid);
}

Layouts channel_shuffle(const Args& a) {
  const at::Tensor self = a.tensor("self");
  const int64_t groups = a.integer("groups");
  TORCH_CHECK(self.dim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes ", self.sizes());
  TORCH_CHECK(groups > 0, "Number of groups to divide channels in must be positive. Value of groups:", groups);
  TORCH_CHECK(self.size(1) % groups == 0, "Number of channels must be divisible by groups. Got ", self.size(1),
              " channels and ", groups, " groups.");
  return {dense(self.sizes(), self.scalar_type(), self.suggest_memory_format())};
}

}  // namespace torch_fl::rules
