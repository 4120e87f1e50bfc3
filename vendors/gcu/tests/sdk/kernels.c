/* Kernels for the module API of the stand-in: vendors/gcu/sdk/src/module.cpp says what one looks like. */
#include <stdint.h>

#define ARGUMENTS \
  const void *const *args, const uint32_t grid[3], const uint32_t block[3], const uint32_t index[3]

/* out[i] = value, for i of this block's share. */
void fill(ARGUMENTS) {
  float *out = *(float *const *)args[0];
  const float value = *(const float *)args[1];
  const int32_t count = *(const int32_t *)args[2];
  (void)block;
  for (int32_t i = (int32_t)index[0]; i < count; i += (int32_t)grid[0]) out[i] = value;
}
const uint32_t fill_arg_sizes[] = {8, 4, 4, 0};

/* out[i] = in[i] + 1 */
void add_one(ARGUMENTS) {
  float *out = *(float *const *)args[0];
  const float *in = *(const float *const *)args[1];
  const int32_t count = *(const int32_t *)args[2];
  (void)block;
  for (int32_t i = (int32_t)index[0]; i < count; i += (int32_t)grid[0]) out[i] = in[i] + 1;
}
const uint32_t add_one_arg_sizes[] = {8, 8, 4, 0};

/* A function without sizes is no kernel. */
void no_sizes(ARGUMENTS) {
  (void)args, (void)grid, (void)block, (void)index;
}
