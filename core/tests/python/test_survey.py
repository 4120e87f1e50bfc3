"""The parts of a survey that need no device: arguments, comparison, verdicts, gaps, the file."""

import json
import math
import sys
from pathlib import Path

import pytest
import torch

from torch_fl._ops import schema_of
from torch_fl.survey import cases, compare, gaps, inputs, measure, opinfos, record, verdicts
from torch_fl.survey.moving import move

ROOT = Path(__file__).resolve().parents[3]
BY_NAME = {profile.name: profile for profile in inputs.PROFILES}


def wrong(got, want, **options):
    found = compare.difference(got, want, on_device=False, **options)
    return found and found["wrong"]


def test_differences():
    x = torch.tensor([1.0, float("nan"), float("inf")])
    assert wrong(x.clone(), x) is None
    assert wrong(x.double(), x) == "dtype"
    assert wrong(x[:2], x) == "shape"
    assert wrong((x, x), x) == "form"
    assert wrong(x + 1, x) == "values"
    assert wrong(torch.tensor([1.0, float("nan"), float("-inf")]), x) == "values"
    assert wrong(torch.tensor([2**40 + 1]), torch.tensor([2**40])) == "values"
    assert wrong(torch.tensor([True]), torch.tensor([False])) == "values"
    assert wrong(x + 1, x, values="any") is None
    assert wrong(3, 4) == "values" and wrong(0.1 + 0.2, 0.3) is None and wrong(None, None) is None
    assert wrong(torch.tensor(1.01), torch.tensor(1.0), tolerance=(0.1, 0)) is None
    assert compare.difference(x, x)["wrong"] == "device"


def test_what_is_wrong_is_told():
    want = torch.zeros(4, 4)
    got = want.clone()
    got[2, 3] = 5
    found = compare.difference(got, want, on_device=False)
    assert "1 of 16 values" in found["text"] and "[2, 3]" in found["text"] and found["max_abs"] == 5


@pytest.mark.filterwarnings("ignore:Sparse", "ignore:The PyTorch API of nested")
def test_sparse_results_are_compared_part_by_part():
    x = torch.tensor([[0.0, 1.0], [2.0, 0.0]])
    for make in (torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc):
        assert wrong(make(x), make(x)) is None
        assert wrong(make(x), make(x * 2)) == "values"
        assert wrong(make(x), make(x.t().contiguous())) in ("values", "shape")
        assert wrong(make(x), x) == "form" and wrong(x, make(x)) == "form"
        assert wrong(make(x), make(torch.ones(2, 3))) in ("form", "shape")
        assert wrong(make(x), make(x.double())) == "dtype"
    twice = torch.sparse_coo_tensor([[1, 0, 0], [0, 1, 1]], [2.0, 0.5, 0.5], (2, 2))
    assert wrong(twice, x.to_sparse()) is None  # in another order, and in parts
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    assert wrong(nested, nested) is None and wrong(nested, nested * 2) == "values"
    assert wrong(nested, torch.nested.nested_tensor([torch.ones(2), torch.ones(4)])) == "shape"


def test_long_sums_are_as_near_as_the_hosts():
    exact = torch.arange(8, dtype=torch.float64)
    host = (exact + 1e-3).float()
    assert compare.as_near((exact - 3e-3).float(), host, exact) and not compare.as_near(exact - 5e-3, host, exact)
    assert not compare.as_near(exact.float().index_fill(0, torch.tensor([0]), torch.inf), host, exact)
    nan = host.index_fill(0, torch.tensor([3]), torch.nan)
    assert compare.as_near(nan, nan, exact) and not compare.as_near(host, nan, exact)
    places = torch.arange(8)
    assert compare.as_near((host, places), (host, places), (exact, places))
    assert not compare.as_near((host, places + 1), (host, places), (exact, places))


