// Convolutions of 1 to 3 spatial dimensions by direct loops, forward and backward; not transposed.
#pragma once

#include "kernels/norm.h"

namespace torch_fl_sim {

// A tensor [n, channels, depth, height, width]; missing spatial dimensions have size 1. Strides in bytes.
struct Volume {
  char* data = nullptr;
  int64_t sizes[5] = {1, 1, 1, 1, 1};
  int64_t strides[5] = {};

  Volume() = default;
  __attribute__((noinline)) explicit Volume(const fl_tensor& t) : data(bytes_of(t)) {
    for (int32_t d = 0; d < t.ndim; ++d) {
      const int32_t at = d < 2 ? d : 5 - t.ndim + d;
      sizes[at] = t.sizes[d];
      strides[at] = byte_stride(t, d);
    }
  }
  char* at(int64_t n, int64_t c, const int64_t* place) const {
    return data + n * strides[0] + c * strides[1] + place[0] * strides[2] + place[1] * strides[3] +
           place[2] * strides[4];
  }
  // Calls each(place) for every spatial place.
  template <class Each>
  void places(Each&& each) const {
    int64_t place[3];
    for (place[0] = 0; place[0] < sizes[2]; ++place[0]) {
      for (place[1] = 0; place[1] < sizes[3]; ++place[1]) {
        for (place[2] = 0; place[2] < sizes[4]; ++place[2]) each(place);
      }
    }
  }
};

// How an output place and a kernel place meet an input place: input = output * stride - padding + kernel * dilation.
struct Window {
  int64_t stride[3] = {1, 1, 1}, padding[3] = {}, dilation[3] = {1, 1, 1};
  int64_t groups = 1;

  // `first` is the number of the argument `stride`; padding, dilation, transposed, output_padding, groups follow it.
  __attribute__((noinline)) Window(const fl_call* call, int first, int32_t spatial) : groups(int_arg(call, first + 5)) {
    for (int32_t d = 0; d < spatial; ++d) {
      const int32_t at = 3 - spatial + d;
      stride[at] = entry(list_arg(call, first), d);
      padding[at] = entry(list_arg(call, first + 1), d);
      dilation[at] = entry(list_arg(call, first + 2), d);
    }
  }

  // False where it falls into the padding.
  bool input_place(const int64_t* out, const int64_t* kernel, const Volume& input, int64_t* place) const {
    for (int d = 0; d < 3; ++d) {
      place[d] = out[d] * stride[d] - padding[d] + kernel[d] * dilation[d];
      if (place[d] < 0 || place[d] >= input.sizes[2 + d]) return false;
    }
    return true;
  }
  // False where no output place reads this input place through this kernel place.
  bool output_place(const int64_t* input, const int64_t* kernel, const Volume& output, int64_t* place) const {
    for (int d = 0; d < 3; ++d) {
      const int64_t x = input[d] + padding[d] - kernel[d] * dilation[d];
      if (x < 0 || x % stride[d] != 0) return false;
      place[d] = x / stride[d];
      if (place[d] >= output.sizes[2 + d]) return false;
    }
    return true;
  }

 private:
  // A list of one number stands for all dimensions.
  static int64_t entry(const fl_list& list, int32_t d) {
    return item<int64_t>(list, list.count == 1 ? 0 : static_cast<size_t>(d));
  }
};

// Transposed convolutions, and inputs without a batch dimension, are the next lane's.
inline fl_status prepare_convolution(const fl_call* call, int input, int stride) {
  const fl_tensor& x = tensor_arg(call, input);
  const fl_tensor& weight = tensor_arg(call, input + 1);
  const bool transposed = bool_arg(call, stride + 3);
  if (transposed || x.ndim < 3 || x.ndim > 5 || weight.ndim != x.ndim || !same_dtype(x, weight)) return FL_UNSUPPORTED;
  return FL_OK;
}

// convolution_overrideable(input, weight, bias?, stride, padding, dilation, transposed, output_padding, groups)
template <class Ts>
inline fl_status convolution(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& x = tensor_arg(call, 0);
  if (!optional_dtype(fl_arg(call, 2), x)) return FL_UNSUPPORTED;
  const Volume input(x), weight(tensor_arg(call, 1)), out(tensor_out(call, 0));
  const Window window(call, 3, x.ndim - 2);
  const char* bias = optional_data(fl_arg(call, 2));
  const int64_t bias_step = bias ? byte_stride(fl_arg(call, 2)->v.tensor, 0) : 0;
  return dispatch(types, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      const int64_t in_channels = weight.sizes[1], out_channels = out.sizes[1] / window.groups;
      for (int64_t n = 0; n < out.sizes[0]; ++n) {
        for (int64_t o = 0; o < out.sizes[1]; ++o) {
          const int64_t first = o / out_channels * in_channels;
          out.places([&](const int64_t* at) {
            Sum<T> sum = bias ? load<T>(bias + o * bias_step) : Math<T>(0);
            weight.places([&](const int64_t* k) {
              int64_t from[3];
              if (!window.input_place(at, k, input, from)) return;
              const char* a = input.at(n, first, from);
              const char* b = weight.at(o, 0, k);
              for (int64_t c = 0; c < in_channels; ++c) {
                sum += load<T>(a + c * input.strides[1]) * load<T>(b + c * weight.strides[1]);
              }
            });
            store<T>(out.at(n, o, at), sum);
          });
        }
      }
    });
  });
}

// convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
// groups, output_mask): each of the three gradients may be unwanted, then its slot is none.
template <class Ts>
inline fl_status convolution_backward(const fl_call* call, const char* name, Ts types) {
  const fl_tensor& x = tensor_arg(call, 1);
  if (!same_dtype(tensor_arg(call, 0), x)) return FL_UNSUPPORTED;
  for (int i = 0; i < 3; ++i) {
    if (!optional_dtype(fl_out(call, i), x)) return FL_UNSUPPORTED;
  }
  const Volume grad(tensor_arg(call, 0)), input(x), weight(tensor_arg(call, 2));
  const Window window(call, 4, x.ndim - 2);
  const Volume grad_input = is_none(fl_out(call, 0)) ? Volume() : Volume(tensor_out(call, 0));
  const Volume grad_weight = is_none(fl_out(call, 1)) ? Volume() : Volume(tensor_out(call, 1));
  char* grad_bias = const_cast<char*>(optional_data(fl_out(call, 2)));
  const int64_t bias_step = grad_bias ? byte_stride(tensor_out(call, 2), 0) : 0;
  return dispatch(types, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return enqueue(call, name, [=] {
      const int64_t in_channels = weight.sizes[1], out_channels = grad.sizes[1] / window.groups;
      if (grad_input.data) {
        for (int64_t n = 0; n < input.sizes[0]; ++n) {
          for (int64_t c = 0; c < input.sizes[1]; ++c) {
            const int64_t first = c / in_channels * out_channels;
            grad_input.places([&](const int64_t* at) {
              Sum<T> sum = 0;
              weight.places([&](const int64_t* k) {
                int64_t from[3];
                if (!window.output_place(at, k, grad, from)) return;
                const char* a = grad.at(n, first, from);
                const char* b = weight.at(first, c % in_channels, k);
                for (int64_t o = 0; o < out_channels; ++o) {
                  sum += load<T>(a + o * grad.strides[1]) * load<T>(b + o * weight.strides[0]);
                }
              });
              store<T>(grad_input.at(n, c, at), sum);
            });
          }
        }
      }
      if (grad_weight.data) {
        for (int64_t o = 0; o < weight.sizes[0]; ++o) {
          for (int64_t c = 0; c < in_channels; ++c) {
            const int64_t from_channel = o / out_channels * in_channels + c;
            grad_weight.places([&](const int64_t* k) {
              Sum<T> sum = 0;
              grad.places([&](const int64_t* at) {
                int64_t from[3];
                if (!window.input_place(at, k, input, from)) return;
                const char* a = grad.at(0, o, at);
                const char* b = input.at(0, from_channel, from);
                for (int64_t n = 0; n < grad.sizes[0]; ++n) {
                  sum += load<T>(a + n * grad.strides[0]) * load<T>(b + n * input.strides[0]);
                }
              });
              store<T>(grad_weight.at(o, c, k), sum);
            });
          }
        }
      }
      if (grad_bias) {
        for (int64_t o = 0; o < grad.sizes[1]; ++o) {
          Sum<T> sum = 0;
          for (int64_t n = 0; n < grad.sizes[0]; ++n) {
            grad.places([&](const int64_t* at) { sum += load<T>(grad.at(n, o, at)); });
          }
          store<T>(grad_bias + o * bias_step, sum);
        }
      }
    });
  });
}

}  // namespace torch_fl_sim
