// An image for the module functions of the stand-in of HIP; sdk/src/module.cpp says what a kernel looks like.
#include <cstdint>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void scale(const void* const* args, const uint32_t*, const uint32_t block[3], const uint32_t index[3]) {
  float* data = *static_cast<float* const*>(args[0]);
  const float factor = *static_cast<const float*>(args[1]);
  const int count = *static_cast<const int*>(args[2]);
  for (uint32_t i = index[0] * block[0]; i < (index[0] + 1) * block[0]; i++)
    if (static_cast<int>(i) < count) data[i] *= factor;
}

EXPORT const uint32_t scale_arg_sizes[];
const uint32_t scale_arg_sizes[] = {8, 4, 4, 0};
