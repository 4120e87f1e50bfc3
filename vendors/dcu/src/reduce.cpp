#include "kernels/reduce.h"

#include "kernels/softmax.h"

namespace torch_fl_dcu {

uint32_t dim_bits(const fl_value* dim, int32_t ndim, bool empty_is_all) {
  const uint32_t all = ndim != 0 ? (1u << ndim) - 1 : 0;
  if (dim->kind == FL_INT) return ndim != 0 ? 1u << wrap_dim(dim->v.i, ndim) : 0;
  const fl_list& list = dim->v.list;
  if (dim->kind != FL_INT_LIST) return all;
  if (list.count == 0) return empty_is_all ? all : 0;
  uint32_t bits = 0;
  for (size_t i = 0; i < list.count; i++) bits |= 1u << wrap_dim(item<int64_t>(list, i), ndim);
  return ndim != 0 ? bits : 0;
}

ReducePlan::ReducePlan(const fl_call* call, const fl_tensor& in, const fl_tensor* value, const fl_tensor* place,
                       uint32_t bits, bool placed) {
  kept.operands = 3;
  along.operands = 1;
  const fl_tensor& out = value != nullptr ? *value : *place;
  // An output either keeps a reduced dimension with size 1, or has lost it.
  const bool keepdim = out.ndim == in.ndim;
  int32_t out_dim = 0;
  for (int32_t d = 0; d < in.ndim; d++) {
    const int64_t stride = byte_stride(in, d);
    if ((bits >> d & 1) != 0) {
      along.push(in.sizes[d], &stride);
      out_dim += keepdim;
    } else {
      const int64_t strides[3] = {stride, value != nullptr ? byte_stride(*value, out_dim) : 0,
                                  place != nullptr ? byte_stride(*place, out_dim) : 0};
      kept.push(in.sizes[d], strides);
      out_dim++;
    }
  }
  kept.simplify();
  along.simplify(placed);
  if (along.rank <= 1) step = along.rank == 0 ? 0 : along.strides[0][0];
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  if (kept.count > kMost || (step < 0 && along.count > kMost)) unsupported();

  const auto width = static_cast<int64_t>(fl_dtype_size(in.dtype));
  const int64_t pack = 16 / width, length = along.count, outputs = kept.count;
  bool aligned = reinterpret_cast<uintptr_t>(in.data) % 16 == 0;
  for (int d = 0; d < kept.rank; d++) aligned &= kept.strides[0][d] % 16 == 0;
  vectors = aligned && step == width;
  const int64_t inner = along.rank > 0 ? along.strides[0][0] : 0;
  const bool rows = kept.rank == 0 || along.rank == 0 || inner < kept.strides[0][0] || kept.strides[0][0] == 0;
  const int64_t wanted = 8 * device_facts(call->device).multiprocessors;
  if (rows) {
    const int64_t loads = vectors ? length / pack : length;
    // A warp combines without the block, and what it waits for once is little beside a long way along its output; but
    // the device is to be full.
    teams.lanes = power_below(loads, device_facts(call->device).warp);
    while (teams.lanes < kTeamThreads && teams.lanes * 2 <= loads && outputs * teams.lanes < wanted * kTeamThreads)
      teams.lanes *= 2;
    // Few outputs leave threads idle that may as well share one.
    while (teams.lanes < kTeamThreads && teams.lanes < length && kTeamThreads / teams.lanes > outputs) teams.lanes *= 2;
  } else {
    teams.across = true;
    int wide = power_below(outputs, kTeamThreads);
    if (wide < outputs && wide < kTeamThreads) wide *= 2;
    teams.lanes = kTeamThreads / wide;
    const int wanted = power_below(length / 8, 8);
    if (wanted > teams.lanes) teams.lanes = wanted;
  }
  teams.teams = kTeamThreads / teams.lanes;

  // Blocks to fill the device with; each thread should have some elements to add up.
  const int64_t blocks = blocks_for(outputs, teams.teams);
  const int64_t each = static_cast<int64_t>(teams.lanes) * (vectors ? pack : 1) * 8;
  if (blocks < wanted && length >= 2 * each)
    splits = std::min<int64_t>({blocks_for(wanted, blocks), length / each, 1024});
  // A multiple of the pack, so that every part begins at an aligned address.
  part = blocks_for(blocks_for(length, splits), 16) * 16;
  splits = std::max<int64_t>(1, blocks_for(length, part == 0 ? 1 : part));
}

Lines::Lines(const fl_tensor* const* tensors, int count, int32_t dim) {
  kept.operands = count;
  const fl_tensor& first = *tensors[0];
  for (int32_t d = 0; d < first.ndim; d++) {
    int64_t strides[3];
    for (int k = 0; k < count; k++) strides[k] = byte_stride(*tensors[k], d);
    if (d != dim) {
      kept.push(first.sizes[d], strides);
      continue;
    }
    length = first.sizes[d];
    std::copy_n(strides, count, step);
  }
  kept.simplify();
  if (kept.count > (int64_t{1} << 31) - 1) unsupported();
  teams.across = kept.rank > 0 && kept.strides[0][0] < step[0];
  if (teams.across) {
    int wide = power_below(kept.count, kTeamThreads);
    if (wide < kept.count && wide < kTeamThreads) wide *= 2;
    teams.lanes = std::max(kTeamThreads / wide, power_below(length / 8, 8));
  } else {
    teams.lanes = power_below(length, kTeamThreads);
  }
  teams.teams = kTeamThreads / teams.lanes;
}

}  // namespace torch_fl_dcu
