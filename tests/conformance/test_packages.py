"""Ops served by another package's Python functions (the lanes flaggems and tileops), with functions made here.

This is about the lane: who served a call, what the function was given, and what becomes of one that refuses, fails, or
answers something else than PyTorch would. What FlagGems computes is in test_flaggems.py.
"""

import contextlib
import re
import threading

import pytest
import torch
from harness import child, lanes
from harness.device import DEV, SELF_CHECK, needs_device

if not SELF_CHECK:
    import torch_fl
    from torch_fl import _C, _packages, discovery

pytestmark = [needs_device, pytest.mark.filterwarnings("ignore:torch_fl.*does not support this call")]


@pytest.fixture
def package():
    """Offers functions by op as TileOps', and routes their ops there."""
    entered = []

    def offer(functions):
        assert _packages.offer("tileops", functions, functions.__getitem__) == []
        entered.append(torch_fl.routes(dict.fromkeys(functions, "tileops")))
        entered[-1].__enter__()

    yield offer
    for routes in reversed(entered):
        routes.__exit__(None, None, None)
    _packages.offer("tileops", [], None)


def _raise(error):
    raise error


def test_a_function_serves_its_op(package):
    given = []
    package({"silu": lambda x: given.append(x) or torch.full_like(x, 7)})
    x = torch.randn(3).to(DEV)
    with lanes.served_by("tileops", "silu"):
        y = torch.nn.functional.silu(x)
    assert y.device == x.device and y.tolist() == [7, 7, 7]
    assert given[0].data_ptr() == x.data_ptr() and given[0].device == x.device


def test_gradients_go_through_it(package):
    package({"exp": lambda x: torch.full_like(x, 5)})
    x = torch.zeros(3).to(DEV).requires_grad_()
    x.exp().sum().backward()
    assert x.grad.tolist() == [5, 5, 5]


def test_arguments_come_as_the_schema_says(package):
    given = []

    def softmax(*args, **kwargs):
        given.append((args, kwargs))
        return torch.zeros_like(args[0])

    def full(*args, **kwargs):
        given.append((args, kwargs))
        return torch.zeros_like(args[0], dtype=kwargs["dtype"])

    package({"_softmax": softmax, "sum.dim_IntList": full})
    x = torch.ones(2, 3).to(DEV)
    x.softmax(-1)
    assert given.pop()[0][1:] == (-1, False)
    torch.ops.aten.sum.dim_IntList(x, [0], True, dtype=torch.float64)
    args, kwargs = given.pop()
    assert args[1:] == ([0], True) and kwargs == {"dtype": torch.float64}


@pytest.mark.parametrize("number", [2, 2.5, True])
def test_a_python_number_stays_one(package, number):
    given = []
    package({"add.Tensor": lambda x, y, alpha=1: given.append((y, alpha)) or x.clone()})
    torch.ones(2, dtype=torch.bfloat16).to(DEV) + number
    (y, alpha), *_ = given
    assert y == number and type(y) in (type(number), float, int) and alpha == 1 and not isinstance(y, torch.Tensor)


def test_a_tensor_of_one_number_stays_a_tensor(package):
    given = []
    package({"add.Tensor": lambda x, y, alpha=1: given.append(y) or x.clone()})
    torch.ones(2).to(DEV) + torch.tensor(3.0).to(DEV)
    assert isinstance(given[0], torch.Tensor)


def test_a_refusal_goes_to_the_next_lane_and_is_remembered(package):
    calls = []
    package({"exp": lambda x: calls.append(1) or _raise(NotImplementedError("no exp here"))})
    x = torch.ones(2, 3).to(DEV)
    with torch_fl.census() as census:
        for _ in range(3):
            assert x.exp()[0, 0].item() == pytest.approx(2.71828, rel=1e-4)
    assert len(calls) == 1
    rows = [r for r in census.rows() if r.op == "exp"]
    assert {r.lane for r in rows} == {lanes.serving("exp")[0]} and sum(r.calls for r in rows) == 3
    assert any("no exp here" in r.reason for r in rows)
    x.double().exp()  # another signature is asked again
    assert len(calls) == 2


