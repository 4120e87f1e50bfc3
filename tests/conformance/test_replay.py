"""Launch replay: calls of a package's function that are done again without it.

The kernels here are C, compiled for the simulated device, whose `module` extension loads shared objects; those of
FlagGems are in test_flaggems.py.
"""

import shutil
import struct
import subprocess
import threading

import pytest
import torch
from harness import child
from harness.device import DEV, SELF_CHECK, needs_device, vendor_name

if not SELF_CHECK:
    import torch_fl
    from torch_fl import _C, _packages

pytestmark = [
    needs_device,
    pytest.mark.skipif(
        not SELF_CHECK and vendor_name() != "sim", reason="the kernels are made for the simulated device"
    ),
    pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ to compile a kernel with"),
]

# out[i] = x[i] * factor + plus[i], plus may be null.
SOURCE = """
#include <cstdint>
extern "C" __attribute__((visibility("default"))) void affine(const void* const* args, const uint32_t grid[3],
                                                              const uint32_t block[3], const uint32_t index[3]) {
  const float* x = *(const float* const*)args[0];
  const float* plus = *(const float* const*)args[1];
  float* out = *(float* const*)args[2];
  const float factor = *(const float*)args[3];
  const int32_t n = *(const int32_t*)args[4];
  for (int64_t i = (int64_t)index[0] * block[0]; i < (int64_t)(index[0] + 1) * block[0] && i < n; i++)
    out[i] = x[i] * factor + (plus ? plus[i] : 0);
}
"""
BLOCK = 4


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "affine.cpp").write_text(SOURCE)
    subprocess.run(["g++", "-shared", "-fPIC", "-O1", "affine.cpp", "-o", "affine.so"], cwd=folder, check=True)
    return folder / "affine.so"


@pytest.fixture(scope="module")
def kernel(image):
    return _C.load_kernel(0, image.read_bytes(), "affine")


