// Where outputs get their layout from: PyTorch's structured meta functions, else a named rule.
#include <ATen/ExpandUtils.h>
#include <ATen/OpMathType.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/native/TypeProperties.h>
#include <c10/core/MemoryFormat.h>
#include <c10/util/Exception.h>

#include <string_view>
#include <unordered_map>

#include "dispatch/key_call.h"
#include "dispatch/lanes.h"
#include "dispatch/layouts.h"
#include "dispatch/op_facts.h"

namespace torch_fl {
namespace rules {

using c10::IValue;

const IValue* Args::find(const char* name) const {
  for (size_t i = 0; i < values.size(); i++)
    if (entry.args[i].name == name) return &values[i];
  return nullptr;
}

const IValue& Args::get(const char* name) const {
  const IValue* found = find(name);
  TORCH_CHECK(found != nullptr, entry.name, " has no argument ", name, "; its layout rule does not fit");
  return *found;
}

at::Tensor Args::tensor(const char* name) const {
  const IValue& v = get(name);
  return v.isTensor() ? v.toTensor() : at::Tensor();
}

Layouts Args::refuse(std::string why) const {
  refusal = std::move(why);
  return {};
}

OutputLayout of(const at::Tensor& t) {
  OutputLayout l;
  if (!t.defined()) return l;
  l.geometry.sizes = Sizes(t.sizes().begin(), t.sizes().end());
  l.geometry.strides = Sizes(t.strides().begin(), t.strides().end());
  l.dtype = t.scalar_type();
  return l;
}

OutputLayout dense(c10::IntArrayRef sizes, at::ScalarType dtype, at::MemoryFormat format) {
  OutputLayout l;
  l.geometry.sizes = Sizes(sizes.begin(), sizes.end());
  const auto strides = format == at::MemoryFormat::ChannelsLast     ? c10::get_channels_last_strides_2d(sizes)
                       : format == at::MemoryFormat::ChannelsLast3d ? c10::get_channels_last_strides_3d(sizes)
                                                                    : std::vector<int64_t>();
  if (!strides.empty()) {
    l.geometry.strides = Sizes(strides.begin(), strides.end());
  } else {
    make_contiguous(l.geometry);
  }
  l.dtype = dtype;
  return l;
}

OutputLayout like(const at::Tensor& t, at::ScalarType dtype) {
  OutputLayout l = of(t);
  l.dtype = dtype;
  if (!t.is_non_overlapping_and_dense()) {
    const auto strides = at::infer_dense_strides(t.sizes(), t.strides());
    l.geometry.strides = Sizes(strides.begin(), strides.end());
  }
  return l;
}

Layouts masked_like(const Args& a, const at::Tensor& input, const at::Tensor& weight, at::IntArrayRef bias,
                    at::ScalarType bias_dtype, bool has_weight, bool has_bias) {
  const auto mask = a.get("output_mask").toBoolList();
  Layouts l(3);
  if (mask[0]) l[0] = dense(input.sizes(), input.scalar_type());
  if (mask[1] && has_weight) l[1] = dense(weight.sizes(), weight.scalar_type());
  if (mask[2] && has_bias) l[2] = dense(bias, bias_dtype);
  return l;
}

namespace {

// A result of `shape` whose dimensions have the order that TensorIterator gives them: the first operand in which two of
// them differ decides (reorder_dimensions in aten/src/ATen/TensorIterator.cpp).
OutputLayout iterated(c10::ArrayRef<at::Tensor> operands, const Sizes& shape, at::ScalarType dtype) {
  c10::SmallVector<at::DimVector, 3> strides;
  for (const at::Tensor& t : operands)
    strides.push_back(at::inferExpandGeometry_dimvector(t.sizes(), t.strides(), shape).strides);
  const auto swapped = [&](size_t inner, size_t outer) {
    for (const at::DimVector& of : strides) {
      if (of[inner] == 0 || of[outer] == 0) continue;
      if (of[inner] != of[outer]) return of[inner] < of[outer] ? -1 : 1;
      if (shape[inner] > shape[outer]) return 1;
    }
    return 0;
  };
  c10::SmallVector<size_t, 6> order;  // innermost first
  for (size_t d = shape.size(); d-- > 0;) order.push_back(d);
  for (size_t i = 1; i < order.size(); i++)
    for (size_t outer = i, inner = i; inner-- > 0;) {
      const int comparison = swapped(order[inner], order[outer]);
      if (comparison < 0) break;
      if (comparison == 0) continue;
      std::swap(order[inner], order[outer]);
      outer = inner;
    }
  OutputLayout l = dense(shape, dtype);
  int64_t step = 1;
  for (const size_t d : order) {
    l.geometry.strides[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
  }
  return l;
}

}  // namespace

Layouts broadcast(const Args& a) {
  at::native::ResultTypeState state;
  c10::SmallVector<at::Tensor, 3> operands;
  Sizes shape;
  at::Tensor dominant;
  for (size_t i = 0; i < a.values.size(); i++) {
    if (!a.values[i].isTensor() || a.entry.args[i].is_out) continue;
    const at::Tensor t = a.values[i].toTensor();
    if (!t.defined()) continue;
    if (!a.entry.args[i].index_or_mask) state = at::native::update_result_type_state(t, state);
    const auto grown = at::infer_size_dimvector(shape, t.sizes());
    shape = Sizes(grown.begin(), grown.end());
    if (!dominant.defined()) dominant = t;
    operands.push_back(t);
  }
  const at::ScalarType dtype = at::native::result_type(state);
  if (dominant.defined() && dominant.sizes() == c10::IntArrayRef(shape)) return {like(dominant, dtype)};
  return {iterated(operands, shape, dtype)};
}

namespace {

Layouts like_self(const Args& a) { return {like(a.tensor(size_t{0}), a.tensor(size_t{0}).scalar_type())}; }

// For ops whose out= has its size before a lane is chosen.
Layouts like_out(const Args& a) { return {like(a.tensor("out"), a.tensor("out").scalar_type())}; }

Layouts index_select(const Args& a) {
  const at::Tensor self = a.tensor("self"), index = a.tensor("index");
  const int64_t dim = c10::maybe_wrap_dim(a.integer("dim"), self.dim());
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  TORCH_CHECK(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
              "index_select(): Expected dtype int32 or int64 for index");
  TORCH_CHECK(self.dim() > 0 || index.numel() == 1, "index_select(): Index to scalar can have only 1 value, got ",
              index.numel(), " value(s)");
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  if (!sizes.empty()) sizes[dim] = index.numel();
  return {dense(sizes, self.scalar_type())};
}

Layouts index_add(const Args& a) {
  const at::Tensor self = a.tensor("self"), index = a.tensor("index"), source = a.tensor("source");
  const int64_t dim = c10::maybe_wrap_dim(a.integer("dim"), self.dim());
  TORCH_CHECK_INDEX(index.dim() <= 1, "index_add_(): Index is supposed to be a vector, but got dim: ", index.dim(),
                    " with type: ", index.scalar_type(), " and size: ", index.sizes());
  TORCH_CHECK(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
              "index_add_(): Expected dtype int32/int64 for index but got: ", index.scalar_type());
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "index_add_(): self (", self.scalar_type(), ") and source (",
              source.scalar_type(), ") must have the same scalar type");
  TORCH_CHECK(dim == 0 || dim < source.dim(), "index_add_(): Indexing dim ", dim,
              " is out of bounds of the source tensor with dim ", source.dim());
  const int64_t count = source.dim() == 0 ? 1 : source.size(dim);
  TORCH_CHECK(index.numel() == count, "index_add_(): Number of indices (", index.numel(),
              ") should be equal to source.size(dim): (", count, "), for dim: ", dim);
  Sizes expected(self.sizes().begin(), self.sizes().end());
  if (!expected.empty()) expected[dim] = count;
  TORCH_CHECK(source.sizes() == c10::IntArrayRef(expected),
              "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = ",
              self.sizes(), " source.shape = ", source.sizes());
  return {dense(self.sizes(), self.scalar_type())};
}

Layouts like_index(const Args& a) { return {dense(a.tensor("index").sizes(), a.tensor("self").scalar_type())}; }

Layouts embedding(const Args& a) {
  const at::Tensor weight = a.tensor("weight"), indices = a.tensor("indices");
  TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
  Sizes sizes(indices.sizes().begin(), indices.sizes().end());
  sizes.push_back(weight.size(1));
  return {dense(sizes, weight.scalar_type())};
}

Layouts embedding_backward(const Args& a) {
  const at::Tensor grad = a.tensor("grad_output"), indices = a.tensor("indices");
  const int64_t width = grad.size(-1);
  TORCH_CHECK(grad.numel() == indices.numel() * width, "shape '[", indices.numel(), ", ", width,
              "]' is invalid for input of size ", grad.numel());
  return {dense({a.integer("num_weights"), grad.size(-1)}, grad.scalar_type())};
}

// How many rows there will be depends on data, so the row allocates; PyTorch lays them out column by column.
Layouts nonzero(const Args& a) {
  OutputLayout l = dense({0, a.tensor("self").dim()}, at::kLong);
  l.geometry.strides = {1, 1};
  return {l};
}

Layouts layer_norm(const Args& a) {
  const at::Tensor input = a.tensor("input");
  const auto normalized = a.list("normalized_shape");
  TORCH_CHECK(!normalized.empty(),
              "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
              "but got normalized_shape = ",
              c10::IntArrayRef(normalized));
  const at::Tensor weight = a.tensor("weight"), bias = a.tensor("bias");
  const auto of_that_shape = [&](const at::Tensor& parameter, const char* name) {
    TORCH_CHECK(!parameter.defined() || parameter.sizes() == c10::IntArrayRef(normalized), "Expected ", name,
                " to be of same shape as normalized_shape, but got ", name, " of shape ", parameter.sizes(),
                " and normalized_shape = ", c10::IntArrayRef(normalized));
  };
  of_that_shape(weight, "weight");
  of_that_shape(bias, "bias");
  const auto rest = static_cast<size_t>(input.dim()) - normalized.size();
  if (normalized.size() > static_cast<size_t>(input.dim()) ||
      input.sizes().slice(rest) != c10::IntArrayRef(normalized)) {
    std::string wanted;
    for (const int64_t size : normalized) wanted += c10::str(", ", size);
    TORCH_CHECK(false, "Given normalized_shape=", c10::IntArrayRef(normalized), ", expected input with shape [*",
                wanted, "], but got input of size", input.sizes());
  }
  Sizes stat(input.sizes().begin(), input.sizes().end());
  for (size_t d = rest; d < stat.size(); d++) stat[d] = 1;
  // Mixed precision keeps its statistics in the parameters' dtype; PyTorch's kernels for devices, which the next lane
  // may be, always as wide as they compute.
  at::ScalarType stats = input.scalar_type();
  if (boxing_key.type != c10::DeviceType::CPU)
    stats = at::toOpMathType(stats);
  else if (weight.defined() && weight.scalar_type() != stats)
    stats = weight.scalar_type();
  return {dense(input.sizes(), input.scalar_type()), dense(stat, stats), dense(stat, stats)};
}

Layouts layer_norm_backward(const Args& a) {
  const at::Tensor input = a.tensor("input"), weight = a.tensor("weight"), bias = a.tensor("bias");
  return masked_like(a, input, weight, bias.defined() ? bias.sizes() : at::IntArrayRef(),
                     bias.defined() ? bias.scalar_type() : input.scalar_type(), weight.defined(), bias.defined());
}

Layouts group_norm(const Args& a) {
  const at::Tensor input = a.tensor("input");
  const int64_t n = a.integer("N"), groups = a.integer("group");
  return {like(input, input.scalar_type()), dense({n, groups}, input.scalar_type()),
          dense({n, groups}, input.scalar_type())};
}

Layouts group_norm_backward(const Args& a) {
  const at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
  const bool affine = weight.defined();
  Layouts l = masked_like(a, input, weight, affine ? weight.sizes() : at::IntArrayRef(),
                          affine ? weight.scalar_type() : input.scalar_type(), affine, affine);
  if (l[0].dtype != at::ScalarType::Undefined) l[0] = like(input, input.scalar_type());
  return l;
}

// (output, log of the sums of exponentials, seed, offset): the last two only say how dropout drew, and are left out.
Layouts attention(const Args& a) {
  const at::Tensor query = a.tensor("query");
  Sizes sizes(query.sizes().begin(), query.sizes().end());
  sizes.back() = a.tensor("value").size(-1);
  // In the order of the query's dimensions: where heads lie next to each other, they still can be viewed as one.
  OutputLayout out = dense(sizes, query.scalar_type());
  const auto strides = at::infer_dense_strides(sizes, query.strides());
  out.geometry.strides.assign(strides.begin(), strides.end());
  return {out, dense(query.sizes().slice(0, 3), at::kFloat), {}, {}};
}

// Gradients of (query, key, value); the bias has none.
Layouts attention_backward(const Args& a) {
  Layouts l;
  for (const char* name : {"query", "key", "value"})
    l.push_back(dense(a.tensor(name).sizes(), a.tensor(name).scalar_type()));
  l.emplace_back();
  return l;
}

Layouts foreach (const Args& a) {
  Layouts l;
  for (const at::Tensor& t : a.values[0].toTensorVector()) l.push_back(like(t, t.scalar_type()));
  return l;
}

// A number for each tensor.
Layouts foreach_norm(const Args& a) {
  const IValue& wanted = a.get("dtype");
  Layouts l;
  for (const at::Tensor& t : a.values[0].toTensorVector())
    l.push_back(dense(
        {}, wanted.isNone() ? c10::toRealValueType(t.scalar_type()) : static_cast<at::ScalarType>(wanted.toInt())));
  return l;
}

Layouts dropout(const Args& a) {
  const at::Tensor input = a.tensor("input");
  return {like(input, input.scalar_type()), like(input, at::kBool)};
}

// A result called `indices` holds positions.
at::ScalarType result_dtype(const Args& a, size_t output, at::ScalarType values) {
  return a.entry.handle.schema().returns()[output].name() == "indices" ? at::kLong : values;
}

// Reductions over `dim` (a number, a list, or all where there is none), with `keepdim` and `dtype` as the op has them.
Layouts reduce(const Args& a) {
  const at::Tensor self = a.tensor(size_t{0});
  std::vector<bool> gone(static_cast<size_t>(self.dim()), true);
  bool keep = false;
  at::ScalarType dtype = self.scalar_type();
  for (size_t i = 0; i < a.values.size(); i++) {
    const std::string& name = a.entry.args[i].name;
    const IValue& v = a.values[i];
    if (name == "keepdim") keep = v.toBool();
    if (name == "dtype" && !v.isNone()) dtype = static_cast<at::ScalarType>(v.toInt());
    if (name != "dim" || v.isNone()) continue;
    const auto dims = v.isInt() ? c10::DimVector{v.toInt()} : v.toDimVector();
    (void)at::dim_list_to_bitset(dims, self.dim());  // none is there twice
    if (!dims.empty()) gone.assign(gone.size(), false);
    for (const int64_t d : dims) {
      const int64_t wrapped = c10::maybe_wrap_dim(d, self.dim());
      if (!gone.empty()) gone[static_cast<size_t>(wrapped)] = true;
    }
  }
  Sizes sizes;
  for (size_t d = 0; d < gone.size(); d++)
    if (!gone[d] || keep) sizes.push_back(gone[d] ? 1 : self.size(static_cast<int64_t>(d)));
  Layouts l;
  for (size_t o = 0; o < a.entry.handle.schema().returns().size(); o++)
    l.push_back(dense(sizes, result_dtype(a, o, dtype)));
  return l;
}

// Every output of the first tensor's sizes, contiguous.
Layouts scan(const Args& a) {
  const at::Tensor self = a.tensor(size_t{0});
  for (size_t i = 0; i < a.values.size(); i++) {
    if (a.entry.args[i].name == "dim" && a.values[i].isInt()) c10::maybe_wrap_dim(a.values[i].toInt(), self.dim());
    if (a.entry.args[i].name == "dims")
      for (const int64_t d : a.values[i].toDimVector()) c10::maybe_wrap_dim(d, self.dim(), /*wrap_scalar=*/false);
  }
  Layouts l;
  for (size_t o = 0; o < a.entry.handle.schema().returns().size(); o++)
    l.push_back(dense(self.sizes(), result_dtype(a, o, self.scalar_type())));
  return l;
}

// (output, mean, inverse deviation) of each channel; the last two only in training.
Layouts batch_norm(const Args& a) {
  const at::Tensor input = a.tensor("input"), weight = a.tensor("weight");
  const at::ScalarType stats = weight.defined() ? weight.scalar_type() : input.scalar_type();
  const int64_t channels = a.boolean("training") ? input.size(1) : 0;
  return {like(input, input.scalar_type()), dense({channels}, stats), dense({channels}, stats)};
}

}  // namespace
}  // namespace rules

namespace {

using c10::IValue;
using LayoutRule = Layouts (*)(const rules::Args&);

const std::unordered_map<std::string_view, LayoutRule>& named_rules() {
  using namespace rules;
  static const std::unordered_map<std::string_view, LayoutRule> table = {
      {"like_self", like_self},
      {"like_out", like_out},
      {"broadcast", broadcast},
      {"where", broadcast},
      {"index_select", index_select},
      {"index_add", index_add},
      {"like_index", like_index},
      {"embedding", embedding},
      {"embedding_backward", embedding_backward},
      {"nonzero", nonzero},
      {"layer_norm", layer_norm},
      {"layer_norm_backward", layer_norm_backward},
      {"group_norm", group_norm},
      {"group_norm_backward", group_norm_backward},
      {"convolution", convolution},
      {"convolution_backward", convolution_backward},
      {"attention", attention},
      {"attention_backward", attention_backward},
      {"foreach", foreach},
      {"foreach_norm", foreach_norm},
      {"dropout", dropout},
      {"reduce", reduce},
      {"scan", scan},
      {"pad", pad},
      {"spatial", spatial},
      {"batch_norm", batch_norm},
      {"loss", loss},
      {"max_pool3d", max_pool3d},
      {"im2col", im2col},
      {"col2im", col2im},
      {"grid_sampler_2d", grid_sampler_2d},
      {"grid_sampler_3d", grid_sampler_3d},
      {"channel_shuffle", channel_shuffle},
      {"nll_loss2d", nll_loss2d},
      {"multi_margin_loss", multi_margin_loss},
      {"weight_norm", weight_norm},
      {"bucketize", bucketize},
      {"frexp", frexp},
      {"polar", polar},
      {"fft", fft},
      {"histc", histc},
      {"normal", normal},
      {"linspace", linspace},
      {"eye", eye},
  };
  return table;
}

// Meta functions resize out= arguments, with a warning. The caller's own are resized later, and warn then.
class QuietResize final : c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    if (warning.msg().rfind("An output with one or more elements was resized", 0) != 0) outer_->process(warning);
  }

