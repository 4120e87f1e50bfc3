// Functions of newer SDKs that the public header lacks, for the library alone. Written by generate.py from table.yaml.
// A vendor looks them up by their name, and declares what it needs itself.
#ifndef TOPS_STANDIN_NEWER_H_
#define TOPS_STANDIN_NEWER_H_

#include <tops/tops_runtime_api.h>

extern "C" {

// section 1.2, newer SDK; names and numbers by analogy with HIP
enum topsStreamCaptureMode {
  topsStreamCaptureModeGlobal = 0,
  topsStreamCaptureModeThreadLocal = 1,
  topsStreamCaptureModeRelaxed = 2
};

// section 1.2, newer SDK; names and numbers by analogy with HIP
enum topsStreamCaptureStatus {
  topsStreamCaptureStatusNone = 0,
  topsStreamCaptureStatusActive = 1,
  topsStreamCaptureStatusInvalidated = 2
};

typedef void* topsGraph_t;
typedef void* topsGraphExec_t;
typedef void (*topsHostFn_t)(void* userData);

// section 1.2
__attribute__((visibility("default"))) topsError_t topsLaunchHostFunc(topsStream_t stream, topsHostFn_t fn,
    void* userData);
// section 1.2
__attribute__((visibility("default"))) topsError_t topsStreamBeginCapture(topsStream_t stream,
    topsStreamCaptureMode mode);
// section 1.2
__attribute__((visibility("default"))) topsError_t topsStreamEndCapture(topsStream_t stream, topsGraph_t* graph);
// section 1.2
__attribute__((visibility("default"))) topsError_t topsStreamIsCapturing(topsStream_t stream,
    topsStreamCaptureStatus* status);
// section 1.2
__attribute__((visibility("default"))) topsError_t topsGraphInstantiate(topsGraphExec_t* exec, topsGraph_t graph,
    void* errorNode, char* logBuffer, size_t bufferSize);
// section 1.2
__attribute__((visibility("default"))) topsError_t topsGraphLaunch(topsGraphExec_t exec, topsStream_t stream);
// section 1.2
__attribute__((visibility("default"))) topsError_t topsGraphDestroy(topsGraph_t graph);
// section 1.2
__attribute__((visibility("default"))) topsError_t topsGraphExecDestroy(topsGraphExec_t exec);

}  // extern "C"

#endif  // TOPS_STANDIN_NEWER_H_
