// Copies and fills. A device pointer resolves in the current device alone: what is read through another device's
// pointer is zeros, silently (ancestor 3.1); what is written through it is refused.
#include <cstring>

#include "memory.h"
#include "standin.h"
#include "stream.h"

namespace tops_standin {
namespace {

// One end of a copy.
struct End {
  bool device = false;
  bool foreign = false;  // device memory of a device that is not `current`
  char* host = nullptr;
  size_t capacity = 0;
  uint64_t allocation = 0;
};

End look(const void* pointer, int current) {
  End end;
  const Place place = resolve(pointer);
  if (place.host == nullptr) {
    end.host = const_cast<char*>(static_cast<const char*>(pointer));
    return end;
  }
  end.device = true;
  end.foreign = place.device != current;
  end.host = place.host;
  end.capacity = place.capacity;
  end.allocation = place.allocation;
  return end;
}

struct Copy {
  End to;
  End from;
  size_t bytes;

  topsError_t operator()() const {
    if ((to.device && !alive(to.allocation)) || (from.device && !alive(from.allocation))) {
      explain("a copy uses memory that was freed before it ran");
      return topsErrorLaunchFailure;
    }
    if (from.foreign) {
      std::memset(to.host, 0, bytes);
    } else {
      std::memmove(to.host, from.host, bytes);
    }
    return topsSuccess;
  }
};

topsError_t check(const Copy& copy, topsMemcpyKind kind) {
  const bool to_device = kind == topsMemcpyHostToDevice || kind == topsMemcpyDeviceToDevice;
  const bool from_device = kind == topsMemcpyDeviceToHost || kind == topsMemcpyDeviceToDevice;
  if (kind < topsMemcpyHostToHost || kind > topsMemcpyDefault) return topsErrorInvalidMemcpyDirection;
  if (kind != topsMemcpyDefault && (to_device != copy.to.device || from_device != copy.from.device)) {
    explain("a copy of kind %d has a %s destination and a %s source", kind, copy.to.device ? "device" : "host",
            copy.from.device ? "device" : "host");
    return topsErrorInvalidMemcpyDirection;
  }
  if (copy.to.host == nullptr || copy.from.host == nullptr) return topsErrorInvalidValue;
  if (copy.to.foreign) {
    explain("a copy writes memory that was not allocated in the current device");
    return topsErrorInvalidDevicePointer;
  }
  if ((copy.to.device && copy.bytes > copy.to.capacity) || (copy.from.device && copy.bytes > copy.from.capacity)) {
    explain("a copy of %zu bytes passes the end of an allocation", copy.bytes);
    return topsErrorInvalidValue;
  }
  return topsSuccess;
}

topsError_t start(Copy copy, topsMemcpyKind kind, topsStream_t stream, const char* name, bool wait) {
  if (settings().null || copy.bytes == 0) return topsSuccess;
  if (topsError_t error = check(copy, kind)) return error;
  auto on = find_stream(stream);
  if (on == nullptr || on->device() != current_device()) {
    explain("%s: the stream is none of the current device %d", name, current_device());
    return topsErrorInvalidHandle;
  }
  if (on->captured() != nullptr && wait) return topsErrorStreamCaptureUnsupported;
  submit(on, Work::other, name, copy);
  return wait ? on->drain() : topsSuccess;
}

topsError_t copy(void* dst, const void* src, size_t bytes, topsMemcpyKind kind, topsStream_t stream, const char* name,
                 bool wait) {
  const int current = current_device();
  return remember(start({look(dst, current), look(src, current), bytes}, kind, stream, name, wait));
}

topsError_t peer_copy(void* dst, int dst_device, const void* src, int src_device, size_t bytes, topsStream_t stream,
                      const char* name, bool wait) {
  if (dst_device < 0 || src_device < 0 || dst_device >= device_count() || src_device >= device_count()) {
    return remember(topsErrorInvalidDevice);
  }
  if (settings().null || bytes == 0) return topsSuccess;
  Copy copy{look(dst, dst_device), look(src, src_device), bytes};
  if (!copy.to.device || !copy.from.device || copy.to.foreign || copy.from.foreign) {
    explain("%s: a pointer was not allocated in the device that is named for it", name);
    return remember(topsErrorInvalidDevicePointer);
  }
  if (topsError_t error = check(copy, topsMemcpyDeviceToDevice)) return remember(error);
  auto on = find_stream(stream);
  if (on == nullptr || (on->device() != dst_device && on->device() != src_device)) {
    return remember(topsErrorInvalidHandle);
  }
  submit(on, Work::other, name, copy);
  return remember(wait ? on->drain() : topsSuccess);
}

topsError_t fill(void* dst, uint32_t value, size_t width, size_t count, topsStream_t stream, bool wait) {
  const size_t bytes = width * count;
  if (settings().null || bytes == 0) return topsSuccess;
  const End to = look(dst, current_device());
  if (!to.device || to.foreign) {
    explain("topsMemset: %p was not allocated in the current device %d", dst, current_device());
    return remember(topsErrorInvalidDevicePointer);
  }
  if (bytes > to.capacity) return remember(topsErrorInvalidValue);
  auto on = find_stream(stream);
  if (on == nullptr || on->device() != current_device()) return remember(topsErrorInvalidHandle);
  submit(on, Work::other, "topsMemset", [=] {
    if (!alive(to.allocation)) return topsErrorLaunchFailure;
    for (size_t i = 0; i < count; ++i) std::memcpy(to.host + i * width, &value, width);
    return topsSuccess;
  });
  return remember(wait ? on->drain() : topsSuccess);
}

}  // namespace
}  // namespace tops_standin