def test_random_results_are_compared_by_distribution():
    x, y = torch.rand(1024), torch.rand(1024)
    assert wrong(x, y, values="random") is None
    assert wrong(x + 1, y, values="random") == "values"
    assert wrong(x * 0, y, values="random") == "values"
    assert wrong(x.clamp(min=0.1), y, values="random") == "values"  # mean and deviation are nearly right
    assert wrong((x > 0.5).float(), (y > 0.5).float(), values="random") is None


@pytest.mark.parametrize("name", BY_NAME)
def test_profiles(name):
    profile = BY_NAME[name]
    x, y = (inputs.tensor(profile, 7) for _ in range(2))
    assert x.dtype == profile.dtype and x.shape == profile.shape and x.is_contiguous() != profile.strided
    assert torch.equal(x.nan_to_num(), y.nan_to_num())
    if profile.values == "wide":
        assert int(x.abs().max()) > 2**32
    if profile.values == "special":
        assert x.isnan().any() and x.isinf().any()


def test_profiles_at_the_limits_of_a_grid():
    assert inputs.scaled([]) == ()
    shapes = {p.name: p.shape for p in inputs.scaled([65535, 255])}
    assert shapes["rows-f32"][0] > 65535 and shapes["batch-f32"][0] > 255
    # CUDA's along x is out of reach; those along y and z are not.
    shapes = {p.name: p.shape for p in inputs.scaled([2**31 - 1, 65535, 65535])}
    assert shapes["rows-f32"][0] == shapes["batch-f32"][0] == 65535 + 9
    assert max(math.prod(shape) for shape in shapes.values()) < 2**26
    assert inputs.scaled([2**31 - 1]) == ()


@pytest.mark.parametrize(
    ("op", "mixes"),
    [
        ("add.Tensor", True),
        ("add_.Tensor", True),
        ("add.out", True),
        ("cat", True),
        ("where.self", True),
        ("exp", False),
    ]
    + [("add.Scalar", False), ("mm", False), ("index_select", False), ("masked_fill.Scalar", False)],
)
def test_several_dtypes_are_for_several_tensors_of_values(op, mixes):
    names = [case.name for case in cases.of_op(op, grid=[], samples=0)]
    assert [p.name in names for p in inputs.MIXED] == [mixes] * len(inputs.MIXED)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("profile", inputs.MIXED, ids=lambda p: p.name)
def test_what_is_of_several_dtypes(profile):
    for op in ("add.Tensor", "where.self", "cat"):
        found = cases.of_profile(op, profile)
        if isinstance(found, cases.Refused):
            assert op == "cat" and profile.later_0d  # numbers are not concatenated
            continue
        args = found.arguments[0][0] if op == "cat" else [a for a in found.arguments[0] if a.dtype != torch.bool]
        assert [a.dtype for a in args] == [profile.dtype, profile.later]
        assert [a.dim() for a in args] == [2, 0 if profile.later_0d else 2]
        assert found.want.dtype == torch.result_type(*args) and found.dtype == str(found.want.dtype)[6:]


def test_what_is_made_is_made_on_the_device():
    _, kwargs = next(inputs.attempts("arange", schema_of("arange"), inputs.PROFILES[0]))
    assert kwargs["device"] == torch.device("cpu")  # which `move` changes


@pytest.mark.parametrize(
    "op",
    ["add.Tensor", "add.out", "add_.Tensor", "mm", "bmm.out", "native_group_norm", "argmax.out", "where.self", "clamp"]
    + [
        "fill.Tensor",
        "masked_fill_.Tensor",
        "scatter.src",
        "index.Tensor",
        "cat",
        "_conv_depthwise2d",
        "nll_loss_backward",
        "max_pool2d_backward",
    ],
)
def test_arguments_from_the_schema(op):
    found = [cases.of_profile(op, profile) for profile in inputs.PROFILES]
    assert any(isinstance(case, cases.Case) for case in found), found[0]


def variants(op):
    found = {case.name: case for case in cases.of_op(op, grid=[], samples=0) if isinstance(case, cases.Case)}
    return {name.removeprefix("2d-f32-"): case for name, case in found.items() if name not in BY_NAME}


