// Error codes: thread-local last error, names, texts.
#include <pthread.h>
#include <atomic>

#include "standin.h"

namespace tops_standin {
namespace {

thread_local topsError_t last = topsSuccess;
std::atomic<bool> in_child{false};

struct Text {
  topsError_t error;
  const char* name;
  const char* text;
};
const Text texts[] = {
    {topsSuccess, "topsSuccess", "no error"},
    {topsErrorInvalidValue, "topsErrorInvalidValue", "an argument has a value that is not allowed"},
    {topsErrorOutOfMemory, "topsErrorOutOfMemory", "the device has not enough memory"},
    {topsErrorNotInitialized, "topsErrorNotInitialized", "the runtime is not initialised in this process"},
    {topsErrorInvalidDevicePointer, "topsErrorInvalidDevicePointer",
     "the pointer was not allocated in the current device"},
    {topsErrorInvalidMemcpyDirection, "topsErrorInvalidMemcpyDirection", "the copy kind does not fit the pointers"},
    {topsErrorInsufficientDriver, "topsErrorInsufficientDriver", "the driver is too old"},
    {topsErrorNoDevice, "topsErrorNoDevice", "there is no device"},
    {topsErrorInvalidDevice, "topsErrorInvalidDevice", "there is no device of that number"},
    {topsErrorInvalidHandle, "topsErrorInvalidHandle", "the handle is none of the current device"},
    {topsErrorNotReady, "topsErrorNotReady", "the work is not done yet"},
    {topsErrorPeerAccessAlreadyEnabled, "topsErrorPeerAccessAlreadyEnabled", "peer access is enabled already"},
    {topsErrorLaunchFailure, "topsErrorLaunchFailure", "a kernel failed"},
    {topsErrorNotSupported, "topsErrorNotSupported", "not supported"},
    {topsErrorStreamCaptureUnsupported, "topsErrorStreamCaptureUnsupported",
     "not allowed while the stream is captured"},
    {topsErrorStreamCaptureInvalidated, "topsErrorStreamCaptureInvalidated", "the capture was broken by another call"},
    {topsErrorUnknown, "topsErrorUnknown", "unknown error"},
};

}  // namespace

topsError_t remember(topsError_t error) {
  if (error != topsSuccess) last = error;
  return error;
}

bool forked() {
  static const int once = pthread_atfork(nullptr, nullptr, [] { in_child = true; });
  static_cast<void>(once);
  return in_child;
}

}  // namespace tops_standin

using namespace tops_standin;

topsError_t topsGetLastError(void) {
  const topsError_t error = last;
  last = topsSuccess;
  return error;
}

topsError_t topsPeekAtLastError(void) { return last; }

const char* topsGetErrorName(topsError_t error) {
  for (const Text& one : texts) {
    if (one.error == error) return one.name;
  }
  return "topsErrorUnrecognized";
}

const char* topsGetErrorString(topsError_t error) {
  for (const Text& one : texts) {
    if (one.error == error) return one.text;
  }
  return "a status that is not documented";
}