using namespace tops_standin;

topsError_t topsMemcpy(void* dst, const void* src, size_t sizeBytes, topsMemcpyKind kind) {
  return copy(dst, src, sizeBytes, kind, nullptr, "topsMemcpy", true);
}
topsError_t topsMemcpyAsync(void* dst, const void* src, size_t sizeBytes, topsMemcpyKind kind, topsStream_t stream) {
  return copy(dst, src, sizeBytes, kind, stream, "topsMemcpyAsync", false);
}
topsError_t topsMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t sizeBytes) {
  return peer_copy(dst, dstDevice, src, srcDevice, sizeBytes, nullptr, "topsMemcpyPeer", true);
}
topsError_t topsMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t sizeBytes,
                                topsStream_t stream) {
  return peer_copy(dst, dstDevice, src, srcDevice, sizeBytes, stream, "topsMemcpyPeerAsync", false);
}
topsError_t topsMemcpyHtoD(topsDeviceptr_t dst, void* src, size_t sizeBytes) {
  return topsMemcpy(dst, src, sizeBytes, topsMemcpyHostToDevice);
}
topsError_t topsMemcpyDtoH(void* dst, topsDeviceptr_t src, size_t sizeBytes) {
  return topsMemcpy(dst, src, sizeBytes, topsMemcpyDeviceToHost);
}
topsError_t topsMemcpyDtoD(topsDeviceptr_t dst, topsDeviceptr_t src, size_t sizeBytes) {
  return topsMemcpy(dst, src, sizeBytes, topsMemcpyDeviceToDevice);
}
topsError_t topsMemcpyHtoDAsync(topsDeviceptr_t dst, void* src, size_t sizeBytes, topsStream_t stream) {
  return topsMemcpyAsync(dst, src, sizeBytes, topsMemcpyHostToDevice, stream);
}
topsError_t topsMemcpyDtoHAsync(void* dst, topsDeviceptr_t src, size_t sizeBytes, topsStream_t stream) {
  return topsMemcpyAsync(dst, src, sizeBytes, topsMemcpyDeviceToHost, stream);
}
topsError_t topsMemcpyDtoDAsync(topsDeviceptr_t dst, topsDeviceptr_t src, size_t sizeBytes, topsStream_t stream) {
  return topsMemcpyAsync(dst, src, sizeBytes, topsMemcpyDeviceToDevice, stream);
}

topsError_t topsMemset(void* dst, int value, size_t sizeBytes) {
  return fill(dst, static_cast<uint32_t>(value), 1, sizeBytes, nullptr, true);
}
topsError_t topsMemsetAsync(void* dst, int value, size_t sizeBytes, topsStream_t stream) {
  return fill(dst, static_cast<uint32_t>(value), 1, sizeBytes, stream, false);
}
topsError_t topsMemsetD8(topsDeviceptr_t dest, unsigned char value, size_t count) {
  return fill(dest, value, 1, count, nullptr, true);
}
topsError_t topsMemsetD8Async(topsDeviceptr_t dest, unsigned char value, size_t count, topsStream_t stream) {
  return fill(dest, value, 1, count, stream, false);
}
topsError_t topsMemsetD16(topsDeviceptr_t dest, unsigned short value, size_t count) {
  return fill(dest, value, 2, count, nullptr, true);
}
topsError_t topsMemsetD16Async(topsDeviceptr_t dest, unsigned short value, size_t count, topsStream_t stream) {
  return fill(dest, value, 2, count, stream, false);
}
topsError_t topsMemsetD32(topsDeviceptr_t dest, int value, size_t count) {
  return fill(dest, static_cast<uint32_t>(value), 4, count, nullptr, true);
}
topsError_t topsMemsetD32Async(topsDeviceptr_t dest, int value, size_t count, topsStream_t stream) {
  return fill(dest, static_cast<uint32_t>(value), 4, count, stream, false);
}
