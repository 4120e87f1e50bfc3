"""The stand-in SDK from Python: topsrt by ctypes, topsaten by the file that `generate.py --calls` writes."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass

import torch
from rt import *  # noqa: F403
from rt import HOME, OK, SDK, SUCCESS, Runtime

_spec = importlib.util.spec_from_file_location("tops_standin_generate", SDK / "generate.py")
generate = importlib.util.module_from_spec(_spec)
sys.modules["tops_standin_generate"] = generate
_spec.loader.exec_module(generate)

DTYPES = {
    torch.int8: 0,
    torch.uint8: 1,
    torch.int16: 2,
    torch.float16: 4,
    torch.bfloat16: 5,
    torch.int32: 6,
    torch.float32: 8,
    torch.int64: 11,
    torch.float64: 13,
    torch.bool: 14,
    torch.complex64: 19,
}


def run(*command: object) -> None:
    """Runs a build step; its output is in the error where it fails."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def build() -> None:
    """Builds the stand-in and the tests' own library, where they are not up to date."""
    if "TOPS_STANDIN_HOME" not in os.environ:
        run("cmake", "-S", SDK, "-B", HOME, f"-DPython3_EXECUTABLE={sys.executable}")
        run("cmake", "--build", HOME, "-j2")
    calls = HOME / "calls.cpp"
    text = generate.render("calls.cpp")
    library = HOME / "lib" / "libtopsaten_calls.so"
    if not calls.exists() or calls.read_text() != text or not library.exists():
        calls.write_text(text)
        include = ["-I", HOME / "include", "-I", HOME / "include" / "gcu"]
        link = ["-L", HOME / "lib", "-ltopsaten", "-ltopsrt", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined"]
        run("g++", "-std=c++17", "-O0", "-Wall", "-shared", "-fPIC", *include, calls, "-o", library, *link)


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("rank", ctypes.c_int64),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("dtype", ctypes.c_int64),
        ("data", ctypes.c_void_p),
    ]


class _List(ctypes.Structure):
    _fields_ = [("count", ctypes.c_size_t), ("items", ctypes.c_void_p)]


class _Number(ctypes.Union):
    _fields_ = [("fval", ctypes.c_double), ("ival", ctypes.c_int64)]


class _Scalar(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("value", _Number)]


@dataclass
class Tensor:
    """A tensor in device memory. `sizes` and `strides` are what the SDK is told."""

    sizes: list[int]
    strides: list[int]
    dtype: torch.dtype
    data: int
    bytes: int

    def described(self, keep: list) -> _Tensor:
        """What topsaten_call takes."""
        sizes = (ctypes.c_int64 * max(1, len(self.sizes)))(*self.sizes)
        strides = (ctypes.c_int64 * max(1, len(self.strides)))(*self.strides)
        keep += [sizes, strides]
        return _Tensor(len(self.sizes), sizes, strides, DTYPES[self.dtype], self.data)


def scalar(value) -> _Scalar:
    """A topsatenScalar_t; None is the absent one."""
    if value is None:
        return _Scalar(-1, _Number(ival=0))
    if isinstance(value, bool):
        return _Scalar(DTYPES[torch.bool], _Number(ival=value))
    if isinstance(value, int):
        return _Scalar(DTYPES[torch.int32], _Number(ival=value))
    return _Scalar(DTYPES[torch.float32], _Number(fval=value))


