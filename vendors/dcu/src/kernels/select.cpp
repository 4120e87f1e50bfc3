#include "kernels/select.h"

#include "kernels/team.h"

namespace torch_fl_dcu {
namespace {

constexpr int kThreads = 256, kEach = 8;  // neighbours that a thread looks at
constexpr int kPart = kThreads * kEach;

// Elements in their logical order, of N tensors that have one shape. No dimension is joined with another.
template <int N>
struct Walk {
  int64_t count = 1;
  int rank = 0;
  int64_t sizes[kMaxRank], strides[N][kMaxRank];  // from the innermost out; bytes
  Divider dividers[kMaxRank];
  bool small = true;     // every element's number fits a divider
  int64_t step[N] = {};  // bytes from element to element where the tensor is dense, else 0

  // Calls f(d, i) for the innermost dimension first, with the place i along it.
  template <class F>
  FL_GPU void each(int64_t index, F&& f) const {
    FL_UNROLL
    for (int d = 0; d < kMaxRank; d++) {
      if (d == rank) break;
      const int64_t next = small ? dividers[d].divide(static_cast<uint32_t>(index)) : index / sizes[d];
      f(d, index - next * sizes[d]);
      index = next;
    }
  }
  FL_GPU int64_t offset(int k, int64_t index) const {
    if (step[k] != 0) return index * step[k];
    int64_t at = 0;
    each(index, [&](int d, int64_t i) { at += i * strides[k][d]; });
    return at;
  }
  void add(int64_t size, const int64_t* stride_of_each) {
    sizes[rank] = size;
    for (int k = 0; k < N; k++) strides[k][rank] = stride_of_each[k];
    count *= size;
    rank++;
  }
  void done() {
    small = count <= (int64_t{1} << 31) - 1;
    for (int d = 0; d < rank && small; d++) dividers[d] = Divider(static_cast<uint32_t>(sizes[d]));
    for (int k = 0; k < N; k++) {
      int64_t dense = rank > 0 ? strides[k][0] : 0;
      step[k] = dense;
      for (int d = 0; d < rank; d++) {
        if (sizes[d] != 1 && strides[k][d] != dense) step[k] = 0;
        dense *= sizes[d];
      }
    }
  }
};

// Which elements are chosen: those of which a bit of `mask` is set.
template <class W>
struct Choice {
  const char* data;
  W mask;
  FL_GPU bool at(int64_t offset) const {
    const W x = *reinterpret_cast<const W*>(data + offset);
    if constexpr (sizeof(W) == 16)
      return ((x.word[0] & mask.word[0]) | (x.word[1] & mask.word[1])) != 0;
    else
      return (x & mask) != 0;
  }
};

// Operand 0 of the walk is what is looked at.
template <class W, int N>
struct Chooser {
  Choice<W> choice;
  Walk<N> walk;

  // The elements of this thread that are chosen, as bits.
  FL_GPU uint32_t bits(int64_t& first) const {
    first = block_id() * kPart + thread_id() * kEach;
    uint32_t found = 0;
    FL_UNROLL
    for (int i = 0; i < kEach; i++)
      if (first + i < walk.count && choice.at(walk.offset(0, first + i))) found |= 1u << i;
    return found;
  }
};

FL_GPU int count_bits(uint32_t bits) {
  int n = 0;
  for (int i = 0; i < kEach; i++) n += static_cast<int>(bits >> i & 1);
  return n;
}

template <class W, int N>
struct Count {
  static constexpr bool kCooperative = true;
  Chooser<W, N> chooser;
  int64_t* counts;
  FL_GPU void operator()() const {
    int64_t first;
    const Ranked rank = block_rank(count_bits(chooser.bits(first)));
    if (thread_id() == 0) counts[block_id()] = rank.total;
  }
};

// Of each number the sum of those before it, in place, and of all behind them. One block.
struct SumsBefore {
  static constexpr bool kCooperative = true;
  int64_t* numbers;
  int64_t count;
  FL_GPU void operator()() const {
    FL_SHARED int64_t shared[2][kMostThreads];
    const int me = thread_id(), threads = block_threads();
    int64_t before = 0;
    for (int64_t first = 0; first < count; first += threads) {
      const int64_t own = first + me < count ? numbers[first + me] : 0;
      int turn = 0;
      shared[0][me] = own;
      sync();
      for (int reach = 1; reach < threads; reach *= 2) {
        const int64_t* from = shared[turn];
        turn ^= 1;
        shared[turn][me] = from[me] + (me >= reach ? from[me - reach] : 0);
        sync();
      }
      if (first + me < count) numbers[first + me] = before + shared[turn][me] - own;
      before += shared[turn][threads - 1];
      sync();
    }
    if (me == 0) numbers[count] = before;
  }
};

// The places of the chosen elements.
template <class W>
struct WritePlaces {
  static constexpr bool kCooperative = true;
  Chooser<W, 1> chooser;
  const int64_t* before;
  int64_t* out;
  int64_t row_step, column_step;

