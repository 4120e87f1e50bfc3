"""The runtime where it hurts: other devices' pointers, no memory, failures late and unknown, an older SDK."""

from __future__ import annotations

import os
import re
from pathlib import Path

import fresh
import pytest
import torch

import torch_fl

pytestmark = pytest.mark.skipif(torch_fl.vendor_name() != "gcu", reason="FLAGOS_ACCELERATOR=gcu")


def standin() -> bool:
    import torch_fl_gcu

    return torch_fl_gcu.on_standin()


on_standin = pytest.mark.skipif(torch_fl.vendor_name() == "gcu" and not standin(), reason="faults are the stand-in's")
two_devices = pytest.mark.skipif(torch.accelerator.device_count() < 2, reason="needs two devices")


@two_devices
def test_every_call_goes_to_the_device_of_its_pointers():
    """topsrt looks a pointer up on the current device alone, and reads zeros where it is another's."""
    torch.accelerator.set_device_index(0)
    x = torch.arange(8.0)
    there = x.to("flagos:1")
    assert torch.equal((there * 2).cpu(), x * 2)
    assert torch.equal(there.to("flagos:0").cpu(), x)
    assert torch.equal(there[::2].to("flagos:0").cpu(), x[::2])
    there.zero_()
    assert torch.equal(there.cpu(), torch.zeros(8))
    event = torch.Event(device="flagos:1", enable_timing=True)
    event.record(torch.accelerator.current_stream("flagos:1"))
    event.synchronize()
    assert event.query()
    assert torch.accelerator.current_device_index() == 0


def test_streams_have_no_priorities():
    stream = torch.flagos.Stream(priority=-1)
    assert stream.priority == 0


def test_an_event_that_was_never_recorded_is_complete():
    event = torch.Event(device="flagos")
    assert event.query()
    event.synchronize()


@on_standin
def test_two_cards_show_as_eight_devices():
    out = fresh.python(
        """
        maps = [torch.flagos.device_map(i) for i in range(torch.accelerator.device_count())]
        print([(m["card"], m["partition"]) for m in maps], len({m["uuid"] for m in maps}))
        """,
        TOPS_STANDIN_CARDS="2",
        TOPS_STANDIN_PARTITIONED="1",
    )
    places = [(card, part) for card in range(2) for part in range(4)]
    assert out.splitlines()[-1] == f"{places} 8"


@on_standin
def test_out_of_memory_empties_the_cache_and_retries_once():
    fresh.python(
        """
        half = 40 << 20
        x = torch.empty(half, dtype=torch.uint8, device=DEV)
        del x  # kept by the cache
        y = torch.empty(half + (8 << 20), dtype=torch.uint8, device=DEV)
        error = failure(lambda: torch.empty(half, dtype=torch.uint8, device=DEV))
        assert isinstance(error, torch.OutOfMemoryError), error
        y.fill_(3)
        assert y[-1].item() == 3
        """,
        TOPS_STANDIN_MEMORY="64",
    )


@on_standin
@pytest.mark.parametrize(("failures", "raised"), [(1, False), (2, True)])
def test_out_of_memory_inside_the_sdk(failures, raised):
    code = """
    x = torch.ones(4, device=DEV)
    if RAISED:
        error = failure(lambda: torch.exp(x))
        assert isinstance(error, torch.OutOfMemoryError), error
    else:
        assert torch.allclose(torch.exp(x).cpu(), torch.exp(torch.ones(4)))
    """
    faults = ",".join(f"topsatenExp:{n}:ALLOC_FAILED" for n in range(1, failures + 1))
    fresh.python(code.replace("RAISED", str(raised)), TOPS_STANDIN_FAIL=faults)


@on_standin
def test_a_late_failure_is_raised_at_the_next_synchronisation_with_the_name_of_the_op():
    fresh.python(
        """
        x = torch.ones(4, device=DEV)
        y = torch.exp(x)
        error = failure(torch.accelerator.synchronize)
        assert isinstance(error, RuntimeError) and "exp" in str(error), error
        """,
        TOPS_STANDIN_FAIL="topsatenExp:1::late",
    )


@on_standin
@pytest.mark.parametrize("fault", ["topsatenExp:1:77", "topsMalloc:1:4242"])
def test_a_status_that_the_sdk_never_documented_keeps_its_number(fault):
    fresh.python(
        f"""
        error = failure(lambda: torch.exp(torch.ones(4, device=DEV)))
        assert isinstance(error, RuntimeError) and "{fault.rsplit(":", 1)[1]}" in str(error), error
        """,
        TOPS_STANDIN_FAIL=fault,
    )


@on_standin
def test_what_topsaten_does_not_support_goes_to_the_next_lane():
    out = fresh.python(
        """
        x = torch.ones(4)
        assert torch.allclose(torch.exp(x.to(DEV)).cpu(), torch.exp(x))
        assert torch.allclose(torch.exp(x.to(DEV)).cpu(), torch.exp(x))
        """,
        TOPS_STANDIN_FAIL="topsatenExp:1:NOT_SUPPORT",
    )
    assert out.count("the gcu kernel does not support this call") == 1


@on_standin
def test_a_parameter_that_topsaten_calls_bad_is_an_error_that_names_the_op():
    """A fallback would hide that the row is wrong."""
    fresh.python(
        """
        error = failure(lambda: torch.exp(torch.ones(4, device=DEV)))
        assert isinstance(error, RuntimeError) and "exp" in str(error) and "BAD_PARAM" in str(error), error
        """,
        TOPS_STANDIN_FAIL="topsatenExp:1:BAD_PARAM",
    )


@on_standin
def test_a_row_whose_function_the_installed_library_lacks_goes_to_the_next_lane(tmp_path):
    """The library is the stand-in's with one function renamed: to the loader it is not there."""
    loaded = Path("/proc/self/maps").read_text(encoding="utf-8")
    library = Path(re.search(r"\S+/libtopsaten\.so", loaded).group())
    renamed = library.read_bytes().replace(b"topsatenErfinv", b"topsatenXrfinv")
    (tmp_path / library.name).write_bytes(renamed)
    out = fresh.python(
        """
        x = torch.rand(4) / 2
        assert torch.allclose(torch.erfinv(x.to(DEV)).cpu(), torch.erfinv(x))
        print(torch_fl.explain(torch.erfinv, x.to(DEV)))
        """,
        LD_LIBRARY_PATH=os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]),
    )
    assert re.search(r"the installed topsaten lacks what these rows call.*: erfinv\b", out), out
    assert re.search(r"^erfinv .* -> none", out, re.MULTILINE), out


def test_an_index_out_of_range_is_an_index_error_that_writes_nothing_beyond():
    table = torch.arange(6.0, device="flagos")
    guard = table.clone()
    for bad in (6, 2**31, 2**32 + 1, -1):
        torch.gather(table, 0, torch.tensor([bad], device="flagos"))
        with pytest.raises(IndexError, match="gather"):
            torch.accelerator.synchronize()
    torch.accelerator.synchronize()
    assert torch.equal(table, guard)
