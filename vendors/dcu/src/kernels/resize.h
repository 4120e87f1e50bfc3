// upsample: images of one, two or three dimensions to another size, nearest or linear, and the gradients. A gradient's
// element is summed up by one thread, in one order: no atomics.
#pragma once

#include "kernels/elementwise.h"

namespace torch_fl_dcu {

// One dimension of an image: where a place of the output lies in the input.
template <class M>
struct Axis {
  int in = 1, out = 1;
  M scale = M(1);
  bool corners = false;  // the outermost pixels lie upon each other
  M shift = M(0);        // nearest: of a pixel's middle

  // `factor`: out / in as the caller gives it, or absent.
  Axis() = default;
  Axis(int64_t from, int64_t to, bool align, const fl_value* factor)
      : in(static_cast<int>(from)), out(static_cast<int>(to)), corners(align) {
    if (align)
      scale = to > 1 ? static_cast<M>(from - 1) / static_cast<M>(to - 1) : M(0);
    else if (factor->kind == FL_DOUBLE && factor->v.d > 0)
      scale = static_cast<M>(1 / factor->v.d);
    else
      scale = static_cast<M>(from) / static_cast<M>(to);
  }

  FL_GPU int nearest(int o) const {
    const int at = static_cast<int>(std::floor((static_cast<M>(o) + shift) * scale));
    return at < in ? at : in - 1;
  }
  // The lower of two neighbours, and how far towards the other one; the last pixel has itself for a neighbour, and an
  // only one has none.
  FL_GPU int linear(int o, M& part) const {
    part = M(0);
    if (in == out) return o;
    if (in == 1) return 0;
    M at = corners ? scale * static_cast<M>(o) : scale * (static_cast<M>(o) + M(0.5)) - M(0.5);
    at = at < M(0) ? M(0) : at;
    int low = static_cast<int>(at);
    low = low < in ? low : in - 1;
    part = at - static_cast<M>(low);
    part = part > M(1) ? M(1) : part;
    return low;
  }
  // The first place of the output of which index(place) is not below `i`: the index grows with the place.
  template <class F>
  FL_GPU int first(int i, F&& index) const {
    int low = 0, high = out;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (index(middle) < i)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

// A tensor [n, c, d, h, w]; images of fewer dimensions have sizes of 1 in front.
struct Space {
  char* data = nullptr;
  Divider channels, sizes[3];
  int64_t n = 0, c = 0, steps[3] = {};  // bytes
  bool channels_inside = false;         // they are next to each other in memory
  int64_t batch = 1, image = 1;         // images; elements of one

  explicit Space(const fl_tensor& t) : data(static_cast<char*>(t.data)) {
    batch = t.sizes[0];
    n = byte_stride(t, 0);
    c = byte_stride(t, 1);
    channels = Divider(static_cast<uint32_t>(t.sizes[1]));
    image = t.sizes[1];
    for (int32_t d = 2; d < t.ndim; d++) {
      sizes[d + 3 - t.ndim] = Divider(static_cast<uint32_t>(t.sizes[d]));
      steps[d + 3 - t.ndim] = byte_stride(t, d);
      image *= t.sizes[d];
    }
    channels_inside = t.strides[1] == 1 && t.sizes[1] > 1;
  }
  // Takes `index` apart: the address of the pixel (n, c, 0, 0, 0) relative to data of a tensor like `of`, and its
  // place.
  FL_GPU void place(uint32_t index, uint32_t& image_of, uint32_t& channel, int (&at)[3]) const {
    if (channels_inside) channel = split(index, channels);
    at[2] = static_cast<int>(split(index, sizes[2]));
    at[1] = static_cast<int>(split(index, sizes[1]));
    at[0] = static_cast<int>(split(index, sizes[0]));
    if (!channels_inside) channel = split(index, channels);
    image_of = index;
  }
  FL_GPU char* pixel(uint32_t image_of, uint32_t channel, int d, int h, int w) const {
    return data + image_of * n + channel * c + d * steps[0] + h * steps[1] + w * steps[2];
  }

 private:
  FL_GPU static uint32_t split(uint32_t& index, const Divider& by) {
    const uint32_t next = by.divide(index), rest = index - next * by.size;
    index = next;
    return rest;
  }
};

template <class Body>
struct EachPixel {
  uint32_t count;
  Body body;
  FL_GPU void operator()() const {
    const uint32_t i =
        static_cast<uint32_t>(block_id()) * static_cast<uint32_t>(block_threads()) + static_cast<uint32_t>(thread_id());
    if (i >= count) return;
    uint32_t image, channel = 0;
    int at[3];
    body.written.place(i, image, channel, at);
    body(image, channel, at);
  }
};

// Runs body(image, channel, place) for each pixel of body.written; images by parts of fewer than 2^31 pixels.
template <class Body>
fl_status each_pixel(const fl_call* call, Body body) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  const int64_t image = body.written.image, batch = body.written.batch;
  if (image > kMost) return FL_UNSUPPORTED;
  if (image == 0) return FL_OK;
  for (int64_t done = 0; done < batch;) {
    const int64_t now = std::min(batch - done, kMost / image);
    const EachPixel<Body> kernel{static_cast<uint32_t>(now * image), body};
    if (const fl_status status = launch(call, kernel, blocks_for(now * image, 256))) return status;
    body.written.data += now * body.written.n;
    body.read.data += now * body.read.n;
    done += now;
  }
  return FL_OK;
}

template <class T>
struct Nearest {
  Space written, read;
  Axis<float> axes[3];
  FL_GPU void operator()(uint32_t image, uint32_t channel, const int (&at)[3]) const {
    const char* from =
        read.pixel(image, channel, axes[0].nearest(at[0]), axes[1].nearest(at[1]), axes[2].nearest(at[2]));
    *reinterpret_cast<T*>(written.pixel(image, channel, at[0], at[1], at[2])) = *reinterpret_cast<const T*>(from);
  }
};

template <class T>
struct NearestBackward {
  Space written, read;
  Axis<float> axes[3];
  FL_GPU void operator()(uint32_t image, uint32_t channel, const int (&at)[3]) const {
    int first[3], end[3];
    FL_UNROLL
    for (int d = 0; d < 3; d++) {
      const auto index = [&](int o) { return axes[d].nearest(o); };
      first[d] = axes[d].first(at[d], index);
      end[d] = axes[d].first(at[d] + 1, index);
    }
    Math<T> sum(0);
    for (int d = first[0]; d < end[0]; d++)
      for (int h = first[1]; h < end[1]; h++)
        for (int w = first[2]; w < end[2]; w++)
          sum += widen(*reinterpret_cast<const T*>(read.pixel(image, channel, d, h, w)));
    *reinterpret_cast<T*>(written.pixel(image, channel, at[0], at[1], at[2])) = narrow<T>(sum);
  }
};

template <class T>
struct Linear {
  using M = Math<T>;
  Space written, read;
  Axis<M> axes[3];
  FL_GPU void operator()(uint32_t image, uint32_t channel, const int (&at)[3]) const {
    int low[3], high[3];
    M part[3];
    FL_UNROLL
    for (int d = 0; d < 3; d++) {
      low[d] = axes[d].linear(at[d], part[d]);
      high[d] = low[d] + (low[d] + 1 < axes[d].in ? 1 : 0);
    }
    M sum(0);
    for (int i = 0; i < 8; i++) {
      // An image of fewer dimensions, or an only pixel, has no other neighbour.
      if ((i & 4 && axes[0].in == 1) || (i & 2 && axes[1].in == 1) || (i & 1 && axes[2].in == 1)) continue;
      const M weight =
          (i & 4 ? part[0] : M(1) - part[0]) * (i & 2 ? part[1] : M(1) - part[1]) * (i & 1 ? part[2] : M(1) - part[2]);
      const char* from =
          read.pixel(image, channel, i & 4 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 1 ? high[2] : low[2]);
      sum += weight * widen(*reinterpret_cast<const T*>(from));
    }
    *reinterpret_cast<T*>(written.pixel(image, channel, at[0], at[1], at[2])) = narrow<T>(sum);
  }
};

template <class T>
struct LinearBackward {
  using M = Math<T>;
  Space written, read;
  Axis<M> axes[3];

