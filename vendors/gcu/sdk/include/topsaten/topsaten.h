// A stand-in for Enflame's topsaten header, for builds without the SDK. Written by generate.py from table.yaml.
#ifndef TOPSATEN_TOPSATEN_H_
#define TOPSATEN_TOPSATEN_H_

#include <topsaten/topsaten_define.h>

// Where ops get their temporaries from; register before topsatenInit(). section 1.3, ancestor 3.2
TOPSATEN_EXPORT topsatenStatus_t topsatenMallocFuncRegister(topsError_t (*function)(void** ptr, size_t size));
TOPSATEN_EXPORT topsatenStatus_t topsatenFreeFuncRegister(topsError_t (*function)(void* ptr));
TOPSATEN_EXPORT topsatenStatus_t topsatenMallocAsyncFuncRegister(topsError_t (*function)(void** ptr, size_t size,
                                                                                         topsStream_t stream,
                                                                                         uint64_t flags));
TOPSATEN_EXPORT topsatenStatus_t topsatenFreeAsyncFuncRegister(topsError_t (*function)(void* ptr, topsStream_t stream));

// Once per process, before the first op. section 1.3
TOPSATEN_EXPORT topsatenStatus_t topsatenInit();
TOPSATEN_EXPORT topsatenStatus_t topsatenFinalize();

namespace topsaten {
TOPSATEN_EXPORT topsatenStatus_t topsatenSetDeterministicMode(bool on);  // section 1.3
}  // namespace topsaten

#endif  // TOPSATEN_TOPSATEN_H_
