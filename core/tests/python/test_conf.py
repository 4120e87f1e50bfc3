"""The format of routes.conf."""

import pytest

from torch_fl import _conf


def read(tmp_path, world, text, name="routes.conf"):
    path = tmp_path / name
    path.write_text(text)
    return right(_conf.read(path, world))


def right(conf):
    if conf.mistakes:
        raise _conf.RouteError("\n".join(conf.mistakes))
    return conf


def test_lines_comments_and_sources(tmp_path, world):
    conf = read(tmp_path, world, "# head\n\nadd.Tensor = acme # why\n  abs=NONE\n")
    assert [(r.op, r.lane, r.source.rsplit(":", 1)[1]) for r in conf.rules] == [
        ("add.Tensor", "acme", "3"),
        ("abs", "NONE", "4"),
    ]


@pytest.mark.parametrize("lane", ["flagos_python", "flaggems_python", "flaggems_cpp", "flagos", "cuda", "FlagGems"])
def test_old_lane_names_stay_readable(tmp_path, world, lane):
    assert read(tmp_path, world, f"abs = {lane}\n").rules[0].lane == lane


def test_guards(tmp_path, world):
    text = "sum.dim_IntList [dtype = {int64, bool}, self.rank <= 2 and rows(-1)>=65536, scalar!=float] = none\n"
    (rule,) = read(tmp_path, world, text).rules
    assert [(c.field, c.comparison, c.arg, c.dim, c.values) for c in rule.guard] == [
        ("dtype", "=", "", 0, (4, 11)),
        ("arg.rank", "<=", "self", 0, (2,)),
        ("rows", ">=", "", -1, (65536,)),
        ("scalar", "!=", "", 0, (3,)),
    ]


def test_whether_tensors_are_alike(tmp_path, world):
    rules = read(tmp_path, world, "add.Tensor [alike = no] = none\nadd.Tensor [alike != no, rank=2] = none\n").rules
    assert [[(c.field, c.comparison, c.arg, c.values) for c in rule.guard] for rule in rules] == [
        [("alike", "=", "", (0,))],
        [("alike", "!=", "", (0,)), ("rank", "=", "", (2,))],
    ]


def test_a_dimension_that_an_argument_holds(tmp_path, world):
    (rule,) = read(tmp_path, world, "cumsum [rows(dim) > 65535, inner( dim )>255] = none\n").rules
    assert [(c.field, c.comparison, c.arg, c.dim, c.values) for c in rule.guard] == [
        ("rows", ">", "dim", 0, (65535,)),
        ("inner", ">", "dim", 0, (255,)),
    ]


