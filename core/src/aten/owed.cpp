// What PyTorch asks of a device outside its tree and a fallback cannot give: kernels behind its tables by device, and
// the choice of an attention kernel. Recurrent networks are in rnn.cpp, convolution is in dispatch/registry.cpp.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <torch/library.h>

#include "aten/alias.h"
#include "dispatch/convert.h"
#include "dispatch/lanes.h"

namespace torch_fl {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

bool given(const OptionalTensor& t) { return t.has_value() && t->defined(); }

// Whether the vendor's rows serve fused attention, forward and backward, for such a call: no other lane has the op, so
// a row must not be left to refuse it. Masks and dropout keep the composed form.
bool vendor_attends(const Tensor& query, const Tensor& key, const Tensor& value, const OptionalTensor& mask,
                    double dropout) {
  if (given(mask) || dropout != 0 || !at::globalContext().userEnabledMemEfficientSDP()) return false;
  for (const char* op :
       {"_scaled_dot_product_efficient_attention", "_scaled_dot_product_efficient_attention_backward"}) {
    const OpEntry* entry = find_entry(op);
    const OpRoutes* routes =
        entry != nullptr && entry->has(Lane::vendor) ? entry->routes.load(std::memory_order_acquire) : nullptr;
    if (routes == nullptr || routes->guarded || routes->fixed != Lane::vendor) return false;
    if ((entry->binding.row->arg_dtypes[0] & mask_of(query.scalar_type())) == 0) return false;
  }
  const auto fits = [&](const Tensor& t) {
    return t.layout() == at::kStrided && !t.is_nested() && t.dim() == 4 && t.numel() != 0 &&
           t.device() == query.device() && t.scalar_type() == query.scalar_type() && t.size(0) == query.size(0) &&
           t.size(1) == query.size(1);
  };
  return fits(query) && fits(key) && fits(value) && query.size(3) == key.size(3) && key.size(2) == value.size(2);
}

// A compiler traces with tensors that have no memory.
bool is_traced(const Tensor& t) {
  return t.is_meta() || t.unsafeGetTensorImpl()->key_set().has(c10::DispatchKey::Python);
}

// The sizes, which may be symbols, the strides and the dtype of a traced tensor, on the key's device.
Tensor traced_on_key(const Tensor& t, c10::DeviceType key_type) {
  const c10::Device device = device_on(key_type, t);
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 0,
                                                       at::DataPtr(nullptr, device), nullptr, /*resizable=*/false);
  Tensor alike = at::detail::make_tensor_base<c10::TensorImpl>(
      c10::Storage(std::move(storage)),
      c10::DispatchKeySet(c10::computeDispatchKey(std::nullopt, std::nullopt, device)), t.dtype());
  alike.unsafeGetTensorImpl()->set_sizes_and_strides(t.sym_sizes(), t.sym_strides(), t.sym_storage_offset());
  return alike;
}

// What a choice looks at of a tensor, on the key's device: an alias out of the thread's pool, or what stands for a
// traced one; it also says whether a gradient is wanted.
struct Alike {
  Alike(const Tensor& t, c10::DeviceType type)
      : traced(is_traced(t)),
        tensor(traced ? traced_on_key(t, type) : borrow_alias(t, type, /*written=*/false)),
        original(t),
        wanted(t.requires_grad()) {
    if (wanted) tensor.unsafeGetTensorImpl()->set_requires_grad(true);
  }
  ~Alike() {
    if (traced) return;
    if (wanted) tensor.unsafeGetTensorImpl()->set_requires_grad(false);
    give_back(std::move(tensor), original);
  }
  Alike(const Alike&) = delete;
  Alike& operator=(const Alike&) = delete;

  const bool traced;
  Tensor tensor;
  const Tensor& original;
  const bool wanted;
};

// The choice of the key's kernel. It only looks, so that it is asked past whatever traces the call.
int64_t ask_key(c10::DeviceType type, const Tensor& query, const Tensor& key, const Tensor& value,
                const OptionalTensor& mask, double dropout, bool causal, std::optional<double> scale, bool enable_gqa) {
  const c10::DispatchKeySet keys(c10::computeDispatchKey(std::nullopt, std::nullopt, c10::Device(type)));
  const Alike q(query, type), k(key, type), v(value, type);
  std::optional<Alike> m;
  if (given(mask)) m.emplace(*mask, type);
  return at::_ops::_fused_sdp_choice::redispatch(
      keys, q.tensor, k.tensor, v.tensor, m ? OptionalTensor(m->tensor) : mask, dropout, causal, scale, enable_gqa);
}

// What the boxing key would choose. Its flash kernels are behind a list of devices in PyTorch's own code, and are
// called as the form for other devices (below). That code also pads the last dimension for them: such calls stay
// composed.
int64_t choose_as_key(c10::DeviceType key_type, const Tensor& query, const Tensor& key, const Tensor& value,
                      const OptionalTensor& mask, double dropout, bool causal, std::optional<double> scale,
                      bool enable_gqa) {
  // The fused kernels keep what a gradient needs only where the query, key or value wants one.
  if (given(mask) && mask->requires_grad() && at::GradMode::is_enabled() &&
      !(query.requires_grad() || key.requires_grad() || value.requires_grad()))
    return static_cast<int64_t>(sdp::SDPBackend::math);
  const int64_t choice = ask_key(key_type, query, key, value, mask, dropout, causal, scale, enable_gqa);
  if (choice != static_cast<int64_t>(sdp::SDPBackend::flash_attention)) return choice;
  return static_cast<int64_t>(query.size(-1) % 8 == 0 ? sdp::SDPBackend::overrideable : sdp::SDPBackend::math);
}