class Sdk(Runtime):
    """Both libraries, loaded into this process."""

    _calls: ctypes.CDLL | None = None

    @property
    def calls(self) -> ctypes.CDLL:
        """topsaten, initialised."""
        if self._calls is None:
            self._calls = ctypes.CDLL(str(HOME / "lib" / "libtopsaten_calls.so"))
            self._aten = ctypes.CDLL(str(HOME / "lib" / "libtopsaten.so"))
            assert self._aten["_Z12topsatenInitv"]() == OK
        return self._calls

    # --- tensors
    def put(self, value: torch.Tensor) -> Tensor:
        """A contiguous tensor with the values of `value`; one without dimensions becomes one of rank 1."""
        value = value.detach().contiguous()
        if value.dim() == 0:
            value = value.reshape(1)
        made = self.empty(value.shape, value.dtype)
        self.write(made.data, bytes(value.reshape(-1).view(torch.uint8).tolist()))
        return made

    def empty(self, sizes, dtype: torch.dtype) -> Tensor:
        """A tensor that nobody wrote."""
        sizes = list(sizes) or [1]
        strides, step = [0] * len(sizes), 1
        for i in reversed(range(len(sizes))):
            strides[i], step = step, step * sizes[i]
        size = step * dtype.itemsize
        return Tensor(sizes, strides, dtype, self.malloc(max(size, 1)), size)

    def get(self, tensor: Tensor) -> torch.Tensor:
        """The tensor's values on the CPU, when the device is done."""
        raw = bytearray(self.read(tensor.data, tensor.bytes))
        return torch.frombuffer(raw, dtype=tensor.dtype).reshape(tensor.sizes)

    def free(self, *tensors) -> None:
        """Frees tensors, or lists of them."""
        for one in tensors:
            if isinstance(one, list):
                self.free(*one)
            elif isinstance(one, Tensor):
                assert self.rt.topsFree(one.data) == SUCCESS

    # --- ops
    def call(self, op, args: dict, stream: int | None = None) -> int:
        """Calls an op of the table; `args` has the arguments by name. Returns the status."""
        if isinstance(op, str):
            op = find(op)
        keep: list = []
        packed = (ctypes.c_void_p * len(op.params))()
        for i, param in enumerate(op.params):
            made = _pack(param, args.get(param.name), keep)
            keep.append(made)
            packed[i] = ctypes.cast(
                ctypes.pointer(made) if not isinstance(made, ctypes.c_void_p) else made, ctypes.c_void_p
            )
        return self.calls.topsaten_call(NUMBER[id(op)], packed, ctypes.c_void_p(stream))


def _pack(param, value, keep: list):
    """One argument as what its kind is read from."""
    undefined = _Tensor(-1, None, None, 0, None)
    if param.kind == "tensor":
        return value.described(keep) if value is not None else undefined
    if param.kind == "tensors":
        items = [v.described(keep) if v is not None else undefined for v in value or []]
        array = (_Tensor * max(1, len(items)))(*items)
        keep.append(array)
        return _List(len(items), ctypes.cast(array, ctypes.c_void_p))
    if param.kind == "scalar":
        return value if isinstance(value, _Scalar) else scalar(value)
    if param.kind == "scalars":
        items = [scalar(v) for v in value]
        array = (_Scalar * max(1, len(items)))(*items)
        keep.append(array)
        return _List(len(items), ctypes.cast(array, ctypes.c_void_p))
    if param.kind == "sizes":
        value = [value] if isinstance(value, int) else list(value or [])
        array = (ctypes.c_int64 * max(1, len(value)))(*value)
        keep.append(array)
        return _List(len(value), ctypes.cast(array, ctypes.c_void_p))
    if param.kind == "flags":
        return (ctypes.c_int64 * len(value))(*value)
    if param.kind == "real":
        return ctypes.c_double(value)
    if param.kind == "string":
        return ctypes.create_string_buffer(value.encode())
    if param.kind in ("generator", "philox"):
        return (ctypes.c_uint64 * 2)(*(value or (0, 0)))
    if param.kind.startswith("host_"):
        return value
    if param.kind == "dtype":
        return ctypes.c_int64(DTYPES[value] if isinstance(value, torch.dtype) else -1)
    return ctypes.c_int64(int(value or 0))


TABLE = generate.read_table((SDK / "table.yaml").read_text())
OPS = generate.read_ops(TABLE["topsaten"])
NUMBER = {id(op): i for i, op in enumerate(OPS)}


def find(text: str):
    """An op by `name` or `name/number of the call`."""
    name, _, number = text.partition("/")
    return next(op for op in OPS if op.name == name and op.index == int(number or 0))
