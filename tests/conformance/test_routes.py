"""Routes: confs, guards, overrides, changes at run time, explain, logs, strictness, demotion, bad input."""

import pytest
import torch
from harness import child, lanes
from harness.compare import close
from harness.device import DEV, SELF_CHECK, TYPE, needs_device, vendor_name

if not SELF_CHECK:
    import torch_fl

pytestmark = needs_device

_HAS_BOXING = "boxing" in lanes.lanes()
needs_boxing = pytest.mark.skipif(not _HAS_BOXING, reason="the vendor has no boxing lane")

# One op of most call shapes, to try each lane with.
CALLS = {
    "add.Tensor": lambda x: x + x,
    "mul.Tensor": lambda x: x * 2,
    "exp": lambda x: x.exp(),
    "sum.dim_IntList": lambda x: x.sum(1),
    "mm": lambda x: x @ x.t(),
    "_softmax": lambda x: x.softmax(1),
    "cat": lambda x: torch.cat([x, x]),
    "index_select": lambda x: x.index_select(0, torch.tensor([1, 0], device=x.device)),
    "native_layer_norm": lambda x: torch.nn.functional.layer_norm(x, (3,)),
    "where.self": lambda x: torch.where(x > 1, x, -x),
    "fill_.Scalar": lambda x: x.clone().fill_(3),
    "nonzero": lambda x: x.nonzero(),
    "_foreach_add.List": lambda x: torch._foreach_add([x, x], [x, x])[0],
    "clamp": lambda x: x.clamp(1, 3),
    "eq.Scalar": lambda x: x == 2,
    "copy_": lambda x: x.to(torch.float16),
}


def _x():
    return torch.arange(6.0).view(2, 3).to(DEV)


# Not FlagGems' mm: on a device its first call compiles and tries configurations for minutes.
TRIED = [(op, lane) for op in CALLS for lane in lanes.serving(op) if (op, lane) != ("mm", "flaggems")]


@pytest.mark.parametrize("op,lane", TRIED)
def test_each_lane_serves_what_it_says(op, lane):
    call = CALLS[op]
    want = call(torch.arange(6.0).view(2, 3))
    with torch_fl.routes({op: lane}), lanes.served_by(lane, op):
        got = call(_x())
    close(got, want)


def test_default_route_is_the_first_lane_that_serves():
    with torch_fl.census() as census:
        _x() + 1
    (row,) = [r for r in census.rows() if r.op == "add.Tensor"]
    assert row.lane == lanes.serving("add.Tensor")[0]
    assert row.calls == 1 and "float32" in row.dtypes and row.bytes > 0


def test_change_ends_with_its_block():
    first, *_, last = lanes.serving("add.Tensor")
    with torch_fl.routes({"add.Tensor": last}):
        with lanes.served_by(last, "add.Tensor"):
            _x() + 1
        with torch_fl.routes({"add.Tensor": first}), lanes.served_by(first, "add.Tensor"):
            _x() + 1
        with lanes.served_by(last, "add.Tensor"):
            _x() + 1
    with lanes.served_by(first, "add.Tensor"):
        _x() + 1


