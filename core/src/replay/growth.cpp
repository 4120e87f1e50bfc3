#include "replay/growth.h"

#include <ATen/Context.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "aten/alias.h"
#include "dispatch/package_lane.h"
#include "dispatch/tensors.h"
#include "replay/replay.h"

namespace torch_fl {
namespace {

// FlagGems computes offsets of more bytes than this in 64 bits.
constexpr int64_t kMostElements = int64_t{1} << 26;
// A grid of more is not one tile per block.
constexpr int64_t kMostBlocks = 65535;

// What FlagGems and Triton tell sizes apart by.
uint64_t class_of(int64_t size) {
  return static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(size, 1) - 1))) << 2 |
         static_cast<uint64_t>(size % 16 == 0) << 1 | static_cast<uint64_t>(size == 1);
}

}  // namespace

GrowingCall::GrowingCall(const OpEntry& entry, Lane lane, c10::ArrayRef<c10::IValue> args, const ReplayKey& exact) {
  key.push_back(packages_generation());
  key.push_back(static_cast<uint64_t>(lane) | static_cast<uint64_t>(c10::get_default_dtype_as_scalartype()) << 8 |
                static_cast<uint64_t>(at::globalContext().deterministicAlgorithms()) << 16);
  key.append(exact.begin(), exact.end());
  c10::SmallVector<const at::StorageImpl*, 8> storages;
  const auto add = [&](const at::Tensor& t) {
    const bool ours = t.device().type() == kFlagos;
    key.push_back(static_cast<uint64_t>(t.scalar_type()) | static_cast<uint64_t>(t.dim()) << 8 |
                  static_cast<uint64_t>(ours) << 16 | static_cast<uint64_t>(t.is_contiguous()) << 17 |
                  static_cast<uint64_t>(t.is_non_overlapping_and_dense()) << 18 |
                  static_cast<uint64_t>(t.unsafeGetTensorImpl()->is_wrapped_number()) << 19 |
                  static_cast<uint64_t>(t.device().index() + 1) << 24);
    if (!ours) return;
    const int64_t count = t.numel();
    // Of two views, where one lies in the other may change with the size.
    fits &= count > 0 && count < kMostElements && !t.is_conj() && !t.is_neg() &&
            std::find(storages.begin(), storages.end(), storage_of(t)) == storages.end();
    storages.push_back(storage_of(t));
    key.push_back(class_of(count));
    sizes.append(t.sizes().begin(), t.sizes().end());
    sizes.append(t.strides().begin(), t.strides().end());
  };
  for (size_t i = 0; i < args.size(); i++) {
    const c10::IValue& v = args[i];
    key.push_back(static_cast<uint64_t>(entry.args[i].kind) << 8 | static_cast<uint64_t>(v.isNone()));
    if (v.isTensor() && v.toTensor().defined())
      add(v.toTensor());
    else if (v.isIntList())
      for (const int64_t n : v.toDimVector()) key.push_back(static_cast<uint64_t>(n));
    else
      fits &= v.isNone() || v.isInt() || v.isBool() || v.isDouble() || v.isTensor();
  }
  for (size_t i = 0; i < sizes.size(); i++) {
    const auto first = std::find(sizes.begin(), sizes.end(), sizes[i]) - sizes.begin();
    key.push_back(class_of(sizes[i]) << 8 | static_cast<uint64_t>(sizes[i] == 0) << 7 |
                  static_cast<uint64_t>(first & 127));
  }
  fits &= !sizes.empty() && sizes.size() < 100;
}

Growth& Growth::of(const OpEntry& entry) {
  static std::mutex mutex;
  static auto* const all = new std::unordered_map<const OpEntry*, std::unique_ptr<Growth>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Growth>& found = (*all)[&entry];
  if (found == nullptr) found = std::make_unique<Growth>();
  return *found;
}

Growth::Family* Growth::find(const GrowingCall& call) {
  for (const std::unique_ptr<Family>& family : families_)
    if (family->key == call.key) {
      family->used = ++clock_;
      return family.get();
    }
  return nullptr;
}

bool Growth::knows(const GrowingCall& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!call.fits) return false;
  if (const Family* family = find(call)) return !family->hopeless;
  if (families_.size() == kMaxFamilies)
    families_.erase(std::min_element(families_.begin(), families_.end(),
                                     [](const auto& a, const auto& b) { return a->used < b->used; }));
  families_.push_back(std::make_unique<Family>());
  families_.back()->key = call.key;
  families_.back()->used = ++clock_;
  return false;
}

std::shared_ptr<const CallTemplate> Growth::take(const GrowingCall& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Family* family = call.fits ? find(call) : nullptr;
  if (family == nullptr || !family->ready) return nullptr;
  std::shared_ptr<const CallTemplate> made = family->make(call);
  if (made == nullptr || on_probation(++family->turns)) return nullptr;
  family->served++;
  return made;
}

std::shared_ptr<const CallTemplate> Growth::expect(const GrowingCall& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Family* family = call.fits ? find(call) : nullptr;
  return family == nullptr || !family->ready ? nullptr : family->make(call);
}

bool Growth::refuse(const GrowingCall& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Family* family = find(call);
  if (family == nullptr) return false;
  family->hopeless = true;
  family->ready = false;
  return family->served != 0;
}

