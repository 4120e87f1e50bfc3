"""When calls of FlagGems' functions may be replayed, and that a replay never takes the place of another call."""

import threading

import pytest
import torch
import triton
import triton.language as tl
from triton import knobs
from triton.tools.tensor_descriptor import TensorDescriptor

import torch_fl
from torch_fl import _C, flagos


def replays(op):
    return torch_fl.replay_stats().get(op).replays


def add(x, y):
    torch.testing.assert_close((x.to("flagos") + (y.to("flagos") if torch.is_tensor(y) else y)).cpu(), x + y)


@pytest.fixture
def adds(gpu):
    with torch_fl.routes({"add.Tensor": "flaggems", "mul.Tensor": "flaggems"}):
        yield gpu


def test_numbers_are_not_mixed_up(adds):
    before = replays("add.Tensor")
    for _ in range(6):
        for number in (2.0, 3.0, -1.5, 0.0, -0.0, 1, 1.0):
            add(torch.randn(5, 7), number)
        for alpha in (1, 2, 0.5):
            x, y = torch.randn(5), torch.randn(5)
            got = torch.add(x.to("flagos"), y.to("flagos"), alpha=alpha)
            torch.testing.assert_close(got.cpu(), torch.add(x, y, alpha=alpha))
    assert replays("add.Tensor") - before >= 10


def test_a_number_never_seen_is_never_replayed(adds):
    for _ in range(5):
        add(torch.randn(4), 2.0)
    before = replays("add.Tensor")
    for number in (2.5, 7.0, float("inf"), 2.0000001):
        add(torch.randn(4), number)
    assert replays("add.Tensor") == before


def test_numbers_that_change_share_a_template(adds):
    """Three calls prove where the number goes, four are compared with the function, later ones need no Python."""

    def call(number):
        x, y = torch.randn(4, 9), torch.randn(4, 9)
        a, b = x.to("flagos"), y.to("flagos")
        torch.testing.assert_close((a * number).cpu(), x * number)
        torch.testing.assert_close((a + number).cpu(), x + number)
        torch.testing.assert_close(torch.add(a, b, alpha=number).cpu(), torch.add(x, y, alpha=number))

    before = torch_fl.replay_stats()
    for turn in range(24):
        call(0.7 + turn / 39)
    after = torch_fl.replay_stats()
    # The first is not recorded, and probation looks again at the 8th and the 16th.
    assert after["mul.Tensor"].replays - before.get("mul.Tensor").replays == 24 - 1 - 3 - 4 - 2
    assert after["add.Tensor"].replays - before.get("add.Tensor").replays == 2 * (24 - 1 - 3 - 4 - 2)
    assert after.total.mismatches == before.total.mismatches
    # What functions may treat by itself is not taken for one of them.
    for number in (1.0, 0.0, -1.0, 2.0, 0.5, float("inf"), 3, -0.3):
        call(number)
    assert torch_fl.replay_stats().total.replays == after.total.replays


def test_a_function_that_treats_a_number_by_itself_is_found(gpu, function):
    """Far numbers are not taken for near ones, and near ones are compared."""
    treated = [100.0]

    def scaled(x, number):
        number = float(number)
        out = torch.empty_like(x)
        of_number[(1,)](x, out, number if number < treated[0] else 2 * number, x.numel(), B=64)
        return out

    function("mul.Tensor", scaled)
    x = torch.randn(40, device="flagos")

    def check(number, times=1):
        torch.testing.assert_close(x * number, times * x.cpu() * number, check_device=False)

    for turn in range(12):
        check(0.3 + turn)
    for turn in range(12):
        check(100.3 + turn, 2)
    x = torch.randn(41, device="flagos")
    treated[0] = 1.64  # the 11th of the calls below is compared again, after some were replayed
    before = torch_fl.replay_stats()["mul.Tensor"]
    for turn in range(11):
        check(1.11 + turn / 20)
    assert torch_fl.replay_stats()["mul.Tensor"].replays == before.replays + 3
    with pytest.warns(UserWarning, match="not what its function does now"):
        check(1.66, 2)
    after = torch_fl.replay_stats()["mul.Tensor"]
    check(1.69, 2)
    assert after.mismatches == before.mismatches + 1
    assert torch_fl.replay_stats()["mul.Tensor"].replays == after.replays


