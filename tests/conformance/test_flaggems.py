"""The lane flaggems: routes, who serves, and what is offered at all.

On a device FlagGems' kernels are compiled for it, on the simulated device they are interpreted. What single functions
compute is in test_flaggems_functions.py; capture and replay are in tests/vgpu.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import torch
from harness import child, lanes
from harness.compare import close
from harness.device import DEV, SELF_CHECK, needs_device
from torch.testing._internal.common_utils import set_warn_always_context

if SELF_CHECK:
    REASON = "the host has no such lane"
else:
    import torch_fl
    from torch_fl import _packages, discovery, flaggems
    from torch_fl.cli import doctor
    from torch_fl.flaggems import source

    REASON = flaggems.why_off()
    vendor = discovery.chosen().vendor
    if vendor is None or flaggems.LANE not in vendor.facts.get("lanes", ()):
        REASON = "the vendor has no such lane"
    elif vendor.standin:
        REASON = "Triton has no device on a stand-in SDK"

pytestmark = [
    needs_device,
    pytest.mark.skipif(bool(REASON), reason=f"FlagGems' kernels do not run here: {REASON}"),
]


@pytest.fixture(autouse=True, scope="module")
def _caches(tmp_path_factory):
    # For good where nobody else has: FlagGems remembers them.
    for name in ("FLAGGEMS_CACHE_DIR", "TRITON_CACHE_DIR"):
        os.environ.setdefault(name, str(tmp_path_factory.mktemp(name.lower())))


def routed(*ops):
    return torch_fl.routes(dict.fromkeys(ops, "flaggems"))


@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("add.Tensor", lambda x, y: x + y),
        ("mul.Tensor", lambda x, y: x * y[0]),
        ("lt.Tensor", lambda x, y: x < y),
        ("where.self", lambda x, y: torch.where(x > 0, x, y)),
        ("silu", lambda x, y: torch.nn.functional.silu(x)),
        ("_softmax", lambda x, y: x.softmax(-1)),
        ("sum.dim_IntList", lambda x, y: x.sum(1)),
        ("max.dim", lambda x, y: x.max(1)[0]),
        # Not mm: on a device its first call compiles and tries configurations for minutes.
        ("bmm", lambda x, y: torch.bmm(x[None], y.t()[None])),
    ],
)
def test_a_route_is_followed(op, call):
    x, y = torch.randn(5, 7), torch.randn(5, 7)
    a, b = x.to(DEV), y.to(DEV)
    with routed(op), lanes.served_by("flaggems", op):
        got = call(a, b)
    assert got.device == DEV
    close(got, call(x, y))


def test_explain_and_ops_tell():
    x = torch.ones(3).to(DEV)
    with routed("silu"):
        assert "flaggems" in str(torch_fl.explain(torch.ops.aten.silu.default, x)).splitlines()[0]
    (silu,) = (op for op in torch_fl.ops() if op.name == "silu")
    assert "flaggems" in silu.lanes


@pytest.mark.skipif(
    not (vendor and vendor.facts.get("flaggems", {}).get("interpreter")), reason="kernels are compiled here"
)
def test_interpreted_calls_have_nothing_to_replay():
    x = torch.ones(3).to(DEV)
    with routed("silu"):
        for _ in range(4):
            torch.nn.functional.silu(x)
        step = torch_fl.explain(torch.ops.aten.silu.default, x).steps[-1]
    assert step.plan == "not replayed: its kernels are interpreted: there is no launch to replay"
    assert list(torch_fl.replay_stats()["silu"].refused) == [
        "its kernels are interpreted: there is no launch to replay"
    ]


def test_what_is_left_out_has_a_reason():
    left = _packages.by_reason(_packages.why_refused(flaggems.refused))
    assert sorted(op for ops in left.values() for op in ops) == sorted(flaggems.refused)
    assert "copysign" in left["this torch has no such op"] and "copy_" in left["core serves it itself"]
    report = doctor.examine()
    told = "\n".join(report.facts["ops of FlagGems left out"])
    assert all(f"{why}: {ops[0]}" in told for why, ops in left.items())


@pytest.mark.parametrize("number", [0.3, 2, True])
def test_a_python_number_does_not_widen_bfloat16(number):
    x = torch.randn(9).bfloat16()
    with routed("add.Tensor", "mul.Tensor"), lanes.served_by("flaggems", "add.Tensor", "mul.Tensor"):
        total, product = x.to(DEV) + number, x.to(DEV) * number
    assert total.dtype == product.dtype == torch.bfloat16
    # FlagGems rounds the number to bfloat16 first.
    close(total, x + number, rtol=2e-2, atol=2e-3)
    close(product, x * number, rtol=2e-2, atol=2e-3)


def test_masks_select_as_many_as_they_hold():
    """No meta function knows how many, and some releases of PyTorch raise where one is asked."""
    x, mask = torch.randn(3, 4), torch.tensor([True, False, True])
    a, b = x.to(DEV), mask.to(DEV)
    with routed("index.Tensor"):
        close(a[b], x[mask])
        close(a[:, torch.tensor([True, False, True, True]).to(DEV)], x[:, [0, 2, 3]])
        with pytest.raises(IndexError, match="does not match the shape"):
            a[torch.tensor([True]).to(DEV)]


def test_complex_numbers_are_not_written_by_flaggems():
    h = torch.tensor([1 + 2j, 3 - 1j])
    d, ops = h.to(DEV), ("add_.Tensor", "sub_.Tensor", "mul_.Tensor")
    with routed(*ops), torch_fl.census() as census:
        for t in (h, d):
            t.add_(1 + 1j).sub_(t.conj()).mul_(2j)
    close(d, h)
    with routed("index_add_", "masked_scatter_"):
        for t in (h, d):
            t.index_add_(0, torch.tensor([1], device=t.device), t[:1].clone())
            t.masked_scatter_(torch.tensor([True, False], device=t.device), t.clone())
    close(d, h)
    assert {row.op for row in census.rows()} >= set(ops)
    assert "flaggems" not in {row.lane for row in census.rows() if row.op in ops}


F64 = torch.float64


@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("mul.Tensor", lambda x: x.to(F64) * 0.1),
        ("add.Tensor", lambda x: torch.add(x.to(F64), x.to(F64), alpha=0.1)),
        ("pow.Tensor_Scalar", lambda x: x.to(F64) ** 0.1),
        ("clamp", lambda x: x.to(F64).clamp(max=0.1)),
        ("lt.Scalar", lambda x: x.to(F64) * 0 + 0.1 < 0.1),
        ("exp", lambda x: (x.to(F64) * 100).exp()),
        ("floor_", lambda x: x.to(F64).floor_()),
        ("fill_.Scalar", lambda x: x.to(F64).fill_(0.1)),
        ("add.Tensor", lambda x: x + x.to(F64)),
        ("exp.out", lambda x: torch.exp(x, out=torch.empty(0, dtype=F64, device=x.device))),
        ("sum.dim_IntList", lambda x: torch.sum(x, 0, dtype=F64)),
        ("mul.Tensor", lambda x: x.to(torch.complex128) * 0.1),
    ],
)
def test_double_precision_goes_past_flaggems(op, call):
    x = torch.tensor([1.7, 2.0**24, 0.3, 1.0])
    with routed(op), torch_fl.census() as census:
        # What is read decides in which precision exp is computed, and devices round float32 in their ways.
        near = 1e-6 if op == "exp.out" else 1e-12
        torch.testing.assert_close(call(x.to(DEV)).cpu(), call(x), rtol=near, atol=near)
        steps = [step for step in torch_fl.explain(call, x.to(DEV)).steps if step.op == op]
    assert {row.lane for row in census.rows() if row.op == op}.isdisjoint({"flaggems"})
    (why,) = {v.reason for step in steps for v in step.lanes if v.lane == "flaggems"}
    assert why == "its functions compute float64 in float32"


@pytest.mark.parametrize("number", [0.5, 3, True])
def test_numbers_beside_make_no_double_precision(number):
    x = torch.randn(4)
    with routed("mul.Tensor"), lanes.served_by("flaggems", "mul.Tensor"):
        close(x.to(DEV) * number, x * number)


def test_factories_of_double_precision_go_past_flaggems():
    """In a process where the lane has one that PyTorch composes otherwise, and that no other lane has."""
    child.check(
        """
        import torch, torch_fl
        from torch_fl import flaggems

        torch.ones(1, device=DEV)
        flaggems.offer_also("linspace")

        def refused(**options):
            try:
                torch.linspace(0, 1, 7, device=DEV, **options)
            except NotImplementedError as error:
                return "compute float64 in float32" in str(error)

        with torch_fl.routes({"linspace": "flaggems"}):
            assert torch.linspace(0, 1, 7, device=DEV).dtype == torch.float32
            assert refused(dtype=torch.float64)
            torch.set_default_dtype(torch.float64)
            assert refused()
        """
    )


def test_fill_takes_a_number():
    x = torch.zeros(3).to(DEV)
    with routed("fill_.Tensor"):
        assert x.fill_(torch.tensor(2.0).to(DEV)).tolist() == [2, 2, 2]
        with pytest.raises(RuntimeError, match="0-dimension value tensor but got tensor with 1 dimensions"):
            torch.ops.aten.fill_.Tensor(x, torch.tensor([3.0]).to(DEV))
    assert x.tolist() == [2, 2, 2]


def test_bytes_with_and_without_a_sign():
    a, b = torch.tensor([200, 100], dtype=torch.uint8), torch.tensor([100, -100], dtype=torch.int8)
    with routed("mul.Tensor", "maximum"):
        close(a.to(DEV) * b.to(DEV), a * b)
        close(torch.maximum(a.to(DEV), b.to(DEV)), torch.maximum(a, b))


def test_in_place_and_out():
    x, y = torch.randn(3, 4), torch.randn(4)
    a, out = x.to(DEV), torch.empty(0).to(DEV)
    with routed("add_.Tensor", "exp.out"), lanes.served_by("flaggems", "add_.Tensor", "exp.out"):
        assert a.add_(y.to(DEV)) is a
        assert torch.exp(a, out=out) is out
    close(a, x + y)
    close(out, (x + y).exp())


def test_gradients():
    ops = ("silu", "silu_backward", "mul.Tensor", "sum.dim_IntList")

    def loss(x, y):
        return torch.nn.functional.silu(x * y).sum([0, 1])

    host = [torch.randn(3, 4).requires_grad_() for _ in range(2)]
    device = [t.detach().to(DEV).requires_grad_() for t in host]
    loss(*host).backward()
    with routed(*ops), lanes.served_by("flaggems", *ops):
        loss(*device).backward()
    for d, h in zip(device, host):
        close(d.grad, h.grad)


def test_what_flaggems_refuses_goes_to_the_next_lane():
    x = torch.randn(6, 4)
    told = pytest.warns(UserWarning, match="does not support this call")
    # It is said once per process, and may have been.
    with routed("topk"), torch_fl.census() as census, set_warn_always_context(True), told:
        got = x.to(DEV).topk(2, 0)
    close(got[0], x.topk(2, 0)[0])
    (row,) = (r for r in census.rows() if r.op == "topk")
    assert row.lane != "flaggems" and row.reason.startswith("flaggems: ")


F16, F64, I8 = torch.float16, torch.float64, torch.int8


@pytest.mark.parametrize(
    ("op", "call"),
    [
        # Kernels that cannot be: by the compiler's word, or by the interpreter's before they write.
        (
            "floor_divide_.Tensor",
            lambda on: on(torch.tensor([5.0, 7.0], dtype=F16)).floor_divide_(on(torch.tensor([2, 3], dtype=I8))),
        ),
        (
            "masked_scatter_",
            lambda on: on(torch.zeros(0, 3)).masked_scatter_(on(torch.ones(0, 3) > 0), on(torch.ones(3))),
        ),
        (
            "scatter_.reduce",
            lambda on: on(torch.zeros(4, dtype=I8)).scatter_(
                0, on(torch.tensor([1, 1])), on(torch.tensor([3, 4], dtype=I8)), reduce="add"
            ),
        ),
        ("exponential_", lambda on: on(torch.zeros(4, dtype=F64)).exponential_() > 0),
        # Results that the functions refuse after they have converted what they read.
        (
            "where.self_out",
            lambda on: torch.where(
                on(torch.arange(7) > 2),
                on(torch.arange(7, dtype=torch.int32)),
                on(torch.tensor(0.5, dtype=F16)),
                out=on(torch.empty(0, dtype=F16)),
            ),
        ),
        (
            "fmin.out",
            lambda on: torch.fmin(on(torch.arange(7.0)), on(torch.full((7,), 3.5, dtype=F64)), out=on(torch.empty(7))),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.filterwarnings("ignore:.*does not support this call", "ignore:The reduce argument")
def test_what_fails_before_it_has_written_goes_to_the_next_lane(op, call):
    with routed(op), torch_fl.census() as census:
        got = call(lambda t: t.to(DEV))
    close(got, call(lambda t: t))
    (row,) = (r for r in census.rows() if r.op == op)
    assert row.lane != "flaggems" and row.reason.startswith("flaggems: ")


def test_what_fails_behind_a_kernel_that_writes_is_raised():
    def relu_(x):
        flaggems.functions()["relu_"](x)
        raise RuntimeError("half way")

    x = torch.tensor([-1.0, 2.0]).to(DEV)
    assert _packages.offer("tileops", ["relu_"], {"relu_": relu_}.__getitem__) == []
    try:
        with torch_fl.routes({"relu_": "tileops"}), pytest.raises(RuntimeError, match="half way"):
            x.relu_()
    finally:
        _packages.offer("tileops", [], None)
    assert x.tolist() == [0, 2]


def test_each_op_of_the_wheel_is_offered_or_named():
    offered = {op.name for op in torch_fl.ops() if "flaggems" in op.lanes}
    listed = set(source.listed())
    refused = set(flaggems.refused)
    assert offered | refused == listed and not offered & refused
    assert len(offered) > 200


def test_a_survey_takes_each_op_of_the_wheel_or_says_why_not():
    """Also those that PyTorch composes of others here; for that the process is not the same afterwards."""
    done = child.check(
        """
        import collections, json
        from torch_fl import _packages, flaggems
        from torch_fl.flaggems import source
        from torch_fl.survey import run

        ops, beside = run.ops_of("flaggems", None)
        assert not ops.keys() & beside.keys() and ops.keys() | beside.keys() == set(source.listed())
        composed = run.composed("flaggems", ops)
        assert composed and not set(composed) & beside.keys(), composed
        try:
            run.ops_of("flaggems", ["conv2d"])
        except ValueError as error:
            assert _packages.COMPOSED in str(error)
        else:
            raise AssertionError("conv2d has an entry")
        print(json.dumps([len(ops), collections.Counter(beside.values()), beside["copy_"] == _packages.CORE]))
        """
    )
    ops, beside, core = json.loads(done.stdout.splitlines()[-1])
    assert ops > 300 and core and len(beside) == 3


def test_an_op_that_is_composed_can_be_surveyed_alone():
    child.check(
        """
        import torch, torch_fl
        from torch_fl import _packages, flaggems

        torch.ones(1, device=DEV)
        assert "full_like" in flaggems.refused
        flaggems.offer_also("full_like")
        lanes = {op.name: op.lanes for op in torch_fl.ops()}
        assert lanes["full_like"] == ("flaggems",) and "zeros_like" not in lanes and "flaggems" in lanes["silu"]
        """
    )


def test_where_flaggems_comes_first_a_composed_op_is_offered_by_a_line_alone():
    """A gap leaves such an op without one: PyTorch is to compose it."""
    child.check(
        """
        from torch_fl import flaggems

        flaggems._facts["lanes"] = ["flaggems", *(lane for lane in flaggems._facts["lanes"] if lane != "flaggems")]
        flaggems.offer()
        assert torch.eye(3, device=DEV).sum() == 3
        lanes = {op.name: op.lanes for op in torch_fl.ops()}
        assert "flaggems" in lanes["eye"] and "eye" not in flaggems.refused
        assert "linspace" not in lanes and "linspace" in flaggems.refused
        assert "flaggems" in lanes["silu"] and "copy_" in flaggems.refused
        """,
        env={"FLAGOS_OP_eye": "flaggems"},
    )


def test_what_this_torch_does_not_have_or_composes_is_never_offered():
    refused = set(flaggems.refused)
    absent = {op for op in source.listed() if op.partition(".")[0] not in dir(torch.ops.aten) and not exists(op)}
    assert absent and absent <= refused
    composed = {op for op in source.listed() if exists(op) and has(op, "CompositeImplicitAutograd")}
    composed = {op for op in composed if not has(op, "CPU")}
    assert len(composed) > 20
    used = torch_fl.lanes()
    if "boxing" in used[: used.index("flaggems")]:
        # PyTorch's own kernels come first, and what it composes is made of those.
        assert composed <= refused
    for op in ("copy_", "zeros", "_to_copy"):
        assert op in refused  # core's own


def has(op, key):
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{op}", key)


def exists(op):
    name, _, overload = op.partition(".")
    return torch._C._dispatch_has_kernel(f"aten::{op}") and overload in getattr(torch.ops.aten, name).overloads() + [""]


# ---- without it


def test_what_cannot_be_loaded_is_tried_once():
    """As with a Triton that does not take what FlagGems' tables for the vendor hold."""
    child.check("""
import warnings
from torch_fl import flaggems
tried = []
def broken():
    tried.append(1)
    raise TypeError("no argument of that name")
flaggems._load = broken
x = torch.ones(3, device=DEV)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    with torch_fl.routes({"neg": "flaggems"}):
        assert (-x).tolist() == [-1, -1, -1]
        assert (-x[:2]).tolist() == [-1, -1]
    with torch_fl.census() as census:
        assert (-x).tolist() == [-1, -1, -1]
assert len(tried) == 1
(off,) = {str(w.message) for w in said if "lane flaggems is off" in str(w.message)}
assert "TypeError: no argument of that name" in off, off
assert "flaggems" not in {row.lane for row in census.rows()}
assert not any("flaggems" in op.lanes for op in torch_fl.ops())
assert "flaggems" not in str(torch_fl.explain(torch.ops.aten.neg.default, x)).splitlines()[0]
try:
    torch_fl.routes({"neg": "flaggems"})
except ValueError as error:
    assert "no argument of that name" in str(error), error
else:
    raise AssertionError("not refused")
""")


