#include "dispatch/replay.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "aten/alias.h"
#include "aten/make.h"
#include "dispatch/tensors.h"

namespace torch_fl {
namespace {

// 0: calls are recorded and replayed.
enum Forbidden : uint32_t { kSwitchedOff = 1, kWatched = 2 };
std::atomic<uint32_t> g_forbidden{0};
bool allowed() { return g_forbidden.load(std::memory_order_relaxed) == 0; }
void forbid(Forbidden why, bool forbidden) {
  if (forbidden)
    g_forbidden.fetch_or(why);
  else
    g_forbidden.fetch_and(~static_cast<uint32_t>(why));
}

std::atomic<int64_t> g_audit{0};

struct Counts {
  std::mutex mutex;
  std::unordered_map<const OpEntry*, ReplayStats> by_op;
};
Counts& counts() {
  static auto* const c = new Counts;
  return *c;
}
template <class Change>
void count(const OpEntry& entry, const Change& change) {
  Counts& c = counts();
  const std::lock_guard<std::mutex> lock(c.mutex);
  change(c.by_op[&entry]);
}

// The call's tensors of the device. Its arguments keep them alive.
using Tensors = c10::SmallVector<at::TensorImpl*, 8>;

Tensors tensors_of(c10::ArrayRef<c10::IValue> args) {
  Tensors tensors;
  for (const c10::IValue& v : args)
    each_tensor(v, [&](const at::Tensor& t) {
      if (t.device().type() == kFlagos) tensors.push_back(t.unsafeGetTensorImpl());
    });
  return tensors;
}

struct Recording {
  Recording(const OpEntry& entry, Tensors inputs) : entry(entry), inputs(std::move(inputs)), outer(current) {
    current = this;
    outer_allocations = std::exchange(t_allocations, &allocations);
    work = t_work;
    reads = t_reads;
  }
  ~Recording() {
    current = outer;
    t_allocations = outer_allocations;
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const OpEntry& entry;
  const Tensors inputs;
  std::vector<Allocation> allocations;
  struct Launch {
    LaunchRecord record;
    size_t allocations;  // made before it
  };
  std::vector<Launch> launches;
  std::string refused;
  uint64_t work, reads;
  Recording* outer;
  std::vector<Allocation>* outer_allocations;

  static constinit FL_TLS Recording* current;
};
constinit FL_TLS Recording* Recording::current = nullptr;

}  // namespace

void LaunchTemplate::take_shape(const LaunchRecord& launch) {
  function = launch.function;
  std::copy_n(launch.grid, 3, grid);
  std::copy_n(launch.block, 3, block);
  shared_bytes = launch.shared_bytes;
}

size_t LaunchTemplate::add(const LaunchRecord::Value& value) {
  const size_t size = value.bytes.size();
  while (size != 0 && values.size() % std::min<size_t>(size, 16) != 0) values.push_back(0);
  const size_t position = values.size();
  positions.push_back(static_cast<uint32_t>(position));
  sizes.push_back(size);
  values.insert(values.end(), value.bytes.begin(), value.bytes.end());
  return position;
}

namespace {

const char* address(const at::TensorImpl* t) { return static_cast<const char*>(t->data()); }
const char* address(const at::Tensor& t) { return address(t.unsafeGetTensorImpl()); }

// Turns a recording into a template. Empty, and `refused` says why, where that cannot be.
class Builder {
 public:
  Builder(Recording& recording, c10::ArrayRef<c10::IValue> results) : r_(recording), results_(results) {}

  std::shared_ptr<const CallTemplate> build() {
    if (r_.refused.empty() && (t_work - r_.work != r_.launches.size() || t_reads != r_.reads))
      r_.refused = "it does more than launch kernels";
    if (r_.refused.empty() && r_.launches.empty()) r_.refused = "it launches nothing";
    if (r_.refused.empty()) take_results();
    if (r_.refused.empty())
      for (const Recording::Launch& launch : r_.launches) take_launch(launch);
    if (!r_.refused.empty()) return nullptr;
    return std::make_shared<const CallTemplate>(std::move(call_));
  }

 private:
  void take_results() {
    for (const c10::IValue& v : results_) {
      if (!v.isTensor() || !v.toTensor().defined()) {
        r_.refused = "a result is no tensor";
        return;
      }
      const at::Tensor& t = v.toTensor();
      ResultTemplate& result = call_.results.emplace_back();
      for (size_t i = 0; i < r_.inputs.size(); i++)
        if (r_.inputs[i] == t.unsafeGetTensorImpl()) result.argument = static_cast<int32_t>(i);
      if (result.argument >= 0) continue;
      if (t.storage_offset() != 0 || allocation_of(address(t)) < 0 || t.is_conj() || t.is_neg()) {
        r_.refused = "a result is a view";
        return;
      }
      if (std::find(outputs_.begin(), outputs_.end(), address(t)) != outputs_.end()) {
        r_.refused = "two results share their memory";
        return;
      }
      outputs_.resize(call_.results.size());
      outputs_.back() = address(t);
      result.dtype = t.scalar_type();
      result.sizes = t.sizes().vec();
      result.strides = t.strides().vec();
      result.bytes = t.storage().nbytes();  // which kernels may use beyond the result itself
    }
    outputs_.resize(call_.results.size());
  }

