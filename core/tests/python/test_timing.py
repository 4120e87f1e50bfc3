"""Calls that are made again, and the routes that follow from their times: the parts that need no device."""

import json
from types import SimpleNamespace

import pytest
import torch

from torch_fl import _conf
from torch_fl._census import Row
from torch_fl.cli import ab
from torch_fl.timing import child, conf, pairs, specs


def row(op, dtypes, shapes, calls=3):
    return Row(op, "acme", dtypes, shapes, "", calls, 1, 1)


def test_the_four_cases_of_the_issue():
    found = {spec.name: specs.built(spec)[0] for spec in specs.issue_252()}
    left, right = found["residual_101x3x320_noncontig"]
    assert left.shape == right.shape == (101, 3, 320) and not left.is_contiguous() and right.is_contiguous()
    assert found["attention_60x101x16_noncontig"][0].stride() == (16, 960, 1)
    assert found["ffn_101x3x1280_scalar"][1] == 1.0 and found["bias_3x101x33"][1].shape == (33,)
    again = specs.built(specs.issue_252()[0])[0]
    assert torch.equal(again[0], left) and torch.equal(again[1], right) and not torch.equal(left, right)


def test_values_of_a_spec():
    given = [{"shape": [4], "dtype": "int64", "below": 3}, [{"shape": []}, 2], {"dtype": "float16"}]
    spec = specs.Spec("", "x", [*given, {"shape": [5], "strided": True}, {"shape": [9], "positive": True}])
    index, (scalar, number), dtype, strided, positive = specs.built(spec)[0]
    assert index.dtype == torch.int64 and 0 <= int(index.min()) <= int(index.max()) < 3
    assert scalar.dim() == 0 and number == 2 and dtype == torch.float16 and strided.stride() == (2,)
    assert bool((positive > 0).all())


KEPT = [
    ("add.Tensor", '[{"shape":[6,3],"dtype":"float32","strides":[1,16],"offset":10},2.5,1]'),
    ("sum.dim_IntList", '[{"shape":[6,8],"dtype":"float16"},[1],true,{"dtype":"float64"}]'),
    ("clamp", '[{"shape":[4],"dtype":"float32"},{"float":"-inf"},3]'),
    ("mul.Tensor", '[{"shape":[3,6],"dtype":"float32","strides":[0,1]},{"shape":[0,6],"dtype":"float32"}]'),
]


@pytest.mark.parametrize(("op", "call"), KEPT[:3])
def test_a_call_that_a_census_kept(op, call):
    spec = specs.from_row(row(op, "float32", "(9)")._replace(call=call))
    args, kwargs = specs.built(spec)
    assert spec.guessed == "" and spec.calls == 3
    if op == "add.Tensor":
        assert (args[0].shape, args[0].stride(), args[0].storage_offset()) == ((6, 3), (1, 16), 10)
        assert args[1] == 2.5 and type(args[1]) is float and kwargs == {"alpha": 1}
    elif op == "sum.dim_IntList":
        assert args[0].dtype == torch.float16 and args[1:] == [[1], True] and kwargs == {"dtype": torch.float64}
    else:
        assert args[1:] == [float("-inf"), 3]


def test_indices_of_a_kept_call_are_in_range():
    call = '[{"shape":[5,9],"dtype":"float32"},0,{"shape":[40],"dtype":"int64","strides":[2],"offset":1}]'
    args, _ = specs.built(specs.from_row(row("index_select", "", "")._replace(call=call)))
    assert args[2].stride() == (2,) and int(args[2].min()) >= 0 and int(args[2].max()) < 5


@pytest.mark.parametrize(
    ("op", "call", "text"),
    [
        (*KEPT[3], "must match the size"),
        ("abs", '[{"kind":"sparse"}]', "self is of a kind that cannot be made again .sparse."),
        ("abs", "[1, 2]", "this torch's schema of it is another one"),
    ],
)
def test_a_kept_call_that_cannot_be_made_again(op, call, text):
    with pytest.raises(ValueError, match=text):
        specs.from_row(row(op, "float32", "(9)")._replace(call=call))


