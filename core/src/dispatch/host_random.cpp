#include "dispatch/host_random.h"

#include <ATen/CPUGeneratorImpl.h>

#include "runtime/runtime.h"

namespace torch_fl {

at::Generator host_generator(const std::optional<at::Generator>& generator, int32_t device) {
  constexpr uint64_t kStep = 4;
  const auto [seed, offset] = reserve_philox(generator, device, kStep);
  thread_local at::Generator host = at::detail::createCPUGenerator();
  // splitmix64 over both, so that neighbouring offsets give unrelated streams.
  uint64_t x = seed + offset * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  host.set_current_seed(x ^ (x >> 31));
  return host;
}

namespace {

// One graph or op at a time has the generator of the process.
std::mutex& lending() {
  static auto* const m = new std::mutex;
  return *m;
}

}  // namespace

LentDefaultGenerator::LentDefaultGenerator(bool needed, int32_t device) : needed_(needed) {
  if (!needed_) return;
  lock_ = std::unique_lock<std::mutex>(lending());
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  std::lock_guard<std::mutex> guard(generator.mutex());
  saved_ = generator.get_state();
  const at::Generator seeded = host_generator(std::nullopt, device);
  generator.set_state(seeded.get_state());
}

LentDefaultGenerator::~LentDefaultGenerator() {
  if (!needed_) return;
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  std::lock_guard<std::mutex> guard(generator.mutex());
  generator.set_state(saved_);
}

}  // namespace torch_fl