  // The last allocation that holds an address, of the first `among`; -1: none.
  int64_t allocation_of(const char* p, size_t among = SIZE_MAX) const {
    for (size_t i = std::min(among, r_.allocations.size()); i-- > 0;) {
      const auto* begin = static_cast<const char*>(r_.allocations[i].ptr);
      if (p >= begin && p < begin + r_.allocations[i].bytes) return static_cast<int64_t>(i);
    }
    return -1;
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

  bool resolve(const char* p, size_t allocations, PointerOrigin& origin) {
    const int64_t made = allocation_of(p, allocations);
    if (made < 0) {
      origin.kind = PointerOrigin::Kind::input;
      return input_of(p, origin);
    }
    const Allocation& memory = r_.allocations[static_cast<size_t>(made)];
    origin.offset = p - static_cast<const char*>(memory.ptr);
    // The memory of a result was not given to anything else after it was made.
    const auto output = std::find(outputs_.begin(), outputs_.end(), static_cast<const char*>(memory.ptr));
    if (output != outputs_.end() && allocation_of(*output) == made) {
      origin.kind = PointerOrigin::Kind::output;
      origin.index = static_cast<uint16_t>(output - outputs_.begin());
      return true;
    }
    origin.kind = PointerOrigin::Kind::temporary;
    auto known = std::find(temporaries_.begin(), temporaries_.end(), made);
    if (known == temporaries_.end()) {
      temporaries_.push_back(made);
      call_.temporaries.push_back(memory.bytes);
      known = temporaries_.end() - 1;
    }
    origin.index = static_cast<uint16_t>(known - temporaries_.begin());
    return true;
  }

  void take_launch(const Recording::Launch& launch) {
    const LaunchRecord& record = launch.record;
    LaunchTemplate& made = call_.launches.emplace_back();
    made.take_shape(record);
    for (const LaunchRecord::Value& value : record.values) {
      const size_t position = made.add(value);
      if (!value.pointer) continue;
      const char* p = nullptr;
      std::memcpy(&p, value.bytes.data(), sizeof p);
      if (p == nullptr) continue;
      PointerOrigin origin;
      origin.value = static_cast<uint32_t>(position);
      if (!resolve(p, launch.allocations, origin)) {
        r_.refused = "a pointer comes from nowhere that is known";
        return;
      }
      std::memset(made.values.data() + position, 0, sizeof p);
      made.pointers.push_back(origin);
    }
  }

  Recording& r_;
  c10::ArrayRef<c10::IValue> results_;
  CallTemplate call_;
  std::vector<const char*> outputs_;  // per result; null for an argument
  std::vector<int64_t> temporaries_;  // allocations
};

const fl_ext_module* module_of(const Vendor& v) {
  static const auto* const extension =
      v.api.get_extension == nullptr ? nullptr : static_cast<const fl_ext_module*>(v.api.get_extension("module", 1));
  return extension != nullptr && extension->launch != nullptr ? extension : nullptr;
}

void launch(const LaunchTemplate& l, const fl_ext_module& module, int32_t device, fl_stream stream,
            const Tensors& inputs, c10::ArrayRef<at::Tensor> results, c10::ArrayRef<at::DataPtr> temporaries) {
  c10::SmallVector<uint8_t, 512> values(l.values.begin(), l.values.end());
  for (const PointerOrigin& p : l.pointers) {
    const char* base = p.kind == PointerOrigin::Kind::input    ? address(inputs[p.index])
                       : p.kind == PointerOrigin::Kind::output ? address(results[p.index])
                                                               : static_cast<const char*>(temporaries[p.index].get());
    base += p.offset;
    std::memcpy(values.data() + p.value, &base, sizeof base);
  }
  c10::SmallVector<const void*, 48> pointers(l.positions.size());
  for (size_t i = 0; i < l.positions.size(); i++) pointers[i] = values.data() + l.positions[i];
  fl_launch call{};
  call.struct_size = sizeof call;
  std::copy_n(l.grid, 3, call.grid);
  std::copy_n(l.block, 3, call.block);
  call.shared_bytes = l.shared_bytes;
  call.arg_count = static_cast<uint32_t>(l.positions.size());
  call.args = pointers.data();
  call.arg_sizes = l.sizes.data();
  FL_CHECK(module.launch(device, l.function, &call, stream), "launch(device=", device, ")");
}

at::Tensor make_result(const ResultTemplate& r, int32_t device) {
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), r.bytes, allocate(device, r.bytes), device_allocator(), /*resizable=*/true);
  at::Tensor t = at::detail::make_tensor_base<at::TensorImpl>(c10::Storage(std::move(storage)),
                                                              c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                                              c10::scalarTypeToTypeMeta(r.dtype));
  t.unsafeGetTensorImpl()->set_sizes_and_strides(r.sizes, r.strides);
  return t;
}

void run(const CallTemplate& call, const OpEntry& entry, Stack* stack) {
  const size_t base = stack->size() - entry.args.size();
  const Tensors inputs = tensors_of(c10::ArrayRef<c10::IValue>(stack->data() + base, entry.args.size()));
  const int32_t device = inputs[0]->device().index();
  c10::SmallVector<at::Tensor, 4> results;
  for (const ResultTemplate& r : call.results)
    if (r.argument >= 0)
      results.emplace_back(c10::intrusive_ptr<at::TensorImpl>::reclaim_copy(inputs[static_cast<size_t>(r.argument)]));
    else
      results.push_back(make_result(r, device));
  c10::SmallVector<at::DataPtr, 2> temporaries;
  for (const size_t bytes : call.temporaries) temporaries.push_back(allocate(device, bytes));
  const Vendor& v = vendor();
  attach(device);
  const fl_stream stream = current_stream_handle(device);
  for (const LaunchTemplate& l : call.launches) {
    t_work++;
    launch(l, *module_of(v), device, stream, inputs, results, temporaries);
  }
  stack->resize(base);
  for (at::Tensor& t : results) stack->emplace_back(std::move(t));
}

uint64_t bits_of(double d) {
  uint64_t bits = 0;
  std::memcpy(&bits, &d, sizeof bits);
  return bits;
}

}  // namespace

Replays::Key Replays::key_of(c10::ArrayRef<c10::IValue> args) {
  Key key{static_cast<uint64_t>(at::globalContext().float32MatmulPrecision())};
  c10::SmallVector<const char*, 8> seen;
  const auto add_tensor = [&](const at::Tensor& t) {
    if (t.device().type() != kFlagos) {
      // A number in a tensor of the host: the function gets its value.
      if (t.numel() == 1 && !t.is_complex()) key.push_back(bits_of(t.item().toDouble()));
      return;
    }
    const char* p = address(t);
    const auto same = std::find(seen.begin(), seen.end(), p) - seen.begin();
    key.push_back(static_cast<uint64_t>(same) << 4 | (reinterpret_cast<uintptr_t>(p) & 15));
    seen.push_back(p);
  };
  for (size_t i = 0; i < args.size(); i++) {
    const c10::IValue& v = args[i];
    each_tensor(v, add_tensor);
    if (v.isDouble()) key.push_back(bits_of(v.toDouble()));
    if (v.isInt()) key.push_back(static_cast<uint64_t>(v.toInt()));
    if (v.isBool()) key.push_back(v.toBool());
    if (v.isComplexDouble()) {
      key.push_back(bits_of(v.toComplexDouble().real()));
      key.push_back(bits_of(v.toComplexDouble().imag()));
    }
    if (v.isDoubleList())
      for (const double d : v.toDoubleVector()) key.push_back(bits_of(d));
  }
  return key;
}

Replays::Slot* Replays::find(const Key& key) {
  for (Slot& slot : slots_)
    if (slot.key == key) {
      slot.used = ++clock_;
      return &slot;
    }
  return nullptr;
}

Replays::Slot& Replays::make(Key key) {
  if (Slot* known = find(key)) return *known;
  if (slots_.size() < kMaxSlots) {
    slots_.emplace_back();
  } else {
    const auto oldest =
        std::min_element(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) { return a.used < b.used; });
    *oldest = Slot();
    std::swap(*oldest, slots_.back());
  }
  slots_.back().key = std::move(key);
  slots_.back().used = ++clock_;
  return slots_.back();
}

