"""These tests run the Python half of core over a fake of its native half: no device, and no build, is needed."""

import os
import sys
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
for _name in [n for n in os.environ if n.startswith("FLAGOS_")]:
    del os.environ[_name]
HERE = Path(__file__).resolve().parent
CORE = HERE.parents[1]
sys.path[:0] = [str(CORE), str(HERE)]

import fake_native  # noqa: E402
import pytest  # noqa: E402

fake_native.install()


@pytest.fixture
def native():
    """The fake, as new."""
    fake = sys.modules["torch_fl._C"]
    fake.reset()
    return fake


@pytest.fixture
def world():
    """What a conf may name when the vendor is called acme."""
    from torch_fl import _conf
    from torch_fl._lanes import number_of

    ops = {"add.Tensor", "add.out", "abs", "add_.Tensor", "__and__.Tensor", "sum.dim_IntList", "cumsum", "reshape"}
    dims = {"sum.dim_IntList": [_conf.Argument("dim", False)], "cumsum": [_conf.Argument("dim", False, is_int=True)]}
    return _conf.World(
        lanes=("acme", "none", "boxing", "flaggems", "tileops"),
        is_lane=lambda lane: number_of(lane, "acme") is not None,
        is_op=ops.__contains__,
        op_names=lambda: ops,
        arguments=lambda op: [_conf.Argument("self", True), *dims.get(op, [])],
        is_decomposed=lambda op: op == "reshape",
    )


@pytest.fixture
def vendors(tmp_path, monkeypatch):
    """A function that makes vendor wheels for discovery: an entry point, a package, vendor.toml, a conf, a library."""
    from importlib import metadata

    from torch_fl import discovery

    entries = []

    def of_group(group):
        return sorted((e for e in entries if e.group == group), key=lambda e: e.name)

    def make(name, *, embedded=False, available="True", body="", toml=None, library=True, conf="add.Tensor = boxing\n"):
        package = tmp_path / f"torch_fl_{name}"
        package.mkdir()
        (package / "__init__.py").write_text(f"NAME = {name!r}\n{body}\ndef is_available():\n    return {available}\n")
        if toml is None:
            toml = f'name = "{name}"\nembedded = {str(embedded).lower()}\nlanes = ["{name}", "boxing", "none"]\n'
            toml += 'boxing_key = "CPU"\nfences = []\n'
        (package / "vendor.toml").write_text(toml)
        (package / "routes.conf").write_text(conf)
        if library:
            (package / f"libtorch_fl_{name}.so").write_bytes(b"")
        entries.append(metadata.EntryPoint(name, f"torch_fl_{name}", "torch_fl.vendors"))
        return package

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(metadata, "entry_points", lambda **wanted: metadata.EntryPoints(entries).select(**wanted))
    monkeypatch.setattr(discovery, "entries", of_group)
    yield make
    for entry in entries:
        sys.modules.pop(entry.value, None)