  // What output place o takes of input place i.
  FL_GPU static M weight(const Axis<M>& axis, int o, int i) {
    M part;
    const int low = axis.linear(o, part);
    const int high = low + (low + 1 < axis.in ? 1 : 0);
    return (low == i ? M(1) - part : M(0)) + (high == i ? part : M(0));
  }

  FL_GPU void operator()(uint32_t image, uint32_t channel, const int (&at)[3]) const {
    int first[3], end[3];
    FL_UNROLL
    for (int d = 0; d < 3; d++) {
      const auto index = [&](int o) {
        M part;
        return axes[d].linear(o, part);
      };
      first[d] = axes[d].first(at[d] - 1, index);
      end[d] = axes[d].first(at[d] + 1, index);
    }
    M sum(0);
    for (int d = first[0]; d < end[0]; d++) {
      const M of_d = weight(axes[0], d, at[0]);
      for (int h = first[1]; h < end[1]; h++) {
        const M of_h = of_d * weight(axes[1], h, at[1]);
        for (int w = first[2]; w < end[2]; w++)
          sum += of_h * weight(axes[2], w, at[2]) *
                 widen(*reinterpret_cast<const T*>(read.pixel(image, channel, d, h, w)));
      }
    }
    *reinterpret_cast<T*>(written.pixel(image, channel, at[0], at[1], at[2])) = narrow<T>(sum);
  }
};

// The axes of a call: `from` is the input of the forward pass, argument `factors` the first of the factors.
template <class M>
bool axes_of(const fl_call* call, const fl_tensor& from, const fl_tensor& to, bool corners, int factors, bool exact,
             Axis<M> (&axes)[3]) {
  if (from.ndim < 3 || from.ndim > 5 || to.ndim != from.ndim) return false;
  for (int32_t d = 2; d < from.ndim; d++) {
    constexpr int64_t kMost = (int64_t{1} << 24);  // a float tells them apart
    if (from.sizes[d] > kMost || to.sizes[d] > kMost) return false;
    Axis<M>& axis = axes[d + 3 - from.ndim];
    axis = Axis<M>(from.sizes[d], to.sizes[d], corners, fl_arg(call, factors + d - 2));
    axis.shift = exact ? M(0.5) : M(0);
  }
  return true;
}

// upsample_nearest1d(self, output_size, scales), and of two and three dimensions; _upsample_nearest_exact1d ...
inline fl_status upsample_nearest(const fl_call* call, bool exact) {
  const fl_tensor &self = tensor_arg(call, 0), &out = tensor_out(call, 0);
  Axis<float> axes[3];
  if (!axes_of(call, self, out, false, 2, exact, axes)) return FL_UNSUPPORTED;
  return dispatch_size(self.dtype, [&](auto tag) {
    return each_pixel(call,
                      Nearest<typename decltype(tag)::type>{Space(out), Space(self), {axes[0], axes[1], axes[2]}});
  });
}

// upsample_nearest1d_backward(grad_output, output_size, input_size, scales), ...
template <class Ts>
fl_status upsample_nearest_backward(const fl_call* call, Ts types, bool exact) {
  const fl_tensor &grad = tensor_arg(call, 0), &out = tensor_out(call, 0);
  Axis<float> axes[3];
  if (!axes_of(call, out, grad, false, 3, exact, axes)) return FL_UNSUPPORTED;
  return dispatch(types, grad.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return each_pixel(call, NearestBackward<T>{Space(out), Space(grad), {axes[0], axes[1], axes[2]}});
  });
}

// upsample_linear1d(self, output_size, align_corners, scales), ...
template <class Ts>
fl_status upsample_linear(const fl_call* call, Ts types) {
  const fl_tensor &self = tensor_arg(call, 0), &out = tensor_out(call, 0);
  return dispatch(types, self.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    Linear<T> body{Space(out), Space(self), {}};
    if (!axes_of(call, self, out, bool_arg(call, 2), 3, false, body.axes)) return FL_UNSUPPORTED;
    return each_pixel(call, body);
  });
}

// upsample_linear1d_backward(grad_output, output_size, input_size, align_corners, scales), ...
template <class Ts>
fl_status upsample_linear_backward(const fl_call* call, Ts types) {
  const fl_tensor &grad = tensor_arg(call, 0), &out = tensor_out(call, 0);
  return dispatch(types, grad.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    LinearBackward<T> body{Space(out), Space(grad), {}};
    if (!axes_of(call, out, grad, bool_arg(call, 3), 4, false, body.axes)) return FL_UNSUPPORTED;
    return each_pixel(call, body);
  });
}

}  // namespace torch_fl_dcu