@pytest.mark.parametrize(
    "entry",
    [
        "{op: exp, args: 3}",
        "{op: exp, kwargs: [1]}",
        "{op: exp, args: [{shape: [-1]}]}",
        "{op: exp, args: [{shape: [99999999999999999999]}]}",
        "{op: exp, args: [{shape: [99999999999999]}]}",
        "{op: exp, args: [{shape: [2], transpose: [0]}]}",
        "{op: exp, args: [{shape: [2], transpose: [0, 7]}]}",
        "{op: exp, args: [{shape: [2], below: x}]}",
        "{op: exp, args: [{shape: [2], strides: [a]}]}",
        "{op: exp, args: [{complex: 3}]}",
    ],
)
def test_a_case_that_cannot_be_made(tmp_path, entry):
    path = tmp_path / "cases.yaml"
    path.write_text(f"- {entry}\n")
    with pytest.raises(ValueError, match="case 1: "):
        specs.from_file(path)


def test_cases_of_a_file(tmp_path):
    path = tmp_path / "cases.yaml"
    path.write_text(
        "- {name: mine, op: add.Tensor, args: [{shape: [2, 3]}, 1.0], kwargs: {alpha: 2}}\n"
        "- {op: cat, args: [[{shape: [2]}, {shape: [3]}]]}\n"
    )
    first, second = specs.from_file(path)
    assert (first.name, first.op, first.kwargs) == ("mine", "add.Tensor", {"alpha": 2}) and second.name == "cat 2"
    for text, wanted in [
        ("{}", "a list of cases is expected"),
        ("- {name: a}", "case 1 has no op"),
        ("- {op: add.Tensr}", "case 1: there is no op 'add.Tensr'"),
        ("- {op: abs, arg: []}", "case 1 has 'arg'"),
        ("- {op: abs, args: [{shape: [2], dtyp: x}]}", "a tensor has no 'dtyp'"),
        ("- {op: abs, args: [{shape: [2], dtype: float31}]}", "there is no dtype 'float31'"),
        ("- {op: mm, args: [{shape: [2]}, {shape: [2]}]}", "RuntimeError"),
        ("- [", "cases.yaml"),
    ]:
        path.write_text(text)
        with pytest.raises(ValueError, match=r"cases\.yaml") as error:
            specs.from_file(path)
        assert wanted in str(error.value)


@pytest.mark.parametrize(
    ("op", "dtypes", "shapes", "made"),
    [
        ("add.Tensor", "float32,float64", "(3,4) ()", "float32[3, 4], 1.5, alpha=1"),
        ("add.Tensor", "float32", "(3,4) (4)", "float32[3, 4], float32[4], alpha=1"),
        ("mm", "float16", "(3,4) (4,5)", "float16[3, 4], float16[4, 5]"),
        ("cat", "float32", "(3,4) (5,4) (1,4)", "[float32[3, 4], float32[5, 4], float32[1, 4]], 0"),
        ("where.self", "bool,float32", "(3) (3) (3)", "bool[3], float32[3], float32[3]"),
        ("_softmax", "float32", "(3,4)", "float32[3, 4], -1, False"),
        ("embedding", "float32,int64", "(9,4) (2,3)", "float32[9, 4], int64[2, 3], -1, False, False"),
    ],
)
def test_a_row_of_a_census_is_made_again(op, dtypes, shapes, made):
    from torch_fl.survey.cases import describe

    spec = specs.from_row(row(op, dtypes, shapes))
    assert describe(specs.built(spec)) == made and spec.calls == 3


def test_what_of_a_census_cannot_be_timed_is_told(tmp_path, native):
    """Each op once: of a library that is not imported here, of another torch, and what core serves itself."""
    rows = [
        row("relu", "float32", "(8)"),
        *(row("mine::twice", "float32", f"({n})") for n in (8, 9)),
        row("gone.Tensor", "float32", "(8)"),
        row("copy_", "float32", "(8) (8)"),
    ]
    file = tmp_path / "census.json"
    file.write_text(json.dumps({"format": 1, "rows": [r._asdict() for r in rows]}))
    found, left = ab.of_census(file)
    assert [spec.op for spec in found] == ["relu"]
    assert left == [
        "mine::twice: there is no such op on the device here",
        "gone.Tensor: there is no such op on the device here",
        "copy_: core serves it itself",
    ]


def test_what_is_guessed_is_told():
    assert specs.from_row(row("_softmax", "float32", "(3,4)")).guessed == "dim=-1, half_to_float=False"
    assert specs.from_row(row("mm", "float32", "(3,4) (4,5)")).guessed == ""
    for bad in (row("mm", "float32", "(3,4)"), row("no_such", "float32", "(3)"), row("mm", "float32", "(3,4) (3,4)")):
        with pytest.raises(ValueError, match=bad.op):
            specs.from_row(bad)


