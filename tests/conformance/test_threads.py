"""Many threads at once: calls, shared tensors, changes of what a tensor is, changes of routes, backward passes."""

import contextlib
import sys
import threading

import pytest
import torch
from harness import lanes
from harness.compare import close
from harness.device import DEV, SELF_CHECK, module, needs_device, synchronize

if not SELF_CHECK:
    import torch_fl


@contextlib.contextmanager
def _quick_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run_together(*workers):
    """Runs each function on a thread of its own; the first error is raised here."""
    gate, errors = threading.Barrier(len(workers)), []

    def body(worker):
        try:
            gate.wait()
            worker()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(w,)) for w in workers]
    with _quick_switches():
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    if errors:
        raise errors[0]


def test_same_ops_on_all_threads():
    """The first call of a signature may come from several threads at once."""

    def worker(k):
        def body():
            for n in range(1, 40):
                x = torch.full((n,), float(k), device=DEV)
                y = (x + 1) * 2 - x
                assert (y == k + 2).all().item()
                assert torch.cat([x, y]).sum().item() == n * (2 * k + 2)

        return body

    run_together(*[worker(k) for k in range(8)])


def test_shared_tensor_is_read_by_all():
    x = torch.arange(1000.0).to(DEV)
    want = (torch.arange(1000.0) * 2 + 1).sum().item()

    def body():
        for _ in range(100):
            assert (x * 2 + 1).sum().item() == want

    run_together(*[body] * 6)


def test_views_of_a_shared_tensor():
    x = torch.zeros(8, 64, device=DEV)

    def worker(k):
        def body():
            row = x[k]
            for _ in range(100):
                row.add_(1)

        return body

    run_together(*[worker(k) for k in range(8)])
    close(x, torch.full((8, 64), 100.0))


@pytest.mark.parametrize("lane", ["default", "none"])
def test_tensor_that_changes_under_its_readers(lane):
    """Readers see one of the states that the tensor had, or are told, and never see other memory."""
    with lanes.forced(lane):
        _change_under_readers()


def _change_under_readers():
    a, b = torch.full((64,), 1.0, device=DEV), torch.full((64,), 2.0, device=DEV)
    x = a.detach().clone()
    stop = threading.Event()

    def writer():
        for i in range(300):
            x.set_(b if i % 2 else a)
        stop.set()

    def reader():
        while not stop.is_set():
            with contextlib.suppress(RuntimeError):
                assert set((x + 1).cpu().tolist()) <= {2.0, 3.0}

    run_together(writer, reader, reader)
    close(x + 1, torch.full((64,), 3.0))


def test_data_changes_under_readers():
    tensors = [torch.full((32,), float(i), device=DEV) for i in range(4)]
    x = torch.zeros(32, device=DEV)
    stop = threading.Event()

    def writer():
        for i in range(400):
            x.data = tensors[i % 4]
        stop.set()

    def reader():
        while not stop.is_set():
            with contextlib.suppress(RuntimeError):
                assert set((x * 2).cpu().tolist()) <= {0.0, 2.0, 4.0, 6.0}

    run_together(writer, reader, reader)
    close(x * 2, torch.full((32,), 6.0))


def test_own_tensors_are_resized():
    def body():
        x = torch.ones(16, device=DEV)
        for i in range(150):
            x.resize_(0)
            x.resize_(16 + i % 5).fill_(1.0)
            assert (x + x).sum().item() == 2.0 * x.numel()

    run_together(*[body] * 4)


def test_memory_goes_between_threads():
    """Blocks allocated on one thread and freed on another."""
    queue, lock = [], threading.Lock()

    def maker():
        for i in range(300):
            with lock:
                queue.append(torch.full((256,), float(i), device=DEV))

    def taker():
        taken = 0
        while taken < 150:
            with lock:
                x = queue.pop() if queue else None
            if x is not None:
                assert (x == x[0]).all().item()
                taken += 1

    run_together(maker, taker, taker)


def test_backward_on_many_threads():
    w = torch.ones(16, 16, device=DEV)

    def body():
        for _ in range(20):
            x = torch.ones(4, 16, device=DEV, requires_grad=True)
            (x @ w).square().sum().backward()
            assert (x.grad == 2 * 16 * 16).all().item()

    run_together(*[body] * 4)


@needs_device
def test_own_streams():
    def worker(k):
        def body():
            with module().stream(module().Stream()):
                x = torch.zeros(1 << 12, device=DEV)
                for _ in range(50):
                    x = x + k
                assert (x == 50 * k).all().item()

        return body

    run_together(*[worker(k) for k in range(6)])


@needs_device
def test_routes_change_under_callers():
    """Calls use the old routes or the new ones; none fails."""
    stop = threading.Event()
    usable = [lane for lane in lanes.lanes() if lanes.serves("add.Tensor", lane)]

    def changer():
        for i in range(60):
            with torch_fl.routes({"add.Tensor": usable[i % len(usable)]}):
                pass
        stop.set()

    def caller():
        x = torch.ones(8, device=DEV)
        while not stop.is_set():
            assert (x + x).sum().item() == 16

    run_together(changer, caller, caller, caller)


@needs_device
def test_census_under_callers():
    def body():
        x = torch.ones(8, device=DEV)
        for _ in range(200):
            x + x

    with torch_fl.census() as census:
        run_together(*[body] * 4)
    assert sum(r.calls for r in census.rows() if r.op == "add.Tensor") == 800


def test_random_numbers_are_not_given_twice():
    draws, lock = [], threading.Lock()

    def body():
        for _ in range(50):
            r = torch.rand(4, device=DEV, dtype=torch.float64).cpu().tolist()
            with lock:
                draws.extend(r)

    run_together(*[body] * 4)
    assert len(set(draws)) == len(draws)


def test_errors_stay_on_their_thread():
    def bad():
        for _ in range(30):
            try:
                torch.ones(2, 3, device=DEV) @ torch.ones(2, 3, device=DEV)
            except RuntimeError as error:
                assert "shape" in str(error)
            else:
                raise AssertionError("no error")

    def good():
        for _ in range(60):
            assert (torch.ones(2, 2, device=DEV) @ torch.ones(2, 2, device=DEV)).sum().item() == 8

    run_together(bad, good, bad, good)
    synchronize()


@pytest.mark.parametrize("lane", lanes.lanes())
def test_one_stream_of_several_threads(lane):
    """Memory that one thread frees is not another's before the work that was enqueued on it is done."""
    x = torch.linspace(-2, 2, 20, device=DEV).view(2, 10)

    def run():
        y = torch.nn.functional.softplus(x * 2)
        return (torch.nn.functional.logsigmoid(y) + y.sum(-1, keepdim=True)).cpu()

    wrong = []
    with lanes.forced(lane):
        expected = run()

        def work():
            wrong.extend(1 for _ in range(300) if not torch.equal(run(), expected))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