@pytest.mark.parametrize(
    "answer,reason",
    [
        (lambda x: torch.zeros(3, device=DEV), r"\[3\]"),
        (lambda x: torch.zeros(2, 3, dtype=torch.float64, device=DEV), "Double"),
        (lambda x: torch.zeros(2, 3), "on cpu"),
        (lambda x: None, ""),
    ],
    ids=["shape", "dtype", "device", "nothing"],
)
def test_an_answer_that_is_not_pytorchs_goes_to_the_next_lane(package, answer, reason):
    package({"exp": answer})
    with torch_fl.census() as census:
        y = torch.zeros(2, 3).to(DEV).exp()
    assert y.shape == (2, 3) and y.dtype == torch.float32 and y.sum().item() == 6
    (row,) = [r for r in census.rows() if r.op == "exp"]
    assert re.search(reason, row.reason), row.reason


def test_statistics_have_pytorchs_shape(package):
    def layer_norm(x, shape, weight, bias, eps):
        return torch.zeros_like(x), torch.ones(4, device=DEV), torch.ones(4, device=DEV)

    package({"native_layer_norm": layer_norm})
    x = torch.randn(4, 6).to(DEV)
    with lanes.served_by("tileops", "native_layer_norm"):
        out, mean, rstd = torch.native_layer_norm(x, (6,), None, None, 1e-5)
    assert out.shape == (4, 6) and mean.shape == rstd.shape == (4, 1)
    with pytest.raises(RuntimeError, match="normalized_shape"):
        torch.native_layer_norm(x, (5,), None, None, 1e-5)


def test_pytorch_checks_the_call_first(package):
    package({"add.Tensor": lambda x, y, alpha=1: torch.zeros_like(x)})
    with pytest.raises(RuntimeError, match="must match the size"):
        torch.ones(2).to(DEV) + torch.ones(3).to(DEV)


LACKING = "not implemented for"
REFUSED = {
    "silu": (torch.nn.functional.silu, LACKING),
    "gelu": (torch.nn.functional.gelu, LACKING),
    "_log_softmax": (lambda x: torch._log_softmax(x, -1, False), LACKING),
    "var.correction": (lambda x: torch.var(x, [0], correction=1), "only support floating point"),
    "native_layer_norm": (lambda x: torch.native_layer_norm(x, (6,), None, None, 1e-5), LACKING),
    "native_group_norm": (lambda x: torch.native_group_norm(x[None], None, None, 1, 4, 6, 2, 1e-5), LACKING),
}


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool])
@pytest.mark.parametrize("op", REFUSED)
def test_dtypes_that_pytorch_refuses_never_reach_a_function(package, op, dtype):
    asked = []
    package({op: lambda *args, **kwargs: asked.append(1) or _raise(RuntimeError("asked"))})
    call, text = REFUSED[op]
    for x in (torch.ones(4, 6, dtype=dtype), torch.ones(4, 6, dtype=dtype).to(DEV)):
        with pytest.raises(RuntimeError, match=text):
            call(x)
    assert not asked
    call(torch.ones(4, 6).to(DEV))
    assert len(asked) == 1


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
def test_dtypes_that_pytorch_takes_reach_it(package, dtype):
    package({"exp": lambda x: torch.zeros_like(x, dtype=torch.float32)})
    x = torch.ones(2, 3, dtype=dtype).to(DEV)
    with lanes.served_by("tileops", "exp"):
        x.exp()


def test_many_elements_are_not_computed_to_tell_a_dtype(package):
    """Only one element is, of which the host says whether it has the dtype."""
    package({"exp": lambda x: torch.zeros_like(x, dtype=torch.float32), "silu": lambda x: torch.zeros_like(x)})
    x = torch.ones(1 << 20, dtype=torch.int32).to(DEV)
    with lanes.served_by("tileops", "exp"):
        x.exp()
    with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
        torch.nn.functional.silu(x)


