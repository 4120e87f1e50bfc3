"""Importing torch and torch_fl in every order, in fresh processes, over the fake native half."""

import os
import subprocess
import sys

import pytest
from conftest import CORE, HERE

# A torch.backends entry point as an installed core has it.
SITE = """
[torch.backends]
torch_fl = torch_fl:_autoload
"""


@pytest.fixture
def python(tmp_path):
    """Runs code in a process where core seems installed; gives (exit status, what it printed)."""
    info = tmp_path / "torch_fl_core-0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch-fl-core\nVersion: 0.0\n")
    (info / "entry_points.txt").write_text(SITE)

    def run(code, before="", **environ):
        env = {k: v for k, v in os.environ.items() if not k.startswith("FLAGOS_")}
        env.pop("TORCH_DEVICE_BACKEND_AUTOLOAD", None)
        env |= {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path, CORE, HERE))), **environ}
        prelude = "import sys\n" + before
        result = subprocess.run(
            [sys.executable, "-c", prelude + code], env=env, capture_output=True, text=True, timeout=120
        )
        return result.returncode, result.stdout + result.stderr

    return run


# Puts the fake where _native.load() looks, as soon as torch can be imported by it.
FAKE = """
import types
class Lazy(types.ModuleType):
    real = None
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        if Lazy.real is None:
            import fake_native
            Lazy.real = fake_native.FakeNative()
        return getattr(Lazy.real, name)
sys.modules['torch_fl._C'] = Lazy('torch_fl._C')
"""
NAME = "print('name:', torch._C._get_privateuse1_backend_name())\n"


def test_torch_first(python):
    code, text = python("import torch\n" + NAME + "import torch_fl; print(torch.flagos.device_count())", FAKE)
    assert code == 0, text
    assert "name: flagos" in text  # by autoload: this torch has no accelerator of its own


def test_torch_fl_first(python):
    code, text = python("import torch_fl, torch\n" + NAME + "print(torch_fl.flagos is torch.flagos)", FAKE)
    assert code == 0, text
    assert "name: flagos" in text and "True" in text


def test_without_autoload(python):
    code, text = python("import torch\n" + NAME + "import torch_fl\n" + NAME, FAKE, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert code == 0, text
    assert text.index("name: privateuseone") < text.index("name: flagos")


def test_a_machine_with_an_accelerator_is_not_taken_over(python):
    # PyTorch's answer is replaced before the entry point asks.
    before = FAKE + (
        "import os; os.environ['TORCH_DEVICE_BACKEND_AUTOLOAD'] = '0'\n"
        "import torch\n"
        "torch._C._accelerator_getAccelerator = lambda: torch.device('xpu')\n"
        "torch.accelerator.is_available = lambda: True\n"
        "torch.__spec__._initializing = True\n"  # as while PyTorch is being imported
        "import torch_fl\n"
        "torch_fl._autoload()\n"
        "torch.__spec__._initializing = False\n"
    )
    code, text = python(NAME + "print('torch_fl' in sys.modules)\nimport torch_fl\n" + NAME, before)
    assert code == 0, text
    assert text.split() == ["name:", "privateuseone", "False", "name:", "flagos"]
    code, text = python(NAME, before, FLAGOS_ACCELERATOR="acme")
    assert "name: flagos" in text


def test_a_prior_claim_is_explained(python):
    before = FAKE + "import os; os.environ['TORCH_DEVICE_BACKEND_AUTOLOAD'] = '0'\n"
    code, text = python("import torch; torch.utils.rename_privateuse1_backend('npu'); import torch_fl", before)
    assert code != 0
    assert "'npu' has taken it" in text and "torch-fl doctor" in text


def test_import_torch_survives_a_core_without_a_build(python):
    before = (
        "import torch; torch.__version__ = '2.12.9'; torch.__spec__._initializing = True\n"
        "import torch_fl; torch_fl._autoload(); torch.__spec__._initializing = False\n"
    )
    code, text = python(NAME, before, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert code == 0, text
    assert "torch_fl is not active: torch_fl: core is not built for torch 2.12 here" in text
    assert "name: privateuseone" in text
    code, text = python("import torch_fl\n", before, TORCH_DEVICE_BACKEND_AUTOLOAD="0", PYTHONWARNINGS="error")
    assert code != 0
    assert "ImportError: torch_fl: core is not built for torch" in text and "--no-build-isolation" in text


def test_a_torch_out_of_range(python):
    code, text = python("import torch; torch.__version__ = '2.9.1'; import torch_fl", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert code != 0
    assert "torch 2.9.1 is not supported, only torch>=" in text


# Whatever vendors this environment has installed, the child sees none.
NO_VENDORS = (
    "from importlib import metadata\nfound = metadata.distributions\n"
    "other = lambda d: 'torch_fl.vendors' not in (d.read_text('entry_points.txt') or '')\n"
    "metadata.distributions = lambda **by: filter(other, found(**by))\n"
)


def test_no_vendor_is_told_at_first_use_only(python):
    code, text = python(
        "import torch_fl, torch\nprint(torch.flagos.is_available())\ntorch.flagos.init()", NO_VENDORS + FAKE
    )
    assert code != 0
    assert text.splitlines()[0] == "False"
    assert "no torch-fl-<vendor> wheel is installed" in text


def test_a_vendor_that_ends_the_process_does_not(python, tmp_path):
    (tmp_path / "torch_fl_rude.py").write_text("import sys\nsys.exit(3)\n")
    with (tmp_path / "torch_fl_core-0.0.dist-info" / "entry_points.txt").open("a") as file:
        file.write("\n[torch_fl.vendors]\nrude = torch_fl_rude\n")
    code, text = python("import torch\nprint('imported')\ntorch.flagos.init()", FAKE, FLAGOS_ACCELERATOR="rude")
    assert code == 1
    assert text.splitlines()[0] == "imported"
    assert "FLAGOS_ACCELERATOR=rude, but that vendor cannot be used: SystemExit: 3" in text


def test_importing_is_light(python):
    code, text = python(
        "import torch_fl, torch\nheavy = {'typer', 'rich', 'yaml', 'torch_fl._explain', 'torch_fl._census'}\n"
        "print(sorted(heavy & set(sys.modules)))",
        FAKE,
    )
    assert code == 0, text
    assert text.strip() == "[]"
