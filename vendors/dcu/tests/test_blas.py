"""Matrix products by the machine's BLAS and by the vendor's own tiles: the same numbers, and the right one of the two.

On the stand-in the BLAS is sdk/src/blas.cpp, which counts what it is asked for; on NVIDIA it is PyTorch's cuBLAS.
"""

import json
import os
import subprocess
import sys

import pytest

torch_fl_dcu = pytest.importorskip("torch_fl_dcu", reason="torch-fl-dcu is not installed: nox -s dcu-sim")
pytestmark = pytest.mark.skipif(not torch_fl_dcu.is_available(), reason="no device for what the library was built for")

# Runs every product on the device and on the host; prints per product how far they are apart, in units of what the
# dtype rounds to, and how often the stand-in's BLAS was asked.
PROGRAM = """
import ctypes, json, os
import torch, torch_fl

torch.manual_seed(0)

def products():
    # How many the stand-in's BLAS has computed; 0 where it was not even loaded.
    try:
        library = ctypes.CDLL("libhipblas.so.2", mode=os.RTLD_NOLOAD)
    except OSError:
        return 0
    library.hip_standin_products.restype = ctypes.c_uint64
    return library.hip_standin_products()

found = {}
def case(name, call, *tensors):
    expected = call(*(t.double() for t in tensors)).float()
    before = products()
    with torch_fl.routes({op: "dcu" for op in ("mm", "bmm", "addmm", "baddbmm")}):
        result = call(*(t.to("flagos") if t.is_contiguous() else like(t) for t in tensors))
        torch.flagos.synchronize()
    unit = torch.finfo(tensors[0].dtype).eps * max(1.0, expected.abs().max().item())
    apart = (result.cpu().float() - expected).abs().max().item() / unit
    found[name] = {"apart": apart, "blas": products() - before, "finite": bool(result.cpu().isfinite().all())}

def like(t):  # on the device, with the same strides
    made = torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="flagos")
    return made.copy_(t)

for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
    r = lambda *sizes: torch.randn(*sizes, dtype=torch.float32).to(dtype)
    word = str(dtype).removeprefix("torch.")
    a, b, bias = r(17, 33), r(33, 21), r(21)
    case(f"mm {word}", lambda a, b: a @ b, a, b)
    case(f"mm {word} transposed", lambda a, b: a @ b, r(33, 17).t(), r(21, 33).t())
    case(f"mm {word} a column", lambda a, b: a @ b, r(17, 33), r(33, 1))
    case(f"mm {word} a row", lambda a, b: a @ b, r(1, 33), r(33, 21))
    case(f"mm {word} into columns", lambda a, b: (b.t() @ a.t()).t(), a, b)
    case(f"addmm {word}", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), bias, a, b)
    case(f"addmm {word} without its bias", lambda c, a, b: torch.addmm(c, a, b, beta=0), bias * float("nan"), a, b)
    case(f"bmm {word}", lambda a, b: a @ b, r(5, 7, 9), r(5, 9, 11))
    case(f"bmm {word} transposed", lambda a, b: a @ b, r(5, 9, 7).transpose(1, 2), r(5, 11, 9).transpose(1, 2))
    case(f"baddbmm {word}", lambda c, a, b: torch.baddbmm(c, a, b), r(1, 1, 11), r(5, 7, 9), r(5, 9, 11))
    case(f"mm {word} dense nowhere", lambda a, b: a @ b, r(34, 66)[::2, ::2], r(33, 21))
    case(f"mm {word} without depth", lambda a, b: a @ b, r(3, 0), r(0, 4))
print(json.dumps(found))
"""


def run(**variables):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "FLAGOS_ACCELERATOR": "dcu", **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


# The halves are rounded once, and where the bias is added to a rounded product twice.
def check(found):
    far = {name: told["apart"] for name, told in found.items() if not told["finite"] or told["apart"] > 2.0}
    assert len(found) == 48 and not far, far


def test_by_blas():
    found, _ = run()
    check(found)
    if torch_fl_dcu.on_standin():
        asked = {name: told["blas"] for name, told in found.items()}
        tiles = {name for name, count in asked.items() if count == 0}
        assert tiles == {name for name in found if name.endswith(("dense nowhere", "without depth"))}
        assert set(asked.values()) == {0, 1}


def test_by_tiles():
    found, _ = run(FLAGOS_DCU_BLAS="none")
    check(found)
    assert not any(told["blas"] for told in found.values())


def test_a_library_that_is_not_there_is_told_once():
    found, said = run(FLAGOS_DCU_BLAS="/nowhere/libhipblas.so")
    check(found)
    assert not any(told["blas"] for told in found.values())
    assert said.count("FLAGOS_DCU_BLAS=/nowhere/libhipblas.so: ") == 1 and "tiles" in said


def test_a_library_that_is_no_blas_is_told_once():
    found, said = run(FLAGOS_DCU_BLAS="libm.so.6")
    check(found)
    assert not any(told["blas"] for told in found.values())
    assert said.count("FLAGOS_DCU_BLAS=libm.so.6: it lacks functions of ") == 1 and "tiles" in said
