#include "runtime/generator.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/TensorBase.h>

#include <cstring>
#include <mutex>
#include <optional>

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

void PhiloxGenerator::set_current_seed(uint64_t seed) {
  seed_ = seed;
  offset_ = 0;
}

uint64_t PhiloxGenerator::seed() {
  set_current_seed(c10::detail::getNonDeterministicRandom(true));
  return seed_;
}

void PhiloxGenerator::set_offset(uint64_t offset) {
  TORCH_CHECK(offset % 4 == 0, "offset must be a multiple of 4, got ", offset);
  offset_ = offset;
}

c10::intrusive_ptr<c10::TensorImpl> PhiloxGenerator::get_state() const {
  at::TensorBase state = at::detail::empty_cpu({kStateBytes}, c10::ScalarType::Byte);
  auto* bytes = static_cast<uint8_t*>(state.mutable_data_ptr());
  std::memcpy(bytes, &seed_, sizeof(seed_));
  std::memcpy(bytes + sizeof(seed_), &offset_, sizeof(offset_));
  return state.getIntrusivePtr();
}

void PhiloxGenerator::set_state(const c10::TensorImpl& state) {
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
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t before = offset_;
  offset_ += (increment + 3) / 4 * 4;
  return {seed_, before};
}

PhiloxGenerator* PhiloxGenerator::clone_impl() const {
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
    d.generator = at::make_generator<PhiloxGenerator>(device);
    const std::lock_guard<std::mutex> lock(g_seed_mutex);
    if (g_seed.has_value())
      d.generator.set_current_seed(*g_seed);
    else
      d.generator.seed();
  });
  return d.generator;
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
