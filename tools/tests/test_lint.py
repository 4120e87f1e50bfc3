"""The repository's rules find what they are there for."""

import importlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lint"))

import text

CASES = [
    ("core_names_no_vendor", "core/src/a.cpp", "// as the SIM vendor does\n", "core names 'SIM'"),
    ("core_names_no_vendor", "core/src/a.cpp", "topsaten_init();\n", "core names 'topsaten'"),
    ("vendor_header", "core/include/torch_fl/vendor.h", "#include <stdio.h>\n", "includes <stdio.h>"),
    ("vendor_header", "core/include/torch_fl/vendor_kit.h", "#include <dlfcn.h>\n", "includes <dlfcn.h>"),
    ("vendor_header", "core/include/torch_fl/vendor_kit.h", '#include "acme.h"\n', "vendor.h and C++'s"),
    ("vendor_includes", "vendors/sim/src/a.cpp", "#include <ATen/ATen.h>\n", "includes ATen/ATen.h"),
    ("vendor_includes", "vendors/sim/src/a.cpp", '#include "Python.h"\n', "includes Python.h"),
    ("no_machine_paths", "docs/a.md", "see /" + "home/someone/x\n", "is a path of one machine"),
    ("links", "docs/a.md", "[a](b.md)\n", "leads nowhere"),
    ("links", "docs/a.md", "# One\n[a](#two)\n", "names a heading that is not there"),
]


@pytest.mark.parametrize(("rule", "name", "content", "message"), CASES)
def test_rule_finds(rule, name, content, message, tmp_path, monkeypatch):
    module = importlib.import_module(rule)
    monkeypatch.setattr(text, "ROOT", tmp_path)
    if hasattr(module, "ROOT"):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "vendors" / "sim").mkdir(parents=True)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(content)
    findings = list(module.check([Path(name)]))
    assert len(findings) == 1 and message in findings[0]


def test_a_stand_in_sdk_may_use_pytorch(tmp_path, monkeypatch):
    module = importlib.import_module("vendor_includes")
    monkeypatch.setattr(text, "ROOT", tmp_path)
    for folder in ("sdk/src", "src"):
        (tmp_path / "vendors/sim" / folder).mkdir(parents=True)
        (tmp_path / "vendors/sim" / folder / "a.cpp").write_text("#include <ATen/ATen.h>\n")
    names = [Path("vendors/sim/sdk/src/a.cpp"), Path("vendors/sim/src/a.cpp")]
    assert [finding.split(":")[0] for finding in module.check(names)] == ["vendors/sim/src/a.cpp"]


def test_words_of_other_things_are_left_alone(tmp_path, monkeypatch):
    module = importlib.import_module("core_names_no_vendor")
    monkeypatch.setattr(text, "ROOT", tmp_path)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "vendors" / "sim").mkdir(parents=True)
    (tmp_path / "core" / "src").mkdir(parents=True)
    (tmp_path / "core/src/a.cpp").write_text("// simple, similar, cuda\n")
    assert not list(module.check([Path("core/src/a.cpp")]))