def test_numbers_that_pytorch_refuses_never_reach_a_function(package):
    never = {op: lambda *args, **kwargs: _raise(AssertionError("asked")) for op in ("gelu", "uniform_", "huber_loss")}
    package(never)
    x = torch.ones(3).to(DEV)
    with pytest.raises(RuntimeError, match="approximate argument must be"):
        torch.nn.functional.gelu(x, approximate="tan")
    with pytest.raises(RuntimeError, match="from=3 > to=1"):
        x.uniform_(3, 1)
    with pytest.raises(RuntimeError, match="non-positive values for delta"):
        torch.nn.functional.huber_loss(x, x, delta=0.0)


def test_halves_of_two_kinds_never_reach_a_function(package):
    """Triton would compute in float16 what PyTorch computes in float32."""
    asked = []
    package({"mul.Tensor": lambda x, y: asked.append(1) or x.new_zeros(x.shape, dtype=torch.float32)})
    x, y = torch.full((3,), 3.0).half().to(DEV), torch.full((3,), 1e30).bfloat16().to(DEV)
    with torch_fl.census() as census:
        got = x * y
    assert not asked and got.dtype == torch.float32 and got.tolist() == pytest.approx([3e30] * 3, rel=1e-2)
    (row,) = (r for r in census.rows() if r.op == "mul.Tensor")
    assert row.lane != "tileops" and "PyTorch makes float32" in row.reason
    x * x  # one kind does
    assert asked


def test_what_a_function_would_write_over_never_reaches_it(package):
    asked = []
    never = lambda *args, **kwargs: asked.append(1) or _raise(RuntimeError("asked"))  # noqa: E731
    package({"cumsum.out": never, "exp.out": never, "index_select.out": never, "add_.Tensor": never})
    memory = torch.arange(6.0).to(DEV)
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.ones(1).to(DEV).expand(3).add_(torch.ones(3).to(DEV))
    # The next lane refuses these or not, as PyTorch's kernels do where it is theirs.
    with contextlib.suppress(RuntimeError):
        torch.cumsum(memory[:4], 0, out=memory[1:5])
    with contextlib.suppress(RuntimeError):
        torch.index_select(memory, 0, torch.tensor([5, 4, 3, 2, 1, 0]).to(DEV), out=memory)
    assert not asked
    torch.exp(memory, out=memory)  # element by element, the same memory is meant
    assert len(asked) == 1


def test_sizes_and_counts_that_the_host_refuses_never_reach_a_function(package):
    """Of ops without a function of shapes, the host tells where it can in a moment."""
    asked = []
    never = lambda *args, **kwargs: asked.append(1) or _raise(RuntimeError("asked"))  # noqa: E731
    package({"flip": never, "native_group_norm": never, "grid_sampler_2d": never})
    with pytest.raises(RuntimeError, match="appears multiple times"):
        torch.flip(torch.ones(2, 3).to(DEV), [0, 0])
    with pytest.raises(RuntimeError, match="num_groups=3"):
        torch.native_group_norm(torch.ones(1 << 10, 4, 64).to(DEV), None, None, 1 << 10, 4, 64, 3, 1e-5)
    with pytest.raises(RuntimeError, match="same batch size"):
        torch.grid_sampler_2d(torch.ones(2, 1, 3, 3).to(DEV), torch.zeros(3, 2, 2, 2).to(DEV), 0, 0, False)
    assert not asked


def test_a_random_function_leaves_the_hosts_generator(package):
    package({"normal_": lambda x, *args, **kwargs: x.fill_(3)})
    before = torch.get_rng_state()
    with pytest.raises(RuntimeError):
        torch.ones(3, dtype=torch.int64).to(DEV).normal_()
    assert torch.ones(3).to(DEV).normal_().tolist() == [3, 3, 3]
    assert torch.equal(before, torch.get_rng_state())


def test_in_place_gives_the_very_tensor(package):
    def relu_(x):
        x.copy_(torch.full_like(x, 4))
        return x.clone()

    package({"relu_": relu_})
    x = torch.ones(3).to(DEV)
    assert x.relu_() is x and x.tolist() == [4, 4, 4]


def test_a_failure_behind_a_write_is_raised(package):
    def relu_(x):
        x.copy_(torch.full_like(x, 4))
        raise RuntimeError("half way")

    package({"relu_": relu_})
    with pytest.raises(RuntimeError, match="half way"):
        torch.ones(3).to(DEV).relu_()


