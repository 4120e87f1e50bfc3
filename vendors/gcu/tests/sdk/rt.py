"""topsrt from Python, by ctypes; it needs no PyTorch."""

from __future__ import annotations

import ctypes
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[4]
SDK = ROOT / "vendors" / "gcu" / "sdk"
# TOPS_STANDIN_HOME: a folder where the stand-in is built already.
HOME = pathlib.Path(os.environ.get("TOPS_STANDIN_HOME", ROOT / "build" / "gcu-sdk"))

SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED = 0, 1, 2, 3
INVALID_POINTER, INVALID_DIRECTION, NO_DEVICE, INVALID_DEVICE = 17, 21, 100, 101
INVALID_HANDLE, NOT_READY, PEER_ENABLED, LAUNCH_FAILURE, NOT_SUPPORTED = 400, 600, 704, 719, 801
H2D, D2H, D2D = 1, 2, 3
OK, ALLOC_FAILED, BAD_PARAM, NOT_SUPPORT, INTERNAL_ERROR, RUNTIME_ERROR, EXECUTE_ERROR = range(7)


class Runtime:
    """libtopsrt.so, loaded into this process."""

    def __init__(self) -> None:
        self.rt = ctypes.CDLL(str(HOME / "lib" / "libtopsrt.so"), mode=ctypes.RTLD_GLOBAL)
        self.rt.topsGetErrorString.restype = ctypes.c_char_p
        self.rt.topsGetErrorName.restype = ctypes.c_char_p
        self.rt.topsStandinVersion.restype = ctypes.c_char_p
        for name in ("topsFree", "topsHostFree", "topsIpcCloseMemHandle", "topsHostUnregister"):
            getattr(self.rt, name).argtypes = [ctypes.c_void_p]
        for name in ("topsStreamSynchronize", "topsStreamQuery", "topsStreamDestroy"):
            getattr(self.rt, name).argtypes = [ctypes.c_void_p]
        for name in ("topsEventQuery", "topsEventSynchronize", "topsEventDestroy"):
            getattr(self.rt, name).argtypes = [ctypes.c_void_p]
        self.rt.topsEventRecord.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.rt.topsStreamWaitEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint]
        self.rt.topsMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.rt.topsHostMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
        self.rt.topsHostRegister.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
        self.rt.topsMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.rt.topsMemcpyAsync.argtypes = [*self.rt.topsMemcpy.argtypes, ctypes.c_void_p]
        self.rt.topsMemset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
        self.rt.topsMemsetAsync.argtypes = [*self.rt.topsMemset.argtypes, ctypes.c_void_p]
        self.rt.topsEventElapsedTime.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.rt.topsMemcpyPeer.argtypes = [
            ctypes.c_void_p,
            ctypes.c_int,
            ctypes.c_void_p,
            ctypes.c_int,
            ctypes.c_size_t,
        ]

    def malloc(self, size: int) -> int:
        """Bytes of the current device."""
        pointer = ctypes.c_void_p()
        error = self.rt.topsMalloc(ctypes.byref(pointer), size)
        assert error == SUCCESS, self.rt.topsGetErrorString(error)
        return pointer.value

    def read(self, pointer: int, size: int) -> bytes:
        """Device memory, when the device is done."""
        assert self.rt.topsDeviceSynchronize() == SUCCESS
        made = ctypes.create_string_buffer(size)
        assert self.rt.topsMemcpy(made, pointer, size, D2H) == SUCCESS
        return made.raw

    def write(self, pointer: int, data: bytes) -> None:
        """Puts bytes into device memory."""
        assert self.rt.topsMemcpy(pointer, data, len(data), H2D) == SUCCESS

    def stream(self, flags: int = 1) -> int:
        """A new stream of the current device; not ordered with the default stream."""
        made = ctypes.c_void_p()
        assert self.rt.topsStreamCreateWithFlags(ctypes.byref(made), flags) == SUCCESS
        return made.value

    def event(self, flags: int = 0) -> int:
        """A new event."""
        made = ctypes.c_void_p()
        assert self.rt.topsEventCreateWithFlags(ctypes.byref(made), flags) == SUCCESS
        return made.value
