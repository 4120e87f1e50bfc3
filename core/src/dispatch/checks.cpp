#include "dispatch/checks.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/zeros.h>
#include <c10/util/TypeCast.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "dispatch/lanes.h"
#include "dispatch/tensors.h"

namespace torch_fl {
namespace {

using Args = c10::ArrayRef<c10::IValue>;

double number(const c10::IValue& v) { return v.isInt() ? static_cast<double>(v.toInt()) : v.toDouble(); }

// A Python number written into a tensor must fit its dtype, as c10::Scalar::to checks it.
void check_fits(const at::Tensor& self, const c10::IValue& v) {
  if (!v.isScalar()) return;
  const c10::Scalar value = v.toScalar();
  switch (self.scalar_type()) {
    case at::kBool:
      return;
    case at::kByte:
      (void)value.to<uint8_t>();
      return;
    case at::kChar:
      (void)value.to<int8_t>();
      return;
    case at::kShort:
      (void)value.to<int16_t>();
      return;
    case at::kInt:
      (void)value.to<int32_t>();
      return;
    case at::kLong:
      (void)value.to<int64_t>();
      return;
    case at::kHalf:
      (void)value.to<c10::Half>();
      return;
    case at::kBFloat16:
      (void)value.to<c10::BFloat16>();
      return;
    case at::kFloat:
    case at::kDouble:
      (void)value.to<double>();
      if (self.scalar_type() == at::kFloat) (void)value.to<float>();
      return;
    default:
      return;
  }
}

// The largest number of a floating point dtype.
double largest(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kHalf:
      return std::numeric_limits<c10::Half>::max();
    case at::kBFloat16:
      return std::numeric_limits<c10::BFloat16>::max();
    case at::kFloat:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

// The dtype of the first argument, which the kernel of PyTorch's has for floating point and complex numbers alone.
at::ScalarType floating(Args a, const char* kernel) {
  const at::ScalarType dtype = a[0].toTensor().scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(at::isFloatingType(dtype) || at::isComplexType(dtype), "\"", kernel,
                              "\" not implemented for '", dtype, "'");
  return dtype;
}

void uniform(const OpEntry&, Args a) {
  const at::ScalarType dtype = floating(a, "check_uniform_bounds");
  const double from = number(a[1]), to = number(a[2]), most = largest(dtype);
  const auto inside = [&](double value, const char* name) {
    TORCH_CHECK(value >= -most && value <= most, name, " is out of bounds for ",
                c10::scalarTypeToTypeMeta(c10::toRealValueType(dtype)).name());
  };
  inside(from, "from");
  inside(to, "to");
  TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to);
  TORCH_CHECK(to - from <= most, "uniform_ expects to-from <= std::numeric_limits<", dtype,
              ">::max(), but found to=", to, " and from=", from, " which result in to-from to exceed the limit");
}

void kthvalue(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const int64_t dim = at::maybe_wrap_dim(a[2].toInt(), self.dim()), k = a[1].toInt();
  TORCH_CHECK(k >= 1 && k <= (self.dim() > 0 ? self.size(dim) : 1),
              "kthvalue(): selected number k out of range for dimension ", dim);
}

void trace(const OpEntry&, Args a) {
  TORCH_CHECK(a[0].toTensor().dim() == 2, "trace: expected a matrix, but got tensor with dim ", a[0].toTensor().dim());
}

void flip(const OpEntry&, Args a) { (void)at::dim_list_to_bitset(a[1].toDimVector(), a[0].toTensor().dim()); }

void roll(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const auto shifts = a[1].toDimVector(), dims = a[2].toDimVector();
  TORCH_CHECK(!shifts.empty(), "`shifts` required");
  if (dims.empty() && shifts.size() == 1) return;
  TORCH_CHECK(shifts.size() == dims.size(), "shifts and dimensions must align. shifts: ", shifts.size(),
              ", dims:", dims.size());
  if (self.numel() == 0 && dims.size() == 1) return;
  for (const int64_t dim : dims) (void)at::maybe_wrap_dim(dim, self.dim());
}

void index_fill(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const at::Tensor& index = a[2].toTensor();
  TORCH_CHECK_INDEX(index.scalar_type() == at::kLong, "index_fill_(): Expected dtype int64 for index.");
  at::assert_no_overlap(self, index);
  TORCH_CHECK(self.is_complex() || !a[3].isComplexDouble(),
              "index_fill_(): Converting complex Scalar to non-complex type is not supported");
  (void)at::maybe_wrap_dim(a[1].toInt(), self.dim());
  TORCH_CHECK(index.dim() <= 1, "Index has to be a vector/scalar");
}

void masked_select(const OpEntry&, Args a) {
  const at::Tensor& mask = a[1].toTensor();
  TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_select: expected BoolTensor for mask");
  (void)at::infer_size_dimvector(mask.sizes(), a[0].toTensor().sizes());
}

void masked_scatter(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const at::Tensor& mask = a[1].toTensor();
  const at::Tensor& source = a[2].toTensor();
  TORCH_CHECK(self.scalar_type() == source.scalar_type(),
              "masked_scatter: expected self and source to have same dtypes but got", self.scalar_type(), " and ",
              source.scalar_type());
  (void)mask.expand(self.sizes());
  TORCH_CHECK(mask.scalar_type() == at::kBool || mask.scalar_type() == at::kByte,
              "masked_scatter_ only supports boolean masks, but got mask with dtype ", mask.scalar_type());
}

// The out= tensor is the last argument: a dtype that does not hold n different numbers gives no permutation.
void randperm(const OpEntry& entry, Args a) {
  if (!entry.args.back().is_out) return;
  const at::TensorOptions options = at::TensorOptions(at::kCPU).dtype(a.back().toTensor().scalar_type());
  at::native::check_supported_max_int_with_precision(a[0].toInt(), at::empty({0}, options));
}

void nonzero_static(const OpEntry&, Args a) {
  TORCH_CHECK(a[1].toInt() >= 0, "nonzero_static: 'size' must be an non-negative integer");
}

// Products promote nothing: a kernel that would, or that reads one dtype as another, is not asked.

void same_scalars(const at::Tensor& first, const at::Tensor& second) {
  TORCH_CHECK(first.scalar_type() == second.scalar_type(), "expected scalar type ", first.scalar_type(), " but found ",
              second.scalar_type());
}

void mm(const OpEntry&, Args a) {
  const at::Tensor& m1 = a[0].toTensor();
  const at::Tensor& m2 = a[1].toTensor();
  TORCH_CHECK(m1.dtype() == m2.dtype(), "expected m1 and m2 to have the same dtype, but got: ", m1.dtype(),
              " != ", m2.dtype());
}

void bmm(const OpEntry&, Args a) { same_scalars(a[0].toTensor(), a[1].toTensor()); }

void added_to_product(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const at::Tensor& mat2 = a[2].toTensor();
  TORCH_CHECK(self.dtype() == mat2.dtype(), "self and mat2 must have the same dtype, but got ", self.scalar_type(),
              " and ", mat2.scalar_type());
  const at::Tensor& mat1 = a[1].toTensor();
  TORCH_CHECK(mat1.dtype() == mat2.dtype(), "mat1 and mat2 must have the same dtype, but got ", mat1.scalar_type(),
              " and ", mat2.scalar_type());
}

// What is added to the product is expanded to it.
void addmm(const OpEntry& entry, Args a) {
  (void)a[0].toTensor().expand({a[1].toTensor().size(0), a[2].toTensor().size(1)});
  added_to_product(entry, a);
}

void baddbmm(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const at::Tensor& batch1 = a[1].toTensor();
  const at::Tensor& batch2 = a[2].toTensor();
  TORCH_CHECK(self.dtype() == batch1.dtype(), "Input dtypes must be the same, got: input ", self.dtype(),
              ", batch1: ", batch1.dtype(), ", batch2: ", batch2.dtype());
  same_scalars(batch1, batch2);
}

void same_vectors(const at::Tensor& self, const at::Tensor& mat, const at::Tensor& vec) {
  TORCH_CHECK(mat.scalar_type() == vec.scalar_type() && mat.scalar_type() == self.scalar_type(),
              "addmv input tensors must have the same dtype, but got ", self.scalar_type(), ", ", mat.scalar_type(),
              ", and ", vec.scalar_type());
}

void mv(const OpEntry&, Args a) { same_vectors(a[1].toTensor(), a[0].toTensor(), a[1].toTensor()); }

void dot(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const at::Tensor& other = a[1].toTensor();
  TORCH_CHECK(self.scalar_type() == other.scalar_type(), "dot : expected both vectors to have same dtype, but found ",
              self.scalar_type(), " and ", other.scalar_type());
}

// PyTorch's own check, before the key is asked, lets a dilation of zero through.
void dilated(const c10::IValue& given) {
  const auto dilation = given.toDimVector();
  TORCH_CHECK(std::all_of(dilation.begin(), dilation.end(), [](int64_t d) { return d > 0; }),
              "dilation should be greater than zero, but got ", c10::IntArrayRef(dilation));
}

void convolution(const OpEntry&, Args a) {
  dilated(a[5]);
  same_scalars(a[0].toTensor(), a[1].toTensor());
}

void convolution_backward(const OpEntry& entry, Args a) {
  dilated(entry.stand_in.has_value() ? a[5] : a[6]);  // convolution_backward itself takes the bias' sizes before
  same_scalars(a[0].toTensor(), a[1].toTensor());
  same_scalars(a[1].toTensor(), a[2].toTensor());
}

// The counts that group_norm takes from the sizes are arguments here, and kernels walk by them.
void group_norm(const OpEntry&, Args a) {
  const at::Tensor& X = a[0].toTensor();
  const int64_t N = a[3].toInt(), C = a[4].toInt(), HxW = a[5].toInt(), groups = a[6].toInt();
  TORCH_CHECK(groups > 0, "Expected num groups to be greater than 0, got ", groups);
  TORCH_CHECK(C % groups == 0,
              "Expected number of channels in input to be divisible by num_groups, but got input of shape ", X.sizes(),
              " and num_groups=", groups);
  const auto of_channels = [&](const c10::IValue& v, const char* name) {
    if (!v.isTensor() || !v.toTensor().defined()) return;
    TORCH_CHECK(v.toTensor().dim() == 1 && v.toTensor().numel() == C, "Expected ", name,
                " to be a vector of size equal to the number of channels in input, but got ", name, " of shape ",
                v.toTensor().sizes(), " and input of shape ", X.sizes());
  };
  of_channels(a[1], "weight");
  of_channels(a[2], "bias");
  TORCH_CHECK(X.numel() == N * C * HxW);
}

void group_norm_backward(const OpEntry&, Args a) {
  const at::Tensor& dY = a[0].toTensor();
  const at::Tensor& X = a[1].toTensor();
  const at::Tensor& mean = a[2].toTensor();
  const at::Tensor& rstd = a[3].toTensor();
  const int64_t N = a[5].toInt(), C = a[6].toInt(), HxW = a[7].toInt(), groups = a[8].toInt();
  TORCH_CHECK(groups > 0, "Expected num groups to be greater than 0, got ", groups);
  TORCH_CHECK(C % groups == 0,
              "Expected number of channels in input to be divisible by num_groups, but got input of shape ", X.sizes(),
              " and num_groups=", groups);
  TORCH_CHECK(dY.numel() == N * C * HxW);
  TORCH_CHECK(X.numel() == N * C * HxW);
  TORCH_CHECK(mean.numel() == N * groups);
  TORCH_CHECK(rstd.numel() == N * groups);
  TORCH_CHECK(!a[4].isTensor() || !a[4].toTensor().defined() || a[4].toTensor().numel() == C);
}

void normal(const OpEntry&, Args a) {
  floating(a, "normal_kernel");
  const double std = number(a[2]);
  TORCH_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", std);
}

void bernoulli(const OpEntry& entry, Args a) {
  if (entry.name != "bernoulli_.float") return;
  const double p = number(a[1]);
  TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
}

void dropout(const OpEntry&, Args a) {
  floating(a, "native_dropout");
  const double p = number(a[1]);
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

void gelu(const OpEntry&, Args a) {
  for (const c10::IValue& v : a)
    if (v.isString())
      TORCH_CHECK(v.toStringRef() == "none" || v.toStringRef() == "tanh",
                  "approximate argument must be either none or tanh.");
}

void exponential(const OpEntry&, Args a) {
  const double lambda = number(a[1]);
  TORCH_CHECK(lambda > 0.0, "exponential_ expects lambda > 0.0, but found lambda=", lambda);
}

void geometric(const OpEntry&, Args a) {
  const double p = number(a[1]);
  TORCH_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
}

void cauchy(const OpEntry&, Args a) {
  const double sigma = number(a[2]);
  TORCH_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
}

void log_normal(const OpEntry&, Args a) {
  const double std = number(a[2]);
  TORCH_CHECK(std > 0.0, "log_normal_ expects std > 0.0, but found std=", std);
}

void huber(const OpEntry&, Args a) {
  TORCH_CHECK(number(a[3]) > 0, "huber_loss does not support non-positive values for delta.");
}

void random(const OpEntry& entry, Args a) {
  const bool ranged = entry.name == "random_.from";
  const c10::IValue& end = ranged ? a[2] : a[1];
  if (!end.isInt()) return;
  const int64_t from = ranged ? a[1].toInt() : 0, to = end.toInt();
  TORCH_CHECK(from < to, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
}

// The shape that index tensors make together; `indexed` is that of those before.
void add_index(at::DimVector& indexed, const at::Tensor& index, const c10::List<std::optional<at::Tensor>>& all) {
  try {
    indexed = at::infer_size_dimvector(indexed, index.sizes());
  } catch (const c10::Error&) {
    std::string shapes;
    for (size_t k = 0; k < all.size(); k++)
      if (const std::optional<at::Tensor> t = all.get(k); t.has_value() && t->defined())
        shapes += c10::str(shapes.empty() ? "" : ", ", t->sizes());
    TORCH_CHECK_INDEX(false, "shape mismatch: indexing tensors could not be broadcast together with shapes ", shapes);
  }
}

// The values of index_put have to broadcast to what is indexed. Masks become positions, and are checked then.
void index_put(const OpEntry&, Args a) {
  const at::Tensor& self = a[0].toTensor();
  const at::Tensor& values = a[2].toTensor();
  const auto list = a[1].toOptionalTensorList();
  TORCH_CHECK_INDEX(static_cast<int64_t>(list.size()) <= self.dim(), "too many indices for tensor of dimension ",
                    self.dim(), " (got ", list.size(), ")");
  at::assert_no_overlap(self, values);
  for (size_t k = 0; k < list.size(); k++)
    if (const std::optional<at::Tensor> index = list.get(k); index.has_value() && index->defined())
      at::assert_no_overlap(self, *index);
  if (has_masks(a)) return;
  at::DimVector indexed, shape;
  int64_t first = -1, last = -1, count = 0;
  for (int64_t k = 0; k < static_cast<int64_t>(list.size()); k++) {
    const std::optional<at::Tensor> index = list.get(static_cast<size_t>(k));
    if (!index.has_value() || !index->defined()) continue;
    add_index(indexed, *index, list);
    if (first < 0) first = k;
    last = k;
    count++;
  }
  if (count == 0) return;
  const bool neighbours = last - first + 1 == count;
  if (!neighbours) shape = indexed;
  for (int64_t d = 0; d < self.dim(); d++) {
    if (neighbours && d == first) shape.insert(shape.end(), indexed.begin(), indexed.end());
    const std::optional<at::Tensor> index =
        d < static_cast<int64_t>(list.size()) ? list.get(static_cast<size_t>(d)) : std::nullopt;
    if (!index.has_value() || !index->defined()) shape.push_back(self.size(d));
  }
  TORCH_CHECK(at::is_expandable_to(values.sizes(), shape), "shape mismatch: value tensor of shape ", values.sizes(),
              " cannot be broadcast to indexing result of shape ", c10::IntArrayRef(shape));
  TORCH_CHECK(values.scalar_type() == self.scalar_type(),
              "Index put requires the source and destination dtypes match, got ", self.scalar_type(),
              " for the destination and ", values.scalar_type(), " for the source.");
}

void rsub(const OpEntry&, Args a) {
  if (!a[1].isTensor() || !a[2].isScalar()) return;
  at::native::sub_check(a[0].toTensor(), a[1].toTensor());
  at::native::alpha_check(at::result_type(a[0].toTensor(), a[1].toTensor()), a[2].toScalar());
}

void fill(const OpEntry&, Args a) {
  check_fits(a[0].toTensor(), a[1]);
  TORCH_CHECK(!a[1].isTensor() || a[1].toTensor().dim() == 0,
              "fill_ only supports 0-dimension value tensor but got tensor with ", a[1].toTensor().dim(),
              " dimensions.");
}
void masked_fill(const OpEntry&, Args a) {
  check_fits(a[0].toTensor(), a[2]);
  TORCH_CHECK(!a[2].isTensor() || a[2].toTensor().dim() == 0,
              "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ", a[2].toTensor().dim(),
              " dimension(s).");
}

// A host tensor of the same sizes and dtype, with one element for all where there are any.
at::Tensor without_memory(const at::Tensor& t, bool is_out) {
  if (!t.defined() || t.device().type() != kFlagos) return t;
  const at::TensorOptions options = at::TensorOptions(at::kCPU).dtype(t.scalar_type());
  if (is_out) return at::empty({0}, options);  // resized without a warning
  if (t.numel() == 0) return at::empty_strided(t.sizes(), t.strides(), options);
  return at::zeros({}, options).expand(t.sizes());
}

// The tensors are of one floating point dtype: none is an index, and no kernel that takes one refuses the others.
bool all_floating(Args args) {
  at::ScalarType common = at::ScalarType::Undefined;
  bool all = true;
  for (const c10::IValue& v : args)
    each_tensor(v, [&](const at::Tensor& t) {
      if (common == at::ScalarType::Undefined) common = t.scalar_type();
      all &= t.scalar_type() == common && at::isFloatingType(common);
    });
  return all;
}

// A host tensor of the same dtype, made of one element: zero, where it is an index, so that it is in range. It has the
// sizes of the original, or, where there are too many elements for that (`shortened`), as many dimensions.
at::Tensor of_one_element(const at::Tensor& t, const ArgInfo& info, bool shortened) {
  if (!t.defined() || t.device().type() != kFlagos) return t;
  const at::TensorOptions options = at::TensorOptions(at::kCPU).dtype(t.scalar_type());
  if (info.is_out) return at::empty({0}, options);  // resized without a warning
  if (t.numel() == 0) return at::empty(t.sizes(), options);
  const at::DimVector ones(static_cast<size_t>(t.dim()), 1);
  const at::Tensor one = info.index_or_mask ? at::zeros(ones, options) : at::ones(ones, options);
  if (shortened) return one;
  return info.written ? one.expand(t.sizes()).contiguous() : one.expand(t.sizes());
}

// A host tensor of the same dtype, sizes and strides, full of ones, or of zeros where it is an index.
at::Tensor alike(const at::Tensor& t, const ArgInfo& info) {
  if (!t.defined() || t.device().type() != kFlagos) return t;
  const at::TensorOptions options = at::TensorOptions(at::kCPU).dtype(t.scalar_type());
  if (info.is_out) return at::empty({0}, options);  // resized without a warning
  if (t.numel() == 0) return at::empty_strided(t.sizes(), t.strides(), options);
  int64_t places = 1;
  for (int64_t d = 0; d < t.dim(); d++) places += (t.size(d) - 1) * t.stride(d);
  const bool scattered = places > 1 << 20;
  const at::DimVector flat{scattered ? t.numel() : places};
  const at::Tensor memory = info.index_or_mask ? at::zeros(flat, options) : at::ones(flat, options);
  return scattered ? memory.view(t.sizes()) : memory.as_strided(t.sizes(), t.strides());
}

bool host_can_tell(const OpEntry& entry) { return entry.on_host && !entry.primitive && !entry.stand_in.has_value(); }

int64_t elements(Args args) {
  int64_t all = 0;
  for (const c10::IValue& v : args) each_tensor(v, [&](const at::Tensor& t) { all += t.numel(); });
  return all;
}

// What the host computes in a moment.
bool few_elements(Args args) { return elements(args) <= 1 << 16; }

// Results are small as well, though a number may be one of their sizes.
bool small_results(Args args) {
  int64_t largest = 1;
  for (const c10::IValue& v : args)
    if (v.isInt()) largest = std::max(largest, std::abs(v.toInt()));
  return largest <= 1 << 16 && elements(args) * largest <= 1 << 22;
}

// Numbers that may be sizes are small, so that results of few elements are small as well.
bool small_numbers(Args args) {
  for (const c10::IValue& v : args) {
    if (v.isInt() && std::abs(v.toInt()) > 1 << 16) return false;
    if (!v.isIntList()) continue;
    double all = 1;
    for (const int64_t n : v.toIntVector()) all *= std::max(1.0, std::abs(static_cast<double>(n)));
    if (all > 1 << 20) return false;
  }
  return true;
}

// As AT_DISPATCH and others word it.
bool about_dtypes(std::string_view refusal) {
  for (const std::string_view part : {"\" not implemented for '", " only support", " not supported ", "the same dtype",
                                      "expected scalar type", "mixed dtype"})
    if (refusal.find(part) != std::string_view::npos) return true;
  return false;
}

template <class F>
void run_on_host(const OpEntry& entry, Args args, const F& in_place_of) {
  Stack stack;
  stack.reserve(args.size());
  for (size_t i = 0; i < args.size(); i++) {
    c10::IValue v = args[i];
    if (v.isDevice()) v = c10::Device(at::kCPU);
    if (entry.args[i].kind == ArgKind::generator) v = at::detail::createCPUGenerator();
    stack.push_back(with_tensors(std::move(v), [&](const at::Tensor& t) { return in_place_of(t, entry.args[i]); }));
  }
  entry.handle.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
}

void addmv(const OpEntry& entry, Args a) {
  const at::Tensor &self = a[0].toTensor(), &mat = a[1].toTensor(), &vec = a[2].toTensor();
  if (self.scalar_type() == mat.scalar_type() || mat.scalar_type() != vec.scalar_type())
    return same_vectors(self, mat, vec);
  // Not every release of PyTorch takes what is added in another dtype: the host knows its own.
  run_on_host(entry, a, [](const at::Tensor& t, const ArgInfo& info) { return of_one_element(t, info, true); });
}

}  // namespace

void check_as_host(const OpEntry& entry, Args args) {
  if (!host_can_tell(entry) || entry.random) return;
  // A structured op has had its checks where its layout came from, but for dtypes and for what indices point at.
  if (entry.meta != nullptr && all_floating(args)) return;
  run_on_host(entry, args, [](const at::Tensor& t, const ArgInfo& info) { return without_memory(t, info.is_out); });
}

std::string mixes_dtypes(const OpEntry& entry, Args args) {
  bool half = false, bfloat = false, byte = false, signed_byte = false;
  for (size_t i = 0; i < args.size(); i++)
    if (!entry.args[i].is_out && !entry.args[i].index_or_mask)
      each_tensor(args[i], [&](const at::Tensor& t) {
        half |= t.scalar_type() == at::kHalf;
        bfloat |= t.scalar_type() == at::kBFloat16;
        byte |= t.scalar_type() == at::kByte;
        signed_byte |= t.scalar_type() == at::kChar;
      });
  if (half && bfloat) return "of float16 and bfloat16 PyTorch makes float32, and Triton float16";
  return byte && signed_byte ? "of uint8 and int8 PyTorch makes int16, and Triton uint8" : "";
}

std::string writes_complex(const OpEntry& entry, Args args) {
  if (!entry.any_written) return "";
  bool any = false;
  for (size_t i = 0; i < args.size(); i++)
    if (entry.args[i].written)
      each_tensor(args[i], [&](const at::Tensor& t) { any |= at::isComplexType(t.scalar_type()); });
  return any ? "complex numbers are not written into a tensor that is there already" : "";
}

std::string overlaps(const OpEntry& entry, Args args) {
  if (!entry.any_written) return "";
  const bool pointwise = entry.handle.hasTag(at::Tag::pointwise);
  std::string why;
  for (size_t i = 0; i < args.size(); i++) {
    if (!entry.args[i].written) continue;
    each_tensor(args[i], [&](const at::Tensor& t) {
      if (at::has_internal_overlap(t) == at::MemOverlap::Yes) why = "what it writes overlaps itself";
      for (size_t k = 0; k < args.size(); k++) {
        if (k == i) continue;
        each_tensor(args[k], [&](const at::Tensor& other) {
          if (t.device() != other.device() || !t.storage().is_alias_of(other.storage())) return;
          const auto status = at::get_overlap_status(t, other);
          // In place, and element by element, the same memory is what is meant.
          const bool meant = status == at::MemOverlapStatus::Full && (pointwise || !entry.args[i].is_out);
          if (status != at::MemOverlapStatus::No && !meant) why = "what it writes overlaps what it reads";
        });
      }
    });
  }
  return why;
}

std::string host_refuses(const OpEntry& entry, Args args) {
  // A structured op has had its checks where its layout came from, if that was to be had.
  if (entry.meta != nullptr && !has_masks(args)) return "";
  if (!host_can_tell(entry) || (entry.random && entry.generator_arg < 0)) return "";
  if (!few_elements(args) || !small_numbers(args) || !small_results(args)) return "";
  // Autograd makes these calls, of what a forward call has passed, and the host's kernels trust it.
  if (entry.name.find("_backward") != std::string::npos) return "";
  try {
    run_on_host(entry, args, alike);
  } catch (const c10::Error& error) {
    const std::string said = error.what_without_backtrace();
    return about_dtypes(said) ? "" : said;
  } catch (const std::exception&) {
  }
  return "";
}

std::string host_lacks_dtypes(const OpEntry& entry, Args args) {
  // Without a generator among its arguments, a random op would draw from the host's own.
  if (!host_can_tell(entry) || (entry.random && entry.generator_arg < 0)) return "";
  // Of one dtype of floating point, a device may well have what the host lacks.
  bool any = false;
  at::ScalarType common = at::ScalarType::Undefined;
  for (size_t i = 0; i < args.size(); i++)
    if (!entry.args[i].is_out && !entry.args[i].index_or_mask)
      each_tensor(args[i], [&](const at::Tensor& t) {
        if (common == at::ScalarType::Undefined) common = t.scalar_type();
        any |= !at::isFloatingType(t.scalar_type()) || t.scalar_type() != common;
      });
  if (!any || !small_numbers(args)) return "";
  std::string refusal;
  for (const bool shortened : {true, false}) {
    if (!shortened && !few_elements(args)) break;
    try {
      run_on_host(entry, args,
                  [=](const at::Tensor& t, const ArgInfo& info) { return of_one_element(t, info, shortened); });
      return "";
    } catch (const c10::Error& error) {
      refusal = error.what_without_backtrace();
    } catch (const std::exception&) {
      return "";
    }
    // Of other sizes, all else may be about them.
    if (!shortened || about_dtypes(refusal)) return refusal;
  }
  return "";
}

ValueCheck check_of(const std::string& op) {
  static const std::unordered_map<std::string_view, ValueCheck> checks = {
      {"uniform_", uniform},
      {"kthvalue", kthvalue},
      {"trace", trace},
      {"flip", flip},
      {"roll", roll},
      {"index_fill", index_fill},
      {"index_fill_", index_fill},
      {"nonzero_static", nonzero_static},
      {"masked_select", masked_select},
      {"masked_scatter_", masked_scatter},
      {"randperm", randperm},
      {"mm", mm},
      {"convolution_overrideable", convolution},
      {"convolution_backward", convolution_backward},
      {"convolution_backward_overrideable", convolution_backward},
      {"native_group_norm", group_norm},
      {"native_group_norm_backward", group_norm_backward},
      {"bmm", bmm},
      {"addmm", addmm},
      {"addmm_", addmm},
      {"_addmm_activation", added_to_product},
      {"addbmm", added_to_product},
      {"addbmm_", added_to_product},
      {"baddbmm", baddbmm},
      {"baddbmm_", baddbmm},
      {"addmv", addmv},
      {"addmv_", addmv},
      {"mv", mv},
      {"dot", dot},
      {"vdot", dot},
      {"normal_", normal},
      {"bernoulli_", bernoulli},
      {"native_dropout", dropout},
      {"gelu", gelu},
      {"gelu_backward", gelu},
      {"exponential_", exponential},
      {"geometric_", geometric},
      {"cauchy_", cauchy},
      {"log_normal_", log_normal},
      {"huber_loss", huber},
      {"random_", random},
      {"_index_put_impl_", index_put},
      {"fill_", fill},
      {"masked_fill_", masked_fill},
      {"rsub", rsub}};
  const auto check = checks.find(std::string_view(op).substr(0, op.find('.')));
  return check == checks.end() ? nullptr : check->second;
}

}  // namespace torch_fl
