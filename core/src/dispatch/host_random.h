// Random numbers of the device from the host's generators, which are left as they were.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <mutex>
#include <optional>

namespace torch_fl {

// A generator of the host that is seeded from the (seed, offset) of one of the device, which advances.
at::Generator host_generator(const std::optional<at::Generator>& generator, int32_t device);

// For random ops without a generator argument: the default generator of the host is lent to them and put back.
class LentDefaultGenerator {
 public:
  LentDefaultGenerator(bool needed, int32_t device);
  ~LentDefaultGenerator();
  LentDefaultGenerator(const LentDefaultGenerator&) = delete;
  LentDefaultGenerator& operator=(const LentDefaultGenerator&) = delete;

 private:
  bool needed_;
  at::Tensor saved_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace torch_fl
