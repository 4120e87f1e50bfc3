// A plan: how one signature of one op runs. Made once, immutable, shared by threads.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/op_entry.h"
#include "dispatch/plan_cache.h"

namespace torch_fl {

using Sizes = c10::SmallVector<int64_t, 6>;

struct Geometry {
  Sizes sizes;
  Sizes strides;
};

inline void fill_contiguous(c10::IntArrayRef sizes, int64_t* strides) {
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
}

inline void make_contiguous(Geometry& g) {
  g.strides.resize(g.sizes.size());
  fill_contiguous(g.sizes, g.strides.data());
}

// The layout of an output, as PyTorch's own devices would give it. dtype Undefined: no output (a masked gradient).
struct OutputLayout {
  Geometry geometry;
  at::ScalarType dtype = at::ScalarType::Undefined;
};

// How a tensor is made into what the row takes. Geometry (expansion, rank) is in the plan's templates already.
struct Legalisation {
  at::ScalarType cast = at::ScalarType::Undefined;  // convert to this dtype
  at::ScalarType by = at::ScalarType::Undefined;    // but round to this one before
  bool contiguous = false;                          // then expand to the template's sizes and make contiguous
  bool own_sizes = false;                           // contiguous in its own sizes; the template repeats them
  bool narrow_index = false;                        // int64 to int32 with saturation
  bool stage = false;                               // a number or a 0-d host tensor becomes a 0-d device tensor
  bool needed() const { return cast != at::ScalarType::Undefined || contiguous || narrow_index || stage; }
};

struct ArgStep {
  enum class Kind : uint8_t {
    constant,
    tensor,
    host_scalar,
    scalar,
    floating,
    complex,
    generator,
    tensor_list,
    scalar_list,
    double_list
  };
  Kind kind = Kind::constant;
  int16_t source = -1;
  Legalisation legalise;
  bool give_back = false;              // written, though no output: what the kernel leaves in the copy is the caller's
  int16_t shared = -1;                 // the temporary of this output, which holds the argument, stands in its place
  std::vector<Legalisation> elements;  // of a tensor_list
};

struct OutStep {
  int16_t source = -1;  // the caller's tensor, or -1: a new one
  bool staged = false;  // the kernel writes a temporary, which is then copied
  bool filled = false;  // and which holds what is written in place before: an op may write some of its elements
  bool resize = false;  // out= of another shape: resized with PyTorch's warning
  bool list = false;
  at::ScalarType dtype = at::ScalarType::Undefined;         // of the result; Undefined: no output
  at::ScalarType kernel_dtype = at::ScalarType::Undefined;  // of what the kernel writes
  c10::IntArrayRef sizes, strides;                          // of the result
  c10::IntArrayRef kernel_strides;                          // of what the kernel writes
  std::vector<OutStep> elements;
};

// The numbers behind a plan's templates. Their addresses are stable; those of few tensors lie in the plan itself.
class Numbers {
 public:
  int64_t* make(size_t count) {
    if (used_ + count > kInline) return more_.emplace_back(std::make_unique<int64_t[]>(count)).get();
    used_ += count;
    return inline_ + (used_ - count);
  }
  c10::IntArrayRef keep(c10::IntArrayRef numbers) {
    int64_t* kept = make(numbers.size());
    std::copy(numbers.begin(), numbers.end(), kept);
    return {kept, numbers.size()};
  }

 private:
  static constexpr size_t kInline = 24;
  int64_t inline_[kInline];
  size_t used_ = 0;
  std::vector<std::unique_ptr<int64_t[]>> more_;
};

class Replays;

struct Plan final : CachedPlan {
  ~Plan() override;

  Lane lane = Lane::none;
  std::string_view source;           // the route's line; routes are kept for ever
  std::vector<LaneVerdict> refused;  // the lanes before it, and why not
  // Why not an earlier lane; empty where there is none.
  std::string reason() const {
    return refused.empty() ? "" : lane_name(refused.back().lane) + ": " + refused.back().reason;
  }

  // A package's lane: what the results are, where a structured op tells.
  c10::SmallVector<OutputLayout, 1> expected;
  std::unique_ptr<Replays> replays;

  // vendor lane
  const RowBinding* binding = nullptr;
  int32_t device = 0;
  bool simple = true;         // no legalisation, no staging: nothing that can call back into dispatch
  bool skip = false;          // no output has an element: nothing to run
  bool places_masks = false;  // some indices are masks: the call is made again with positions in their place
  c10::SmallVector<ArgStep, 3> args;
  c10::SmallVector<fl_value, 3> arg_templates;
  c10::SmallVector<OutStep, 1> outs;
  c10::SmallVector<fl_value, 1> out_templates;
  uint32_t call_flags = 0;
  Numbers numbers;
  std::vector<std::vector<fl_tensor>> tensor_lists;  // moved as they grow, their elements are not
  std::vector<std::vector<uint8_t>> bytes;

  void* state = nullptr;  // of prepare()
  std::atomic<bool> prepared{false};
  std::mutex prepare_mutex;
};

}  // namespace torch_fl
