// cumsum and cumprod along a dimension: a team per line, which goes along it a block of elements at a time.
#pragma once

#include "kernels/softmax.h"

namespace torch_fl_dcu {

template <class M>
struct Times {
  FL_GPU M operator()(M a, M b) const { return a * b; }
};

template <class T, class R, class Op>
struct Scan {
  static constexpr bool kCooperative = true;
  using M = Math<R>;
  const char* in;
  char* out;
  int64_t lines, length, in_step, out_step;
  M start;
  Teams teams;
  Offsets<2> kept;

  FL_GPU M element(const char* base, int64_t i) const {
    return static_cast<M>(widen(*reinterpret_cast<const T*>(base + i * in_step)));
  }

  FL_GPU void operator()() const {
    const Op op;
    const int64_t line = block_id() * teams.teams + teams.team();
    int64_t at[2] = {};
    if (line < lines) kept.at(static_cast<uint32_t>(line), at);
    M total = start;
    if (teams.lanes == 1) {
      for (int64_t i = 0; line < lines && i < length; i++) {
        total = op(total, element(in + at[0], i));
        *reinterpret_cast<R*>(out + at[1] + i * out_step) = narrow<R>(total);
      }
      return;
    }
    alignas(16) FL_SHARED char raw[2 * kTeamThreads * sizeof(M)];
    M* shared = reinterpret_cast<M*>(raw);
    const int me = thread_id(), lane = teams.lane(), last = me - lane + teams.lanes - 1;
    for (int64_t first = 0; first < length; first += teams.lanes) {
      const int64_t i = first + lane;
      const bool there = line < lines && i < length;
      int turn = 0;
      shared[me] = there ? element(in + at[0], i) : start;
      sync();
      for (int reach = 1; reach < teams.lanes; reach *= 2) {
        const M* from = shared + turn * kTeamThreads;
        turn ^= 1;
        shared[turn * kTeamThreads + me] = lane >= reach ? op(from[me - reach], from[me]) : from[me];
        sync();
      }
      const M* sums = shared + turn * kTeamThreads;
      if (there) *reinterpret_cast<R*>(out + at[1] + i * out_step) = narrow<R>(op(total, sums[me]));
      total = op(total, sums[last]);
      sync();
    }
  }
};

// cumsum, cumprod (self, dim, dtype): of integers and bool int64, else the input's dtype.
template <template <class> class Op, class Ts>
fl_status scan(const fl_call* call, Ts types, int start) {
  const fl_tensor &in = tensor_arg(call, 0), &out = tensor_out(call, 0);
  const fl_tensor* tensors[] = {&in, &out};
  Lines lines(tensors, 2, in.ndim > 0 ? wrap_dim(int_arg(call, 1), in.ndim) : -1);
  if (lines.kept.count * lines.length == 0) return FL_OK;
  // Enough lines to fill the device are walked by a thread each.
  if (lines.teams.across || lines.length < 16) lines.teams = {1, kTeamThreads, true};
  return dispatch(types, in.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    using R = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
    if (fl_dtype_to_id(out.dtype) != kId<R>) return FL_UNSUPPORTED;
    const Scan<T, R, Op<Math<R>>> body{static_cast<const char*>(in.data),
                                       static_cast<char*>(out.data),
                                       lines.kept.count,
                                       lines.length,
                                       lines.step[0],
                                       lines.step[1],
                                       static_cast<Math<R>>(start),
                                       lines.teams,
                                       Offsets<2>(lines.kept)};
    return launch<kTeamThreads>(call, body, blocks_for(body.lines, body.teams.teams));
  });
}

}  // namespace torch_fl_dcu
