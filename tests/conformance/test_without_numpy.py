"""Nothing here needs numpy: a CPU torch does not bring it, and a vendor's environment may lack it."""

import pytest
from harness import child
from harness.device import SELF_CHECK

BLOCKED = """
import sys

class Hidden:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] == "numpy" else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Hidden, sys.meta_path)
import warnings
warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
"""


def check(code):
    head = "" if SELF_CHECK else "import torch_fl\n"
    device = "cpu" if SELF_CHECK else "flagos"
    return child.check(
        f"{BLOCKED}\n{head}import torch\nDEV = {device!r}\n{code}\nassert 'numpy' not in sys.modules\n", head=False
    )


def test_a_training_step():
    code = """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2)).to(DEV)
optimizer = torch.optim.Adam(net.parameters())
loss = torch.nn.functional.cross_entropy(net(torch.randn(5, 4, device=DEV)), torch.tensor([0, 1, 0, 1, 1], device=DEV))
loss.backward()
optimizer.step()
print("LOSS", loss.item())
"""
    assert "LOSS 0." in check(code).stdout


def test_copies_random_numbers_and_files(tmp_path):
    code = f"""
x = torch.rand(3, 4, device=DEV)
assert x.cpu().to(DEV).tolist() == x.tolist()
torch.save(x, {str(tmp_path / "x.pt")!r})
assert torch.load({str(tmp_path / "x.pt")!r}, map_location=DEV).tolist() == x.tolist()
assert sorted(torch.randperm(9, device=DEV).tolist()) == list(range(9))
"""
    check(code)


@pytest.mark.skipif(SELF_CHECK, reason="the host is no device of ours")
def test_the_command():
    code = """
from torch_fl.cli import app
from typer.testing import CliRunner
result = CliRunner().invoke(app, ["routes", "explain", "add.Tensor"])
assert result.exit_code == 0, result.output
"""
    check(code)