// The forms for other devices, by the flash kernels of the boxing key. They take no mask.
std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt, Tensor, Tensor, Tensor> attend(
    const Tensor& query, const Tensor& key, const Tensor& value, const OptionalTensor& bias, double dropout,
    bool causal, bool debug, std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(!given(bias), "flash attention takes no mask");
  return at::_scaled_dot_product_flash_attention(query, key, value, dropout, causal, debug, scale);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> attend_backward(const Tensor& grad, const Tensor& query, const Tensor& key,
                                                           const Tensor& value, const Tensor&, std::array<bool, 4>,
                                                           const Tensor& out, const Tensor& logsumexp,
                                                           const Tensor& cum_seq_q, const Tensor& cum_seq_k,
                                                           c10::SymInt max_q, c10::SymInt max_k, double dropout,
                                                           bool causal, const Tensor& philox_seed,
                                                           const Tensor& philox_offset, std::optional<double> scale) {
  auto [grad_query, grad_key, grad_value] = at::_scaled_dot_product_flash_attention_backward_symint(
      grad, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, std::move(max_q), std::move(max_k), dropout,
      causal, philox_seed, philox_offset, scale);
  return {std::move(grad_query), std::move(grad_key), std::move(grad_value), Tensor()};
}

// The vendor's fused kernel, else the host's choice for the same call. Either is served by the lanes like any op.
int64_t choose_attention(const Tensor& query, const Tensor& key, const Tensor& value, const OptionalTensor& mask,
                         double dropout, bool causal, std::optional<double> scale, bool enable_gqa) {
  const Vendor& v = vendor();
  // Without a key the composed form is traced, which is right for every device.
  if (is_traced(query) && !v.key_ready) return static_cast<int64_t>(sdp::SDPBackend::math);
  if (v.key_ready && v.facts.boxing != c10::DeviceType::CPU)
    return choose_as_key(*v.facts.boxing, query, key, value, mask, dropout, causal, scale, enable_gqa);
  if (v.facts.boxing != c10::DeviceType::CPU) {
    const bool fused = vendor_attends(query, key, value, mask, dropout);
    return static_cast<int64_t>(fused ? sdp::SDPBackend::efficient_attention : sdp::SDPBackend::math);
  }
  // As on the host, whose fused form has no gradient for the mask; aliases do not say that one is wanted.
  if (given(mask) && mask->requires_grad() && at::GradMode::is_enabled())
    return static_cast<int64_t>(sdp::SDPBackend::math);
  return ask_key(c10::DeviceType::CPU, query, key, value, mask, dropout, causal, scale, enable_gqa);
}

// PyTorch's own look at a table of kernels by device, or at a list of devices.
Tensor& conj_physical_(Tensor& self) { return self.is_complex() ? at::conj_physical_outf(self, self) : self; }

// out[x] = i0(beta * sqrt(1 - ((x - a) / a)^2)) / i0(beta), with a the middle of the window.
void kaiser_window(at::TensorIteratorBase& iter, int64_t length, double beta) {
  const double a = static_cast<double>(length - 1) / 2;
  const Tensor from_middle = (iter.tensor(1) - a) / a;
  const double scale = at::i0(at::scalar_tensor(beta, at::kDouble)).item<double>();
  iter.tensor(0).copy_(at::i0((1 - from_middle * from_middle).clamp_min(0).sqrt() * beta) / scale);
}

std::tuple<Tensor&, Tensor&> mode_out(const Tensor& self, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  TORCH_CHECK(values.device() == self.device() && indices.device() == self.device(), "expected device '", self.device(),
              "' but got '", values.device(), "' and '", indices.device(), "' for the outputs of mode");
  TORCH_CHECK(values.scalar_type() == self.scalar_type(), "expected scalar type '", self.scalar_type(), "' but got '",
              values.scalar_type(), "' for values output");
  TORCH_CHECK(indices.scalar_type() == at::kLong, "expected scalar type 'Long' but got '", indices.scalar_type(),
              "' for indices output");
  const auto [v, i] = at::mode(self, dim, keepdim);
  at::native::resize_output(values, v.sizes());
  at::native::resize_output(indices, i.sizes());
  values.copy_(v);
  indices.copy_(i);
  return {values, indices};
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_scaled_dot_product_fused_attention_overrideable", TORCH_FN(attend));
  m.impl("_scaled_dot_product_fused_attention_overrideable_backward", TORCH_FN(attend_backward));
  m.impl("conj_physical_", TORCH_FN(conj_physical_));
  m.impl("mode.values", TORCH_FN(mode_out));
}

}  // namespace torch_fl

namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &torch_fl::choose_attention)
REGISTER_PRIVATEUSE1_DISPATCH(kaiser_window_stub, &torch_fl::kaiser_window)
}  // namespace at::native