def test_dtypes_are_those_of_saved_files():
    import torch

    for name in _conf.DTYPES:
        assert isinstance(getattr(torch, name), torch.dtype)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("add.Tensor = gcv", "unknown lane 'gcv'"),
        ("add.Tensor = acne", "unknown lane 'acne'; did you mean 'acme'?"),
        ("add.Tensr = acme", "unknown op 'add.Tensr'; did you mean 'add.Tensor'?"),
        ("add.Tensor acme", "cannot read 'add.Tensor acme'"),
        ("abs [] = acme", "the guard is empty"),
        ("abs [dtyp=int64] = acme", "unknown guard 'dtyp'; did you mean 'dtype'?"),
        ("abs [dtype=int65] = acme", "unknown dtype 'int65'; did you mean 'int64'?"),
        ("abs [dtype<int64] = acme", "is compared with = or != only"),
        ("abs [alike=maybe] = acme", "unknown alike 'maybe'"),
        ("abs [alike=1] = acme", "unknown alike '1'"),
        ("abs [alike>=no] = acme", "is compared with = or != only"),
        ("abs [alik=no] = acme", "unknown guard 'alik'; did you mean 'alike'?"),
        ("abs [rank<{1,2}] = acme", "a set is compared with = or != only"),
        ("abs [rank=two] = acme", "rank is compared with a whole number, not with 'two'"),
        ("abs [rank] = acme", "cannot read the guard 'rank'"),
        ("abs [numel>99999999999999999999] = acme", "2: numel: 99999999999999999999 is too large"),
        ("abs [self.rank={1,-9223372036854775809}] = acme", "self.rank: -9223372036854775809 is too large"),
        ("abs [rows(99999999999999999999)=1] = acme", "rows: 99999999999999999999 is too large"),
        (
            "abs [slef.dtype=int64] = acme",
            "abs has no argument 'slef'; did you mean 'self'? (tensors that it has: self)",
        ),
        ("sum.dim_IntList [dim.rank=1] = acme", "dim of sum.dim_IntList is no tensor (tensors that it has: self)"),
        ("add = acme", "add has the overloads add.Tensor, add.out: name one"),
        ("aten::add = acme", "add has the overloads add.Tensor, add.out: name one"),
        ("aten::add.Tensor = acme", "unknown op 'aten::add.Tensor'; drop aten::"),
        ("aten::add.Tensor [rank=1] = acme", "unknown op 'aten::add.Tensor'; drop aten::"),
        ("torch.ops.aten.abs = acme", "unknown op 'torch.ops.aten.abs'; drop torch.ops.aten."),
        ("abs.default = acme", "unknown op 'abs.default'; drop .default"),
        ("abs [rows(1x) > 4] = acme", "unknown guard 'rows(1x)'"),
        ("abs [rank=-1] = acme", "rank is a number from 0 to 64, not -1"),
        ("abs [self.rank={1,65}] = acme", "self.rank is a number from 0 to 64, not 65"),
        ("abs [numel>-1] = acme", "numel is never negative, and compared with -1"),
        ("abs [rows(0)=-4] = acme", "rows(0) is never negative, and compared with -4"),
        ("abs [inner(99)>4] = acme", "inner(99): a dimension is a number from -64 to 63"),
        ("abs [rows(-65)>4] = acme", "rows(-65): a dimension is a number from -64 to 63"),
        (
            "cumsum [inner(self)>4] = acme",
            "self of cumsum does not hold a dimension; write its number",
        ),
        ("sum.dim_IntList [rows(dim)>4] = acme", "(those that it has: none)"),
        ("cumsum [inner(dmi)>4] = acme", "cumsum has no argument 'dmi'; did you mean 'dim'?"),
        ("reshape = none", "reshape never reaches the device: PyTorch serves it through other ops"),
        ("reshape [rank=1] = none", "`torch-fl routes explain reshape` and torch_fl.explain() show them"),
        ("include", "include needs a path"),
    ],
)
def test_mistakes_are_told_with_file_and_line(tmp_path, world, line, message):
    with pytest.raises(_conf.RouteError) as error:
        read(tmp_path, world, f"abs = acme\n{line}\n")
    assert f"{tmp_path / 'routes.conf'}:2: " in str(error.value)
    assert message in str(error.value)


def test_all_mistakes_are_told_at_once(tmp_path, world):
    (tmp_path / "routes.conf").write_text("a = acme\nadd.Tensor = none\nabs = b\n")
    conf = _conf.read(tmp_path / "routes.conf", world)
    assert len(conf.mistakes) == 2
    assert [r.op for r in conf.rules] == ["add.Tensor"]  # so that it can be looked at further


def test_the_largest_numbers_are_taken(tmp_path, world):
    (rule,) = read(tmp_path, world, "abs [numel<9223372036854775807, rank<=64, inner(63)>0] = acme\n").rules
    assert [(c.dim, c.values) for c in rule.guard] == [(0, ((1 << 63) - 1,)), (0, (64,)), (63, (0,))]


def test_arguments_that_this_torch_lacks_switch_a_generated_line_off(tmp_path, world):
    conf = read(tmp_path, world, "# generated by codegen\nabs [input.dtype=int64] = acme\nabs [self.rank=1] = acme\n")
    assert [r.guard[0].arg for r in conf.switched_off] == ["input"]
    assert [r.guard[0].arg for r in conf.rules] == ["self"]


def test_includes_are_relative_and_later_lines_follow(tmp_path, world):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.conf").write_text("include ../c.conf\nabs = boxing\n")
    (tmp_path / "c.conf").write_text("add.out = none\n")
    conf = read(tmp_path, world, "include sub/b.conf\nabs = acme\n")
    assert [(r.op, r.lane) for r in conf.rules] == [("add.out", "none"), ("abs", "boxing"), ("abs", "acme")]
    assert len(conf.files) == 3


