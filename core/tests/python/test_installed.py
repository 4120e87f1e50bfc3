"""What takes the real native half: over the vendor that is installed here, and skipped where none is."""

import os
import signal
import subprocess
import sys
import time

import pytest


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("FLAGOS_") and k != "TORCH_DEVICE_BACKEND_AUTOLOAD"}
    return kept | more


def python(code, tmp_path, timeout=120, **environ):
    script = tmp_path / "script.py"
    script.write_text(code)
    return subprocess.run(
        [sys.executable, str(script)], env=environment(**environ), capture_output=True, text=True, timeout=timeout
    )


@pytest.fixture(scope="module", autouse=True)
def device(tmp_path_factory):
    code = "import torch_fl, torch\nassert torch.flagos.is_available()\n"
    if python(code, tmp_path_factory.mktemp("probe")).returncode != 0:
        pytest.skip("no vendor is installed")


ADD = "import torch_fl, torch\nx = torch.ones(2, device='flagos')\n"


@pytest.mark.parametrize(
    ("code", "environ", "text"),
    [
        (
            "x + x",
            {"FLAGOS_OP_add__Tensor": "none"},
            "add.Tensor is routed to none, the CPU, by FLAGOS_OP_add__Tensor. R",
        ),
        (
            "with torch_fl.routes({'add.Tensor [rank=1]': 'none'}): x + x",
            {},
            "add.Tensor is routed to none, the CPU, for this call",
        ),
    ],
)
def test_strict_names_a_way_out_that_works(tmp_path, code, environ, text):
    result = python(ADD + code, tmp_path, FLAGOS_STRICT="1", **environ)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert text in last and last.endswith("Route it to another lane, or unset FLAGOS_STRICT.")


def test_the_first_use_tells_every_line_without_a_kernel(tmp_path):
    conf = tmp_path / "mine.conf"
    conf.write_text("_fft_r2c = tileops\nabs = tileops\n")
    result = python(ADD, tmp_path, FLAGOS_BACKEND_CONFIG=str(conf))
    assert result.returncode == 1
    text = result.stderr
    assert "mine.conf:1: _fft_r2c has no kernel" in text and "mine.conf:2: abs has no kernel" in text
    command = "from torch_fl.cli import main\nimport sys\nsys.argv = ['torch-fl', 'routes', 'check']\nmain()\n"
    result = python(command, tmp_path, FLAGOS_BACKEND_CONFIG=str(conf))
    assert "2 lines, 2 problem(s)" in result.stdout


SEND = """
import torch, torch_fl
import torch.multiprocessing as mp

def take(x):
    pass

class Made(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return torch.ones(2, device="flagos")

if __name__ == "__main__":
    x = torch.ones(2, device="flagos")
    assert x.share_memory_() is x
    for value in (x, torch.nn.Parameter(x), x.untyped_storage(), [x]):
        try:
            mp.get_context("spawn").Process(target=take, args=(value,)).start()
        except RuntimeError as error:
            print("sender:", error)
    try:
        list(torch.utils.data.DataLoader(Made(), num_workers=1, multiprocessing_context="spawn"))
    except RuntimeError as error:
        print("loader:", str(error).splitlines()[-1])
"""


def test_tensors_stay_in_their_process(tmp_path):
    result = python(SEND, tmp_path)
    assert result.returncode == 0, result.stderr
    refusal = "flagos tensors cannot be sent to another process; send tensor.cpu()"
    assert result.stdout.splitlines() == [f"sender: {refusal}"] * 4 + [f"loader: {refusal}"]


def test_a_census_that_is_ended_shows_what_it_counted(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, time, torch\nx = torch.ones(2, device='flagos').abs()\nprint('child', os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", "from torch_fl.cli import main; main()", "census", str(script)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    child = int(process.stdout.readline().split()[1])
    try:
        time.sleep(1.5)  # the file is written each second
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=30)[0]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 128 + signal.SIGTERM
    assert "The script did not end by itself" in output and "abs" in output
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