@pytest.mark.parametrize(
    "guard,hit,miss",
    [
        ("dtype=int64", lambda: torch.ones(2, dtype=torch.int64), lambda: torch.ones(2)),
        ("dtype={float16,bfloat16}", lambda: torch.ones(2).bfloat16(), lambda: torch.ones(2)),
        ("dtype!=float32", lambda: torch.ones(2).half(), lambda: torch.ones(2)),
        ("rank=2", lambda: torch.ones(2, 2), lambda: torch.ones(2)),
        ("rank>=2", lambda: torch.ones(2, 2, 2), lambda: torch.ones(2)),
        ("self.rank<1", lambda: torch.ones(()), lambda: torch.ones(2)),
        ("numel>100", lambda: torch.ones(101), lambda: torch.ones(100)),
        ("inner(0)=5", lambda: torch.ones(2, 5), lambda: torch.ones(5, 2)),
        ("rows(-1)=5", lambda: torch.ones(5, 2), lambda: torch.ones(2, 5)),
        ("self.dtype=int32", lambda: torch.ones(2).int(), lambda: torch.ones(2)),
        ("out.dtype=float64", lambda: torch.ones(2).double(), lambda: torch.ones(2)),
        ("layout=contiguous", lambda: torch.ones(2, 3), lambda: torch.ones(3, 2).t()),
        # A dtype that every lane takes: only the rank may decide here.
        ("dtype=float16, rank=2", lambda: torch.ones(2, 2).half(), lambda: torch.ones(2).half()),
        ("dtype=int64 and rank=2", lambda: torch.ones(2, 2).long(), lambda: torch.ones(2, 2)),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_guards(guard, hit, miss):
    # Made on the host first: `t()` on the device keeps the strides that the guard is about.
    h, m = hit(), miss()
    device = lambda t: t.to(DEV)  # noqa: E731
    with torch_fl.routes({f"add.Tensor [{guard}]": "none"}):
        for _ in range(2):
            with lanes.served_by("none", "add.Tensor"):
                close(device(h) + device(h), h + h)
            with torch_fl.census() as census:
                close(device(m) + device(m), m + m)
            assert {r.lane for r in census.rows() if r.op == "add.Tensor"} == {lanes.serving("add.Tensor")[0]}


# What `alike` says of the call f(a, b): both are made on the host, and keep their strides on the device.
PAIRS = {
    "the same tensor twice": ("yes", lambda: [torch.ones(2, 3)] * 2),
    "two like each other": ("yes", lambda: (torch.ones(2, 3), torch.full((2, 3), 2.0))),
    "broadcast, the rank is the same": ("no", lambda: (torch.ones(2, 3), torch.ones(2, 1))),
    "broadcast to more dimensions": ("no", lambda: (torch.ones(2, 3), torch.ones(3))),
    "another dtype": ("no", lambda: (torch.ones(2, 3), torch.ones(2, 3).half())),
    "other strides": ("no", lambda: (torch.ones(3, 3), torch.arange(9.0).view(3, 3).t())),
    "gaps": ("no", lambda: (torch.ones(2, 3), torch.arange(12.0).view(2, 6)[:, ::2])),
    "the same gaps": ("yes", lambda: (torch.ones(2, 6)[:, ::2], torch.arange(12.0).view(2, 6)[:, ::2])),
    "a number": ("yes", lambda: (torch.ones(2, 3), 2.0)),
    "a number of another kind": ("yes", lambda: (torch.ones(2, 3, dtype=torch.int32), 2)),
    "a tensor of one number": ("no", lambda: (torch.ones(2, 3), torch.tensor(2.0))),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_guard_about_tensors_that_are_alike(pair):
    alike, make = PAIRS[pair]
    a, b = make()
    x, y = (t.to(DEV) if isinstance(t, torch.Tensor) else t for t in (a, b))
    if isinstance(b, torch.Tensor):
        assert (x.stride(), y.stride()) == (a.stride(), b.stride()) or "gaps" in pair
    if "gaps" in pair:  # a copy to the device closes them
        x, y = (torch.empty_strided(t.shape, t.stride(), device=DEV).copy_(t) for t in (a, b))
    for guard, hit in (("alike = no", alike == "no"), ("alike = yes", alike == "yes"), ("alike != no", alike == "yes")):
        with torch_fl.routes({f"mul.Tensor [{guard}]": "none"}):
            for _ in range(2):
                with torch_fl.census() as census:
                    close(x * y, a * b)
                served = {r.lane for r in census.rows() if r.op == "mul.Tensor"}
                assert served == {"none"} if hit else "none" not in served, guard


def test_alike_counts_the_result_that_the_caller_gives():
    a, b = torch.ones(2, 3, device=DEV), torch.ones(2, 3, device=DEV)
    with torch_fl.routes({"mul.out [alike = no]": "none"}):
        with torch_fl.census() as census:
            torch.mul(a, b, out=torch.empty(2, 3, device=DEV))
        assert "none" not in {r.lane for r in census.rows() if r.op == "mul.out"}
        with lanes.served_by("none", "mul.out"):
            torch.mul(a, b, out=torch.empty(3, 2, device=DEV).t())


@pytest.mark.parametrize("op", ["cat", "_foreach_add.List"])
def test_alike_counts_the_tensors_in_lists(op):
    call = {"cat": lambda x, y: torch.cat([x, y]), "_foreach_add.List": lambda x, y: torch._foreach_add([x, x], [x, y])}
    x, y = torch.ones(2, 3), torch.arange(6.0).view(2, 3)
    other = {"cat": torch.ones(4, 3), "_foreach_add.List": torch.arange(6.0).view(3, 2).t()}[op]
    with torch_fl.routes({f"{op} [alike = no]": "none"}):
        for last, hit in ((y, False), (other, True), (y, False)):
            with torch_fl.census() as census:
                got, want = call[op](x.to(DEV), last.to(DEV)), call[op](x, last)
            for one, expected in zip(got, want, strict=True):
                close(one, expected)
            assert ({r.lane for r in census.rows() if r.op == op} == {"none"}) == hit


def test_a_guard_about_the_dimension_that_the_call_names():
    """`rows(dim)` reads the argument `dim`: the same tensor goes elsewhere by the dimension that is reduced."""
    x = torch.arange(30, dtype=torch.float32).reshape(5, 3, 2)
    with torch_fl.routes({"_softmax [rows(dim)>=15]": "none", "_softmax [inner(dim)=6]": "none"}):
        for dim, lane in ((2, "none"), (-1, "none"), (0, "none"), (1, None), (-2, None)):
            with torch_fl.census() as census:
                close(torch.softmax(x.to(DEV), dim), torch.softmax(x, dim))
            (row,) = [r for r in census.rows() if r.op == "_softmax"]
            assert (row.lane == "none") == (lane == "none"), dim


def test_last_guard_that_accepts_wins():
    first = lanes.serving("add.Tensor")[0]
    with torch_fl.routes({"add.Tensor": "none", "add.Tensor [rank=1]": first, "add.Tensor [numel=3]": "none"}):
        with lanes.served_by(first, "add.Tensor"):
            torch.ones(4, device=DEV) + 1
        with lanes.served_by("none", "add.Tensor"):
            torch.ones(3, device=DEV) + 1
        with lanes.served_by("none", "add.Tensor"):
            torch.ones(2, 2, device=DEV) + 1


@pytest.mark.parametrize(
    "change,words",
    [
        ({"add.Tensro": "none"}, ["add.Tensro", "did you mean 'add.Tensor'"]),
        ({"add.Tensor": "nine"}, ["unknown lane 'nine'", "none"]),
        ({"add.Tensor [dtyp=int64]": "none"}, ["dtyp", "dtype"]),
        ({"add.Tensor [dtype=int63]": "none"}, ["int63", "int"]),
        ({"add.Tensor [rank=two]": "none"}, ["two"]),
        ({"add.Tensor [alike=maybe]": "none"}, ["alike", "maybe"]),
        ({"add.Tensor []": "none"}, ["guard"]),
        ({"empty_strided": "none"}, ["core itself"]),
    ],
)
def test_wrong_changes(change, words):
    with pytest.raises(ValueError) as error:
        torch_fl.routes(change)
    for word in words:
        assert word in str(error.value)
    close(_x() + 1, torch.arange(6.0).view(2, 3) + 1)


# ---- in a process of its own: what the environment says

_USE = "x = torch.ones(2, device=DEV) + 1\nprint('RESULT', x.sum().item())"


def _write(tmp_path, text, name="routes.conf"):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_conf_from_the_environment(tmp_path):
    conf = _write(tmp_path, "# a comment\nadd.Tensor = none   # another\nmul.Tensor [rank = 1] = none\n")
    result = child.check(_USE, {"FLAGOS_BACKEND_CONFIG": conf, "FLAGOS_LOG": "dispatch"})
    assert "RESULT 4.0" in result.stdout
    assert f"[flagos] loading backend config from {conf}" in result.stderr
    assert "[flagos dispatch] add.Tensor -> none" in result.stderr


def test_included_conf(tmp_path):
    _write(tmp_path, "add.Tensor = none\n", "base.conf")
    conf = _write(tmp_path, "include base.conf\n")
    result = child.check(_USE, {"FLAGOS_BACKEND_CONFIG": conf, "FLAGOS_LOG": "dispatch"})
    assert "add.Tensor -> none" in result.stderr


BAD_CONFS = {
    "unknown op": ("\nadd.Tensro = none\n", [":2:", "add.Tensro", "add.Tensor"]),
    "unknown lane": ("add.Tensor = nun\n", [":1:", "unknown lane 'nun'", "none"]),
    "unknown guard": ("\n\nadd.Tensor [dtpe=int64] = none\n", [":3:", "dtpe", "dtype"]),
    "no equals sign": ("add.Tensor none\n", [":1:", "op = lane"]),
    "missing include": ("include nowhere.conf\n", [":1:", "nowhere.conf"]),
    "include of itself": ("include routes.conf\n", ["routes.conf", "itself"]),
}


@pytest.mark.parametrize("text,words", BAD_CONFS.values(), ids=BAD_CONFS)
def test_bad_conf(tmp_path, text, words):
    """Told at the first use of the device, with file and line; importing works."""
    conf = _write(tmp_path, text)
    result = child.run(
        "print('IMPORTED', torch.ones(2).sum().item(), flush=True)\n" + _USE, {"FLAGOS_BACKEND_CONFIG": conf}
    )
    assert result.returncode != 0 and "IMPORTED 2.0" in result.stdout and "RESULT" not in result.stdout
    for word in [conf if words[0].startswith(":") else "routes.conf", *words]:
        assert word in result.stderr, f"{word!r} is not in: {result.stderr[-800:]}"


def test_unreadable_conf(tmp_path):
    for path, word in ((tmp_path / "absent.conf", "No such file"), (tmp_path, "directory")):
        result = child.run(_USE, {"FLAGOS_BACKEND_CONFIG": str(path)})
        assert result.returncode != 0 and str(path) in result.stderr and word in result.stderr


def test_explain_names_the_routed_lane_that_is_not_installed(tmp_path):
    """A generated conf may route to a lane that this installation lacks: the next one serves, and explain says both."""
    conf = _write(tmp_path, "# generated by the tests\nadd.Tensor = tileops\nadd.Tensor [rank = 3] = none\n")
    result = child.check(
        """
        step = torch_fl.explain(torch.add, torch.ones(2, device=DEV), 1.0).steps[-1]
        print("ROUTED", step.routed, step.lane != "tileops", next(v.reason for v in step.lanes if v.lane == "tileops"))
        print("GUARDED", torch_fl.explain(torch.add, torch.ones(2, 1, 1, device=DEV), 1.0).steps[-1].routed)
        """,
        {"FLAGOS_BACKEND_CONFIG": conf},
    )
    assert f"ROUTED tileops True routed here by {conf}:2, but this installation has no kernel of it" in result.stdout
    assert "GUARDED none" in result.stdout


def test_override():
    result = child.check(_USE, {"FLAGOS_OP_add__Tensor": "none", "FLAGOS_LOG": "dispatch,fallback"})
    assert "add.Tensor -> none" in result.stderr and "[flagos fallback] add.Tensor" in result.stderr


def test_override_of_nothing():
    result = child.run(_USE, {"FLAGOS_OP_add__Tensro": "none"})
    assert result.returncode != 0 and "FLAGOS_OP_add__Tensro" in result.stderr and "add.Tensor" in result.stderr
    result = child.run(_USE, {"FLAGOS_OP_add__Tensor": "noone"})
    assert result.returncode != 0 and "unknown lane 'noone'" in result.stderr


def test_unknown_and_retired_variables():
    result = child.check(_USE, {"FLAGOS_LGO": "dispatch", "FLAGOS_USE_FLAGGEMS": "1"})
    assert "FLAGOS_LGO" in result.stderr and "FLAGOS_LOG" in result.stderr
    assert "FLAGOS_USE_FLAGGEMS is retired" in result.stderr


def test_log_of_fallbacks_names_overload_dtypes_and_reason():
    result = child.check(
        "x = torch.ones(2, dtype=torch.int64, device=DEV)\ntorch.add(x, x, out=torch.empty_like(x))",
        {"FLAGOS_OP_add__out": "none", "FLAGOS_LOG": "fallback"},
    )
    assert "[flagos fallback] add.out" in result.stderr and "int64" in result.stderr


def test_quiet_without_a_log():
    assert "[flagos" not in child.check(_USE, {"FLAGOS_LOG": None}).stderr


def test_old_lane_names_stay_readable(tmp_path):
    conf = _write(tmp_path, "add.Tensor = flagos_python\n")
    result = child.run(_USE, {"FLAGOS_BACKEND_CONFIG": conf})
    assert "unknown lane" not in result.stderr


def test_strict_refuses_fallbacks():
    result = child.run(_USE, {"FLAGOS_STRICT": "1", "FLAGOS_OP_add__Tensor": "none"})
    assert result.returncode != 0 and "add.Tensor" in result.stderr and "FLAGOS_STRICT" in result.stderr
    assert "RESULT 4.0" in child.check(_USE, {"FLAGOS_STRICT": "1"}).stdout


def test_vendor_by_name():
    assert "RESULT 4.0" in child.check(_USE, {"FLAGOS_ACCELERATOR": vendor_name()}).stdout
    result = child.run("print(torch.ones(1))\n" + _USE, {"FLAGOS_ACCELERATOR": "nosuch"})
    assert result.returncode != 0 and "tensor([1.])" in result.stdout
    assert "nosuch" in result.stderr and vendor_name() in result.stderr


# ---- explain


def test_explain_says_what_happens():
    x = _x()
    for op, call in CALLS.items():
        explanation = torch_fl.explain(call, x)
        steps = {step.op: step.lane for step in explanation.steps}
        with torch_fl.census() as census:
            call(x)
        for row in census.rows():
            if row.op in steps:
                assert steps[row.op] == row.lane, (
                    f"{op}: {row.op} was said to go to {steps[row.op]}, went to {row.lane}"
                )


# ---- demotion


def test_unsupported_call_goes_to_the_next_lane():
    """A dtype that hardly any vendor's row takes: it goes where explain says, and is right."""
    x = torch.ones(2, dtype=torch.complex128, device=DEV)
    lane = torch_fl.explain(torch.add, x, x).steps[-1].lane
    with torch_fl.census() as census:
        close(x + x, torch.full((2,), 2, dtype=torch.complex128))
    assert [r.lane for r in census.rows() if r.op == "add.Tensor"] == [lane]
    assert (torch.ones(2, device=DEV) + 1).sum().item() == 4


def test_host_pointer_is_no_device_pointer():
    """Memory of the host, dressed as a tensor of the device, is refused instead of read."""
    result = child.run("""
        host = torch.ones(1 << 12)
        bad = torch.empty(1 << 12, device=DEV)
        storage = torch._C._construct_storage_from_data_pointer(
            host.data_ptr(), torch.device(DEV, 0), host.untyped_storage().nbytes())
        bad.set_(storage, 0, (1 << 12,), (1,))
        try:
            bad.cpu()
            print("NOT REFUSED")
        except RuntimeError as error:
            print("REFUSED", error)
        print("ALIVE", torch.ones(2, device=DEV).sum().item())
    """)
    assert "ALIVE 2.0" in result.stdout, result.stderr[-1000:]
    assert "REFUSED" in result.stdout and "NOT REFUSED" not in result.stdout
    assert f"torch_fl[{vendor_name()}]" in result.stdout


def test_vendor_errors_have_one_form():
    with pytest.raises(torch.OutOfMemoryError) as error:
        torch.empty(1 << 55, dtype=torch.uint8, device=DEV)
    assert TYPE in str(error.value)


# FlagGems' functions look at no index (docs/flaggems.md).
@pytest.mark.parametrize("lane", [lane for lane in lanes.lanes() if lane != "flaggems"])
def test_index_out_of_range(lane):
    x, bad = _x(), torch.tensor([7], device=DEV)
    with lanes.forced(lane):
        for use in (lambda: x.index_select(0, bad), lambda: x[bad], lambda: torch.nn.functional.embedding(bad, x)):
            torch.nn.functional.embedding(torch.tensor([1], device=DEV), x)  # a plan of the valid call
            with pytest.raises((IndexError, RuntimeError)):
                use().cpu()
        close(x + 1, torch.arange(6.0).view(2, 3) + 1)


def test_behind_none_no_lane_is_asked():
    """A line to the host is meant: explain says of each other lane why it is not asked."""
    x = _x()
    with torch_fl.routes({"add.Tensor": "none", "mul.Tensor [rank=2]": "none"}):
        for step in (torch_fl.explain(torch.add, x, 1).steps[-1], torch_fl.explain(torch.mul, x, 2).steps[-1]):
            assert step.lane == "none"
            for lane in set(lanes.serving(step.op)) - {"none"}:
                (verdict,) = (v for v in step.lanes if v.lane == lane)
                assert not verdict.chosen
                assert verdict.reason.startswith(("not asked behind none", "passed over by"))