bool Replays::replay(const OpEntry& entry, Stack* stack) {
  if (C10_UNLIKELY(Recording::current != nullptr || !allowed())) return false;
  const Key key =
      key_of(c10::ArrayRef<c10::IValue>(stack->data() + (stack->size() - entry.args.size()), entry.args.size()));
  std::shared_ptr<const CallTemplate> call;
  {
    const std::lock_guard<LightMutex> lock(mutex_);
    const Slot* slot = find(key);
    if (slot == nullptr || !slot->ready) return false;
    const int64_t every = g_audit.load(std::memory_order_relaxed);
    if (C10_UNLIKELY(every != 0) && slot->used % static_cast<uint64_t>(every) == 0) return false;  // record() compares
    call = slot->last;
  }
  run(*call, entry, stack);
  entry.replayed.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Replays::record(const OpEntry& entry, Stack* stack, const std::function<bool()>& function) {
  const c10::ArrayRef<c10::IValue> args(stack->data() + (stack->size() - entry.args.size()), entry.args.size());
  Tensors inputs = tensors_of(args);
  Key key = key_of(args);
  bool wanted = Recording::current == nullptr && allowed() && !inputs.empty() && module_of(vendor()) != nullptr;
  bool first = false;
  if (wanted) {
    const std::lock_guard<LightMutex> lock(mutex_);
    Slot& slot = make(key);
    wanted = !slot.refused;
    first = slot.recordings++ == 0;  // it may hold launches of a search for the best kernel
  }
  if (!wanted || first) return function();
  Recording recording(entry, std::move(inputs));
  if (!function()) return false;
  const c10::ArrayRef<c10::IValue> results(stack->data() + (stack->size() - static_cast<size_t>(entry.returns)),
                                           static_cast<size_t>(entry.returns));
  const std::shared_ptr<const CallTemplate> made = Builder(recording, results).build();
  bool ready = false, audited = false, equal = false;
  {
    const std::lock_guard<LightMutex> lock(mutex_);
    Slot& slot = make(std::move(key));
    audited = slot.ready;
    equal = made != nullptr && slot.last != nullptr && *slot.last == *made;
    if (audited && !equal) recording.refused = "what it does has changed";
    if (!recording.refused.empty()) {
      slot.refused = true;
      slot.ready = false;
      slot.last = nullptr;
    } else {
      ready = equal && !slot.ready;
      slot.ready |= equal;
      if (!equal) slot.last = made;
    }
  }
  count(entry, [&](ReplayStats& stats) {
    stats.recordings++;
    stats.templates += ready ? 1 : 0;
    stats.audits += audited ? 1 : 0;
    stats.mismatches += audited && !equal ? 1 : 0;
    if (!recording.refused.empty()) stats.refused[recording.refused]++;
  });
  if (audited && !equal)
    TORCH_WARN("torch_fl: ", entry.name, ": a replayed call was not what its function does now (", recording.refused,
               "); calls like it are not replayed any more");
  return true;
}

namespace {

const fl_ext_module& need_module() {
  const Vendor& v = vendor();
  const fl_ext_module* module = module_of(v);
  TORCH_CHECK_NOT_IMPLEMENTED(module != nullptr, "torch_fl[", v.facts.name, "]: this vendor loads no compiled kernels ",
                              "(the extension \"module\")");
  return *module;
}

}  // namespace

void* load_kernel(int32_t device, const std::string& image, const std::string& name) {
  const fl_ext_module& module = need_module();
  check_device(device);
  attach(device);
  void *loaded = nullptr, *function = nullptr;
  FL_CHECK(module.load(device, image.data(), image.size(), &loaded), "module.load(device=", device,
           ", bytes=", image.size(), ")");
  FL_CHECK(module.get_function(device, loaded, name.c_str(), &function), "module.get_function(", name, ")");
  return function;
}

void launch_kernel(int32_t device, LaunchRecord launch) {
  const fl_ext_module& module = need_module();
  check_device(device);
  LaunchTemplate made;
  made.take_shape(launch);
  for (const LaunchRecord::Value& value : launch.values) made.add(value);
  attach(device);
  torch_fl::launch(made, module, device, current_stream_handle(device), {}, {}, {});
  record_launch(std::move(launch));
}

bool recording() noexcept { return Recording::current != nullptr; }

void record_launch(LaunchRecord launch) {
  t_work++;
  if (Recording* r = Recording::current) r->launches.push_back({std::move(launch), r->allocations.size()});
}

void refuse_recording(const std::string& why) {
  if (Recording::current != nullptr && Recording::current->refused.empty()) Recording::current->refused = why;
}

void switch_replay(bool on) { forbid(kSwitchedOff, !on); }
void allow_replay(bool allowed) { forbid(kWatched, !allowed); }
void set_replay_audit(int64_t every) { g_audit.store(every, std::memory_order_relaxed); }

std::map<std::string, ReplayStats> replay_stats() {
  std::map<std::string, ReplayStats> stats;
  {
    Counts& c = counts();
    const std::lock_guard<std::mutex> lock(c.mutex);
    for (const auto& [entry, s] : c.by_op) {
      stats[entry->name] = s;
      stats[entry->name].replays = entry->replayed.load(std::memory_order_relaxed);
    }
  }
  return stats;
}

}  // namespace torch_fl
