#include "dispatch/op_facts.h"

#include <string_view>
#include <unordered_set>

namespace torch_fl {
namespace {

bool among(const std::string& word, const std::unordered_set<std::string_view>& words) {
  return words.count(word) != 0;
}

std::string base_of(const std::string& op) { return op.substr(0, op.find('.')); }

}  // namespace

bool writes_unannounced(const std::string& op, const std::string& argument) {
  // In training, these update running_mean and running_var, which their schemas declare as plain inputs.
  static const std::unordered_set<std::string_view> norms = {
      "native_batch_norm",       "cudnn_batch_norm",        "miopen_batch_norm",
      "batch_norm_gather_stats", "batch_norm_update_stats", "batch_norm_gather_stats_with_counts"};
  return (argument == "running_mean" || argument == "running_var") && among(base_of(op), norms);
}

bool host_tensor_allowed(const std::string& op, const std::string& argument) {
  static const std::unordered_set<std::string_view> indexing = {
      "index", "index_put", "index_put_", "_index_put_impl", "_index_put_impl_", "_unsafe_index", "_unsafe_index_put"};
  if (argument == "indices" && among(base_of(op), indexing)) return true;
  if (base_of(op) == "_foreach_copy_") return true;  // uploads and downloads
  static const std::unordered_set<std::string_view> scaled = {"_foreach_addcdiv", "_foreach_addcdiv_",
                                                              "_foreach_addcmul", "_foreach_addcmul_"};
  if (argument == "scalars" && among(base_of(op), scaled)) return true;
  // The structure of nested tensors is on the host.
  static const std::unordered_set<std::string_view> structure = {"cpu_nested_shape_example", "nested_size",
                                                                 "nested_strides", "offsets"};
  if (op.rfind("_nested_", 0) == 0 && among(argument, structure)) return true;
  // Lengths of a packed sequence are host tensors by PyTorch's own rule.
  return base_of(op) == "_pack_padded_sequence" && argument == "lengths";
}

bool numbers_decide(const std::string& op) {
  static const std::unordered_set<std::string_view> bases = {
      "arange",      "range",       "linspace",          "logspace",         // the element count, and step checks
      "pow",         "pow_",        "float_power",       "float_power_",     // a negative integer exponent
      "fill_",       "fill",        "masked_fill_",      "masked_fill",      // a value that the dtype cannot hold
      "full",        "index_fill_", "index_fill",        "constant_pad_nd",  // likewise
      "clamp",       "clamp_",      "clamp_min",         "clamp_max",     // a bound that an integral dtype cannot hold
      "clamp_min_",  "clamp_max_",  "hardtanh",          "hardtanh_",     // min above max, unsigned minimum
      "uniform_",    "normal_",     "bernoulli_",        "exponential_",  // ranges of distributions
      "log_normal_", "cauchy_",     "geometric_",        "random_",         "native_dropout",
      "normal",      "histc",       "multi_margin_loss",  // numbers that their layout rules check
      "huber_loss",  "eye",         "tril_indices",      "triu_indices"};
  return among(base_of(op), bases);
}

bool is_index_or_mask(const std::string& argument) {
  static const std::unordered_set<std::string_view> names = {"mask",   "condition", "index",       "indices",
                                                             "target", "offsets",   "token_types", "sorted_indices"};
  return among(argument, names);
}

bool scalar_promotes(const std::string& argument) {
  static const std::unordered_set<std::string_view> names = {"other",    "self", "min",     "max",
                                                             "exponent", "end",  "min_val", "max_val"};
  return among(argument, names);
}

bool host_lacks_integers(const std::string& op) { return base_of(op) == "histc"; }

bool takes_exact_numbers(const std::string& op) {
  std::string base = base_of(op);
  if (base.size() > 1 && base.back() == '_') base.pop_back();
  const bool rounds = op.find("mode") != std::string::npos;  // div with a rounding mode
  static const std::unordered_set<std::string_view> names = {"mul", "div"};
  return !rounds && among(base, names);
}

bool better_composed(const std::string& op) { return op == "_to_copy"; }

bool kernel_checks_overlap(const std::string& op) {
  static const std::unordered_set<std::string_view> names = {
      "cumsum.out", "cumprod.out", "addmm.out", "addmv.out", "baddbmm.out", "sort.values_stable", "topk.values"};
  return among(op, names);
}

}  // namespace torch_fl