@pytest.mark.parametrize(
    ("op", "kinds"),
    [
        ("index_select", {"gaps-self", "gaps-index"}),
        ("round.out", {"gaps-self", "gaps-out"}),
        ("cat", {"gaps-tensors"}),
        ("normal_", {"gaps-self", "numbers"}),
        ("elu", {"gaps-self", "numbers"}),
        ("isin.Tensor_Tensor", {"gaps-elements", "gaps-test_elements", "numbers"}),
    ],
)
def test_plain_calls_with_gaps_and_with_other_numbers(op, kinds):
    found = variants(op)
    assert {name for name in found if name.partition("-")[0] in ("gaps", "numbers")} == kinds
    for name in kinds - {"numbers"}:
        args, kwargs = found[name].arguments
        given = {**dict(zip((a.name for a in schema_of(op).arguments), args)), **kwargs}[name.removeprefix("gaps-")]
        assert not any(t.is_contiguous() for t in (given if isinstance(given, list) else [given]))


def test_other_numbers_are_all_unlike():
    assert variants("elu")["numbers"].arguments[0][1:] == [0.25, 0.5, 0.75]
    assert variants("isin.Tensor_Tensor")["numbers"].arguments[1] == {"assume_unique": False, "invert": False}


def test_what_lies_in_gaps():
    x = torch.tensor([[1.0, 0.0], [2.0, 3.0]])
    y = inputs.with_gaps(x)
    assert torch.equal(x, y) and y.stride() == (4, 2) and y._base.flatten()[1::2].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("op", ["mm.out", "bmm", "mv", "dot", "isin.Tensor_Tensor", "sum.dim_IntList"])
def test_an_inner_dimension_may_be_empty(op):
    case = cases.of_profile(op, BY_NAME["2d-f32-empty-inner"])
    assert isinstance(case, cases.Case) and case.want.numel()
    assert any(isinstance(a, torch.Tensor) and not a.numel() for a in case.arguments[0])


def test_what_is_written_beside_a_result():
    x = inputs.with_gaps(torch.ones(4))
    assert [t.tolist() for t in measure._around([x, torch.ones(3)])] == [[0] * 8]
    x.as_strided((8,), (1,))[1] = 5
    assert [t.tolist() for t in measure._around([x])] == [[0, 5, 0, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize("op", ["index.Tensor", "_index_put_impl_", "_unsafe_index.Tensor", "_unsafe_index_put"])
def test_indices_count_from_the_end_where_pytorch_has_it_so(op):
    for profile in inputs.PROFILES:
        case = cases.of_profile(op, profile)
        if not isinstance(case, cases.Case) or not profile.elements:
            continue
        values, (index, *_) = case.arguments[0][:2]
        assert (index < 0).any() and (index >= 0).any() and -len(values) <= index.min() <= index.max() < len(values)
        if "put" in op:  # no row comes twice
            assert len((index % len(values)).unique()) == index.numel()


def test_an_op_that_takes_nothing_says_why():
    found = cases.of_profile("_flash_attention_forward", inputs.PROFILES[0])
    assert isinstance(found, cases.Refused) and "NotImplementedError" in found.text


@pytest.mark.parametrize(
    "op", ["add.Tensor", "sub_.Tensor", "exp.out", "_softmax", "_softmax_backward_data", "native_layer_norm", "topk"]
)
def test_calls_of_opinfos(op):
    pytest.importorskip("expecttest")
    found = list(opinfos.calls(op, torch.float32, 4))
    assert found and len(found) <= 4
    assert isinstance(cases.answer("", "", op, found[0]), cases.Case)


def test_spellings():
    assert opinfos.sibling_of("add_.Tensor") == "add.Tensor" and opinfos.sibling_of("add.out") == "add.Tensor"
    assert opinfos.sibling_of("max.dim_max") == "max.dim" and opinfos.sibling_of("add.Tensor") is None
    args, kwargs = opinfos.respelt("argmax.out", "argmax", ([torch.rand(3, 4)], {"dim": 1}))
    assert kwargs["out"].dtype == torch.int64 and kwargs["out"].shape == (3,) and args[1] == 1
    assert schema_of("argmax.out") is not None


def test_moving_keeps_views():
    x = torch.arange(12.0).view(3, 4)
    a, b, c = move((x, x.t(), x[1:, ::2]), "cpu")
    a.zero_()
    assert b.sum() == 0 and c.sum() == 0 and x.sum() == 66
    assert b.stride() == (1, 4) and c.storage_offset() == 4
    z = move(torch.ones(2, dtype=torch.complex64).conj(), "cpu")
    assert z.is_conj()


def some(*statuses, dtype="float32"):
    return [{"name": f"case-{i}", "dtype": dtype, "status": status} for i, status in enumerate(statuses)]


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ((), "UNTESTED"),
        (("invalid",), "UNTESTED"),
        (("invalid", "right"), "STRICT"),
        (("right", "wrong"), "BASIC_ONLY"),
        (("right", "refused"), "BASIC_ONLY"),
        (("right", "error"), "BASIC_ONLY"),
        (("wrong", "right"), "FAILED"),
        (("refused",), "FAILED"),
        (("right", "crash"), "FAILED"),
        (("right", "hang"), "FAILED"),
    ],
)
def test_verdict(statuses, verdict):
    assert verdicts.of_cases(some(*statuses)) == verdict


