// An image for the tests of the "module" extension.
#include <cstdint>

extern "C" __attribute__((visibility("default"))) void scale(const void* const* args, const uint32_t grid[3],
                                                             const uint32_t block[3], const uint32_t index[3]) {
  float* data = *static_cast<float* const*>(args[0]);
  const float factor = *static_cast<const float*>(args[1]);
  const int64_t count = *static_cast<const int64_t*>(args[2]);
  const int64_t first = static_cast<int64_t>(index[0]) * block[0];
  for (int64_t i = first; i < first + block[0] && i < count; ++i) data[i] *= factor;
  static_cast<void>(grid);
}

// Not atomic on purpose: two of them at once lose counts.
extern "C" __attribute__((visibility("default"))) void count_up(const void* const* args, const uint32_t*,
                                                                const uint32_t*, const uint32_t*) {
  int64_t* counter = *static_cast<int64_t* const*>(args[0]);
  *counter = *counter + 1;
}
