"""A call on the host and the same call on the device, compared in everything that a caller can see.

Where the device is one of PyTorch's own too, the call is compared with that one, bit for bit where it can be: "on the
host" below is then on it.

The device's arguments are rebuilt storage by storage, so that views of one storage stay views of one storage, with the
same offsets, strides, conj and neg bits, on the device.
"""

import contextlib
import dataclasses
import warnings

import torch
from torch.utils import _pytree as pytree

from harness.device import DEV, QUEUES, REFERENCE, TYPE, synchronize

# rtol, atol of a result whose last rounding may differ.
TOLERANCES = {
    torch.float64: (1e-7, 1e-7),
    torch.complex128: (1e-7, 1e-7),
    torch.float32: (1e-5, 1e-5),
    torch.complex64: (1e-5, 1e-5),
    torch.complex32: (1e-2, 1e-2),
    torch.float16: (2e-3, 2e-3),
    torch.bfloat16: (1.6e-2, 1e-2),
}


class Mover:
    """Copies tensors to another device; tensors that share a storage share one there too."""

    def __init__(self, device):
        self.device = torch.device(device)
        self._storages: dict[int, torch.UntypedStorage] = {}
        self._tensors: dict[int, torch.Tensor] = {}
        self._kept = []  # ids are only good while the objects live

    def _storage(self, storage: torch.UntypedStorage) -> torch.UntypedStorage:
        if storage._cdata not in self._storages:
            flat = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
            copy = torch.empty(storage.nbytes(), dtype=torch.uint8, device=self.device).copy_(flat)
            self._storages[storage._cdata] = copy.untyped_storage()
        return self._storages[storage._cdata]

    def _strided(self, t: torch.Tensor) -> torch.Tensor:
        moved = torch.empty(0, dtype=t.dtype, device=self.device)
        moved.set_(self._storage(t.untyped_storage()), t.storage_offset(), t.size(), t.stride())
        if t.is_conj():
            torch._C._set_conj(moved, True)
        if t.is_neg():
            torch._C._set_neg(moved, True)
        return moved

    def tensor(self, t: torch.Tensor) -> torch.Tensor:
        if t.device.type == "meta":
            return t
        if id(t) in self._tensors:
            return self._tensors[id(t)]
        with torch.no_grad():
            plain = t.layout == torch.strided and not (t.is_nested or t.is_quantized or t._is_zerotensor())
            moved = self._strided(t.detach()) if plain else t.detach().to(self.device, copy=True)
        if isinstance(t, torch.nn.Parameter):
            moved = torch.nn.Parameter(moved, t.requires_grad)
        else:
            moved.requires_grad_(t.requires_grad)
        self._tensors[id(t)] = moved
        self._kept.append(t)
        return moved

    def tree(self, value):
        """Moves every tensor, generator, device and device name in a structure; all else stays as it is."""

        def move(x):
            if isinstance(x, torch.Tensor):
                return self.tensor(x)
            # What OpInfo asks of other devices (`like=..., device="cuda"`) is asked of this one.
            if isinstance(x, torch.device) and x.type in ("cpu", REFERENCE.type):
                return self.device
            if isinstance(x, str) and x.split(":")[0] in ("cpu", REFERENCE.type):
                return str(self.device)
            if isinstance(x, torch.Generator):
                return torch.Generator(self.device).manual_seed(x.initial_seed())
            return x

        return pytree.tree_map(move, value)


def move(value, device=DEV):
    """A copy of a structure of tensors on ``device``."""
    return Mover(device).tree(value)


@dataclasses.dataclass
class Call:
    """What a call did: its result or its error, and its arguments afterwards."""

    result: object = None
    error: BaseException | None = None
    arguments: object = None
    warned: list[str] = dataclasses.field(default_factory=list)