def test_promotion_as_guards_see_it():
    assert specs.promoted(specs.from_row(row("add.Tensor", "float16,float64", "(3) ()"))) == "float16"
    assert specs.promoted(specs.from_row(row("gather", "float32,int64", "(3,4) (3,4)"))) == "float32"


def test_batches():
    calls, waits = [], []
    found = child.timed(lambda: calls.append(1), lambda: waits.append(1), warmup=3, repeat=25)
    assert len(found) == 10 and len(calls) == 28 and len(waits) == 11 and all(us >= 0 for us in found)
    assert len(child.timed(lambda: None, lambda: None, warmup=1, repeat=4)) == 4


def timed(spec, **lanes):
    times = {}
    for lane, us in lanes.items():
        if isinstance(us, str):
            times[lane] = pairs.Times(error=us)
        else:
            times[lane] = pairs.Times(lane, [us, us * 1.02], [us, us * 1.01, us * 1.02])
    return pairs.Result(spec, times)


def spec(op="add.Tensor", dtype="float32", calls=1):
    return specs.Spec(f"{op} {dtype} x", op, [{"shape": [3], "dtype": dtype}], {}, calls)


def test_ratio_and_spread():
    result = timed(spec(), acme=20.0, boxing=10.0)
    assert result.ratio("acme", "boxing") == pytest.approx(2) and result.ratios("acme", "boxing") == pytest.approx(
        [2, 2]
    )
    assert 0.02 < result.spread("acme", "boxing") < 0.06
    entry = result.to_json("boxing")["lanes"]
    assert entry["acme"]["ratio"] == pytest.approx(2) and "ratio" not in entry["boxing"]


@pytest.mark.parametrize(
    ("measured", "lines"),
    [
        ([("acme", timed(spec(), acme=20.0, boxing=10.0))], ["add.Tensor [dtype = float32] = boxing"]),
        ([("boxing", timed(spec(), acme=20.0, boxing=10.0))], []),
        ([("acme", timed(spec(), acme=10.1, boxing=10.0))], []),  # inside the spread
        ([("acme", timed(spec(), acme=20.0, boxing="the result is wrong: values"))], []),
        ([("acme", timed(spec(), acme="no end", boxing=1.0))], []),
        (
            [("acme", timed(spec(calls=100), acme=1.0, boxing=2.0)), ("acme", timed(spec(), acme=9.0, boxing=1.0))],
            [],  # often weighs more than slow
        ),
        (
            [
                ("acme", timed(spec(dtype="int64"), acme=1.0, boxing=2.0)),
                ("acme", timed(spec(), acme=9.0, boxing=1.0)),
            ],
            ["add.Tensor [dtype = float32] = boxing"],
        ),
    ],
)
def test_lines(measured, lines):
    assert [line.text for line in conf.lines(measured)] == lines


def test_the_conf_can_be_read(tmp_path, world):
    base = tmp_path / "base.conf"
    base.write_text("add.Tensor = acme\nabs = acme\n")
    measured = [("acme", timed(spec(calls=4), acme=20.0, boxing=10.0))]
    found = conf.lines(measured)
    text = conf.written(found, base, "2026-01-02, a device, torch 2.13.0", ["abs: is alone"])
    (tmp_path / "tuned.conf").write_text(text)
    read = _conf.read(tmp_path / "tuned.conf", world)
    assert [rule.text for rule in read.rules] == [
        "add.Tensor = acme",
        "abs = acme",
        "add.Tensor [dtype = float32] = boxing",
    ]
    lines = text.splitlines()
    above = lines[lines.index("add.Tensor [dtype = float32] = boxing") - 1]
    for part in ("boxing / acme", "ratio 0.500", "spread", "torch 2.13.0", "2026-01-02"):
        assert part in above
    assert "# Left as it is: abs: is alone" in lines and conf.saved(measured, found) == pytest.approx(0.5)


def test_a_lane_that_did_not_serve_is_no_number():
    rows = [SimpleNamespace(op="abs", lane="none", reason="acme: not today")]
    with pytest.raises(RuntimeError, match="acme did not serve the call, none did: acme: not today"):
        child._served(rows, "abs", "acme")
    assert child._served(rows, "abs", child.ROUTED) == "none"
