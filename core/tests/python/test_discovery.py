"""The choice of a vendor: every case with its own message."""

import pytest

from torch_fl import discovery


def test_none_installed(vendors):
    assert "no torch-fl-<vendor> wheel is installed" in discovery.choose().why_none


def test_the_embedded_one_alone(vendors):
    vendors("toy", embedded=True)
    assert discovery.choose().vendor.name == "toy"


def test_a_real_one_beats_the_embedded_one(vendors):
    vendors("toy", embedded=True)
    vendors("acme")
    choice = discovery.choose()
    assert choice.vendor.name == "acme"
    assert [v.name for v in choice.installed] == ["acme", "toy"]


def test_by_name(vendors, monkeypatch):
    vendors("toy", embedded=True)
    vendors("acme")
    monkeypatch.setenv("FLAGOS_ACCELERATOR", "toy")
    assert discovery.choose().vendor.name == "toy"
    monkeypatch.setenv("FLAGOS_ACCELERATOR", "npu")
    assert discovery.choose().why_none == (
        "FLAGOS_ACCELERATOR=npu is not installed (installed: acme, toy); pip install torch-fl-npu"
    )


def test_two_usable_ones(vendors):
    vendors("acme")
    vendors("other")
    assert "several vendors are usable here (acme, other); set FLAGOS_ACCELERATOR" in discovery.choose().why_none


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        ({"body": "raise ImportError('libacme.so not found')"}, "ImportError: libacme.so not found"),
        ({"available": "False"}, "no device or no SDK"),
        ({"available": "1 / 0"}, "ZeroDivisionError"),
        ({"body": "import sys; sys.exit(3)"}, "SystemExit: 3"),
        ({"available": "exit()"}, "SystemExit"),
        ({"body": "class Odd(BaseException): pass\nraise Odd('x')"}, "Odd: x"),
        ({"library": False}, "libtorch_fl_acme.so is missing"),
        ({"toml": "name = "}, "TOMLDecodeError"),
        ({"body": "NAME = 'acne'"}, "calls itself 'acne'"),
    ],
)
def test_a_broken_one_is_told_and_never_replaced_unseen(vendors, broken, text):
    vendors("acme", **broken)
    vendors("toy", embedded=True)
    choice = discovery.choose()
    assert choice.vendor is None
    assert text in choice.why_none
    assert "FLAGOS_ACCELERATOR=toy" in choice.why_none


def test_a_user_who_presses_ctrl_c_is_obeyed(vendors):
    vendors("acme", body="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        discovery.choose()


def test_a_broken_one_does_not_hide_a_good_one(vendors):
    vendors("acme", body="raise ImportError('x')")
    vendors("other")
    assert discovery.choose().vendor.name == "other"


def test_what_the_native_half_is_told(vendors, native):
    folder = vendors("acme")
    discovery.tell(discovery.choose(), native)
    assert native.vendor == {
        "name": "acme",
        "library": str(folder / "libtorch_fl_acme.so"),
        "lanes": ["acme", "boxing", "none"],
        "fences": [],
        "boxing_key": "CPU",
        "spare": "",
    }
    vendors("toy", embedded=True)
    discovery.tell(discovery.choose(), native)
    assert native.vendor["name"] == "acme" and native.vendor["spare"] == "toy"


def test_an_incomplete_vendor_toml(vendors, native):
    vendors("acme", toml='name = "acme"\n')
    discovery.tell(discovery.choose(), native)
    assert "vendor.toml: KeyError: 'lanes'" in native.no_vendor


def test_a_vendor_on_a_stand_in_says_so(vendors):
    vendors("acme", body="def on_standin():\n    return True\n")
    vendors("other")
    assert [(v.name, v.standin) for v in discovery.installed()] == [("acme", True), ("other", False)]


def test_entry_points_are_found_and_what_nobody_can_read_is_passed_over(tmp_path, monkeypatch):
    def wheel(folder, name, content):
        info = tmp_path / folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_bytes(content)

    wheel("a", "torch-fl-odd", b"[torch_fl.odd]\nzeta = torch_fl_zeta\n\n[console_scripts]\nx = y:z\n")
    wheel("a", "foreign", b"[torch_fl.odd\xff]\n")
    wheel("a", "other", b"[torch_fl.odder]\nbeta = beta\n")
    wheel("b", "torch-fl-odd", b"[torch_fl.odd]\nalpha = torch_fl_alpha\n")
    monkeypatch.syspath_prepend(str(tmp_path / "b"))
    monkeypatch.syspath_prepend(str(tmp_path / "a"))
    found = discovery.entries("torch_fl.odd")
    assert [(e.name, e.value, e.dist.name) for e in found] == [
        ("alpha", "torch_fl_alpha", "torch-fl-odd"),
        ("zeta", "torch_fl_zeta", "torch-fl-odd"),
    ]


def test_a_wheel_that_is_on_the_path_twice(vendors, monkeypatch):
    vendors("acme")
    entries = discovery.entries
    monkeypatch.setattr(discovery, "entries", lambda group: entries(group) * 2)
    assert [v.name for v in discovery.installed()] == ["acme"]
    assert discovery.choose().vendor.distribution == ""  # the fixture's entry points are of no distribution
