// The device's random generator: a Philox seed and an offset.
#pragma once

#include <c10/core/GeneratorImpl.h>

#include <utility>

#include "runtime/runtime.h"

namespace torch_fl {

class PhiloxGenerator final : public c10::GeneratorImpl {
 public:
  explicit PhiloxGenerator(int32_t device);
  static c10::DeviceType device_type() { return kFlagos; }

  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override { return seed_; }
  // A new seed from the system's random device.
  uint64_t seed() override;
  // Multiples of 4, the numbers of one Philox call.
  void set_offset(uint64_t offset) override;
  uint64_t get_offset() const override { return offset_; }
  // 16 bytes on the CPU: seed, offset.
  void set_state(const c10::TensorImpl& state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;

  // {seed, offset before}; takes the generator's mutex.
  std::pair<uint64_t, uint64_t> reserve(uint64_t increment);

 private:
  PhiloxGenerator* clone_impl() const override;

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
};

PhiloxGenerator* default_philox(int32_t device);

}  // namespace torch_fl