  FL_GPU void operator()() const {
    int64_t first;
    const uint32_t bits = chooser.bits(first);
    int64_t row = before[block_id()] + block_rank(count_bits(bits)).before;
    for (int i = 0; i < kEach; i++) {
      if ((bits >> i & 1) == 0) continue;
      const int last = chooser.walk.rank - 1;
      chooser.walk.each(first + i, [&](int d, int64_t at) { out[row * row_step + (last - d) * column_step] = at; });
      row++;
    }
  }
};

// Chosen elements move between a tensor (operand 1 of the walk) and a dense list.
template <class T, bool Into>
struct MoveChosen {
  static constexpr bool kCooperative = true;
  Chooser<uint8_t, 2> chooser;
  const int64_t* before;
  char* tensor;
  T* list;
  int64_t length;  // of the list
  FaultSink faults;

  FL_GPU void operator()() const {
    int64_t first;
    const uint32_t bits = chooser.bits(first);
    int64_t row = before[block_id()] + block_rank(count_bits(bits)).before;
    for (int i = 0; i < kEach; i++) {
      if ((bits >> i & 1) == 0) continue;
      T* there = reinterpret_cast<T*>(tensor + chooser.walk.offset(1, first + i));
      if (row >= length)
        faults.source();
      else if constexpr (Into)
        *there = list[row];
      else
        list[row] = *there;
      row++;
    }
  }
};

// Counts what each block chooses, and how much the blocks before it do; block_count() + 1 numbers.
template <class W, int N>
fl_status count_chosen(const fl_call* call, const Chooser<W, N>& chooser, int64_t* counts) {
  const int64_t blocks = blocks_for(chooser.walk.count, kPart);
  if (const fl_status status = launch<kThreads>(call, Count<W, N>{chooser, counts}, blocks)) return status;
  const int threads = power_below(blocks, kMostThreads);
  return launch<kMostThreads>(call, SumsBefore{counts, blocks}, 1, threads);
}

size_t counts_bytes(int64_t elements) { return static_cast<size_t>(blocks_for(elements, kPart) + 1) * sizeof(int64_t); }

// How many were chosen; waits for the stream.
fl_status read_total(const fl_call* call, const int64_t* counts, int64_t elements, int64_t* total) {
  FL_ON_DEVICE(call->device);
  const hipStream_t stream = stream_of(call->stream);
  FL_HIP(hipMemcpyAsync(total, counts + blocks_for(elements, kPart), sizeof *total, hipMemcpyDeviceToHost, stream));
  FL_HIP(hipStreamSynchronize(stream));
  return FL_OK;
}

// The bits of an element that make it other than zero: all, but a float's sign.
template <class W>
W mask_of(fl_dtype dtype) {
  uint8_t bytes[16];
  std::memset(bytes, 0xFF, sizeof bytes);
  size_t part = 0;
  if (dtype.code == FL_CODE_FLOAT || dtype.code == FL_CODE_BFLOAT) part = fl_dtype_size(dtype);
  if (dtype.code == FL_CODE_COMPLEX) part = fl_dtype_size(dtype) / 2;
  for (size_t i = part; part != 0 && i <= sizeof(W); i += part) bytes[i - 1] = 0x7F;
  W mask;
  std::memcpy(&mask, bytes, sizeof mask);
  return mask;
}

constexpr fl_dtype kInt64{FL_CODE_INT, 64, 1};

// The strides of `t` where it is expanded to `ndim` dimensions of `sizes`. Throws where it does not expand.
void expanded(const fl_tensor& t, int32_t ndim, const int64_t* sizes, int64_t* strides) {
  for (int32_t d = 0; d < ndim; d++) {
    const int32_t own = d - (ndim - t.ndim);
    strides[d] = own < 0 || t.sizes[own] == 1 ? 0 : byte_stride(t, own);
    if (own >= 0 && t.sizes[own] != 1 && t.sizes[own] != sizes[d]) unsupported();
  }
}

// The walk over (mask, tensor), broadcast against each other.
Chooser<uint8_t, 2> masked(const fl_tensor& mask, const fl_tensor& tensor) {
  if (fl_dtype_to_id(mask.dtype) != FL_BOOL || mask.ndim > kMaxRank || tensor.ndim > kMaxRank) unsupported();
  const int32_t ndim = std::max(mask.ndim, tensor.ndim);
  int64_t sizes[kMaxRank], of_mask[kMaxRank], of_tensor[kMaxRank];
  for (int32_t d = 0; d < ndim; d++) {
    sizes[d] = 1;
    for (const fl_tensor* t : {&mask, &tensor}) {
      const int32_t own = d - (ndim - t->ndim);
      if (own >= 0 && t->sizes[own] != 1) sizes[d] = t->sizes[own];
    }
  }
  expanded(mask, ndim, sizes, of_mask);
  expanded(tensor, ndim, sizes, of_tensor);
  Chooser<uint8_t, 2> chooser{{static_cast<const char*>(mask.data), 0xFF}, {}};
  for (int32_t d = ndim; d-- > 0;) {
    const int64_t strides[2] = {of_mask[d], of_tensor[d]};
    chooser.walk.add(sizes[d], strides);
  }
  chooser.walk.done();
  return chooser;
}

template <bool Into>
fl_status move_chosen(const fl_call* call, const Chooser<uint8_t, 2>& chooser, const int64_t* before,
                      const fl_tensor& tensor, void* list, int64_t length) {
  return dispatch_size(tensor.dtype, [&](auto tag) -> fl_status {
    using T = typename decltype(tag)::type;
    MoveChosen<T, Into> body{chooser, before, static_cast<char*>(tensor.data), static_cast<T*>(list), length, {}};
    if (const fl_status status = fault_sink(call->device, &body.faults)) return status;
    return launch<kThreads>(call, body, blocks_for(chooser.walk.count, kPart));
  });
}

}  // namespace

fl_status nonzero(const fl_call* call) {
  const fl_tensor& self = tensor_arg(call, 0);
  Walk<1> walk;
  for (int32_t d = self.ndim; d-- > 0;) {
    const int64_t stride = byte_stride(self, d);
    walk.add(self.sizes[d], &stride);
  }
  walk.done();
  return dispatch_size(self.dtype, [&](auto tag) -> fl_status {
    using W = typename decltype(tag)::type;
    const Chooser<W, 1> chooser{{static_cast<const char*>(self.data), mask_of<W>(self.dtype)}, walk};
    const Scratch scratch(call, counts_bytes(walk.count));
    auto* counts = static_cast<int64_t*>(scratch.data());
    int64_t total = 0;
    if (walk.count > 0) {
      if (const fl_status status = count_chosen(call, chooser, counts)) return status;
      if (const fl_status status = read_total(call, counts, walk.count, &total)) return status;
    }
    const int64_t sizes[2] = {total, self.ndim};
    fl_tensor out{};
    if (const fl_status status = torch_fl_kit::core()->alloc_output(call, 0, kInt64, 2, sizes, &out)) return status;
    if (total == 0 || self.ndim == 0) return FL_OK;
    const WritePlaces<W> body{chooser, counts, static_cast<int64_t*>(out.data), out.strides[0], out.strides[1]};
    return launch<kThreads>(call, body, blocks_for(walk.count, kPart));
  });
}

fl_status masked_select(const fl_call* call) {
  const fl_tensor& self = tensor_arg(call, 0);
  const Chooser<uint8_t, 2> chooser = masked(tensor_arg(call, 1), self);
  const int64_t count = chooser.walk.count;
  const Scratch scratch(call, counts_bytes(count));
  auto* counts = static_cast<int64_t*>(scratch.data());
  int64_t total = 0;
  if (count > 0) {
    if (const fl_status status = count_chosen(call, chooser, counts)) return status;
    if (const fl_status status = read_total(call, counts, count, &total)) return status;
  }
  fl_tensor out{};
  if (const fl_status status = torch_fl_kit::core()->alloc_output(call, 0, self.dtype, 1, &total, &out)) return status;
  if (total == 0) return FL_OK;
  return move_chosen<false>(call, chooser, counts, self, out.data, total);
}

fl_status masked_scatter(const fl_call* call) {
  const fl_tensor &self = tensor_out(call, 0), &mask = tensor_arg(call, 1), &source = tensor_arg(call, 2);
  if (!same_dtype(self, source) || mask.ndim > self.ndim) return FL_UNSUPPORTED;
  const Chooser<uint8_t, 2> chooser = masked(mask, self);
  const int64_t count = chooser.walk.count;
  if (count != numel(self)) return FL_UNSUPPORTED;
  const Scratch scratch(call, counts_bytes(count));
  auto* counts = static_cast<int64_t*>(scratch.data());
  if (const fl_status status = count_chosen(call, chooser, counts)) return status;
  return move_chosen<true>(call, chooser, counts, self, source.data, numel(source));
}

}  // namespace torch_fl_dcu
