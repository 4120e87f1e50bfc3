// Layouts of single functions: losses, numbers in order, transforms.
#include <ATen/ExpandUtils.h>
#include <ATen/native/LossMulti.h>
#include <c10/core/ScalarType.h>

#include <cmath>

#include "dispatch/layouts.h"

namespace torch_fl::rules {
namespace {

// out= that PyTorch sizes without a warning, which core's own resizing gives.
bool warns(const at::Tensor& out, c10::IntArrayRef sizes) { return out.numel() != 0 && out.sizes() != sizes; }

}  // namespace

// ---- losses

// Per element, or one number where `reduction` (0: none, 1: mean, 2: sum) makes one.
Layouts loss(const Args& a) {
  if (a.integer("reduction") == 0) return broadcast(a);
  return {dense({}, broadcast(a)[0].dtype)};
}

// (loss, total weight) of a class for each pixel.
Layouts nll_loss2d(const Args& a) {
  const at::Tensor self = a.tensor("self"), target = a.tensor("target"), weight = a.tensor("weight");
  TORCH_CHECK(target.dim() == 3,
              "only batches of spatial targets supported (3D tensors) but got targets of dimension: ", target.dim());
  TORCH_CHECK(self.dim() == 4,
              "only batches of spatial inputs supported (4D tensors), but got input of dimension: ", self.dim());
  TORCH_CHECK(!weight.defined() || weight.numel() == self.size(1),
              "weight tensor should be defined either for all or no classes");
  TORCH_CHECK(self.size(0) == target.size(0) && self.size(2) == target.size(1) && self.size(3) == target.size(2),
              "size mismatch (got input: ", self.sizes(), " , target: ", target.sizes());
  return {dense(a.integer("reduction") == 0 ? target.sizes() : c10::IntArrayRef(), self.scalar_type()),
          dense({}, self.scalar_type())};
}

Layouts multi_margin_loss(const Args& a) {
  const at::Tensor self = a.tensor("self"), target = a.tensor("target");
  const int64_t p = a.get("p").toScalar().toInt();
  TORCH_CHECK(p == 1 || p == 2, "only p == 1 and p == 2 supported");
  int64_t rows = 0, classes = 0;
  at::native::multi_margin_loss_shape_check(rows, classes, self.dim(), self, target, a.tensor("weight"));
  return {dense(a.integer("reduction") == 0 ? target.sizes() : c10::IntArrayRef(), self.scalar_type())};
}

// ---- numbers in order

// `steps` numbers, in the shape of an out= that has as many.
Layouts linspace(const Args& a) {
  const at::Tensor out = a.tensor("out");
  const int64_t steps = a.integer("steps");
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  if (out.numel() == steps) return {like(out, out.scalar_type())};
  if (warns(out, steps)) return a.refuse("out= is resized without a warning");
  return {dense(steps, out.scalar_type())};
}

Layouts eye(const Args& a) {
  const at::Tensor out = a.tensor("out");
  const int64_t rows = a.integer("n"), columns = a.find("m") != nullptr ? a.integer("m") : rows;
  TORCH_CHECK(rows >= 0, "n must be greater or equal to 0, got ", rows);
  TORCH_CHECK(columns >= 0, "m must be greater or equal to 0, got ", columns);
  if (warns(out, {rows, columns})) return a.refuse("out= is resized without a warning");
  return {dense({rows, columns}, out.scalar_type())};
}

// ---- functions of elements

// (mantissa, exponent)
Layouts frexp(const Args& a) {
  const at::Tensor self = a.tensor("self");
  TORCH_CHECK(at::isFloatingType(self.scalar_type()), "torch.frexp() only supports floating-point dtypes");
  return {like(self, self.scalar_type()), like(self, at::kInt)};
}

Layouts polar(const Args& a) {
  const at::ScalarType length = a.tensor("abs").scalar_type(), angle = a.tensor("angle").scalar_type();
  const auto takes = [](at::ScalarType t) { return t == at::kHalf || t == at::kFloat || t == at::kDouble; };
  TORCH_CHECK(takes(length) && takes(angle), "Expected both inputs to be Half, Float or Double tensors but got ",
              length, " and ", angle);
  TORCH_CHECK(length == angle, "Expected object of scalar type ", length, " but got scalar type ", angle,
              " for second argument");
  Layouts l = broadcast(a);
  l[0].dtype = c10::toComplexType(l[0].dtype);
  return l;
}

// Of a mean and a deviation, of which one may be a number.
Layouts normal(const Args& a) {
  const at::Tensor mean = a.tensor("mean"), deviation = a.tensor("std");
  if (!deviation.defined())
    TORCH_CHECK(a.number("std") >= 0.0, "normal expects std >= 0.0, but found std ", a.number("std"));
  if (!mean.defined()) return {dense(deviation.sizes(), deviation.scalar_type())};
  if (!deviation.defined()) return {dense(mean.sizes(), mean.scalar_type())};
  return {dense(at::infer_size_dimvector(mean.sizes(), deviation.sizes()), mean.scalar_type())};
}

// ---- along a dimension

// Positions, in the shape of what is looked up: a tensor or a number.
Layouts bucketize(const Args& a) {
  const at::Tensor self = a.tensor("self"), boundaries = a.tensor("boundaries");
  TORCH_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ")");
  return {dense(self.defined() ? self.sizes() : c10::IntArrayRef(), a.boolean("out_int32") ? at::kInt : at::kLong)};
}

