"""The lane tileops: a package that is detected and read, and not imported before a user's line names it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from measuring import environment, skip_without_sim

from torch_fl.tileops import source

METADATA = """Metadata-Version: 2.4
Name: tileops
Version: {version}
Requires-Python: {python}
Requires-Dist: torch{torch}
Requires-Dist: made-up-lang=={lang}
Requires-Dist: pytest; extra == "test"
"""
MANIFEST = """
SiLUFwdOp:
  ref_api: "torch.nn.functional.silu"
  family: elementwise
  status: implemented
  signature:
    params: {inplace: {type: bool, default: false}}
    inputs: {input: {dtype: T}}
AddFwdOp:
  ref_api: "torch.add"
  family: elementwise
  status: implemented
  signature:
    params: {alpha: {type: "int | float", default: 1}}
    inputs: {input: {dtype: T}, other: {dtype: T}}
ExpFwdOp:
  ref_api: "torch.exp"
  family: elementwise
  status: planned
  signature:
    inputs: {input: {dtype: T}}
EngramFwdOp:
  family: sequence_modeling
  status: implemented
  signature:
    params: {eps: {type: float}}
    inputs: {k: {dtype: T}}
adts: [MGroupedLayout]
"""
CODE = """
import torch
class SiLUFwdOp:
    def __init__(self): pass
    def __call__(self, x): return torch.full_like(x, 5)
class AddFwdOp:
    def __init__(self, *, alpha): self.alpha = alpha
    def __call__(self, x, y): return torch.full_like(x, self.alpha)
"""


@pytest.fixture
def install(tmp_path):
    """Makes a TileOps: install(version=..., python=..., torch=..., lang=...) gives the folder it is in."""

    def make(version="0.1.0", python=">=3.10", torch="<3,>=2.10", lang="0.1.12", has="0.1.12", manifest=MANIFEST):
        folder = tmp_path / "site"
        for path, text in {
            "tileops/__init__.py": "import sys\nprint('tileops is imported', file=sys.stderr)\n",
            "tileops/elementwise.py": CODE,
            "tileops/manifest/spec/elementwise.yaml": manifest,
            f"tileops-{version}.dist-info/METADATA": METADATA.format(
                version=version, python=python, torch=torch, lang=lang
            ),
            f"made_up_lang-{has}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: made-up-lang\nVersion: {has}\n",
        }.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    return make


@pytest.fixture
def run(tmp_path):
    """Runs code on the simulated device, with packages of a folder; gives (what it printed, what it complained of)."""
    skip_without_sim(tmp_path)

    def run(code, site=None, **variables):
        env = environment(**variables)
        if site is not None:
            env["PYTHONPATH"] = os.pathsep.join(filter(None, (env.get("PYTHONPATH"), str(site))))
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        return done.stdout, done.stderr

    return run


def test_it_is_read_without_being_imported(install):
    site = [str(install())]
    assert source.supported(site) == "" and source.version(site) == "0.1.0"
    found = {operator.name: operator for operator in source.recorded(site)}
    assert list(found) == ["SiLUFwdOp", "AddFwdOp", "ExpFwdOp", "EngramFwdOp"]
    assert {name: source.overloads(operator) for name, operator in found.items()} == {
        "SiLUFwdOp": ["silu"],
        "AddFwdOp": ["add.Tensor"],
        "ExpFwdOp": [],
        "EngramFwdOp": [],
    }
    assert found["EngramFwdOp"].module == "tileops.sequence_modeling" and found["EngramFwdOp"].numbers == ("eps",)
    assert "tileops" not in sys.modules


def test_none_is_installed(tmp_path):
    assert source.supported([str(tmp_path)]).startswith("TileOps is not installed: pip install tileops")
    assert source.recorded([str(tmp_path)]) == [] and source.version([str(tmp_path)]) is None


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ({"python": ">=3.99"}, "TileOps 0.1.0 asks for Python >=3.99, and this is 3."),
        ({"torch": "<2.0,>=1.9"}, "TileOps 0.1.0 needs torch<2.0,>=1.9, and 2."),
        ({"has": "0.1.11"}, "TileOps 0.1.0 needs made-up-lang==0.1.12, and 0.1.11 is installed"),
    ],
)
def test_what_a_release_asks_for(install, what, text):
    assert text in source.supported([str(install(**what))])


def test_an_unknown_manifest_is_told(install):
    site = [str(install(manifest="SiLUFwdOp: {signature: {inputs: {}}, status: implemented}"))]
    with pytest.raises(
        ValueError, match=r"elementwise.yaml: SiLUFwdOp: its manifest is not as TileOps 0.1.0's: 'family'"
    ):
        source.recorded(site)


CALLS = """
import torch, torch_fl
x = torch.zeros(2, device="flagos")
with torch_fl.census() as census:
    print(torch.nn.functional.silu(x).tolist(), torch.add(x, x, alpha=3).tolist(), (x + x).tolist())
print(sorted({(row.op, row.lane) for row in census.rows() if row.op in ("silu", "add.Tensor")}))
"""


def test_no_line_no_lane(run, install):
    out, errors = run(CALLS, install())
    assert out.splitlines()[0] == "[0.0, 0.0] [0.0, 0.0] [0.0, 0.0]" and "tileops" not in out + errors


def test_a_line_turns_it_on(run, install, tmp_path):
    conf = tmp_path / "mine.conf"
    conf.write_text("silu = tileops\nadd.Tensor = TileOps\n")
    out, errors = run(CALLS, install(), FLAGOS_BACKEND_CONFIG=str(conf))
    assert out.splitlines() == [
        "[5.0, 5.0] [3.0, 3.0] [1.0, 1.0]",
        "[('add.Tensor', 'tileops'), ('silu', 'tileops')]",
    ], errors
    assert errors.count("tileops is imported") == 1


def test_routes_at_run_time_turn_it_on(run, install):
    code = f"import torch_fl\nwith torch_fl.routes({{'silu': 'tileops'}}):\n    exec({CALLS!r})"
    out, _ = run(code, install())
    assert out.splitlines()[0].startswith("[5.0, 5.0] [0.0, 0.0]") and "('silu', 'tileops')" in out


def test_a_line_without_the_package_says_what_to_do(run):
    _, errors = run(CALLS, FLAGOS_OP_silu="tileops")
    assert "FLAGOS_OP_silu: silu has no kernel in lane tileops. " in errors
    assert "TileOps is not installed: pip install tileops" in errors


def test_routes_without_what_it_asks_for_say_so(run, install):
    _, errors = run("import torch_fl\ntorch_fl.routes({'silu': 'tileops'})", install(python=">=3.99"))
    assert "silu has no kernel in lane 'tileops'" in errors and "TileOps 0.1.0 asks for Python >=3.99" in errors


DOCTOR = "import sys\nfrom torch_fl.cli import main\nsys.argv = ['torch-fl', 'doctor', '--json']\nmain()"


def test_doctor(run, install):
    def told(site, **variables):
        return json.loads(run(DOCTOR, site, **variables)[0])["facts"]["tileops lane"]

    end = "unverified: its ops were run on no device by this project"
    assert told(None).startswith("off: TileOps is not installed") and told(None).endswith(end)
    here = "TileOps 0.1.0, 4 operators, of PyTorch's ops add.Tensor, silu; " + end
    assert told(install()) == "off: no line of a conf names it; " + here
    assert told(install(), FLAGOS_OP_silu="tileops") == "on; " + here