class Affine:
    """Launches the kernel, and counts its calls."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.calls = 0

    def launch(self, x, factor, out, plus=None):
        n = x.numel()

        def pointer(t):
            return struct.pack("<Q", 0 if t is None else t.data_ptr()), True

        values = [pointer(x), pointer(plus), pointer(out), (struct.pack("<f", factor), False)]
        values.append((struct.pack("<i", n), False))
        _C.launch_kernel(x.device.index, self.kernel, [-(-n // BLOCK), 1, 1], [BLOCK, 1, 1], 0, values)
        return out

    def mul(self, x, y):
        self.calls += 1
        return self.launch(x, float(y), torch.empty_like(x))

    def exp(self, x):  # 4 x, in two launches over a temporary
        self.calls += 1
        half = self.launch(x, 2.0, torch.empty_like(x))
        return self.launch(half, 2.0, torch.empty_like(x))

    def relu_(self, x):  # x + x
        self.calls += 1
        return self.launch(x, 1.0, x, plus=x)


@pytest.fixture
def affine(kernel):
    made = Affine(kernel)
    entered = []

    def route(**functions):
        functions = {name.replace("__", "."): function for name, function in functions.items()}
        assert _packages.offer("tileops", functions, functions.__getitem__) == []
        entered.append(torch_fl.routes(dict.fromkeys(functions, "tileops")))
        entered[-1].__enter__()
        return made

    made.route = route
    yield made
    for routes in reversed(entered):
        routes.__exit__(None, None, None)
    _packages.offer("tileops", [], None)
    _C.set_replay_audit(0)
    _C.allow_replay(True)


def data(*shape):
    return torch.randn(shape).to(DEV)


def test_the_third_call_and_later_ones_need_no_function(affine):
    affine.route(mul__Tensor=affine.mul)
    for turn in range(10):
        x = data(3, 5)
        torch.testing.assert_close((x * 2.5).cpu(), x.cpu() * 2.5)
        assert affine.calls == min(turn + 1, 3)
    stats = _C.replay_stats()["mul.Tensor"]
    assert stats["replays"] >= 7 and stats["templates"] >= 1


def test_numbers_are_not_mixed_up(affine):
    affine.route(mul__Tensor=affine.mul)
    for _ in range(6):
        for factor in (2.0, 3.0, -1.5):
            x = data(7)
            torch.testing.assert_close((x * factor).cpu(), x.cpu() * factor)
    assert affine.calls == 9


def test_shapes_and_places_are_not_mixed_up(affine):
    affine.route(mul__Tensor=affine.mul)
    base = data(64)
    for _ in range(6):
        for first, count in ((0, 8), (1, 8), (4, 8), (4, 9)):
            x = base[first : first + count]
            torch.testing.assert_close((x * 2.0).cpu(), x.cpu() * 2)


def test_temporaries(affine):
    affine.route(exp=affine.exp)
    kept = []
    for _ in range(8):
        x = data(33)
        y = x.exp()
        torch.testing.assert_close(y.cpu(), x.cpu() * 4)
        kept.append((x, y))
    assert affine.calls == 3
    for x, y in kept:
        torch.testing.assert_close(y.cpu(), x.cpu() * 4)


def test_in_place(affine):
    affine.route(relu_=affine.relu_)
    for _ in range(6):
        x = data(9)
        want = x.cpu() * 2
        assert x.relu_() is x
        torch.testing.assert_close(x.cpu(), want)
    assert affine.calls == 3


@pytest.mark.parametrize(
    "reason,also",
    [
        ("more than launch", lambda x: torch.nonzero(x)),
        ("more than launch", lambda x: x.sum().item()),
        ("more than launch", lambda x: x.cpu()),
        ("more than launch", lambda x: torch.rand(1, device=x.device)),
    ],
    ids=["size", "number", "copy", "random"],
)
def test_what_may_not_repeat_is_not_replayed(affine, reason, also):
    def mul(x, y):
        also(x)
        return affine.mul(x, y)

    affine.route(mul__Tensor=mul)
    for _ in range(6):
        x = data(4)
        torch.testing.assert_close((x * 2.0).cpu(), x.cpu() * 2)
    assert affine.calls == 6
    assert any(reason in why for why in _C.replay_stats()["mul.Tensor"]["refused"])


def test_a_pointer_of_unknown_origin_is_not_replayed(affine):
    own = data(4)
    affine.route(mul__Tensor=lambda x, y: affine.launch(x, 1.0, torch.empty_like(x), plus=own))
    for _ in range(5):
        x = data(4)
        torch.testing.assert_close((x * 2.0).cpu(), x.cpu() + own.cpu())
    assert any("known" in why for why in _C.replay_stats()["mul.Tensor"]["refused"])


def test_a_result_that_is_a_view_is_not_replayed(affine):
    affine.route(exp=lambda x: affine.launch(x, 1.0, torch.empty(2 * x.numel(), device=x.device)[: x.numel()]))
    for _ in range(5):
        x = data(4)
        torch.testing.assert_close(x.exp().cpu(), x.cpu())


def test_a_result_within_more_memory_has_it_all(affine):
    def exp(x):
        room = torch.empty(3 * x.numel(), device=x.device)
        affine.launch(x, 1.0, room[x.numel() : 2 * x.numel()])
        return affine.launch(room[x.numel() : 2 * x.numel()], 2.0, room[: x.numel()])

    affine.route(exp=exp)
    for _ in range(6):
        x = data(300)
        y = x.exp()
        assert y.untyped_storage().nbytes() == 3 * x.nbytes
        torch.testing.assert_close(y.cpu(), x.cpu() * 2)
    assert _C.replay_stats()["exp"]["replays"] >= 3


def test_what_changes_between_calls_is_not_replayed(affine):
    turn = iter(range(100))
    affine.route(exp=lambda x: affine.launch(x, float(next(turn)), torch.empty_like(x)))
    for n in range(8):
        x = data(4)
        torch.testing.assert_close(x.exp().cpu(), x.cpu() * n)


def test_an_audit_finds_a_function_that_has_changed(affine):
    factor = [2.0]
    affine.route(exp=lambda x: affine.launch(x, factor[0], torch.empty_like(x)))
    for _ in range(4):
        data(4).exp()
    _C.set_replay_audit(1)
    factor[0] = 3.0
    x = data(4)
    with pytest.warns(UserWarning, match="not what its function does now"):
        y = x.exp()
    torch.testing.assert_close(y.cpu(), x.cpu() * 3)
    _C.set_replay_audit(0)
    torch.testing.assert_close(x.exp().cpu(), x.cpu() * 3)


def test_replay_can_be_forbidden(affine):
    affine.route(mul__Tensor=affine.mul)
    for _ in range(5):
        data(4) * 2.0
    _C.allow_replay(False)
    before = affine.calls
    data(4) * 2.0
    assert affine.calls == before + 1
    _C.allow_replay(True)
    data(4) * 2.0
    assert affine.calls == before + 1


def test_replay_that_is_switched_off_stays_off(affine):
    affine.route(mul__Tensor=affine.mul)
    for _ in range(5):
        data(4) * 2.0
    before = affine.calls
    _C.switch_replay(False)
    try:
        _C.allow_replay(False)
        _C.allow_replay(True)
        data(4) * 2.0
    finally:
        _C.switch_replay(True)
    assert affine.calls == before + 1
    data(4) * 2.0
    assert affine.calls == before + 1


IN_A_CHILD = """
import pathlib, struct
from torch_fl import _C, _packages