 private:
  c10::WarningHandler* outer_ = c10::WarningUtils::get_warning_handler();
  c10::WarningUtils::WarningHandlerGuard guard_{this};
};

}  // namespace

Layouts layouts(const OpEntry& entry, const Stack& stack, std::string& refuse) {
  const size_t count = entry.args.size();
  const c10::ArrayRef<IValue> args(stack.data() + (stack.size() - count), count);
  const RowBinding& binding = entry.binding;
  Layouts result;
  if (const c10::KernelFunction* meta = entry.meta) {
    KeyCall call(entry, c10::DeviceType::Meta, /*mirror=*/false, device_of_call(args));
    {
      Stack shadow;
      shadow.reserve(count);
      for (size_t i = 0; i < count; i++) shadow.push_back(call.in(IValue(args[i]), entry.args[i].written));
      QuietResize quiet;
      try {
        meta->callBoxed(entry.handle, c10::DispatchKeySet(c10::DispatchKey::Meta), &shadow);
      } catch (const c10::Error& error) {
        // TensorIterator names the devices that it sees.
        std::string text = error.what_without_backtrace();
        const size_t at = text.find("meta");
        if (at == std::string::npos || text.find("on the same device") == std::string::npos) throw;
        TORCH_CHECK(false, text.replace(at, 4, c10::str("flagos:", device_of_call(args))));
      }
      for (const IValue& v : shadow) {
        if (v.isTensor())
          result.push_back(rules::of(v.toTensor()));
        else
          refuse = "its meta function returns something other than tensors";
      }
    }
    call.give_back_all();
    return result;
  }
  // A rule also holds the op's checks, so it runs for the in-place spelling as well.
  if (binding.row->layout != nullptr) {
    const auto rule = named_rules().find(binding.row->layout);
    if (rule == named_rules().end()) {
      refuse = c10::str("core has no layout rule '", binding.row->layout, "'");
      return {};
    }
    result = rule->second(rules::Args{args, entry, refuse});
    if (!refuse.empty()) return {};
  }
  if (binding.spelling == FL_INPLACE || binding.row->layout == nullptr) {
    // The caller's tensors are the outputs, as they are.
    result.clear();
    for (const int16_t source : binding.out_source) {
      if (source < 0) {
        refuse = "core has no layout rule for it";
        return {};
      }
      if (args[source].isTensor()) {
        result.push_back(rules::of(args[source].toTensor()));
      } else {
        for (const at::Tensor& t : args[source].toTensorVector()) result.push_back(rules::of(t));
      }
    }
    return result;
  }
  // Tests (isnan, logical_and) give bool and searches int64, whatever they are given: their row says so.
  for (size_t o = 0; o < result.size() && o < static_cast<size_t>(binding.row->out_count); o++) {
    if (result[o].dtype == at::ScalarType::Undefined) continue;
    if (binding.row->out_dtypes[o] == FL_MASK(FL_BOOL)) result[o].dtype = at::kBool;
    if (binding.row->out_dtypes[o] == FL_MASK(FL_I64)) result[o].dtype = at::kLong;
  }
  return result;
}

Layouts package_layouts(const OpEntry& entry, const Stack& stack) {
  std::string refuse;
  const c10::ArrayRef<IValue> args(stack.data() + (stack.size() - entry.args.size()), entry.args.size());
  // How much a mask selects, no meta function can know.
  if (entry.meta != nullptr) return has_masks(args) ? Layouts() : layouts(entry, stack, refuse);
  // Ops without a meta function of which functions are known whose results have other shapes than PyTorch's.
  static const std::unordered_map<std::string_view, const char*> known = {
      {"native_layer_norm", "layer_norm"}, {"native_group_norm", "group_norm"}, {"nll_loss2d_forward", "nll_loss2d"}};
  const auto rule = known.find(entry.name);
  if (rule == known.end()) return {};
  Layouts result = named_rules().at(rule->second)(rules::Args{args, entry, refuse});
  // What dtype the others have depends on the device.
  for (size_t i = 1; i < result.size(); i++) result[i].dtype = at::ScalarType::Undefined;
  return refuse.empty() ? result : Layouts();
}

}  // namespace torch_fl