void Growth::add(const GrowingCall& call, const CallTemplate& made) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Family* family = call.fits ? find(call) : nullptr;
  if (family == nullptr || family->hopeless) return;
  const bool pointwise = std::all_of(made.launches.begin(), made.launches.end(),
                                     [](const LaunchTemplate& l) { return !l.tiles.empty() && l.maps.empty(); });
  if (!pointwise || !made.ops.empty()) {
    family->hopeless = true;
    return;
  }
  auto apart = std::make_unique<const Apart>(made);
  if (family->apart == nullptr || !(family->apart->rest == apart->rest)) {
    family->apart = std::move(apart);
    family->captures.clear();
    family->ready = false;
    family->captures.push_back({call.sizes, family->apart->values});
    return;
  }
  for (const Capture& c : family->captures)
    if (c.sizes == call.sizes) {
      family->hopeless = c.values != apart->values;
      return;
    }
  if (family->captures.size() == kMaxCaptures) family->captures.erase(family->captures.begin());
  family->captures.push_back({call.sizes, std::move(apart->values)});
  if (family->captures.size() >= kProof) family->prove();
}

namespace {

// The blocks that cover the elements of a launch, by the sizes among its numbers; 0 where its grid is another.
int64_t blocks_of(const LaunchTemplate& l) {
  int64_t blocks = 1;
  for (const LaunchRecord::Tile& tile : l.tiles) {
    int64_t size = 1;
    if (tile.value >= 0) {
      const LaunchTemplate::Parameter& p = l.parameters[static_cast<size_t>(tile.value)];
      if (!p.number || p.size > 8) return 0;
      size = 0;
      std::memcpy(&size, l.values.data() + p.position, p.size);
    }
    const int64_t elements = std::max<int64_t>(tile.elements, 1);
    blocks *= (size + elements - 1) / elements;
    if (size <= 0 || blocks > kMostBlocks) return 0;
  }
  return blocks;
}

// What each number of a template is, in the order of each_number().
enum class What : uint8_t { grid, value, other };
std::vector<What> kinds_of(const CallTemplate& call) {
  std::vector<What> kinds;
  for (const LaunchTemplate& l : call.launches) {
    kinds.insert(kinds.end(), 3, What::grid);
    for (const LaunchTemplate::Parameter& p : l.parameters)
      if (p.number) kinds.push_back(What::value);
  }
  return kinds;  // the others come behind
}
What kind_of(const std::vector<What>& kinds, size_t number) {
  return number < kinds.size() ? kinds[number] : What::other;
}

template <class Value>
bool affine(size_t count, const Value& size, const Value& value, int64_t& factor, int64_t& offset) {
  size_t other = 0;
  while (other < count && size(other) == size(0)) other++;
  if (other == count) return false;
  const int64_t run = size(other) - size(0), rise = value(other) - value(0);
  if (rise % run != 0) return false;
  factor = rise / run;
  offset = value(0) - factor * size(0);
  for (size_t i = 0; i < count; i++)
    if (factor * size(i) + offset != value(i)) return false;
  return true;
}

}  // namespace

void Growth::Family::prove() {
  ready = false;
  sizes.assign(captures[0].sizes.size(), {});
  values.assign(captures[0].values.size(), {});
  const std::function<int64_t(size_t)> size = [&](size_t i) { return captures[i].sizes[driver]; };
  // The first that changes; kProof different ones of it.
  for (driver = 0; driver < sizes.size(); driver++) {
    std::vector<int64_t> seen;
    for (size_t i = 0; i < captures.size(); i++)
      if (std::find(seen.begin(), seen.end(), size(i)) == seen.end()) seen.push_back(size(i));
    if (seen.size() >= kProof) break;
  }
  if (driver == sizes.size()) return;
  for (size_t k = 0; k < sizes.size(); k++) {
    const std::function<int64_t(size_t)> other = [&](size_t i) { return captures[i].sizes[k]; };
    if (!affine(captures.size(), size, other, sizes[k].factor, sizes[k].offset)) return;
  }
  const std::vector<What> kinds = kinds_of(apart->rest);
  for (size_t k = 0; k < values.size(); k++) {
    if (kind_of(kinds, k) == What::grid) continue;  // of the tiles
    const std::function<int64_t(size_t)> other = [&](size_t i) { return static_cast<int64_t>(captures[i].values[k]); };
    if (!affine(captures.size(), size, other, values[k].factor, values[k].offset)) return;
  }
  for (const Capture& c : captures) {
    const std::shared_ptr<const CallTemplate> call = apart->with(c.values);
    for (const LaunchTemplate& l : call->launches)
      if (blocks_of(l) != l.grid[0] || l.grid[1] != 1 || l.grid[2] != 1) {
        hopeless = true;
        return;
      }
  }
  ready = true;
}

std::shared_ptr<const CallTemplate> Growth::Family::make(const GrowingCall& call) const {
  if (!ready || call.sizes.size() != sizes.size()) return nullptr;
  const int64_t size = call.sizes[driver];
  int64_t value = 0;
  for (size_t k = 0; k < sizes.size(); k++)
    if (!sizes[k].at(size, value) || value != call.sizes[k]) return nullptr;
  const std::vector<What> kinds = kinds_of(apart->rest);
  std::vector<uint64_t> numbers = captures[0].values;
  for (size_t k = 0; k < numbers.size(); k++) {
    if (values[k].factor == 0) continue;
    if (!values[k].at(size, value) || value <= 1) return nullptr;
    if (apart->sizes[k] == 4 && value > INT32_MAX) return nullptr;
    // Kernels are compiled for what 16 divides.
    for (const Capture& c : captures)
      if (kind_of(kinds, k) == What::value && (c.values[k] % 16 == 0) != (value % 16 == 0)) return nullptr;
    numbers[k] = static_cast<uint64_t>(value);
  }
  auto made = std::const_pointer_cast<CallTemplate>(apart->with(numbers));
  for (LaunchTemplate& l : made->launches) {
    const int64_t blocks = blocks_of(l);
    if (blocks == 0) return nullptr;
    l.grid[0] = static_cast<uint32_t>(blocks);
  }
  return made;
}

}  // namespace torch_fl