@pytest.fixture
def packages(tmp_path):
    """packages(without, **versions): PYTHONPATH where FlagGems' folder has other contents."""
    folder = Path(importlib.util.find_spec("flag_gems").origin).parents[1]
    if folder == Path(sysconfig.get_path("purelib")):
        pytest.skip("FlagGems lies among all other packages, and cannot be taken away from a process")

    def made(without="", **versions):
        for entry in folder.iterdir():
            name = entry.name.partition("-")[0]
            if name != without and not (name in versions and entry.name.endswith(".dist-info")):
                (tmp_path / entry.name).symlink_to(entry)
        for name, version in versions.items():
            about = tmp_path / f"{name}-{version}.dist-info"
            about.mkdir()
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        old = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return os.pathsep.join(str(tmp_path) if p and Path(p).resolve() == folder.resolve() else p for p in old)

    return made


@pytest.mark.parametrize(
    ("without", "versions", "reason"),
    [
        ("flag_gems", {}, "FlagGems is not installed"),
        ("triton", {}, "Triton is not installed"),
        ("sqlalchemy", {}, "FlagGems needs sqlalchemy"),
        ("", {"triton": "3.7.1"}, "FlagGems runs with Triton 3.3 to 3.6, and 3.7.1 is installed"),
    ],
    ids=["flag_gems", "triton", "needs", "range"],
)
def test_the_lane_is_off_and_doctor_says_why(packages, without, versions, reason):
    assert_off(packages(without, **versions), reason)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "FlagGems cannot be loaded"),
        ("x = (", "FlagGems cannot be loaded .*SyntaxError"),
        (
            "_FULL_CONFIG = (('silu', None),)\nraise OSError('half of it')",
            "FlagGems cannot be loaded",
        ),
    ],
    ids=["empty", "cut off", "not importable"],
)
def test_half_of_a_package_costs_no_more_than_its_lane(packages, tmp_path, source, reason):
    path = packages("flag_gems")
    (tmp_path / "flag_gems").mkdir()
    (tmp_path / "flag_gems/__init__.py").write_text(source)
    assert_off(path, reason)


def assert_off(path, reason):
    """With this PYTHONPATH the device works, doctor says why the lane is off, and no op is offered by it then."""
    vendor = discovery.chosen().vendor.name
    env = {**os.environ, "PYTHONPATH": path}
    code = (
        "import json, torch, torch_fl\n"
        "from torch_fl.cli import doctor\n"
        "x = torch.ones(2, device='flagos')\n"
        "facts = dict(doctor.examine().facts)\n"
        "lanes = {lane for op in torch_fl.ops() for lane in op.lanes}\n"
        "print(json.dumps(['flaggems' in lanes, (x + x).tolist(), facts], default=str))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    there, total, facts = json.loads(done.stdout.splitlines()[-1])
    assert not there and total == [2, 2]
    assert re.match(f"off: {reason}", facts[f"{vendor}: flaggems lane"])


def test_the_lane_is_on_and_doctor_says_so():
    from torch_fl.cli import doctor

    assert dict(doctor.examine().facts)[f"{discovery.chosen().vendor.name}: flaggems lane"] == "on"
