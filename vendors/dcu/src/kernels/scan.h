// cumsum and cumprod along a dimension: a team per line, which goes along it a block of elements at a time. Long lines
// that are too few to fill the device are cut into parts: first what each part comes to, then the parts, each from
// there on.
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
  int64_t part = 0;           // elements that one block goes along
  const M* before = nullptr;  // what the parts before each come to

  FL_GPU M element(const char* base, int64_t i) const {
    return static_cast<M>(widen(*reinterpret_cast<const T*>(base + i * in_step)));
  }

  FL_GPU void operator()() const {
    const Op op;
    const int64_t line = block_id() * teams.teams + teams.team();
    int64_t at[2] = {};
    if (line < lines) kept.at(static_cast<uint32_t>(line), at);
    const int64_t begin = block_id_y() * part, end = begin + part < length ? begin + part : length;
    M total = before != nullptr && line < lines ? before[block_id_y() * lines + line] : start;
    if (teams.lanes == 1) {
      for (int64_t i = begin; line < lines && i < end; i++) {
        total = op(total, element(in + at[0], i));
        *reinterpret_cast<R*>(out + at[1] + i * out_step) = narrow<R>(total);
      }
      return;
    }
    alignas(16) FL_SHARED char raw[2 * kTeamThreads * sizeof(M)];
    M* shared = reinterpret_cast<M*>(raw);
    const int me = thread_id(), lane = teams.lane(), last = me - lane + teams.lanes - 1;
    for (int64_t first = begin; first < end; first += teams.lanes) {
      const int64_t i = first + lane;
      const bool there = line < lines && i < end;
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

// What each part of a line comes to: one block per part.
template <class T, class R, class Op>
struct ScanParts {
  static constexpr bool kCooperative = true;
  using M = Math<R>;
  Scan<T, R, Op> scan;
  M* totals;

  FL_GPU void operator()() const {
    const int64_t line = block_id(), begin = block_id_y() * scan.part;
    const int64_t end = begin + scan.part < scan.length ? begin + scan.part : scan.length;
    int64_t at[2];
    scan.kept.at(static_cast<uint32_t>(line), at);
    M total = scan.start;
    for (int64_t i = begin + thread_id(); i < end; i += block_threads())
      total = Op{}(total, scan.element(scan.in + at[0], i));
    total = team_combine(total, kTeamThreads, Op{});
    if (thread_id() == 0) totals[block_id_y() * scan.lines + line] = total;
  }
};
// Then what the parts before each come to, in place: a thread per line.
template <class M, class Op>
struct ScanTotals {
  M* totals;
  int64_t lines, parts;
  M start;
  FL_GPU void operator()() const {
    const int64_t line = thread_index();
    if (line >= lines) return;
    M before = start;
    for (int64_t p = 0; p < parts; p++) {
      const M own = totals[p * lines + line];
      totals[p * lines + line] = before;
      before = Op{}(before, own);
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
    using M = Math<R>;
    using Combine = Op<M>;
    Scan<T, R, Combine> body{static_cast<const char*>(in.data),
                             static_cast<char*>(out.data),
                             lines.kept.count,
                             lines.length,
                             lines.step[0],
                             lines.step[1],
                             static_cast<M>(start),
                             lines.teams,
                             Offsets<2>(lines.kept)};
    body.part = body.length;
    constexpr int64_t kLeast = 8 * kTeamThreads;  // elements of a part
    const int64_t wanted = 4 * static_cast<int64_t>(device_facts(call->device).multiprocessors);
    if (body.lines * 2 > wanted || body.length < 4 * kLeast)
      return launch<kTeamThreads>(call, body, blocks_for(body.lines, body.teams.teams));
    const int64_t most = std::min<int64_t>(blocks_for(wanted, body.lines), 1024);
    body.part = std::max(blocks_for(blocks_for(body.length, most), kTeamThreads) * kTeamThreads, kLeast);
    const int64_t parts = blocks_for(body.length, body.part);
    body.teams = {kTeamThreads, 1, false};
    const Scratch scratch(call, static_cast<size_t>(parts * body.lines) * sizeof(M));
    auto* totals = static_cast<M*>(scratch.data());
    body.before = totals;
    const ScanParts<T, R, Combine> first{body, totals};
    if (const fl_status status = launch<kTeamThreads>(call, first, body.lines, kTeamThreads, parts)) return status;
    const ScanTotals<M, Combine> then{totals, body.lines, parts, body.start};
    if (const fl_status status = launch(call, then, blocks_for(body.lines, 256))) return status;
    return launch<kTeamThreads>(call, body, body.lines, kTeamThreads, parts);
  });
}

}  // namespace torch_fl_dcu