def test_a_failure_before_any_write_goes_on(package):
    package({"relu_": lambda x: _raise(RuntimeError("not today"))})
    assert (-torch.ones(3)).to(DEV).relu_().tolist() == [0, 0, 0]


def _moved(out):
    out.set_(torch.full((2, 5), 8.0, device=DEV))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda out: out.fill_(7),
        lambda out: out.resize_(40, 2).fill_(7),
        lambda out: out.resize_(1),
        lambda out: out.t_(),
        _moved,
    ],
    ids=["filled", "grown", "shrunk", "transposed", "moved"],
)
def test_a_failure_goes_on_where_all_that_is_written_is_out(package, spoil):
    def half_way(*args, out):
        spoil(out)
        raise RuntimeError("half way")

    package({"where.self_out": half_way})  # of an op that no meta function sizes
    x = torch.arange(9.0).reshape(3, 3)
    whole = torch.full((5, 3), -1.0).to(DEV)
    out = whole[1:4]
    size = out.untyped_storage().nbytes()
    with torch_fl.census() as census:
        assert torch.where(x.to(DEV) > 2, x.to(DEV), x.neg().to(DEV), out=out) is out
    assert out.tolist() == x.where(x > 2, -x).tolist() and out.stride() == (3, 1)
    assert whole[1:4].tolist() == out.tolist() and out.untyped_storage().nbytes() == size
    (row,) = [r for r in census.rows() if r.op == "where.self_out"]
    assert row.lane != "tileops" and "half way" in row.reason
    empty = torch.empty(0).to(DEV)
    torch.where(x.to(DEV) > 2, x.to(DEV), x.neg().to(DEV), out=empty)
    assert empty.tolist() == out.tolist()


def test_several_out_arguments_are_put_back(package):
    def half_way(x, dim, keepdim=False, *, max, max_values):
        max.fill_(3)
        max_values.resize_(0)
        raise RuntimeError("half way")

    package({"max.dim_max": half_way})
    x = torch.randn(3, 4)
    outs = torch.empty(3).to(DEV), torch.empty(3, dtype=torch.int64).to(DEV)
    torch.max(x.to(DEV), 1, out=outs)
    assert [o.tolist() for o in outs] == [o.tolist() for o in x.max(1)]


def _no_memory(x, *, out):
    out.untyped_storage().resize_(0)
    raise RuntimeError("half way")


def _half_way(*args, **kwargs):
    torch.ones(3, device=DEV).neg_()
    raise RuntimeError("half way")


def _halves():
    whole = torch.ones(6).to(DEV)
    return whole[:3], whole[3:]


def _into_the_other_half():
    x, out = _halves()
    return torch.exp(x, out=out)


@pytest.mark.parametrize(
    ("op", "function", "call"),
    [
        ("exp.out", _half_way, _into_the_other_half),
        ("bernoulli.out", _half_way, lambda: torch.bernoulli(_halves()[0], out=torch.empty(3).to(DEV))),
        ("exp.out", _no_memory, lambda: torch.exp(_halves()[0], out=torch.empty(3).to(DEV))),
        ("add_.Tensor", _half_way, lambda: _halves()[0].add_(1)),
    ],
    ids=["its storage is read", "random", "its memory is gone", "in place"],
)
def test_a_failure_behind_work_is_raised_otherwise(package, op, function, call):
    package({op: function})
    with pytest.raises(RuntimeError, match="half way"):
        call()


def test_an_interrupt_is_no_refusal(package):
    package({"exp": lambda x: _raise(KeyboardInterrupt()), "exp.out": lambda x, out: _raise(KeyboardInterrupt())})
    for out in (None, torch.ones(3).to(DEV)):
        with pytest.raises(KeyboardInterrupt):
            torch.exp(torch.ones(3).to(DEV), out=out)


def test_out_is_sized_first(package):
    sizes = []

    def exp(x, *, out):
        sizes.append(tuple(out.shape))
        return out.fill_(9)

    package({"exp.out": exp})
    out = torch.empty(0).to(DEV)
    assert torch.exp(torch.ones(2, 3).to(DEV), out=out) is out
    assert sizes == [(2, 3)] and out.sum().item() == 54


