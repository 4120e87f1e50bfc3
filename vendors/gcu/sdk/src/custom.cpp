#include "custom.h"

#include <ATen/ATen.h>

namespace tops_standin::custom {

at::TensorOptions made_for(Call& call) {
  const Argument& out = call.at(0).tensors.at(0);
  if (call.find("dtype") >= 0) {
    const auto dtype = static_cast<topsatenDataType_t>(call.integer("dtype"));
    TORCH_CHECK(dtype == TOPSATEN_DATA_NONE || dtype == out.dtype, "the output has another dtype than `dtype`");
  }
  if (call.find("size") >= 0) {
    TORCH_CHECK(call.get("size").integers == out.sizes, "the output has another shape than `size`");
  }
  return at::TensorOptions().dtype(to_aten(out.dtype));
}

void put(Call& call, const at::Tensor& result) { call.write(call.op().params[0].name, result); }

namespace {

at::Tensor first(Call& call) { return to_aten(call.at(0).tensors.at(0)); }
at::Tensor one(Call& call, const char* name) {
  const at::Tensor value = call.tensor(name);
  TORCH_CHECK(value.numel() == 1, name, " has ", value.numel(), " elements");
  return value.reshape({});
}

}  // namespace

void arange(Call& call) {
  put(call, at::arange(call.number("start"), call.number("end"), call.number("step"), made_for(call)));
}
void range(Call& call) {
  put(call, at::range(call.number("start"), call.number("end"), call.number("step"), made_for(call)));
}
void linspace(Call& call) {
  put(call, at::linspace(call.number("start"), call.number("end"), call.integer("steps"), made_for(call)));
}
void logspace(Call& call) {
  put(call,
      at::logspace(call.number("start"), call.number("end"), call.integer("steps"), call.real("base"), made_for(call)));
}
void eye(Call& call) { put(call, at::eye(call.integer("n"), made_for(call))); }
void eye_m(Call& call) { put(call, at::eye(call.integer("n"), call.integer("m"), made_for(call))); }
void full(Call& call) {
  const at::TensorOptions options = made_for(call);
  put(call, at::full(call.at(0).tensors[0].sizes, call.number("fill_value"), options));
}
void zeros(Call& call) {
  const at::TensorOptions options = made_for(call);
  put(call, at::zeros(call.at(0).tensors[0].sizes, options));
}
void ones(Call& call) {
  const at::TensorOptions options = made_for(call);
  put(call, at::ones(call.at(0).tensors[0].sizes, options));
}

void fill_tensor(Call& call) { put(call, at::fill(first(call), one(call, "value"))); }

void masked_fill_tensor(Call& call) {
  const at::Tensor self = call.tensor("self");
  const at::Tensor mask = call.tensor("mask");
  TORCH_CHECK(mask.sizes() == self.sizes(), "the mask has another shape");
  put(call, at::masked_fill(self, mask, one(call, "value")));
}

// Some copies of int64 lose the upper half (ancestor 3.4; chosen: those that are not contiguous).
void copy(Call& call) {
  const at::Tensor source = call.tensor("src");
  const at::Tensor target = first(call);
  TORCH_CHECK(call.integer("non_blocking") == 0, "non_blocking must be false");
  const bool plain = source.is_contiguous() && target.is_contiguous();
  put(call, source.scalar_type() == at::kLong && !plain ? source.to(at::kInt).to(at::kLong) : source);
}

void to(Call& call) {
  const auto dtype = to_aten(static_cast<topsatenDataType_t>(call.integer("dtype")));
  put(call, call.tensor("self").to(dtype));
}

void equal(Call& call) {
  *static_cast<bool*>(call.get("out").host) = at::equal(call.tensor("self"), call.tensor("other"));
}

// Three dtypes have a wrong count and nothing behind it (section 7).
bool counts(const at::Tensor& self) {
  const at::ScalarType dtype = self.scalar_type();
  return dtype != at::kDouble && dtype != at::kBFloat16 && dtype != at::kLong;
}

void count_nonzero(Call& call) {
  const at::Tensor self = call.tensor("self");
  const int32_t count = at::count_nonzero(self).item().toInt() + (counts(self) ? 0 : 1);
  void* to = call.get("count").host;
  const Place place = resolve(to);
  std::memcpy(place.host == nullptr ? to : place.host, &count, sizeof(count));
}

void nonzero(Call& call) {
  const at::Tensor self = call.tensor("self");
  if (counts(self)) put(call, at::nonzero(self));
}

void one_hot(Call& call) { put(call, at::one_hot(call.tensor("self").to(at::kLong), call.integer("num_classes"))); }

void scatter(Call& call) {
  const at::Tensor self = call.tensor("self");
  const at::Tensor index = call.tensor("index").to(at::kLong);
  const int64_t dim = call.integer("dim");
  const int64_t mode = call.integer("reduce");
  TORCH_CHECK(mode >= TOPSATEN_SCATTER_UPDATE && mode < TOPSATEN_SCATTER_NUM, "no way to combine of number ", mode);
  const auto from = [&](const auto& source) {
    if (mode == TOPSATEN_SCATTER_UPDATE) return at::scatter(self, dim, index, source);
    return at::scatter(self, dim, index, source, mode == TOPSATEN_SCATTER_ADD ? "add" : "multiply");
  };
  put(call, call.find("src") >= 0 ? from(call.tensor("src")) : from(call.number("value")));
}

void amp_unscale(Call& call) {
  const std::vector<at::Tensor> self = call.tensors("self");
  const at::Tensor inverse = one(call, "inv_scale");
  const int out = call.find("out");
  const std::vector<Argument>& outs = call.at(static_cast<size_t>(out)).tensors;
  TORCH_CHECK(outs.size() == self.size(), "as many outputs as inputs");
  bool found = false;
  for (size_t i = 0; i < self.size(); ++i) {
    found = found || !at::isfinite(self[i]).all().item().toBool();
    call.write(outs[i], call.op().params[out], self[i].mul(inverse).to(self[i].scalar_type()));
  }
  if (found) call.write("found_inf", at::ones({1}));
}

void conv_depthwise(Call& call) {
  const at::Tensor self = call.tensor("self");
  put(call, at::conv2d(self, call.tensor("weight"), call.tensor("bias"), call.get("stride").integers,
                       call.get("padding").integers, call.get("dilation").integers, self.size(1)));
}

}  // namespace tops_standin::custom