def result(lanes, *cases_):
    answer = {"cases": list(cases_), "seconds": 1, "notes": [], "log": ""}
    return {**verdicts.judged(answer), "lanes": lanes}


def document(**ops):
    return {
        "format": 1,
        "kind": "survey",
        "date": "2026-01-02T03:04:05+00:00",
        "lane": "flaggems",
        "lanes": ["flaggems", "tileops", "gcu", "none"],
        "device": {"name": "flagos:0", "model": "S60"},
        "finished": True,
        "options": {"timeout": 120.0, "budget": 120.0, "samples": 8, "ops": "all"},
        "beside": {},
        "composed": [],
        "versions": {"torch": "2.13.0", "flag-gems": "5.0.2"},
        "ops": {op.replace("__", "."): r for op, r in ops.items()},
    }


def case(status, dtype="float32", **more):
    return {"name": f"2d-{dtype}", "dtype": dtype, "status": status, "text": "it: [says] # so", **more}


LANES = ["flaggems", "gcu", "none"]
SURVEY = document(
    silu=result(LANES, case("wrong", wrong="values")),
    gelu=result(LANES, case("right"), case("crash", "float16")),
    tanh=result(LANES, case("right"), case("right", "int64"), case("wrong", "int64", wrong="values")),
    exp=result(LANES, case("right")),
    erf=result(LANES, case("invalid")),
)


def test_gaps_are_codegens():
    import yaml

    found = {op: entry for entry in yaml.safe_load(gaps.entries(SURVEY, "s.json")) for op in entry["ops"]}
    assert set(found) == {"silu", "gelu"}
    assert "guard" not in found["silu"] and found["gelu"]["guard"] == "dtype = float16"
    assert found["silu"]["measured"] == "flag-gems 5.0.2" and found["gelu"]["family"] == "crashes"
    more = {op for entry in yaml.safe_load(gaps.entries(SURVEY, "s.json", every_wrong=True)) for op in entry["ops"]}
    assert more == {"silu", "gelu", "tanh"}
    assert yaml.safe_load(gaps.entries(document(exp=SURVEY["ops"]["exp"]), "s.json")) == []


def test_a_guard_that_no_call_meets_is_a_comment():
    import yaml

    behind = {**SURVEY, "lanes": ["gcu", "flaggems", "none"]}
    text = gaps.entries(behind, "s.json")
    assert [entry["ops"] for entry in yaml.safe_load(text)] == [["silu"]] and "# - ops: [gelu]" in text
    composed = gaps.entries({**SURVEY, "composed": ["gelu"]}, "s.json")
    assert "# - ops: [gelu]" in composed and "# - ops: [silu]" not in composed
    gelu = {**behind, "ops": {"gelu": SURVEY["ops"]["gelu"]}}
    assert yaml.safe_load(gaps.entries(gelu, "s.json")) == []


