#include "runtime/generator.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/TensorBase.h>

#include <cstring>
#include <mutex>
#include <optional>

#include "runtime/key_runtime.h"
#include "runtime/state.h"

namespace torch_fl {
namespace {

constexpr int64_t kStateBytes = 2 * sizeof(uint64_t);

struct Default {
  std::once_flag once;
  at::Generator generator;
};
std::array<Default, kMaxDevices>& defaults() {
  static auto* d = new std::array<Default, kMaxDevices>;
  return *d;
}

// The seed that was given before the vendor was loaded.
std::mutex g_seed_mutex;
std::optional<uint64_t> g_seed;

}  // namespace

PhiloxGenerator::PhiloxGenerator(int32_t device)
    : c10::GeneratorImpl(c10::Device(kFlagos, static_cast<c10::DeviceIndex>(device)),
                         c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

PhiloxGenerator::PhiloxGenerator(int32_t device, at::Generator shared) : PhiloxGenerator(device) {
  shared_ = std::move(shared);
}

// Calls `own` for a state of our own, `theirs` with the shared generator, locked.
template <class Own, class Theirs>
auto PhiloxGenerator::with_state(const Own& own, const Theirs& theirs) const {
  if (!shared_.defined()) return own();
  at::Generator generator = shared_;
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return theirs(*generator.unsafeGetGeneratorImpl());
}

void PhiloxGenerator::set_current_seed(uint64_t seed) {
  with_state(
      [&] {
        seed_ = seed;
        offset_ = 0;
      },
      [&](c10::GeneratorImpl& g) { g.set_current_seed(seed); });
}

uint64_t PhiloxGenerator::current_seed() const {
  return with_state([&] { return seed_; }, [](c10::GeneratorImpl& g) { return g.current_seed(); });
}

uint64_t PhiloxGenerator::get_offset() const {
  return with_state([&] { return offset_; }, [](c10::GeneratorImpl& g) { return g.get_offset(); });
}

uint64_t PhiloxGenerator::seed() {
  const uint64_t seed = c10::detail::getNonDeterministicRandom(true);
  set_current_seed(seed);
  return seed;
}

void PhiloxGenerator::set_offset(uint64_t offset) {
  TORCH_CHECK(offset % 4 == 0, "offset must be a multiple of 4, got ", offset);
  with_state([&] { offset_ = offset; }, [&](c10::GeneratorImpl& g) { g.set_offset(offset); });
}

c10::intrusive_ptr<c10::TensorImpl> PhiloxGenerator::get_state() const {
  note_read();
  if (shared_.defined())
    return with_state([] { return c10::intrusive_ptr<c10::TensorImpl>(); },
                      [](c10::GeneratorImpl& g) { return g.get_state(); });
  at::TensorBase state = at::detail::empty_cpu({kStateBytes}, c10::ScalarType::Byte);
  auto* bytes = static_cast<uint8_t*>(state.mutable_data_ptr());
  std::memcpy(bytes, &seed_, sizeof(seed_));
  std::memcpy(bytes + sizeof(seed_), &offset_, sizeof(offset_));
  return state.getIntrusivePtr();
}

void PhiloxGenerator::set_state(const c10::TensorImpl& state) {
  if (shared_.defined()) return with_state([] {}, [&](c10::GeneratorImpl& g) { g.set_state(state); });
  at::detail::check_rng_state(state);
  TORCH_CHECK(state.numel() == kStateBytes, "RNG state is wrong size: a state of flagos has ", kStateBytes,
              " bytes (seed, offset), got ", state.numel());
  const auto* bytes = static_cast<const uint8_t*>(state.data());
  uint64_t seed = 0;
  uint64_t offset = 0;
  std::memcpy(&seed, bytes, sizeof(seed));
  std::memcpy(&offset, bytes + sizeof(seed), sizeof(offset));
  set_offset(offset);  // may refuse; the seed is taken only with a good offset
  seed_ = seed;
}

std::pair<uint64_t, uint64_t> PhiloxGenerator::reserve(uint64_t increment) {
  note_read();
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t rounded = (increment + 3) / 4 * 4;
  return with_state(
      [&] {
        const uint64_t before = offset_;
        offset_ += rounded;
        return std::pair(seed_, before);
      },
      [&](c10::GeneratorImpl& g) {
        const uint64_t before = g.get_offset();
        g.set_offset(before + rounded);
        return std::pair(g.current_seed(), before);
      });
}

PhiloxGenerator* PhiloxGenerator::clone_impl() const {
  if (shared_.defined()) return new PhiloxGenerator(device().index(), shared_.clone());
  auto* copy = new PhiloxGenerator(device().index());
  copy->seed_ = seed_;
  copy->offset_ = offset_;
  return copy;
}

const at::Generator& default_generator(int32_t device) {
  if (device < 0) device = current_device();
  check_device(device);
  Default& d = defaults()[device];
  std::call_once(d.once, [&] {
    const KeyRuntime* key = key_runtime();
    d.generator = key != nullptr ? at::make_generator<PhiloxGenerator>(device, key->default_generator(device))
                                 : at::make_generator<PhiloxGenerator>(device);
    const std::lock_guard<std::mutex> lock(g_seed_mutex);
    if (g_seed.has_value())
      d.generator.set_current_seed(*g_seed);
    else if (key == nullptr)  // the key has seeded its own
      d.generator.seed();
  });
  return d.generator;
}

at::Generator make_philox(int32_t device) {
  const KeyRuntime* key = key_runtime();
  return key != nullptr ? at::make_generator<PhiloxGenerator>(device, key->new_generator(device))
                        : at::make_generator<PhiloxGenerator>(device);
}

void seed_default_generators(uint64_t seed) {
  if (loaded_vendor() == nullptr) {
    const std::lock_guard<std::mutex> lock(g_seed_mutex);
    g_seed = seed;
    return;
  }
  for (int32_t device = 0; device < device_count(); device++) {
    at::Generator generator = default_generator(device);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(seed);
  }
}

PhiloxGenerator* default_philox(int32_t device) { return default_generator(device).get<PhiloxGenerator>(); }

std::pair<uint64_t, uint64_t> reserve_philox(const std::optional<at::Generator>& generator, int32_t device,
                                             uint64_t increment) {
  if (!generator.has_value() || !generator->defined()) return default_philox(device)->reserve(increment);
  return at::check_generator<PhiloxGenerator>(generator)->reserve(increment);
}

}  // namespace torch_fl
