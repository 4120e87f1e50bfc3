// The device's random generator: a Philox seed and an offset.
#pragma once

#include <c10/core/GeneratorImpl.h>

#include <utility>

#include "runtime/runtime.h"

namespace torch_fl {

class PhiloxGenerator final : public c10::GeneratorImpl {
 public:
  explicit PhiloxGenerator(int32_t device);
  // With the state of a generator of the boxing key (key_runtime.h), whose kernels draw from it too.
  PhiloxGenerator(int32_t device, at::Generator shared);
  static c10::DeviceType device_type() { return kFlagos; }

  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override;
  // A new seed from the system's random device.
  uint64_t seed() override;
  // Multiples of 4, the numbers of one Philox call.
  void set_offset(uint64_t offset) override;
  uint64_t get_offset() const override;
  // 16 bytes on the CPU: seed, offset. Of a shared one, what the key's generators have.
  void set_state(const c10::TensorImpl& state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;

  // {seed, offset before}; takes the generator's mutex.
  std::pair<uint64_t, uint64_t> reserve(uint64_t increment);
  // The generator of the key; undefined where the state is our own.
  const at::Generator& shared() const { return shared_; }

 private:
  PhiloxGenerator* clone_impl() const override;
  template <class Own, class Theirs>
  auto with_state(const Own& own, const Theirs& theirs) const;

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
  at::Generator shared_;
};
// A new generator of the device.
at::Generator make_philox(int32_t device);

PhiloxGenerator* default_philox(int32_t device);

}  // namespace torch_fl
