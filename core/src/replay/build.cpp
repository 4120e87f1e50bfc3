// Turns a recording into a template: each pointer becomes what it pointed into.
#include <algorithm>
#include <cstring>
#include <utility>

#include "aten/alias.h"
#include "replay/recording.h"
#include "replay/run.h"

namespace torch_fl {
namespace {

// What device memory from the allocator is aligned to.
constexpr uint64_t kAlignment = 256;

class Builder {
 public:
  Builder(Recording& recording, c10::ArrayRef<c10::IValue> results) : r_(recording), results_(results) {}

  std::shared_ptr<const CallTemplate> build() {
    if (t_work - r_.work != r_.explained || t_reads != r_.reads) r_.refuse("it does more than launch kernels");
    // Or it launched what its launcher does not tell: then the ops that it called are not all of it.
    if (r_.launches.empty()) r_.refuse("it launches nothing");
    if (!r_.refused.empty() || !take_results()) return nullptr;
    call_.launches.reserve(r_.launches.size());
    for (const Recording::Launch& launch : r_.launches)
      if (!take_launch(launch)) return nullptr;
    call_.ops.reserve(r_.ops.size());
    for (Recording::Op& op : r_.ops)
      if (!take_op(op)) return nullptr;
    call_.temporaries.shrink_to_fit();
    call_.results.shrink_to_fit();
    return std::make_shared<const CallTemplate>(std::move(call_));
  }

 private:
  bool refuse(const char* why) {
    r_.refuse(why);
    return false;
  }

  bool take_results() {
    for (const c10::IValue& v : results_) {
      if (!v.isTensor() || !v.toTensor().defined()) return refuse("a result is no tensor");
      const at::Tensor& t = v.toTensor();
      ResultTemplate& result = call_.results.emplace_back();
      for (size_t i = 0; i < r_.inputs.size(); i++)
        if (r_.inputs[i] == t.unsafeGetTensorImpl()) result.argument = static_cast<int32_t>(i);
      if (result.argument >= 0) continue;
      const int64_t made = t.numel() == 0 ? -1 : allocation_of(address(t));
      if (made < 0 || t.storage_offset() != 0 || t.is_conj() || t.is_neg()) return refuse("a result is a view");
      if (std::find(results_at_.begin(), results_at_.end(), address(t)) != results_at_.end())
        return refuse("two results share their memory");
      results_at_.push_back(address(t));
      result.dtype = t.scalar_type();
      result.sizes = t.sizes().vec();
      result.strides = t.strides().vec();
      if (const Recording::Maker* maker = maker_of(made)) {
        result.op = static_cast<int16_t>(maker->op);
        result.op_result = maker->result;
        continue;
      }
      result.bytes = t.storage().nbytes();  // which kernels may use beyond the result itself
      outputs_.resize(call_.results.size());
      outputs_.back() = address(t);
    }
    outputs_.resize(call_.results.size());
    return true;
  }

  // The last allocation that holds an address, of the first `among`; -1: none.
  int64_t allocation_of(const char* p, size_t among = SIZE_MAX) const {
    for (size_t i = std::min(among, r_.allocations.size()); i-- > 0;) {
      const auto* begin = static_cast<const char*>(r_.allocations[i].ptr);
      if (p >= begin && p < begin + r_.allocations[i].bytes) return static_cast<int64_t>(i);
    }
    return -1;
  }

  const Recording::Maker* maker_of(int64_t allocation) const {
    for (const Recording::Maker& maker : r_.makers)
      if (static_cast<int64_t>(maker.allocation) == allocation) return &maker;
    return nullptr;
  }

  bool input_of(const char* p, PointerOrigin& origin) const {
    for (size_t i = 0; i < r_.inputs.size(); i++)
      if (address(r_.inputs[i]) == p) {
        origin.index = static_cast<uint16_t>(i);
        return true;
      }
    int found = -1;
    for (size_t i = 0; i < r_.inputs.size(); i++) {
      const at::StorageImpl* storage = r_.inputs[i]->unsafe_storage().unsafeGetStorageImpl();
      const auto* begin = static_cast<const char*>(storage->data());
      if (p < begin || p >= begin + storage->nbytes()) continue;
      if (found >= 0) return false;  // of two views: which one it goes with is unknown
      found = static_cast<int>(i);
    }
    if (found < 0) return false;
    origin.index = static_cast<uint16_t>(found);
    origin.offset = p - address(r_.inputs[static_cast<size_t>(found)]);
    return true;
  }

  uint16_t temporary(int64_t allocation, size_t bytes) {
    auto known = std::find(temporaries_.begin(), temporaries_.end(), allocation);
    if (allocation < 0 || known == temporaries_.end()) {
      temporaries_.push_back(allocation);
      call_.temporaries.push_back(bytes);
      known = temporaries_.end() - 1;
    }
    return static_cast<uint16_t>(known - temporaries_.begin());
  }