def test_shapes_and_strides_are_not_mixed_up(adds):
    before = replays("add.Tensor")
    for _ in range(6):
        for shape in ((3, 5), (5, 3), (15,), (1, 15), (3, 5, 1)):
            add(torch.randn(shape), torch.randn(shape))
        add(torch.randn(5, 3).t(), torch.randn(3, 5))
        add(torch.randn(3, 5), torch.randn(5))
    assert replays("add.Tensor") - before >= 12


def test_sizes_that_grow_share_a_template(adds):
    """As in decoding, where each step's tensors are longer: after some steps no call needs Python."""

    def step(length):
        x, y, row = torch.randn(3, length), torch.randn(3, length), torch.randn(3, 1)
        a, b, c = x.to("flagos"), y.to("flagos"), row.to("flagos")
        torch.testing.assert_close((a + b).cpu(), x + y)
        torch.testing.assert_close((a + c).cpu(), x + row)
        torch.testing.assert_close((a.t() + b.t()).cpu(), (x + y).t())

    seen = []
    for length in range(600, 680):
        before = torch_fl.replay_stats().total
        step(length)
        after = torch_fl.replay_stats().total
        assert after.mismatches == before.mismatches
        seen.append(after.replays - before.replays)
    # Lengths that 16 divides are another kernel's, and are few here.
    assert sum(seen[40:]) > 0.75 * 3 * len(seen[40:])


def test_sizes_that_grow_keep_to_what_kernels_are_made_for(adds):
    """Powers of two, multiples of 16, one."""
    for length in (*range(1, 40), *range(120, 136), 512, 513, 514, 515, 516, 1024, 1025, 1026, 1027):
        x, y = torch.randn(length, 2), torch.randn(length, 2)
        torch.testing.assert_close((x.to("flagos") + y.to("flagos")).cpu(), x + y)
        torch.testing.assert_close((x.to("flagos").t() + y.to("flagos")[:, 0]).cpu(), x.t() + y[:, 0])


def test_sizes_of_other_kernels_do_not_share_a_template(gpu, function):
    """That a kernel computes each element by itself is known of FlagGems' generated ones only."""

    def doubled(x):
        out = torch.empty_like(x)
        plain[(1,)](x, out, x.numel(), B=64)
        return out

    function("exp2", doubled)
    before = torch_fl.replay_stats().get("exp2")
    for length in range(33, 63):
        x = torch.randn(length)
        torch.testing.assert_close(torch.exp2(x.to("flagos")).cpu(), x * 2)
    after = torch_fl.replay_stats().get("exp2")
    assert after.replays == before.replays
    # And none of their first calls is recorded for it, but the one that shows what they are.
    assert after.recordings - before.recordings <= 3


def test_places_and_aliases_are_not_mixed_up(adds):
    """A kernel for aligned pointers reads wide words: the virtual GPU fails one that gets another pointer."""
    base = torch.randn(256)
    on_device = base.to("flagos")
    for _ in range(6):
        for first in (0, 1, 4, 5, 64):
            x, y = on_device[first : first + 32], on_device[100 : 100 + 32]
            torch.testing.assert_close((x + y).cpu(), base[first : first + 32] + base[100:132])
            torch.testing.assert_close((x + x).cpu(), 2 * base[first : first + 32])


def test_in_place_and_aliases(adds):
    for _ in range(6):
        x = torch.randn(9)
        moved = x.to("flagos")
        with torch_fl.routes({"mul_.Tensor": "flaggems"}):
            assert moved.mul_(moved) is moved
        torch.testing.assert_close(moved.cpu(), x * x)


