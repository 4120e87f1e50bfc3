"""Every wrong input is named by file and line, and shows the schema that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.__main__ import generate, main

ADD = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
ROWS = [
    ("- op: ad.Tensor\n  shape: binary_alpha", 1, "has no op `ad.Tensor`; did you mean `"),
    ("- shape: binary_alpha", 1, "`op` is missing"),
    ("- op: add.Tensor", 1, "`shape` is missing"),
    ("- op: add.Tensor\n  shape: binary_alhpa", 2, "did you mean `binary_alpha`?"),
    ("- op: add.Tensor\n  shape: binary_alpha\n  flag: [promote]", 3, "unknown key `flag`; did you mean `flags`?"),
    ("- op: add.Tensor\n  shape: binary_alpha\n  flags: [promot]", 3, "unknown flag `promot`; did you mean `promote`?"),
    (
        "- op: add.Tensor\n  shape: binary_alpha\n  dtypes: [float23]",
        3,
        "unknown dtype `float23`; did you mean `float32`?",
    ),
    ("- op: add.Tensor\n  shape: binary_alpha\n  arg_dtypes: {self: [float9]}", 3, "unknown dtype `float9`"),
    (
        "- op: add.Tensor\n  shape: binary_alpha\n  kernel: Add\n  arg_dtypes: {othr: [float]}",
        4,
        "no tensor argument `othr`; did you mean",
    ),
    ("- op: add.Tensor\n  shape: binary_alpha\n  layout: like_self", 3, "`add.Tensor` is structured"),
    ("- op: add.Tensor\n  shape: binary_alpha\n  spellings: [inplce]", 3, "unknown spelling `inplce`"),
    ("- op: mm\n  shape: fill\n  spellings: [inplace]", 3, "PyTorch has no inplace spelling of mm(Tensor self"),
    (
        "- op: add.Tensor\n  shape: binary_alpha\n  kernel: Add\n- op: add_.Tensor\n  shape: fill",
        4,
        "served by the row of line 1 already",
    ),
    (
        "- op: add.Tensor\n  shape: binary_alpha\n  kernel: Add\n- op: add.Tensor\n  shape: binary_alpha",
        4,
        "served by the row of line 1",
    ),
    ("- op: add.Tensor\n  op: sub.Tensor\n  shape: binary_alpha", 2, "`op` is given twice"),
    ("- op: exp\n  shape: binary_alpha", 2, "takes (Tensor, Tensor, Scalar), not what the op has: exp(Tensor self)"),
    (
        "- op: exp\n  shape: fill\n  tensors: 2",
        2,
        "the shape `fill` is for 2 tensor arguments, the op has 1: exp(Tensor self) -> Tensor",
    ),
    ("- op: median\n  shape: fill", 1, "add `layout:` with one of like_self"),
    ("- op: abs\n  shape: unary\n  layout: like_slef", 3, "unknown layout `like_slef`; did you mean `like_self`?"),
    ("- op: empty.memory_format\n  shape: fill", 1, "`empty.memory_format` is served by core"),
    ("- op: matmul\n  shape: fill", 1, "CompositeImplicitAutograd"),
    ("- op: topk\n  shape: fill\n  out_dtypes: [[float]]", 3, "1 lists of out_dtypes for 2 outputs"),
    ("- op: gather\n  shape: gather", 1, "no dtypes for `self`"),
    ("- op: exp\n  shape: unary\n  kernel: Exp", 1, "unary.cpp does not render for this row"),
    ("- op: add.Tensor\n  shape: binary_alpha", 1, "`kernel` is missing, which binary_alpha.cpp needs: add.Tensor("),
    ("- op: fill_.Scalar\n  shape: fill\n  kernel: F", 3, "fill.cpp uses no `kernel`; drop it: fill_.Scalar("),
    (
        "- op: exp\n  shape: unary\n  kernel: Exp\n  params: {exac: true}",
        4,
        "unary.cpp uses no param `exac`; did you mean `exact`? (exp(",
    ),
    ("- op: exp\n  shape: unary\n  params: [exact]", 3, "`params` must be a mapping, not ['exact'] (exp("),
    ("- op: exp\n  shape: unary\n  dtypes: []", 3, "`dtypes` must be a list of dtypes, not []"),
    ("- op: exp\n  shape: unary\n  dtypes: float32", 3, "`dtypes` must be a list of dtypes, not 'float32'"),
    ("- op: exp\n  shape: unary\n  dtypes: [[float]]", 3, "unknown dtype `['float']`"),
    ("- op: gather\n  shape: gather\n  arg_dtypes: {index: []}", 3, "`arg_dtypes` of `index` must be a list"),
    ("- op: gather\n  shape: gather\n  arg_dtypes: [index]", 3, "`arg_dtypes` must be a mapping"),
    ("- op: exp\n  shape: unary\n  max_rank: -1", 3, "`max_rank` must be a whole number from 0 on, not -1 (exp("),
    ("- op: exp\n  shape: unary\n  max_rank: x", 3, "`max_rank` must be a whole number from 0 on, not 'x' (exp("),
    ("- op: exp\n  shape: unary\n  spellings: out", 3, "`spellings` must be a list of names, not 'out'"),
    ("- op: topk\n  shape: fill\n  out_dtypes: [bool, [int64]]", 3, "or one such list per output, not both: ['bool'"),
    ("- op: topk\n  shape: fill\n  out_dtypes: [[bool], []]", 3, "`out_dtypes` of output 1 must be a list"),
    ("op: add.Tensor", 1, "expected a list of entries"),
    ("- add.Tensor", 1, "expected a mapping"),
    ("- op: [", 2, "not yaml"),
]
GAPS = [
    ("- ops: [mm]\n  lane: boxing\n  family: x\n  command: x", 1, "a gap needs its evidence"),
    ("- ops: [mm]\n  lane: boxing\n  family: x\n  evidence: x", 1, "a gap needs the command"),
    ("- ops: [mmm]\n  lane: boxing\n  family: x\n  evidence: x\n  command: x", 1, "no op `mmm`; did you mean `mm`?"),
    ("- ops: [mm]\n  lane: boxin\n  family: x\n  evidence: x\n  command: x", 2, "did you mean `boxing`?"),
    ("- ops: [mm]\n  lane: toy\n  family: x\n  evidence: x\n  command: x", 1, "inert gap: toy has no kernel for mm"),
    (
        "- ops: [exp]\n  lane: boxing\n  guard: rank > 4\n  family: x\n  evidence: x\n  command: x",
        1,
        "inert gap: exp goes to toy",
    ),
    (
        "- ops: [mm]\n  lane: boxing\n  guard: rnk > 4\n  family: x\n  evidence: x\n  command: x",
        3,
        "unknown guard `rnk`",
    ),
    ("- ops: [mm]\n  lane: boxing\n  guard: rank\n  family: x\n  evidence: x\n  command: x", 3, "is not a condition"),
    (
        "- ops: [mm]\n  lane: boxing\n  guard: a.dtype = half\n  family: x\n  evidence: x\n  command: x",
        3,
        "no argument `a`",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: rows(dim) > 4\n  family: x\n  evidence: x\n  command: x",
        3,
        "`mm` has no argument `dim`",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: inner(self) > 4\n  family: x\n  evidence: x\n  command: x",
        3,
        "`self` of `mm` is Tensor, not the number of one dimension",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: dtype = int65\n  family: x\n  evidence: x\n  command: x",
        3,
        "unknown dtype `int65`; did you mean `int64`?",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: dtype > int64\n  family: x\n  evidence: x\n  command: x",
        3,
        "`dtype` is compared with = or != only",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: alike = maybe\n  family: x\n  evidence: x\n  command: x",
        3,
        "unknown alike `maybe`",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: alike > no\n  family: x\n  evidence: x\n  command: x",
        3,
        "`alike` is compared with = or != only",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: 'rank > {1,2}'\n  family: x\n  evidence: x\n  command: x",
        3,
        "a set is compared with = or != only",
    ),
    (
        "- ops: [mm]\n  lane: flaggems\n  guard: rank = two\n  family: x\n  evidence: x\n  command: x",
        3,
        "`rank` is compared with a whole number, not with `two`",
    ),
    (
        "- ops: [asin]\n  lane: flaggems\n  family: x\n  evidence: x\n  command: x",
        1,
        "inert gap: flaggems has no kernel for asin",
    ),
    (
        "- ops: [asin]\n  lane: flaggems\n  measured: flag-gems 1.0\n  family: x\n  evidence: x\n  command: x",
        1,
        "inert gap: flaggems has no kernel for asin",
    ),
    (
        "- ops: [mm, mm]\n  lane: flaggems\n  guard: rank = 1\n  family: x\n  evidence: x\n  command: x",
        1,
        "mm: line 1 has this gap already",
    ),
    ("- ops: silu\n  lane: boxing\n  family: x\n  evidence: x\n  command: x", 1, "a list of names, `ops: [x, y]`"),
    (
        "- ops: [mm]\n  lane: flaggems\n  measured: flaggems 1.0\n  family: x\n  evidence: x\n  command: x",
        3,
        "`measured: flaggems 1.0` is no `flag-gems VERSION` (the pinned one is flag-gems 1.0)",
    ),
    (
        "- ops: [mm]\n  lane: boxing\n  measured: flag-gems 1.0\n  family: x\n  evidence: x\n  command: x",
        3,
        "`measured` is for the lane flaggems",
    ),
    ("- ops: [mm]\n  lanes: boxing", 2, "unknown key `lanes`; did you mean `lane`?"),
]


def errors(root: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main([], root) == 2
    captured = capsys.readouterr()
    assert not (root / "vendors/toy/routes.conf").exists(), "nothing is written from wrong inputs"
    return captured.err


@pytest.mark.parametrize(("text", "line", "expected"), ROWS)
def test_row(toy: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, expected: str) -> None:
    (toy / "vendors/toy/ops.yaml").write_text(text + "\n")
    for other in ("gaps.yaml", "evidence.yaml", "by_hand.conf"):
        (toy / "vendors/toy" / other).write_text("")
    found = errors(toy, capsys)
    assert any(row.startswith(f"vendors/toy/ops.yaml:{line}: ") and expected in row for row in found.splitlines()), (
        found
    )


def test_a_row_s_complaint_shows_the_schema(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (toy / "vendors/toy/ops.yaml").write_text("- op: add.Tensor\n  shape: binary_alpha\n  flags: [nothing]\n")
    assert ADD in errors(toy, capsys)


def test_all_complaints_at_once(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (toy / "vendors/toy/ops.yaml").write_text("- op: ad.Tensor\n- op: sub.Tensr\n  shape: unary\n")
    (toy / "vendors/toy/gaps.yaml").write_text("- ops: [mm]\n")
    found = errors(toy, capsys)
    for where in ("ops.yaml:1:", "ops.yaml:2:", "gaps.yaml:1:"):
        assert f"vendors/toy/{where}" in found


@pytest.mark.parametrize(("text", "line", "expected"), GAPS)
def test_gap(toy: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, expected: str) -> None:
    (toy / "vendors/toy/gaps.yaml").write_text(text + "\n")
    found = errors(toy, capsys)
    assert any(row.startswith(f"vendors/toy/gaps.yaml:{line}: ") and expected in row for row in found.splitlines()), (
        found
    )


def test_a_row_that_a_gap_closes(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (toy / "vendors/toy/gaps.yaml").write_text(
        "- ops: [exp, exp_, exp.out]\n  lane: toy\n  family: x\n  evidence: x\n  command: x\n"
    )
    assert "vendors/toy/ops.yaml:14: no call can reach this row: vendors/toy/gaps.yaml:1 closes it" in errors(
        toy, capsys
    )


def test_a_kernel_that_is_not_there(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vendor = toy / "vendors/toy"
    sources = vendor / "src/kernels"
    sources.mkdir(parents=True)
    (vendor / "src/generated").mkdir()
    (vendor / "src/generated/ops.h").write_text("struct Abs {}; struct Exp {};")
    (sources / "all.h").write_text("struct Add {}; struct Sub {}; struct Absolute {};")
    found = errors(toy, capsys)
    # What is generated shows nothing.
    assert "vendors/toy/ops.yaml:10: no kernel `Abs` in the vendor's sources" in found
    assert "ops.yaml:14: no kernel `Exp`" in found and "`Add`" not in found
    (sources / "more.cpp").write_text("struct Abs {}; struct Exp {};")
    generate(toy, "toy")


def test_a_function_that_the_sdk_lacks(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vendor = toy / "vendors/toy"
    (vendor / "sdk").mkdir()
    (vendor / "sdk/table.yaml").write_text("functions: [binary_alpha, unary_exact, unry, fill, gather]")
    found = errors(toy, capsys)
    assert "vendors/toy/ops.yaml:14: the stand-in SDK has no function `unary`; did you mean `unry`?" in found
    (vendor / "sdk/table.yaml").write_text("functions: [binary_alpha, unary_exact, unary, fill, gather]")
    generate(toy, "toy")


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ('name = "toy"', 'name = "joy"', 1, "must be the name of the folder"),
        ('"boxing", "none"', '"boxin", "none"', 3, "unknown lane `boxin`; did you mean `boxing`?"),
        (', "none"]', "]", 3, 'must end with "none"'),
        ('vendor = "toyco"', "", 3, "needs [flaggems] with version"),
        ('version = "1.0"', 'version = "1.1"', 0, "the ops of flag-gems 1.1 are not recorded; did you mean `1.0`?"),
        (r"'(\w+)<\w+>\(call'", "'('", 15, "not a regular expression"),
        (r"'(\w+)<\w+>\(call'", "'call'", 15, "needs one group"),
        ('["by_hand.conf"]', '["by_hnd.conf"]', 5, "there is no by_hnd.conf beside this file"),
        ('boxing_key = "CPU"', "", 3, "needs boxing_key"),
        ('name = "toy"', "name = ", 1, "not toml"),
        ("max_rank = 8", "max_rnk = 8", 12, "unknown key `max_rnk` in [limits]; did you mean `max_rank`?"),
        ("[limits]", "[limit]", 11, "unknown section [limit]; did you mean `limits`?"),
        ("[sdk.library]", "[sdk.librry]", 14, "unknown section [sdk.librry]; did you mean `library`?"),
        ("[sdk.library]", "[sdk]\nhme = []\n[sdk.library]", 15, "unknown key `hme` in [sdk]; did you mean `home`?"),
        ('boxing_key = "CPU"', 'boxing_key = "CPU"\nfence = []', 5, "unknown key `fence`; did you mean `fences`?"),
        ("max_rank = 8", 'max_rank = "8"', 12, '`max_rank` in [limits] must be a whole number, not "8"'),
        ("max_rank = 8", 'grid = ["65535"]', 12, "`grid` in [limits] must be a list of whole numbers"),
        ("max_rank = 8", "grid = [65535, 0]", 12, "grid is the most programs along x, y and z"),
        ('include = ["by_hand.conf"]', 'include = ["by_hand.conf"]\nunits = 0', 6, "units is a number of files"),
        ("max_rank = 8", "max_rank = true", 12, "must be a whole number, not true"),
        ("max_rank = 8", "max_rank = -1", 12, "max_rank is a number of dimensions; drop it"),
        (
            "[limits]",
            "[flaggems.limits]\nextern = []\n[limits]",
            12,
            "unknown key `extern` in [flaggems.limits]; did you mean `externs`?",
        ),
        (
            "[limits]",
            '[flaggems.limits]\ntypes = ["*int64"]\n[limits]',
            12,
            "Triton has no type `*int64`",
        ),
        ("[limits]", "[flaggems.limits]\ntypes = 64\n[limits]", 12, "`types` in [flaggems.limits] must be a list"),
        ('["toy", "flaggems", "boxing", "none"]', '"toy"', 3, '`lanes` must be a list of strings, not "toy"'),
        ('boxing_key = "CPU"', 'boxing_key = "CPU"\nembedded = 1', 5, "`embedded` must be true or false, not 1"),
        ("[sdk.library]", "[sdk]\nhome = '/opt'\n[sdk.library]", 15, "`home` in [sdk] must be a list of strings"),
        ('boxing_key = "CPU"', 'boxing_key = "CPU"\ndevices = 1', 5, "`devices` must be a section, not 1"),
        (
            'boxing_key = "CPU"',
            'boxing_key = "CPU"\nfences = [["toy", "flagems"]]',
            5,
            "the fence ['toy', 'flagems'] names `flagems`, which is not in lanes; did you mean `flaggems`?",
        ),
        ('boxing_key = "CPU"', 'boxing_key = "CPU"\nfences = [["toy"]]', 5, "a fence is a pair of lanes"),
        ('boxing_key = "CPU"', 'boxing_key = "CPU"\nfences = ["toy"]', 5, "must be a list of lists of strings"),
        ("flaggems = 40", "flagems = 40", 21, "unknown key `flagems` in [reference], and no lane; did you mean"),
    ],
)
def test_vendor_toml(
    toy: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, line: int, expected: str
) -> None:
    path = toy / "vendors/toy/vendor.toml"
    path.write_text(path.read_text().replace(old, new))
    found = errors(toy, capsys)
    assert f"vendors/toy/vendor.toml:{line}: " in found or not line
    assert expected in found


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("unary:\n  flags: [promot]\n", 2, "unknown flag `promot`"),
        ("unary:\n  params: {exac: 1}\n", 2, "unary.cpp uses no param `exac`; did you mean `exact`?"),
        ("unary:\n  max_rank: x\n", 2, "`max_rank` must be a whole number"),
        ("unary:\n  dtype: [float]\n", 2, "unknown key `dtype`; did you mean `dtypes`?"),
        ("ternary:\n  dtypes: [float]\n", 2, "has no template ternary.cpp"),
    ],
)
def test_shapes(toy: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, expected: str) -> None:
    (toy / "vendors/toy/templates/shapes.yaml").write_text(text)
    found = errors(toy, capsys)
    assert f"vendors/toy/templates/shapes.yaml:{line}: " in found
    assert expected in found


def test_primitives(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (toy / "core/primitives.txt").write_text("copy_\n\nemty_strided\n")
    assert "core/primitives.txt:3: no op `emty_strided`; did you mean `empty_strided`?" in errors(toy, capsys)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ad.Tensor = toy", "no op `ad.Tensor`; did you mean `"),
        ("add.Tensor = tyo", "`tyo` is not a lane of toy; did you mean `toy`?"),
        ("mm = toy", "toy has no kernel for mm (mm(Tensor self, Tensor mat2) -> Tensor)"),
        ("add.Tensor [rnk = 1] = boxing", "unknown guard `rnk`"),
        ("add.Tensor boxing", "is no route: `op = lane` or `op [guard] = lane`"),
        ("neg = boxing\nneg = none", "`neg` has a line already"),
    ],
)
def test_included_conf(toy: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str) -> None:
    (toy / "vendors/toy/by_hand.conf").write_text(f"# head\n{text}\n")
    found = errors(toy, capsys)
    assert f"vendors/toy/by_hand.conf:{2 + text.count(chr(10))}: " in found
    assert expected in found


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("- {ops: [exp], lane: toy, seen: stand-in, evidence: x}", 1, "`command` is missing"),
        ("- {ops: [exp], lane: toy, seen: here, evidence: x, command: x}", 1, "`here` is none of device, stand-in"),
        ("- {ops: [exp], lane: tyo, seen: device, evidence: x, command: x}", 1, "did you mean `toy`?"),
        ("- {ops: [exq], lane: toy, seen: device, evidence: x, command: x}", 1, "no kernel for `exq`; did you mean `"),
        ("- {ops: [mm], lane: toy, seen: device, evidence: x, command: x}", 1, "the lane has no kernel for `mm`"),
        ("- {ops: ['*'], but: [exq], lane: toy, seen: device, evidence: x, command: x}", 1, "no kernel for `exq`"),
        (
            "- {ops: [exp], lane: toy, seen: device, evidence: x, command: x, measured: gems 5}",
            1,
            "`measured: gems 5` is no `flag-gems VERSION`",
        ),
        ("- {ops: exp, lane: toy, seen: device, evidence: x, command: x}", 1, "`ops` must be a list of names"),
        ("- {ops: ['zz*'], lane: toy, seen: device, evidence: x, command: x}", 1, "no kernel for `zz*`"),
    ],
)
def test_evidence(toy: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, expected: str) -> None:
    (toy / "vendors/toy/evidence.yaml").write_text(text + "\n")
    found = errors(toy, capsys)
    assert f"vendors/toy/evidence.yaml:{line}: " in found
    assert expected in found


def test_the_conf_tells_what_its_surveys_were_made_with(toy: Path) -> None:
    conf = toy / "vendors/toy/routes.conf"
    assert generate(toy, "toy")[0][conf].count("# surveyed with:") == 0
    entry = "- {ops: [exp], lane: toy, seen: device, evidence: x, command: x, measured: flag-gems 1.0}\n"
    (toy / "vendors/toy/evidence.yaml").write_text(entry)
    assert "# surveyed with: flag-gems 1.0" in generate(toy, "toy")[0][conf].splitlines()[:6]


def test_recorded_flaggems(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = toy / "codegen/recorded/flag_gems-1.0.yaml"
    path.write_text("- {op: mm}\n- {op: mm}\n- {op: exp, of: [x]}\n")
    found = errors(toy, capsys)
    assert "codegen/recorded/flag_gems-1.0.yaml:2: `mm` is given twice" in found
    assert "codegen/recorded/flag_gems-1.0.yaml:3: unknown key `of`; did you mean `off`?" in found