  bool resolve(const char* p, size_t allocations, PointerOrigin& origin) {
    const int64_t made = allocation_of(p, allocations);
    if (made < 0) {
      origin.kind = PointerOrigin::Kind::input;
      return input_of(p, origin) || refuse("a pointer comes from nowhere that is known");
    }
    const Allocation& memory = r_.allocations[static_cast<size_t>(made)];
    origin.offset = p - static_cast<const char*>(memory.ptr);
    if (const Recording::Maker* maker = maker_of(made)) {
      origin.kind = PointerOrigin::Kind::op;
      origin.index = maker->op;
      origin.result = maker->result;
      return true;
    }
    // The memory of a result was not given to anything else after it was made.
    const auto output = std::find(outputs_.begin(), outputs_.end(), static_cast<const char*>(memory.ptr));
    if (output != outputs_.end() && allocation_of(*output) == made) {
      origin.kind = PointerOrigin::Kind::output;
      origin.index = static_cast<uint16_t>(output - outputs_.begin());
      return true;
    }
    origin.kind = PointerOrigin::Kind::temporary;
    origin.index = temporary(made, memory.bytes);
    return true;
  }

  bool take_launch(const Recording::Launch& launch) {
    const LaunchRecord& record = launch.record;
    const LaunchAbilities able = launch_abilities();
    if ((record.cluster > 1 && (able.features & FL_LAUNCH_CLUSTER) == 0) || (record.features & ~able.features) != 0)
      return refuse("a kernel is launched with attributes");
    LaunchTemplate& made = call_.launches.emplace_back();
    made.take_shape(record);
    for (const LaunchRecord::Value& value : record.values)
      if (!take_value(value, launch.allocations, able, made)) return false;
    made.values.shrink_to_fit();
    made.parameters.shrink_to_fit();
    made.pointers.shrink_to_fit();
    return true;
  }

  bool take_value(const LaunchRecord::Value& value, size_t allocations, const LaunchAbilities& able,
                  LaunchTemplate& made) {
    PointerOrigin origin;
    switch (value.kind) {
      case LaunchRecord::Kind::number: {
        const uint32_t position = made.add(value.bytes.size(), true);
        std::memcpy(made.values.data() + position, value.bytes.data(), value.bytes.size());
        return true;
      }
      case LaunchRecord::Kind::pointer: {
        origin.value = made.add(sizeof(void*), false);
        const char* p = nullptr;
        std::memcpy(&p, value.bytes.data(), sizeof p);
        if (p == nullptr) return true;
        if (!resolve(p, allocations, origin)) return false;
        made.pointers.push_back(origin);
        return true;
      }
      case LaunchRecord::Kind::scratch: {
        uint64_t wanted[2];
        std::memcpy(wanted, value.bytes.data(), sizeof wanted);
        if (wanted[1] > kAlignment) return refuse("a kernel needs scratch memory of a rare alignment");
        origin.kind = PointerOrigin::Kind::temporary;
        origin.index = temporary(-1, wanted[0]);
        origin.value = made.add(sizeof(void*), false);
        made.pointers.push_back(origin);
        return true;
      }
      case LaunchRecord::Kind::tensor_map: {
        if (able.tensor_map_bytes == 0) return refuse("a kernel takes a tensordesc");
        LaunchTemplate::Map& described = made.maps.emplace_back();
        std::memcpy(&described.map, value.bytes.data(), sizeof described.map);
        const auto* p = static_cast<const char*>(std::exchange(described.map.address, nullptr));
        if (!resolve(p, allocations, described.origin)) return false;
        described.origin.value = made.add(able.tensor_map_bytes, false);
        return true;
      }
    }
    return false;
  }

  bool take_op(Recording::Op& op) {
    for (size_t i = 0; i < op.addresses.size(); i++)
      if (op.call.tensors[i].dtype != at::ScalarType::Undefined &&
          !resolve(op.addresses[i], op.allocations, op.call.tensors[i].origin))
        return false;
    call_.ops.push_back(std::move(op.call));
    return true;
  }

  Recording& r_;
  c10::ArrayRef<c10::IValue> results_;
  CallTemplate call_;
  std::vector<const char*> results_at_;  // of those that are no arguments
  std::vector<const char*> outputs_;     // per result; null for an argument, and for what an op has made
  std::vector<int64_t> temporaries_;     // allocations; -1: of no other use
};

}  // namespace

std::shared_ptr<const CallTemplate> build(Recording& recording, c10::ArrayRef<c10::IValue> results) {
  return Builder(recording, results).build();
}

}  // namespace torch_fl