kernel = _C.load_kernel(0, pathlib.Path({path!r}).read_bytes(), "affine")
calls = []

def exp(x):
    calls.append(1)
    out = torch.empty_like(x)
    values = [(struct.pack("<Q", p), True) for p in (x.data_ptr(), 0, out.data_ptr())]
    values += [(struct.pack("<f", 2.0), False), (struct.pack("<i", 4), False)]
    _C.launch_kernel(0, kernel, [1, 1, 1], [4, 1, 1], 0, values)
    return out

assert _packages.offer("tileops", ["exp"], lambda op: exp) == []
with torch_fl.routes({{"exp": "tileops"}}):
    for _ in range(9):
        assert torch.ones(4, device=DEV).exp().tolist() == [2] * 4
stats = torch_fl.replay_stats().get("exp")
print("RESULT", len(calls), stats.replays, stats.audits, torch_fl.replay_stats().total.mismatches)
"""


@pytest.mark.parametrize(
    ("variables", "calls", "replays", "audits"),
    [
        ({}, 3, 6, 0),
        ({"FLAGOS_REPLAY": "0"}, 9, 0, 0),
        ({"FLAGOS_REPLAY": "1", "FLAGOS_REPLAY_AUDIT": "1"}, 9, 0, 6),
        ({"FLAGOS_REPLAY_AUDIT": "0"}, 3, 6, 0),
    ],
    ids=["default", "off", "audit", "no audit"],
)
def test_variables(image, variables, calls, replays, audits):
    done = child.run(IN_A_CHILD.format(path=str(image)), variables)
    assert f"RESULT {calls} {replays} {audits} 0" in done.stdout, done.stdout + done.stderr


def test_out_of_another_size_is_sized_before_a_replay(affine):
    affine.route(exp__out=lambda x, *, out: affine.launch(x, 2.0, out))
    for _ in range(6):
        out = torch.empty(0, device=DEV)
        x = data(5)
        torch.exp(x, out=out)
        torch.testing.assert_close(out.cpu(), x.cpu() * 2)


def test_lists(affine):
    def cat(tensors, dim=0):
        affine.calls += 1
        out = torch.empty(sum(t.numel() for t in tensors), device=tensors[0].device)
        first = 0
        for t in tensors:
            affine.launch(t, 1.0, out[first : first + t.numel()])
            first += t.numel()
        return out

    affine.route(cat=cat)
    for _ in range(6):
        parts = [data(3), data(5), data(2)]
        torch.testing.assert_close(torch.cat(parts).cpu(), torch.cat([p.cpu() for p in parts]))
    assert affine.calls == 3


def test_out_of_memory_in_the_middle_of_a_recording(affine):
    """Nothing is left of the recording: later calls are recorded anew, and replayed."""
    fails = [False]

    def exp(x):
        half = affine.launch(x, 2.0, torch.empty_like(x))
        if fails[0]:
            torch.empty(1 << 50, dtype=torch.uint8, device=x.device)
        return affine.mul(half, 2.0)

    affine.route(exp=exp)
    for turn in range(8):
        fails[0] = turn == 2  # while it is recorded for the second time
        x = data(6)
        if fails[0]:
            # The function has written nothing that its caller could see: the next lane serves.
            torch.testing.assert_close(x.exp().cpu(), x.cpu().exp())
            assert not _C.recording()
        else:
            x.exp()
    assert not _C.recording()
    for _ in range(6):
        x = data(7)
        torch.testing.assert_close(x.exp().cpu(), x.cpu() * 4)
    assert _C.replay_stats()["exp"]["replays"] >= 3


def test_a_census_tells_replays(affine):
    affine.route(mul__Tensor=affine.mul)
    with torch_fl.census() as counted:
        for _ in range(7):
            data(3, 2) * 2.0
    (row,) = [row for row in counted.rows() if row.op == "mul.Tensor"]
    assert (row.calls, row.replayed) == (7, 4) and "(4 replayed)" in counted.table()


def test_explain_tells_what_calls_have_come_to(affine):
    affine.route(mul__Tensor=affine.mul, exp=lambda x: affine.launch(x, float(x.sum().item()), torch.empty_like(x)))
    x = data(4, 2)

    def plan(f):
        return [call.plan for call in torch_fl.explain(f).steps][-1]

    seen = [plan(lambda: x * 2.0)]
    for _ in range(4):
        x * 2.0
        x.exp()
        seen.append(plan(lambda: x * 2.0))
    assert seen == [
        "never called",
        "called, and recorded from the next call on",
        "recorded, and replayed once two recordings agree",
        "replayed without Python",
        "replayed without Python",
    ]
    assert plan(lambda: x.exp()) == "not replayed: it does more than launch kernels"


def test_recordings_are_bounded(affine):
    """By op, and by their memory: the plans that were used least recently forget."""
    affine.route(mul__Tensor=affine.mul)
    for n in range(1, 40):
        for _ in range(4):
            x = data(n)
            torch.testing.assert_close((x * 2.0).cpu(), x.cpu() * 2)
    plans, held, most = _C.replay_memory()
    assert plans >= 39 and 0 < held < most <= 64 << 20


def test_streams_and_devices(affine):
    affine.route(mul__Tensor=affine.mul)
    for index in range(torch.flagos.device_count()):
        for _ in range(5):
            x = torch.randn(6).to(f"flagos:{index}")
            with torch.flagos.stream(torch.flagos.Stream(index)):
                y = x * 2.0
            torch.flagos.synchronize(index)
            assert y.device.index == index
            torch.testing.assert_close(y.cpu(), x.cpu() * 2)


def test_threads(affine):
    affine.route(mul__Tensor=affine.mul)
    wrong = []

    def work(n):
        for _ in range(100):
            x = torch.full((n,), float(n), device=DEV)
            if (x * 2.0).tolist() != [2.0 * n] * n:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in (3, 3, 5, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert affine.calls < 40


def test_gradients(affine):
    affine.route(mul__Tensor=affine.mul)
    for _ in range(5):
        x = data(4).requires_grad_()
        (x * 3.0).backward(torch.ones(4, device=DEV))
        assert x.grad.tolist() == [3.0] * 4