// Ends that are equal stand for the data's own.
Layouts histc(const Args& a) {
  if (a.get("min").isComplexDouble() || a.get("max").isComplexDouble()) return a.refuse("its ends are complex");
  const double low = a.number("min"), high = a.number("max");
  TORCH_CHECK(a.integer("bins") > 0, "torch.histogram(): bins must be > 0, but got ", a.integer("bins"),
              " for dimension 0");
  TORCH_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histc: range of [", low, ", ", high, "] is not finite");
  TORCH_CHECK(low <= high, "torch.histc: max must be larger than min");
  return {dense(a.integer("bins"), a.tensor("self").scalar_type())};
}

// (weight, norms)
Layouts weight_norm(const Args& a) {
  const at::Tensor v = a.tensor("v"), g = a.tensor("g");
  const int64_t dim = a.integer("dim");
  if (v.dim() == 0 || (dim != 0 && dim != v.dim() - 1)) return a.refuse("its norms are of a dimension in the middle");
  Sizes sizes(static_cast<size_t>(v.dim()), 1);
  sizes[static_cast<size_t>(dim)] = v.size(dim);
  if (g.sizes() != c10::IntArrayRef(sizes)) return a.refuse("g is not one number for each norm");
  return {dense(v.sizes(), v.scalar_type()), like(g, g.scalar_type() == at::kBFloat16 ? at::kFloat : g.scalar_type())};
}

// Along the last dimension of a contiguous tensor: PyTorch's other results have an order of dimensions of their own.
Layouts fft(const Args& a) {
  const at::Tensor self = a.tensor("self");
  const auto dims = a.list("dim");
  if (!self.is_contiguous() || dims.size() != 1 || c10::maybe_wrap_dim(dims[0], self.dim()) != self.dim() - 1)
    return a.refuse("it is not along the last dimension of a contiguous tensor");
  Sizes sizes(self.sizes().begin(), self.sizes().end());
  if (a.find("last_dim_size") != nullptr) {
    const int64_t last = a.integer("last_dim_size");
    if (last < 1 || last / 2 + 1 != sizes.back()) return a.refuse("last_dim_size is not that of its argument");
    sizes.back() = last;
    return {dense(sizes, c10::toRealValueType(self.scalar_type()))};
  }
  if (a.find("onesided") != nullptr && a.boolean("onesided")) sizes.back() = sizes.back() / 2 + 1;
  return {dense(sizes, c10::toComplexType(self.scalar_type()))};
}

}  // namespace torch_fl::rules
