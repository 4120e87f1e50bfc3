"""What the generator writes for the toy vendor, byte for byte."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest

from codegen import routes, schemas
from codegen.__main__ import main
from codegen.tests import golden

REPOSITORY = Path(__file__).parents[2]


def test_golden(toy: Path) -> None:
    made = golden.outputs(toy)
    assert sorted(made) == sorted(path.name for path in golden.GOLDEN.iterdir())
    for name, text in made.items():
        assert text == (golden.GOLDEN / name).read_text(encoding="utf-8"), f"{name}: python -m codegen.tests.golden"


def test_writing_twice_changes_nothing(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], toy) == 0
    report = capsys.readouterr().out
    written = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in toy.rglob("*") if path.is_file()}
    assert main(["toy"], toy) == 0
    assert capsys.readouterr().out == report
    assert written == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in toy.rglob("*") if path.is_file()}


def test_rows_are_spread_over_the_files_that_a_vendor_wants(toy: Path) -> None:
    def functions() -> dict[str, str]:
        """Function of a row -> its file."""
        files = sorted((toy / "vendors/toy/src/generated").glob("ops_*.cpp"))
        return {name: f.name for f in files for name in re.findall(r"^fl_status (run_\w+)\(", f.read_text(), re.M)}

    facts = toy / "vendors/toy/vendor.toml"
    ops = toy / "vendors/toy/ops.yaml"
    ops.write_text(f"{ops.read_text()}\n- {{op: rsub.Tensor, shape: binary_alpha, kernel: Add, layout: broadcast}}\n")
    assert main([], toy) == 0
    usual = functions()
    facts.write_text(f"units = 100\n{facts.read_text()}")
    assert main([], toy) == 0
    spread = functions()
    assert spread.keys() == usual.keys()
    assert spread["run_add_Tensor"] == spread["run_rsub_Tensor"], "of one kernel"
    assert len(set(spread.values())) > len(set(usual.values()))
    facts.write_text(facts.read_text().replace("units = 100", "units = 2"))
    assert main([], toy) == 0
    assert set(functions().values()) == {"ops_0.cpp", "ops_1.cpp"}


def test_check(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = toy / "vendors/toy/routes.conf"
    assert main(["--check"], toy) == 1, "nothing was generated yet"
    assert not conf.exists()
    assert main([], toy) == 0
    assert main(["--check"], toy) == 0
    conf.write_text(conf.read_text().replace("\nadd.Tensor = toy", "\nadd.Tensor = none"))
    (toy / "vendors/toy/src/generated/old.h").write_text("left over\n")
    capsys.readouterr()
    assert main(["--check"], toy) == 1
    out = capsys.readouterr().out
    assert "-add.Tensor = none\n+add.Tensor = toy\n" in out
    assert "--- vendors/toy/routes.conf" in out
    assert "-left over" in out
    assert "run `python -m codegen toy`" in out
    assert main([], toy) == 0
    assert not (toy / "vendors/toy/src/generated/old.h").exists()
    assert main(["--check"], toy) == 0


def test_check_with_another_torch_compares_nothing(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], toy) == 0
    conf = toy / "vendors/toy/routes.conf"
    text = conf.read_text()
    assert routes.torch_of(text) == schemas.torch_minor()
    conf.write_text(text.replace(f"torch: {schemas.torch_minor()}", "torch: 1.0"))
    capsys.readouterr()
    assert main(["--check"], toy) == 0
    assert "generated with torch 1.0" in capsys.readouterr().out


def test_every_op_is_counted_once(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], toy) == 0
    report = capsys.readouterr().out
    total, accelerated, none, composites = map(
        int, re.search(r"(\d+) ops of torch \S+ = (\d+) accelerated \+ (\d+) none \+ (\d+) composites", report).groups()
    )
    own, flaggems, boxing = map(
        int, re.search(r"accelerated = (\d+) toy \+ (\d+) flaggems \+ (\d+) boxing", report).groups()
    )
    assert total == accelerated + none + composites
    assert accelerated == own + flaggems + boxing
    shown = re.search(r"accelerated = (\d+) measured on a device \+ (\d+) on a stand-in \+ (\d+) by", report).groups()
    assert shown == ("3", "11", "1")
    lines = [line for line in (toy / "vendors/toy/routes.conf").read_text().splitlines() if " = " in line]
    plain = [line.split(" = ")[0] for line in lines if "[" not in line and not line.startswith("#")]
    assert plain == sorted(set(plain))
    assert len(plain) == accelerated + none - 1, "neg is in by_hand.conf"
    names, ops, implicit, unknown, elsewhere = map(
        int,
        re.search(
            r"flag-gems 1.0 registers (\d+) names = (\d+) ops \+ (\d+) composites of PyTorch \(never routed\) \+ (\d+)"
            r" that this torch lacks \+ (\d+) that core",
            report,
        ).groups(),
    )
    assert (names, ops, implicit, unknown) == (9, 4, 1, 1) and elsewhere == names - ops - implicit - unknown
    assert "gaps of 2 ops wait for another version" in report


def test_the_readme_s_table(toy: Path) -> None:
    assert main([], toy) == 0
    text = (toy / "vendors/toy/README.md").read_text()
    assert text.startswith("# toy\n\nBefore.\n") and text.endswith("<!-- end of routes -->\n\nAfter.\n")
    assert "whatever was here" not in text
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert rows[0] == ["| lane", "overloads", "share", "verified", "somebody else |"]
    assert rows[1][0] == "| `toy`" and rows[1][3:] == [
        "3 measured on a device, 11 on a stand-in, 2 unverified",
        "10 (0.5%) |",
    ]
    assert [rows[-2][0], rows[-2][-1]] == ["| accelerated", "50 (2.5%) |"]
    assert rows[-1][-1] == "2000 (100.0%) |"
    assert sum(int(row[1]) for row in rows[1:-2]) == int(rows[-1][1])
    assert main(["--check"], toy) == 0
    (toy / "vendors/toy/README.md").write_text(text.replace("| `toy` | 16", "| `toy` | 17"))
    assert main(["--check"], toy) == 1


def test_a_vendor_without_kernels_of_its_own_has_routes_alone(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = toy / "vendors/bare"
    bare.mkdir()
    (bare / "vendor.toml").write_text('name = "bare"\nlanes = ["boxing", "bare", "none"]\nboxing_key = "CUDA"\n')
    (bare / "ops.yaml").write_text("[]\n")
    assert main(["bare"], toy) == 0
    assert sorted(path.name for path in bare.iterdir()) == ["ops.yaml", "routes.conf", "vendor.toml"]
    assert "bare: 0 rows of 0 shapes" in capsys.readouterr().out
    conf = (bare / "routes.conf").read_text()
    assert "\nadd.Tensor = boxing\n" in conf and "= bare" not in conf
    assert main(["--check", "bare"], toy) == 0


def test_unknown_vendor(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["toyy"], toy) == 2
    assert "did you mean `toy`?" in capsys.readouterr().err


def test_the_generated_table_is_cpp(toy: Path, tmp_path: Path) -> None:
    assert main([], toy) == 0
    source = toy / "vendors/toy/src"
    (source / "rows.h").write_text(
        '#include "torch_fl/vendor.h"\n'
        "namespace torch_fl_toy { extern const fl_row kRows[]; extern const size_t kRowCount; }\n"
    )
    kernels = source / "kernels"
    kernels.mkdir()
    (kernels / "elementwise.h").write_text(
        "struct Add; struct Sub; struct Abs; struct Exp;\n"
        "template <class F> fl_status binary_alpha(const fl_call*) { return FL_OK; }\n"
    )
    (kernels / "unary.h").write_text(
        "template <class F> fl_status unary(const fl_call*) { return FL_OK; }\n"
        "template <class F> fl_status unary_exact(const fl_call*) { return FL_OK; }\n"
    )
    (kernels / "fill.h").write_text("inline fl_status fill(const fl_call*) { return FL_OK; }\n")
    (kernels / "index.h").write_text(
        "inline fl_status plan_gather(const fl_call*, void**) { return FL_OK; }\n"
        "template <int N> fl_status gather(const fl_call*, void*) { return FL_OK; }\n"
        "inline void drop_gather(void*) {}\n"
    )
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{source}"]
    command += [f"-I{REPOSITORY / 'core/include'}", str(source / "generated/rows.cpp")]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""


def test_vendors_of_the_repository_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    started = time.process_time()
    assert main(["--check"]) == 0, capsys.readouterr().out
    assert time.process_time() - started < 10, "all vendors together take too long"