def test_two_threads(adds):
    """Each with shapes of its own, from the first call on, which compiles."""
    wrong = []

    def work(rows):
        try:
            for turn in range(12):
                x, y = torch.randn(rows, 6), torch.randn(6)
                got = (x.to("flagos") + y.to("flagos")) * float(rows + turn % 2)
                torch.testing.assert_close(got.cpu(), (x + y) * float(rows + turn % 2))
        except BaseException as error:
            wrong.append(error)

    before = torch_fl.replay_stats().total.replays
    threads = [threading.Thread(target=work, args=(rows,)) for rows in (3, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert torch_fl.replay_stats().total.replays - before >= 16


def test_streams(adds):
    """Launches, of Triton and of replays, go to the stream that is current."""
    x, y = torch.randn(33), torch.randn(33)
    a, b = x.to("flagos"), y.to("flagos")
    for _ in range(4):
        a + b
    flagos.synchronize()
    default = {launch.stream for launch in adds.taken()}
    for replayed in (True, False):
        _C.switch_replay(replayed)
        mine = flagos.Stream()
        with flagos.stream(mine):
            c = a + b
        mine.synchronize()
        torch.testing.assert_close(c.cpu(), x + y)
        (launch,) = adds.taken()
        assert launch.by_triton is not replayed and launch.stream == mine.native_handle
        assert launch.stream not in default and len(default) == 1


def test_devices_are_not_mixed_up(adds):
    """The virtual GPU fails a launch in the context of one device that gets memory of the other."""
    before = replays("add.Tensor")
    for _ in range(5):
        for index in (0, 1):
            x, y = torch.randn(6, 5), torch.randn(5)
            a, b = x.to(f"flagos:{index}"), y.to(f"flagos:{index}")
            with torch_fl.census() as census:
                z = a + b
            assert z.device.index == index and {row.lane for row in census.rows()} == {"flaggems"}
            torch.testing.assert_close(z.cpu(), x + y)
    assert replays("add.Tensor") >= before + 4
    assert len({launch.stream for launch in adds.taken()}) == 2


def test_an_audit_of_every_replay(adds):
    before = torch_fl.replay_stats().get("add.Tensor")
    _C.set_replay_audit(2)
    for _ in range(11):
        add(torch.randn(2, 3), torch.randn(2, 3))
    after = torch_fl.replay_stats()["add.Tensor"]
    assert 3 <= after.audits - before.audits <= 5 and after.mismatches == before.mismatches


def test_switched_off(adds):
    for _ in range(4):
        add(torch.randn(8), torch.randn(8))
    before = replays("add.Tensor")
    _C.switch_replay(False)
    adds.taken()
    add(torch.randn(8), torch.randn(8))
    assert replays("add.Tensor") == before and all(launch.by_triton for launch in adds.taken())
    _C.allow_replay(True)  # what a hook that goes does; it does not switch replay on again
    add(torch.randn(8), torch.randn(8))
    assert replays("add.Tensor") == before
    _C.switch_replay(True)
    add(torch.randn(8), torch.randn(8))
    assert replays("add.Tensor") == before + 1


@pytest.mark.parametrize("chain", ["launch_enter_hook", "launch_exit_hook"])
def test_who_watches_launches_sees_all_of_them(adds, chain):
    for _ in range(4):
        add(torch.randn(10), torch.randn(10))
    before, seen = replays("add.Tensor"), []
    hooks = getattr(knobs.runtime, chain)
    hooks.add(seen.append)
    try:
        for _ in range(3):
            add(torch.randn(10), torch.randn(10))
        assert replays("add.Tensor") == before and len(seen) == 3
    finally:
        hooks.remove(seen.append)
    add(torch.randn(10), torch.randn(10))
    assert replays("add.Tensor") == before + 1 and len(seen) == 3


# ---- what a launch may be for its call to be replayed


@triton.jit
def plain(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def of_number(x, out, factor, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def of_tuple(pair, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(pair[1] + i, tl.load(pair[0] + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def of_descriptor(source, out, B: tl.constexpr):
    block = source.load([0, 0])
    i, j = tl.arange(0, B), tl.arange(0, B)
    tl.store(out + i[:, None] * B + j[None, :], block * 2)


@triton.jit
def with_scratch(x, out, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [B, B], [B, 1], [B, B])
    block = source.load([0, 0])
    i, j = tl.arange(0, B), tl.arange(0, B)
    tl.store(out + i[:, None] * B + j[None, :], block * 2)


B = 16


def launch_plain(x, out, **options):
    plain[(1,)](x, out, x.numel(), B=B * B, **options)


def launch_tuple(x, out):
    of_tuple[(1,)]((x, out), x.numel(), B=B * B)


def launch_descriptor(x, out):
    of_descriptor[(1,)](TensorDescriptor(x, [B, B], [B, 1], [B, B]), out, B=B)


def launch_scratch(x, out):
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="flagos"))
    with_scratch[(1,)](x, out, B=B)


@pytest.mark.parametrize(
    ("launch", "attributes"),
    [
        pytest.param(launch_plain, 0, id="plain"),
        pytest.param(launch_tuple, 0, id="tuple"),
        pytest.param(launch_descriptor, 0, id="descriptor"),
        pytest.param(launch_scratch, 0, id="scratch"),
        pytest.param(lambda x, out: launch_plain(x, out, launch_cooperative_grid=True), 1, id="cooperative"),
        pytest.param(lambda x, out: launch_plain(x, out, num_ctas=2), 2, id="clusters"),
    ],
)
def test_all_that_a_launch_may_have_is_replayed(gpu, function, launch, attributes):
    """Tuples, tensor maps of another address, scratch memory, clusters: as Triton's own launcher launches it."""

    def doubled(x):
        out = torch.empty_like(x)
        launch(x, out)
        return out

    function("exp2", doubled)
    before = replays("exp2")
    kept = [torch.randn(B, B) for _ in range(6)]
    results = [torch.exp2(x.to("flagos")) for x in kept]
    for x, got in zip(kept, results):
        torch.testing.assert_close(got.cpu(), x * 2)
    assert replays("exp2") == before + 3
    launches = gpu.taken()
    assert len({launch.shape() for launch in launches}) == 1 and launches[-1].attributes == attributes
    assert len({launch.values for launch in launches}) == 6  # each with addresses of its own


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_matrix_products_take_tensor_maps(gpu, dtype):
    with torch_fl.routes({"mm": "flaggems"}):
        before = replays("mm")
        for _ in range(6):
            a, b = torch.randn(32, 64).to(dtype), torch.randn(64, 32).to(dtype)
            torch.testing.assert_close((a.to("flagos") @ b.to("flagos")).cpu(), a @ b, rtol=1e-2, atol=1e-2)
    assert replays("mm") == before + 3
    launches = gpu.taken()
    assert sum(len(v) == 128 for v in launches[-1].values) == 3
    assert len({launch.shape() for launch in launches[-5:]}) == 1 and not launches[-1].by_triton


def test_ops_between_launches_are_replayed(gpu, function):
    """A copy, a fill, an op of another lane whose result a kernel reads, and one that makes the result."""

    def composed(x):
        padded = torch.zeros(2, x.numel(), device=x.device)
        padded[1].copy_(x.flatten())
        total = padded.cumsum(0)  # of another lane
        out = torch.empty_like(x)
        launch_plain(total[1], out)
        return torch.cat([out[:2], x[2:]])

    function("exp2", composed)
    before = replays("exp2")
    kept = []
    for _ in range(6):
        x = torch.randn(4, 5)
        kept.append((x, torch.exp2(x.to("flagos"))))
    for x, got in kept:
        torch.testing.assert_close(got.cpu(), torch.cat([x[:2] * 2, x[2:]]))
    assert replays("exp2") == before + 3


def test_an_op_between_launches_may_fail_half_way(gpu, function):
    """Another lane serves the op then, as all that it writes is out=. What it had launched is no step of the call."""
    calls, failed = [], []

    def exp(x, *, out):
        failed.append(len(calls))
        launch_plain(x, out)
        raise RuntimeError("half way")

    def composed(x):
        calls.append(1)
        # The first call of a kind is not recorded.
        powers = x.exp() if len(calls) == 1 else torch.exp(x, out=torch.empty_like(x))
        out = torch.empty_like(x)
        launch_plain(powers, out)
        return out

    function("exp.out", exp)
    function("exp2", composed)
    before = replays("exp2")
    for _ in range(6):
        x = torch.randn(4, 5)
        torch.testing.assert_close(torch.exp2(x.to("flagos")).cpu(), x.exp() * 2)
    assert failed == [2] and len(calls) == 3
    assert replays("exp2") == before + 3


def test_lists_are_not_mixed_up(gpu):
    """Of other lengths, in another order, with a tensor twice. torch.stack comes to cat."""

    def check(f, tensors):
        on_device = {id(t): t.to("flagos") for t in tensors}
        torch.testing.assert_close(f([on_device[id(t)] for t in tensors]).cpu(), f(tensors))

    before = replays("cat")
    with torch_fl.routes({"cat": "flaggems"}):
        for _ in range(6):
            a, b, c = torch.randn(2, 3), torch.randn(2, 3), torch.randn(4, 3)
            for tensors in ([a, b], [a, a], [b, a], [a, c], [c, a], [a, b, c], [a]):
                check(torch.cat, tensors)
            check(torch.stack, [a, b])
    assert replays("cat") - before >= 18


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        (lambda x: torch.nonzero(x), "nonzero"),
        (lambda x: torch.rand(3, device=x.device), "more than launch"),
        (lambda x: torch.ones(3).to(x.device), "more than launch"),
        (lambda x: torch.equal(x, x), "more than launch"),
    ],
    ids=["size", "random", "host", "answer"],
)
def test_ops_that_may_differ_are_not_replayed(gpu, function, op, reason):
    def doubled(x):
        op(x)
        out = torch.empty_like(x)
        launch_plain(x, out)
        return out

    function("exp2", doubled)
    before = torch_fl.replay_stats().get("exp2")
    for _ in range(6):
        x = torch.randn(4, 5)
        torch.testing.assert_close(torch.exp2(x.to("flagos")).cpu(), x * 2)
    after = torch_fl.replay_stats()["exp2"]
    assert after.replays == before.replays
    assert any(reason in why for why in after.refused.keys() - before.refused.keys() or after.refused)


def test_a_function_that_reads_a_number_back_is_not_replayed(gpu, function):
    def scaled(x):
        out = torch.empty_like(x)
        launch_plain(x, out)
        assert x.sum().isfinite()
        return out

    function("exp2", scaled)
    before = replays("exp2")
    for _ in range(5):
        x = torch.randn(4, 4)
        torch.testing.assert_close(torch.exp2(x.to("flagos")).cpu(), x * 2)
    assert replays("exp2") == before


def test_a_function_that_changes_is_found_by_an_audit(gpu, function):
    programs = [1]

    def doubled(x):
        out = torch.empty_like(x)
        plain[(programs[0],)](x, out, x.numel(), B=64)
        return out

    function("exp2", doubled)
    for _ in range(5):
        torch.exp2(torch.randn(40, device="flagos"))
    programs[0] = 2
    _C.set_replay_audit(1)
    before = torch_fl.replay_stats()["exp2"].mismatches
    with pytest.warns(UserWarning, match="not what its function does now"):
        torch.exp2(torch.randn(40, device="flagos"))
    assert torch_fl.replay_stats()["exp2"].mismatches == before + 1


# ---- the virtual GPU itself


def test_it_fails_a_kernel_that_reads_memory_of_nobody(gpu):
    host = torch.randn(16)
    out = torch.empty(16, device="flagos")
    with pytest.raises(ValueError, match="cannot be accessed from Triton"):
        plain[(1,)](host, out, 16, B=16)
    plain[(1,)](out, out, 16, B=16)
    (good,) = gpu.taken()
    values = [host.data_ptr().to_bytes(8, "little"), *good.values[1:]]
    _C.launch_kernel(0, good.function, good.grid, good.block, good.shared_bytes, list(zip(values, good.pointers)))
    with pytest.raises(RuntimeError, match="CUDA_ERROR_LAUNCH_FAILED"):
        flagos.synchronize()
    assert "cannot reach" in "".join(gpu.errors)
    gpu.errors.clear()
    gpu.launches.clear()


def test_it_gets_the_parameters_as_the_compiler_laid_them_out(gpu):
    x, out = torch.randn(16).to("flagos"), torch.empty(16, device="flagos")
    plain[(1,)](x, out, 13, B=16)
    (launch,) = gpu.taken()
    assert [len(v) for v in launch.values] == [8, 8, 4, 8, 8]
    assert int.from_bytes(launch.values[0], "little") == x.data_ptr() and launch.values[2] == b"\x0d\0\0\0"
    assert (launch.kernel, launch.grid, launch.block, launch.attributes) == ("plain", (1, 1, 1), (128, 1, 1), 0)
