// Random numbers: any good ones, decided by seed and offset alone. They are not the device's.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "custom.h"

namespace tops_standin::custom {
namespace {

at::Generator generator(Call& call) {
  const topsatenGenerator_t state = call.get("generator").generator;
  uint64_t mixed = state.seed * 0x9E3779B97F4A7C15u + state.offset;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return at::make_generator<at::CPUGeneratorImpl>(mixed ^ (mixed >> 31));
}

at::Tensor fresh(Call& call) {
  const at::TensorOptions options = made_for(call);
  return at::empty(call.at(0).tensors[0].sizes, options);
}

}  // namespace

void uniform(Call& call) { put(call, fresh(call).uniform_(call.real("from"), call.real("to"), generator(call))); }
void exponential(Call& call) { put(call, fresh(call).exponential_(call.real("lambd"), generator(call))); }
void normal(Call& call) { put(call, fresh(call).normal_(call.real("mean"), call.real("std"), generator(call))); }
void normal_tensor_float(Call& call) { put(call, at::normal(call.tensor("mean"), call.real("std"), generator(call))); }
void normal_float_tensor(Call& call) { put(call, at::normal(call.real("mean"), call.tensor("std"), generator(call))); }
void normal_tensor_tensor(Call& call) {
  put(call, at::normal(call.tensor("mean"), call.tensor("std"), generator(call)));
}
void randn(Call& call) { put(call, fresh(call).normal_(0, 1, generator(call))); }
void randint(Call& call) { put(call, fresh(call).random_(call.integer("low"), call.integer("high"), generator(call))); }
void random_from(Call& call) {
  const int64_t from = call.integer("from");
  const topsatenScalar_t to = call.scalar("to");
  std::optional<int64_t> end;
  if (to.dtype != TOPSATEN_DATA_NONE) end = to_aten(to).toLong();
  put(call, fresh(call).random_(from, end, generator(call)));
}
void random_to(Call& call) { put(call, fresh(call).random_(call.integer("to"), generator(call))); }
void random(Call& call) { put(call, fresh(call).random_(generator(call))); }
void randperm(Call& call) {
  const at::Tensor out = fresh(call);
  put(call, at::randperm(call.integer("n"), generator(call), out.options()));
}
void bernoulli_p(Call& call) { put(call, fresh(call).bernoulli_(call.real("p"), generator(call))); }
void bernoulli(Call& call) { put(call, at::bernoulli(call.tensor("self"), generator(call))); }
void bernoulli_tensor(Call& call) { put(call, fresh(call).bernoulli_(call.tensor("p"), generator(call))); }
void poisson(Call& call) { put(call, at::poisson(call.tensor("self"), generator(call))); }
void binomial(Call& call) { put(call, at::binomial(call.tensor("count"), call.tensor("prob"), generator(call))); }
void multinomial(Call& call) {
  put(call, at::multinomial(call.tensor("self"), call.integer("num_samples"), call.integer("replacement") != 0,
                            generator(call)));
}

void native_dropout(Call& call) {
  const at::Tensor input = call.tensor("input");
  const double p = call.real("p");
  if (call.integer("train") == 0 || p == 0) {
    call.write("mask", at::ones(input.sizes(), at::kBool));
    put(call, input);
    return;
  }
  const at::Tensor kept = at::empty(input.sizes(), at::kBool).bernoulli_(1 - p, generator(call));
  call.write("mask", kept);
  put(call, p == 1 ? at::zeros_like(input) : input.mul(kept).div(1 - p));
}

}  // namespace tops_standin::custom
