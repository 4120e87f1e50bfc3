// What an index outside of its dimension does on the device: one that equals the size reaches what lies behind the end,
// in a read as in a write; a larger one ends the process (section 7). A negative one counts from the end where ATen
// lets it, and ends the process elsewhere (chosen).
#include <ATen/ops/aminmax.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "call.h"

namespace tops_standin {
namespace {

[[noreturn]] void die(const Op& op, int64_t index, int64_t size) {
  std::fprintf(stderr, "[tops stand-in] %s: index %ld of a dimension of size %ld\n", op.name, static_cast<long>(index),
               static_cast<long>(size));
  std::abort();
}

// Whether an index equals the size.
bool overruns(const Op& op, const at::Tensor& index, int64_t size, bool negative) {
  if (!index.defined()) return false;
  const auto [low, high] = at::aminmax(index);
  const int64_t least = low.item().toLong();
  const int64_t most = high.item().toLong();
  if (least < (negative ? -size : 0)) die(op, least, size);
  if (most > size) die(op, most, size);
  return most == size;
}

// Lets the argument reach one further along a dimension.
void extend(const Op& op, Argument* argument, size_t dim) {
  if (argument->host == nullptr) return;
  argument->sizes[dim] += 1;
  int64_t last = 0;
  for (size_t i = 0; i < argument->sizes.size(); ++i) last += (argument->sizes[i] - 1) * argument->strides[i];
  const size_t bytes = static_cast<size_t>(last + 1) * c10::elementSize(to_aten(argument->dtype));
  if (bytes > argument->capacity + argument->slack) die(op, argument->sizes[dim] - 1, argument->sizes[dim] - 1);
}

bool is(const Op& op, const char* name) { return op.aten != nullptr && std::strcmp(op.aten, name) == 0; }

}  // namespace

bool check_indices(Call& call) {
  const Op& op = call.op();
  Argument* out = &call.at(0).tensors.at(0);
  const int self = call.find("self");
  const bool writes_self = !is(op, "index_select") && !is(op, "gather") && !is(op, "index") && !is(op, "embedding");
  auto reach = [&](Argument* read, size_t dim) {
    if (read != nullptr) extend(op, read, dim);
    if (writes_self && read != out) extend(op, out, dim);
  };
  if (is(op, "embedding")) {
    Argument* weight = &call.at(static_cast<size_t>(call.find("weight"))).tensors[0];
    if (overruns(op, call.tensor("indices"), weight->sizes[0], false)) reach(weight, 0);
  } else if (is(op, "embedding_dense_backward")) {
    int64_t& rows = call.at(static_cast<size_t>(call.find("num_weights"))).integers[0];
    if (overruns(op, call.tensor("indices"), rows, false)) {
      rows += 1;
      reach(nullptr, 0);
    }
  } else if (call.find("dim") >= 0) {
    Argument* source = &call.at(static_cast<size_t>(self)).tensors[0];
    const int64_t rank = static_cast<int64_t>(source->sizes.size());
    const int64_t dim = call.integer("dim");
    TORCH_CHECK(dim >= -rank && dim < rank, "dim ", dim, " of rank ", rank);
    const size_t at = static_cast<size_t>(dim < 0 ? dim + rank : dim);
    if (overruns(op, call.tensor("index"), source->sizes[at], is(op, "index_fill"))) reach(source, at);
  } else {
    Argument* source = &call.at(static_cast<size_t>(self)).tensors[0];
    const std::vector<at::Tensor> indices = call.tensors("indices");
    for (size_t i = 0; i < indices.size(); ++i) {
      if (overruns(op, indices[i], source->sizes.at(i), true)) reach(source, i);
    }
  }
  return false;
}

}  // namespace tops_standin
