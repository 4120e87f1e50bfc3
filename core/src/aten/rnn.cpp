// Recurrent networks: PyTorch takes fused ops for them on a device outside its tree. They run by the boxing key's
// kernels where it has some, else composed.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/native/RNN.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "aten/alias.h"
#include "dispatch/lanes.h"
#include "dispatch/registry.h"
#include "runtime/runtime.h"

namespace torch_fl {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

// The op's entry where the boxing key is no host and has a kernel, else null.
OpEntry* on_key(const char* op) {
  const Vendor& v = vendor();
  if (!v.key_ready || v.facts.boxing == c10::DeviceType::CPU) return nullptr;
  OpEntry& entry = entry_of(c10::Dispatcher::singleton().findSchemaOrThrow((std::string("aten::") + op).c_str(), ""));
  return entry.on_key ? &entry : nullptr;
}

template <class R, class... A>
R boxed(OpEntry& entry, const A&... args) {
  Stack stack;
  torch::jit::push(stack, args...);
  dispatch_call(entry, &stack);
  return [&]<size_t... I>(std::index_sequence<I...>) -> R {
    return {std::move(stack[I]).toTensor()...};
  }(std::make_index_sequence<std::tuple_size_v<R>>());
}

bool given(const OptionalTensor& t) { return t.has_value() && t->defined(); }

Tensor with_bias(const Tensor& gates, const OptionalTensor& bias) { return given(bias) ? gates + *bias : gates; }

// i, f, g, o = gates; cy = f * cx + i * g; hy = o * tanh(cy). The workspace holds the activated gates.
std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx,
                                             const OptionalTensor& input_bias, const OptionalTensor& hidden_bias) {
  if (OpEntry* entry = on_key("_thnn_fused_lstm_cell"))
    return boxed<std::tuple<Tensor, Tensor, Tensor>>(*entry, input_gates, hidden_gates, cx, input_bias, hidden_bias);
  const auto gates = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1);
  const Tensor i = gates[0].sigmoid(), f = gates[1].sigmoid(), g = gates[2].tanh(), o = gates[3].sigmoid();
  Tensor cy = f * cx + i * g;
  Tensor hy = o * cy.tanh();
  return {std::move(hy), std::move(cy), at::cat({i, f, g, o}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const OptionalTensor& grad_hy, const OptionalTensor& grad_cy,
                                                      const Tensor& cx, const Tensor& cy, const Tensor& workspace,
                                                      bool has_bias) {
  if (OpEntry* entry = on_key("_thnn_fused_lstm_cell_backward_impl"))
    return boxed<std::tuple<Tensor, Tensor, Tensor>>(*entry, grad_hy, grad_cy, cx, cy, workspace, has_bias);
  if (!given(grad_hy) && !given(grad_cy)) return {};
  const auto gates = workspace.chunk(4, 1);
  const Tensor &i = gates[0], &f = gates[1], &g = gates[2], &o = gates[3];
  const Tensor t = cy.tanh();
  Tensor grad_o = given(grad_hy) ? *grad_hy * t : at::zeros_like(t);
  Tensor grad_c = given(grad_hy) ? *grad_hy * o * (1 - t * t) : at::zeros_like(t);
  if (given(grad_cy)) grad_c = grad_c + *grad_cy;
  const Tensor grad_gates =
      at::cat({grad_c * g * i * (1 - i), grad_c * cx * f * (1 - f), grad_c * i * (1 - g * g), grad_o * o * (1 - o)}, 1);
  return {grad_gates, grad_c * f, has_bias ? grad_gates.sum(0) : Tensor()};
}

// r, i, n = gates; hy = n + i * (hx - n), where n = tanh(in + r * hn).
std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx,
                                    const OptionalTensor& input_bias, const OptionalTensor& hidden_bias) {
  if (OpEntry* entry = on_key("_thnn_fused_gru_cell"))
    return boxed<std::tuple<Tensor, Tensor>>(*entry, input_gates, hidden_gates, hx, input_bias, hidden_bias);
  const auto in = with_bias(input_gates, input_bias).chunk(3, 1),
             hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
  const Tensor r = (in[0] + hidden[0]).sigmoid(), i = (in[1] + hidden[1]).sigmoid(), n = (in[2] + r * hidden[2]).tanh();
  return {n + i * (hx - n), at::cat({r, i, n, hx, hidden[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad_hy, const Tensor& workspace,
                                                                     bool has_bias) {
  if (OpEntry* entry = on_key("_thnn_fused_gru_cell_backward"))
    return boxed<std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>>(*entry, grad_hy, workspace, has_bias);
  const auto saved = workspace.chunk(5, 1);
  const Tensor &r = saved[0], &i = saved[1], &n = saved[2], &hx = saved[3], &hn = saved[4];
  const Tensor grad_i = grad_hy * (hx - n) * i * (1 - i);
  const Tensor grad_n = grad_hy * (1 - i) * (1 - n * n);
  const Tensor grad_r = grad_n * hn * r * (1 - r);
  const Tensor grad_input = at::cat({grad_r, grad_i, grad_n}, 1);
  const Tensor grad_hidden = at::cat({grad_r, grad_i, grad_n * r}, 1);
  return {grad_input, grad_hidden, grad_hy * i, has_bias ? grad_input.sum(0) : Tensor(),
          has_bias ? grad_hidden.sum(0) : Tensor()};
}

// ---- whole layers, where the boxing key has them (PyTorch's name for that is cudnn)

// PyTorch asks this before it takes the kernels below. It returns no tensor, so that a kernel over PyTorch's composite
// loses no gradient. Under autocast the composed form is right: it casts at each of its operators.
bool accepts(const Tensor& input) {
  if (at::autocast::is_autocast_enabled(kFlagos) || on_key("_cudnn_rnn") == nullptr) return false;
  return at::cudnn_is_acceptable(make_alias(input, *vendor().facts.boxing));
}

enum Mode : int64_t { kRelu = 0, kTanh = 1, kLstm = 2, kGru = 3 };

// The state of the random numbers that dropout between layers draws: it is expensive to make, and goes on from call to
// call until the device's generator is seeded anew. Work on one stream is in order; another stream, and another thread,
// has a state of its own.
Tensor dropout_state(double dropout, bool train, const Tensor& input) {
  if (dropout == 0 || !train) return {};
  struct State {
    Tensor buffer;
    uint64_t seed = 0, offset = 0;  // of the device's generator at the last call
  };
  thread_local std::map<std::pair<int32_t, c10::StreamId>, State> states;
  const int32_t device = input.device().index();
  State& state = states[{device, current_stream(device).id()}];
  const auto [seed, offset] = reserve_philox(std::nullopt, device, 4);
  if (!state.buffer.defined() || seed != state.seed || offset <= state.offset) {
    const auto own = static_cast<int64_t>((seed ^ (offset * UINT64_C(0x9e3779b97f4a7c15))) >> 1);
    state.buffer = at::_cudnn_init_dropout_state(dropout, train, own, input.options().dtype(at::kByte));
  }
  state.seed = seed;
  state.offset = offset;
  return state.buffer;
}

struct Layers {
  Mode mode;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train, bidirectional, batch_first;
};

// The weights in one piece, as the kernels want them. PyTorch's modules keep theirs so on devices of its own alone. The
// kernel that makes the piece moves the tensors that it is given into it: those are aliases, which end here.
Tensor compacted(const Tensor& input, at::TensorList params, int64_t weights, int64_t hidden_size, int64_t proj_size,
                 const Layers& layers) {
  at::NoGradGuard no_grad;
  std::vector<Tensor> aliases;
  for (const Tensor& t : params) aliases.push_back(make_alias(t, *vendor().facts.boxing));
  Tensor piece = at::_cudnn_rnn_flatten_weight(aliases, weights, input.size(-1), layers.mode, hidden_size, proj_size,
                                               layers.num_layers, layers.batch_first, layers.bidirectional);
  aliases.clear();
  return adopt(std::move(piece), input.device().index());
}

bool wants_gradients(const Tensor& input, at::TensorList params, const Tensor& hx, const Tensor& cx) {
  const auto wants = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  return at::GradMode::is_enabled() &&
         (wants(input) || wants(hx) || wants(cx) || std::any_of(params.begin(), params.end(), wants));
}

// (output, hy, cy). `cx` is undefined but for an LSTM. `batch_sizes` of a packed sequence are on the host.
std::array<Tensor, 3> run(const Tensor& input, at::TensorList params, const Tensor& hx, const Tensor& cx, Layers layers,
                          const Tensor& batch_sizes) {
  // The kernels' backward pass takes what a forward pass in training mode left: without dropout that computes the same.
  if (!layers.train && wants_gradients(input, params, hx, cx)) {
    layers.train = true;
    layers.dropout = 0;
  }
  at::native::check_attributes(input, params, {hx, cx}, /*check_dtype=*/true);
  int64_t hidden_size = hx.size(2), proj_size = 0;
  if (cx.defined() && cx.size(2) != hx.size(2)) {
    hidden_size = cx.size(2);
    proj_size = hx.size(2);
  }
  const int64_t weights = (layers.has_biases ? 4 : 2) + (proj_size != 0 ? 1 : 0);
  const Tensor compact = compacted(input, params, weights, hidden_size, proj_size, layers);
  at::IntArrayRef sizes;
  Tensor counted;
  if (batch_sizes.defined()) {
    counted = batch_sizes.contiguous();
    sizes = {counted.const_data_ptr<int64_t>(), static_cast<size_t>(counted.numel())};
  }
  auto [output, hy, cy, reserve, buffer] =
      at::_cudnn_rnn(input, params, weights, compact, hx, cx, layers.mode, hidden_size, proj_size, layers.num_layers,
                     layers.batch_first, layers.dropout, layers.train, layers.bidirectional, sizes,
                     dropout_state(layers.dropout, layers.train, input));
  return {std::move(output), std::move(hy), std::move(cy)};
}

void lstm(Tensor& output, Tensor& hy, Tensor& cy, const Tensor& input, at::TensorList hx, at::TensorList params,
          bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
  const Layers layers{kLstm, has_biases, num_layers, dropout, train, bidirectional, batch_first};
  auto results = run(input, params, hx[0], hx[1], layers, {});
  output = std::move(results[0]), hy = std::move(results[1]), cy = std::move(results[2]);
}

void lstm_packed(Tensor& output, Tensor& hy, Tensor& cy, const Tensor& input, const Tensor& batch_sizes,
                 at::TensorList hx, at::TensorList params, bool has_biases, int64_t num_layers, double dropout,
                 bool train, bool bidirectional) {
  const Layers layers{kLstm, has_biases, num_layers, dropout, train, bidirectional, /*batch_first=*/false};
  auto results = run(input, params, hx[0], hx[1], layers, batch_sizes);
  output = std::move(results[0]), hy = std::move(results[1]), cy = std::move(results[2]);
}

template <Mode kMode>
void rnn(Tensor& output, Tensor& hy, const Tensor& input, const Tensor& hx, at::TensorList params, bool has_biases,
         int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
  auto results =
      run(input, params, hx, {}, {kMode, has_biases, num_layers, dropout, train, bidirectional, batch_first}, {});
  output = std::move(results[0]), hy = std::move(results[1]);
}

template <Mode kMode>
void rnn_packed(Tensor& output, Tensor& hy, const Tensor& input, const Tensor& batch_sizes, const Tensor& hx,
                at::TensorList params, bool has_biases, int64_t num_layers, double dropout, bool train,
                bool bidirectional) {
  auto results =
      run(input, params, hx, {}, {kMode, has_biases, num_layers, dropout, train, bidirectional, false}, batch_sizes);
  output = std::move(results[0]), hy = std::move(results[1]);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  m.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
  m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
  m.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
  m.impl("cudnn_is_acceptable", TORCH_FN(accepts));
}

}  // namespace torch_fl

namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(lstm_cudnn_stub, &torch_fl::lstm)
REGISTER_PRIVATEUSE1_DISPATCH(lstm_packed_cudnn_stub, &torch_fl::lstm_packed)
REGISTER_PRIVATEUSE1_DISPATCH(gru_cudnn_stub, &torch_fl::rnn<torch_fl::kGru>)
REGISTER_PRIVATEUSE1_DISPATCH(gru_packed_cudnn_stub, &torch_fl::rnn_packed<torch_fl::kGru>)
REGISTER_PRIVATEUSE1_DISPATCH(rnn_tanh_cudnn_stub, &torch_fl::rnn<torch_fl::kTanh>)
REGISTER_PRIVATEUSE1_DISPATCH(rnn_tanh_packed_cudnn_stub, &torch_fl::rnn_packed<torch_fl::kTanh>)
REGISTER_PRIVATEUSE1_DISPATCH(rnn_relu_cudnn_stub, &torch_fl::rnn<torch_fl::kRelu>)
REGISTER_PRIVATEUSE1_DISPATCH(rnn_relu_packed_cudnn_stub, &torch_fl::rnn_packed<torch_fl::kRelu>)
}  // namespace at::native
