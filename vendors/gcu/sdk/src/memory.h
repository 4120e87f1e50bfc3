// The memory of the devices.
#pragma once

#include "standin.h"

namespace tops_standin {

// Bytes that a device has.
size_t memory_of(int device);
// Frees everything of a device.
void release_all(int device);
// Frees an allocation; 0 is no error.
topsError_t release(void* pointer, int device);
// Whether the bytes are page-locked host memory.
bool pinned(const void* pointer);

}  // namespace tops_standin