def test_codegen_takes_the_gaps(tmp_path, monkeypatch):
    import shutil

    pytest.importorskip("torchgen")
    monkeypatch.syspath_prepend(str(ROOT))
    from codegen.__main__ import generate

    for name in ("codegen", "core/primitives.txt", "vendors/gcu"):
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    (tmp_path / "vendors" / "gcu" / "gaps.yaml").write_text(gaps.entries(SURVEY, "s.json", every_wrong=True))
    files, report = generate(tmp_path, "gcu")
    conf = files[tmp_path / "vendors" / "gcu" / "routes.conf"].splitlines()
    assert "silu = gcu" in conf and "gelu [dtype = float16] = gcu" in conf and "tanh [dtype = int64] = gcu" in conf
    assert "exp = flaggems" in conf and report


def test_the_file(tmp_path):
    path = tmp_path / "s.json"
    record.write(path, SURVEY)
    assert record.read(path) == SURVEY and [p.name for p in tmp_path.iterdir()] == ["s.json"]
    assert record.totals(SURVEY["ops"]) == {"STRICT": 1, "BASIC_ONLY": 1, "FAILED": 2, "UNTESTED": 1}
    wrong = [{**SURVEY, **change} for change in ({"format": 2}, {"ops": []}, {"ops": {"exp": 1}}, {"options": {}})]
    wrong += [{k: v for k, v in SURVEY.items() if k != "date"}, {"kind": "census", "format": 1}, [], 3, "survey", None]
    for text in ("", "{", "\0", *map(json.dumps, wrong)):
        path.write_text(text)
        with pytest.raises(ValueError, match="is no survey that can be read"):
            record.read(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="is no survey that can be read"):
        record.read(path)


@pytest.mark.parametrize(
    ("before", "finished", "now", "ops", "complete"),
    [
        ("exp,erf", True, "silu", "exp,erf,silu", True),
        ("exp,erf,abs", False, "silu", "exp,erf,abs,silu", False),  # abs has no result yet
        ("exp", True, "all", "all", True),
        ("all", True, "exp", "all", True),
        ("all", False, "exp,neg", "silu,gelu,tanh,exp,erf,neg", False),
        ("all", False, "all", "all", True),
    ],
)
def test_options_of_a_survey_that_goes_on(before, finished, now, ops, complete):
    old = {**SURVEY, "finished": finished, "options": {**SURVEY["options"], "ops": before, "timeout": 7.0}}
    new = {**SURVEY, "date": "later", "options": {**SURVEY["options"], "ops": now}, "ops": {}, "composed": ["neg"]}
    found = record.continued(old, new)
    assert found["options"] == {**SURVEY["options"], "ops": ops} and found["earlier"] == [old["options"]]
    assert found["ops"] == old["ops"] and found["date"] == old["date"] and found["composed"] == ["neg"]
    assert record.complete(found) == complete
    assert record.continued(found, new)["earlier"] == [old["options"]]  # once


def test_what_could_not_start_is_tried_again():
    old = {**SURVEY, "ops": {"exp": {**SURVEY["ops"]["exp"], "ended": "could not be started"}}}
    assert record.continued(old, SURVEY)["ops"] == {}


def test_what_changed():
    now = {**SURVEY, "versions": {**SURVEY["versions"], "flag-gems": "5.0.3"}, "conf_sha256": "b"}
    assert record.changed(SURVEY, SURVEY) == []
    assert record.changed(SURVEY, now) == ["flag-gems: 5.0.2, now 5.0.3", "the routes in force"]


def test_the_server_loads_nothing_of_ours():
    text = (ROOT / "core" / "torch_fl" / "survey" / "server.py").read_text()
    head = text.partition("def _child")[0]
    assert "import torch_fl" not in head and "from torch_fl" not in head
    assert "torch_fl" in sys.modules