def test_what_a_function_calls_itself_goes_to_the_next_lane(package):
    package({"exp": lambda x: x.exp() + 1})
    x = torch.zeros(2).to(DEV)
    with torch_fl.census() as census:
        assert x.exp().tolist() == [2, 2]
        assert x.exp().tolist() == [2, 2]
    rows = {(r.lane, r.calls) for r in census.rows() if r.op == "exp"}
    assert ("tileops", 2) in rows and (lanes.serving("exp")[0], 2) in rows


def test_threads(package):
    package({"exp": lambda x: torch.full_like(x, float(x.shape[0]))})
    wrong = []

    def work(n):
        x = torch.zeros(n).to(DEV)
        wrong.extend(n for _ in range(50) if x.exp().tolist() != [float(n)] * n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_strict_forbids_the_next_lane(package):
    package({"exp": lambda x: _raise(NotImplementedError("no exp here"))})
    _C.set_switches(strict=True)
    try:
        with pytest.raises(RuntimeError, match="no exp here"):
            torch.ones(5).to(DEV).exp()
    finally:
        _C.set_switches(strict=False)


def test_what_cannot_be_offered_is_named():
    names = ["no_such_op", "softmax.int", "copy_", "exp"]
    assert _packages.offer("tileops", names, None) == names[:3]
    _packages.offer("tileops", [], None)


# ---- which lane is the next one

_REFUSING = """
    from torch_fl import _packages
    def refuse(*args, **kwargs):
        raise NotImplementedError("not here")
    assert _packages.offer("flaggems", ["exp"], {"exp": refuse}.__getitem__) == []
    x = torch.zeros(3).to(DEV)
"""


def test_a_refusal_goes_to_lanes_before_the_chosen_one_too():
    """All other lanes in the vendor's order are asked, not only those behind the one that a line names."""
    best = next(lane for lane in lanes.serving("exp") if lane != "flaggems")
    order = discovery.chosen().vendor.facts["lanes"]
    if order.index(best) > order.index("flaggems"):
        pytest.skip("no lane that serves it stands before flaggems")
    result = child.check(
        _REFUSING
        + """
    print("BEFORE", torch_fl.explain(torch.exp, x).steps[-1].lane)
    with torch_fl.routes({"exp": "flaggems"}), torch_fl.census() as census:
        assert x.exp().tolist() == [1, 1, 1]
        step = torch_fl.explain(torch.exp, x).steps[-1]
    print("SERVED", [(r.lane, r.reason) for r in census.rows() if r.op == "exp"], step.lane)
    """
    )
    assert f"BEFORE {best}" in result.stdout
    assert f"SERVED [({best!r}, 'flaggems: NotImplementedError: not here')] {best}" in result.stdout


@pytest.mark.parametrize("how", ["variable", "block", "guard"])
def test_a_lane_that_the_vendors_own_line_passes_over_stays_closed(tmp_path, how):
    """A generated line to a later lane is a gap of those before it: no line of yours to another lane opens them."""
    first, *rest = (lane for lane in lanes.serving("exp") if lane != "flaggems")
    conf = tmp_path / "vendor.conf"
    conf.write_text(f"# generated by the tests\nexp = {rest[0]}\n")
    line = "exp [dtype=float32]" if how == "guard" else "exp"
    routes = "contextlib.nullcontext()" if how == "variable" else f"torch_fl.routes({{{line!r}: 'flaggems'}})"
    result = child.check(
        _REFUSING
        + f"""
    import contextlib
    with {routes}, torch_fl.census() as census:
        assert x.exp().tolist() == [1, 1, 1]
        step = torch_fl.explain(torch.exp, x).steps[-1]
    print("SERVED", [(r.lane, r.reason) for r in census.rows() if r.op == "exp"])
    print("SAYS", [v.reason for v in step.lanes if v.lane == {first!r}])
    """,
        {"FLAGOS_BACKEND_CONFIG": str(conf), "FLAGOS_OP_exp": "flaggems" if how == "variable" else None},
    )
    assert f"SERVED [({rest[0]!r}, 'flaggems: " in result.stdout, result.stdout
    assert f"SAYS ['passed over by {conf}:2']" in result.stdout