def test_a_file_that_includes_itself(tmp_path, world):
    with pytest.raises(_conf.RouteError, match="more than 8 deep"):
        read(tmp_path, world, "include routes.conf\n")


def test_unreadable_files_are_named(tmp_path, world):
    with pytest.raises(_conf.RouteError, match=r"cannot read the backend config .*absent.conf: No such file"):
        right(_conf.read(tmp_path / "absent.conf", world))
    with pytest.raises(_conf.RouteError, match=r"routes.conf:1: cannot read the backend config .*b.conf"):
        read(tmp_path, world, "include b.conf\n")
    (tmp_path / "binary.conf").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(_conf.RouteError, match="not UTF-8"):
        right(_conf.read(tmp_path / "binary.conf", world))


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path, world):
    (tmp_path / "windows.conf").write_bytes(b"\xef\xbb\xbfabs = acme\r\nadd.out = none\r\n")
    assert [r.op for r in right(_conf.read(tmp_path / "windows.conf", world)).rules] == ["abs", "add.out"]


def test_a_generated_conf_may_name_ops_that_pytorch_serves_through_others(tmp_path, world):
    conf = read(tmp_path, world, "# generated by python -m codegen\nreshape = acme\nreshape [rank=1] = none\n")
    assert [r.op for r in conf.rules] == ["reshape", "reshape"] and not conf.switched_off


def test_an_override_without_effect_is_told(world):
    overrides = {"FLAGOS_OP_reshape": "none", "FLAGOS_OP_abs": "none", "FLAGOS_OP_nonsense": "none"}
    (problem,) = _conf.without_effect(overrides, world)
    assert problem.startswith("FLAGOS_OP_reshape: reshape never reaches the device")


def test_a_generated_conf_may_name_ops_that_this_torch_lacks(tmp_path, world):
    banner = "# generated by python -m codegen; do not edit\n"
    conf = read(tmp_path, world, f"{banner}newer.op = acme\nabs = acme\n")
    assert conf.generated
    assert [r.op for r in conf.switched_off] == ["newer.op"]
    assert [r.op for r in conf.rules] == ["abs"]
    with pytest.raises(_conf.RouteError, match="unknown lane"):
        read(tmp_path, world, f"{banner}newer.op = gcv\n")


@pytest.mark.parametrize(
    ("variable", "op"),
    [
        ("FLAGOS_OP_add__Tensor", "add.Tensor"),
        ("FLAGOS_OP_abs", "abs"),
        ("FLAGOS_OP_add___Tensor", "add_.Tensor"),
        ("FLAGOS_OP___and____Tensor", "__and__.Tensor"),
        ("FLAGOS_OP_sum__dim_IntList", "sum.dim_IntList"),
    ],
)
def test_overrides_replace_all_lines_of_their_op(tmp_path, world, variable, op):
    conf = read(tmp_path, world, f"{op} [rank=1] = boxing\n{op} = boxing\n")
    (rule,), mistakes = _conf.apply_overrides(conf.rules, {variable: "acme"}, world)
    assert mistakes == []
    assert (rule.op, rule.lane, rule.guard, rule.source) == (op, "acme", (), variable)


@pytest.mark.parametrize(
    ("variable", "lane", "message"),
    [
        ("FLAGOS_OP_add__Tensr", "acme", "unknown op 'add.Tensr'; did you mean 'add.Tensor'?"),
        ("FLAGOS_OP_abs", "gcv", "unknown lane 'gcv'"),
        ("FLAGOS_OP_add", "acme", "add has the overloads add.Tensor, add.out: name one"),
        (
            "FLAGOS_OP_add_Tensor",
            "acme",
            "unknown op 'add_Tensor'; did you mean FLAGOS_OP_add__Tensor (dots are doubled underscores)?",
        ),
    ],
)
def test_overrides_that_name_nothing(world, variable, lane, message):
    rules, mistakes = _conf.apply_overrides([], {variable: lane, "FLAGOS_OP_add__out": "acme"}, world)
    assert len(mistakes) == 1 and mistakes[0].startswith(f"{variable}: {message}")
    assert [r.op for r in rules] == ["add.out"]