def call(fn, arguments) -> Call:
    """Runs fn(*args, **kwargs); ``arguments`` is (args, kwargs)."""
    out = Call(arguments=arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out.result = fn(*arguments[0], **arguments[1])
            if QUEUES:
                synchronize()  # what queued work finds wrong is raised here
        except Exception as error:
            out.error = error
    out.warned = [str(w.message) for w in caught]
    return out


def _significant_strides(t: torch.Tensor) -> list[int]:
    return [s for n, s in zip(t.shape, t.stride(), strict=True) if n > 1] if t.numel() else []


def assert_tensor(got: torch.Tensor, want: torch.Tensor, what: str = "result", values=True, strides=True, tol=None):
    """``got`` is on the device and equals the host tensor ``want`` in dtype, shape, layout, strides and values."""
    assert got.device.type == TYPE, f"{what} is on {got.device}"
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, on the host {want.dtype}"
    assert got.shape == want.shape, f"{what}: shape {tuple(got.shape)}, on the host {tuple(want.shape)}"
    assert got.layout == want.layout, f"{what}: layout {got.layout}, on the host {want.layout}"
    got, want = got.detach(), want.detach()
    if got.layout != torch.strided:
        if values:
            pair = [t.to_dense() if t.layout != torch.strided else t for t in (got.cpu(), want)]
            _assert_values(*pair, what, tol)
        return
    if strides:
        assert _significant_strides(got) == _significant_strides(want), (
            f"{what}: strides {got.stride()}, on the host {want.stride()} (shape {tuple(got.shape)})"
        )
        assert got.is_conj() == want.is_conj() and got.is_neg() == want.is_neg(), f"{what}: another conj or neg bit"
    if values:
        _assert_values(got.cpu(), want, what, tol)


def _assert_values(got, want, what, tol):
    if want.is_quantized:
        got, want = got.dequantize(), want.dequantize()
    if want.dtype == torch.complex32:  # has no comparison
        got, want = torch.view_as_real(got.resolve_conj()), torch.view_as_real(want.resolve_conj())
    if torch.equal(got, want):
        return
    rtol, atol = TOLERANCES.get(want.dtype, (0, 0))
    if tol is not None and want.dtype in TOLERANCES:
        rtol, atol = max(rtol, tol[0]), max(atol, tol[1])
    torch.testing.assert_close(
        got, want, rtol=rtol, atol=atol, equal_nan=True, check_stride=False, msg=lambda text: f"{what}: {text}"
    )


def assert_tree(got, want, what="result", **options):
    """Structures of the same form, with equal leaves."""
    got_leaves, got_spec = pytree.tree_flatten(got)
    want_leaves, want_spec = pytree.tree_flatten(want)
    assert len(got_leaves) == len(want_leaves), f"{what}: {got_spec}, on the host {want_spec}"
    for i, (g, w) in enumerate(zip(got_leaves, want_leaves, strict=True)):
        name = what if len(want_leaves) == 1 else f"{what}[{i}]"
        if isinstance(w, torch.Tensor):
            assert isinstance(g, torch.Tensor), f"{name}: {type(g)}, on the host a tensor"
            assert_tensor(g, w, name, **options)
        elif isinstance(w, torch.device) or w in ("cpu", str(REFERENCE)):
            assert torch.device(g).type == TYPE, f"{name}: {g}"
        elif isinstance(w, float | complex) and options.get("values", True):
            torch.testing.assert_close(g, w, equal_nan=True, msg=lambda text, name=name: f"{name}: {text}")
        elif options.get("values", True) and isinstance(w, int | bool | str | torch.dtype | torch.Size):
            assert g == w, f"{name}: {g!r}, on the host {w!r}"
        else:
            assert type(g) is type(w), f"{name}: {type(g)}, on the host {type(w)}"


def _storages(value) -> list[int | None]:
    leaves = [t for t in pytree.tree_leaves(value) if isinstance(t, torch.Tensor)]
    return [t.untyped_storage()._cdata if t.layout == torch.strided and not t.is_nested else None for t in leaves]


def aliases(result, arguments) -> list[int]:
    """For each tensor of the result: the first argument with which it shares a storage, or -1."""
    given = _storages(arguments)
    return [given.index(s) if s is not None and s in given else -1 for s in _storages(result)]


def assert_same_error(got: Call, want: Call) -> None:
    """Both calls raised, and the same type of exception.

    A kernel that finds an index out of range makes an IndexError (vendor.h); a few of PyTorch's host kernels raise a
    RuntimeError for it.
    """
    assert got.error is not None, f"no error on the device; on the host {type(want.error).__name__}: {want.error}"
    same = type(got.error) is type(want.error)
    if isinstance(got.error, IndexError) and type(want.error) is RuntimeError:
        same = "out of bounds" in str(got.error) and "out of bounds" in str(want.error)
    assert same, (
        f"{type(got.error).__name__} on the device, {type(want.error).__name__} on the host:\n"
        f"device: {got.error}\nhost: {want.error}"
    )


def concerns_device(arguments) -> bool:
    """The call has a tensor or a device among its arguments; else its result is on the host by right."""
    leaves = pytree.tree_leaves(arguments)
    return any(isinstance(x, torch.Tensor | torch.device) or (isinstance(x, str) and x == "cpu") for x in leaves)


_against = REFERENCE


@contextlib.contextmanager
def against(device: torch.device):
    """What calls are compared with in the meantime, in the place of REFERENCE."""
    global _against
    before, _against = _against, device
    try:
        yield
    finally:
        _against = before


def both(fn, arguments, device=DEV, device_fn=None) -> tuple[Call, Call]:
    """(device's call, host's call) of fn on ``arguments`` = (args, kwargs), host tensors that neither call changes."""
    host_args = move(arguments, _against)
    device_args = move(arguments, device)
    want = call(fn, host_args)
    got = call(device_fn or fn, device_args)
    if _against.type != "cpu" and isinstance(want.error, NotImplementedError) and got.error is None:
        # What it has no kernel for, the host serves.
        with against(torch.device("cpu")):
            return both(fn, arguments, device, device_fn)
    if _against.type != "cpu":  # together, so that what shares memory goes on sharing it
        want.result, want.arguments = move((want.result, want.arguments), "cpu")
    return got, want


def assert_same_call(fn, arguments, values=True, strides=True, tol=None, device_fn=None) -> Call:
    """fn does on the device what it does on the host: result or error, arguments afterwards, aliasing.

    Returns the host's call.
    """
    got, want = both(fn, arguments, device_fn=device_fn)
    if want.error is not None:
        assert_same_error(got, want)
        return want
    if got.error is not None:
        raise got.error
    assert_tree(got.result, want.result, values=values, strides=strides, tol=tol)
    assert_tree(got.arguments, want.arguments, "argument", values=values, strides=strides, tol=tol)
    assert aliases(got.result, got.arguments) == aliases(want.result, want.arguments), "other arguments are aliased"
    return want


def close(got, want, **tolerances):
    """``got`` is on the device and equals ``want`` (a host tensor, a list or a number) in shape, dtype and value."""
    assert got.device.type == TYPE, f"the result is on {got.device}"
    if not isinstance(want, torch.Tensor):
        want = torch.tensor(want, dtype=got.dtype)
    torch.testing.assert_close(got.detach().cpu(), want.detach().cpu(), equal_nan=True, **tolerances)


def same(fn, *args, **tolerances):
    """fn on host copies and on device copies of ``args`` gives equal tensors. Returns the device's."""
    put = lambda a, device: a.clone().to(device) if isinstance(a, torch.Tensor) else a  # noqa: E731
    want = fn(*[put(a, "cpu") for a in args])
    got = fn(*[put(a, DEV) for a in args])
    for g, w in zip(pytree.tree_leaves(got), pytree.tree_leaves(want), strict=True):
        close(g, w, **tolerances)
    return got


def same_grads(fn, *args, **tolerances):
    """As same(), and the gradients of every floating argument under a fixed, non-uniform cotangent."""

    def run(*xs):
        xs = [x.requires_grad_() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in xs]
        out = fn(*xs)
        cotangent = (torch.arange(out.numel(), dtype=torch.float32) % 7 - 3).view(out.shape)
        out.backward(cotangent.to(out.device, out.dtype))
        return [out] + [x.grad for x in xs if isinstance(x, torch.Tensor) and x.requires_grad]

    same(run, *args, **tolerances)
