// Attention by its formula, in float32.
#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "custom.h"

namespace tops_standin::custom {
namespace {

struct Inputs {
  at::Tensor query;
  at::Tensor key;
  at::Tensor value;
  double scale;
};

Inputs inputs(Call& call) {
  Inputs made;
  made.query = call.tensor("query").to(at::kFloat);
  made.key = call.tensor("key").to(at::kFloat);
  made.value = call.tensor("value").to(at::kFloat);
  const topsatenScalar_t scale = call.scalar("scale");
  made.scale = scale.dtype == TOPSATEN_DATA_NONE ? 1 / std::sqrt(static_cast<double>(made.query.size(-1)))
                                                 : to_aten(scale).toDouble();
  TORCH_CHECK(call.real("dropout_p") == 0, "dropout is not computed");
  return made;
}

at::Tensor scores(Call& call, const Inputs& given, const at::Tensor& bias) {
  at::Tensor made = at::matmul(given.query, given.key.transpose(-2, -1)).mul(given.scale);
  if (bias.defined()) made = made.add(bias.to(at::kFloat));
  if (call.integer("is_causal") != 0) {
    const at::Tensor seen = at::ones({made.size(-2), made.size(-1)}, at::kBool).tril();
    made = made.masked_fill(seen.logical_not(), -std::numeric_limits<double>::infinity());
  }
  return made;
}

// Returns log(sum(exp(scores))).
at::Tensor forward(Call& call, const at::Tensor& bias) {
  const Inputs given = inputs(call);
  const at::Tensor weights = scores(call, given, bias);
  const at::Tensor result = at::matmul(at::softmax(weights, -1), given.value);
  call.write("out", result.to(call.tensor("query").scalar_type()));
  return at::logsumexp(weights, -1);
}

struct Gradients {
  at::Tensor query;
  at::Tensor key;
  at::Tensor value;
  at::Tensor scores;
};

Gradients backward(Call& call, const char* grad_name, const at::Tensor& bias) {
  const Inputs given = inputs(call);
  const at::Tensor grad = call.tensor(grad_name).to(at::kFloat);
  const at::Tensor weights = scores(call, given, bias).sub(call.tensor("logsumexp").to(at::kFloat).unsqueeze(-1)).exp();
  const at::Tensor grad_weights = at::matmul(grad, given.value.transpose(-2, -1));
  const at::Tensor row = grad.mul(call.tensor("out").to(at::kFloat)).sum(-1, true);
  Gradients made;
  made.scores = weights.mul(grad_weights.sub(row));
  made.query = at::matmul(made.scores, given.key).mul(given.scale);
  made.key = at::matmul(made.scores.transpose(-2, -1), given.query).mul(given.scale);
  made.value = at::matmul(weights.transpose(-2, -1), grad);
  return made;
}

void write(Call& call, const Gradients& made) {
  const at::ScalarType dtype = call.tensor("query").scalar_type();
  call.write("grad_query", made.query.to(dtype));
  call.write("grad_key", made.key.to(dtype));
  call.write("grad_value", made.value.to(dtype));
}

}  // namespace

void sdpa_flash(Call& call) {
  call.write("log_sumexp", forward(call, {}));
  *static_cast<int64_t*>(call.get("max_q").host) = call.tensor("query").size(-2);
  *static_cast<int64_t*>(call.get("max_k").host) = call.tensor("key").size(-2);
}

void sdpa_flash_backward(Call& call) { write(call, backward(call, "grad_out", {})); }

void sdpa_efficient(Call& call) {
  const at::Tensor sums = forward(call, call.tensor("attn_bias"));
  if (call.integer("compute_log_sumexp") != 0) call.write("log_sumexp", sums);
}

void sdpa_efficient_backward(Call& call) {
  const at::Tensor bias = call.tensor("attn_bias");
  const Gradients made = backward(call, "grad_out_", bias);
  write(call, made);
  if (bias.defined()) call.write("grad_bias", made.scores.sum_to_size(bias.sizes()).to(bias.scalar_type()));
}

}  // namespace tops_standin::custom
