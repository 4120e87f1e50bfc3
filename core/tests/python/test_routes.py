"""Routes of a process: the conf chosen, overrides, changes at run time, and what the native half is given."""

import threading

import pytest

import torch_fl
from torch_fl import _routes, discovery


@pytest.fixture
def installed(vendors, native):
    """A vendor called acme with a small conf, in force."""
    vendors("acme", conf="add.Tensor = acme\nadd.Tensor [dtype=int64] = boxing\nmul.Tensor = boxing\n")
    choice = discovery.choose()
    discovery.tell(choice, native)
    _routes.install(native, choice)
    return choice


def lanes(native):
    return [(op, len(guard), lane) for op, guard, lane, *_ in native.rules]


def test_the_vendors_own_conf(installed, native):
    assert lanes(native) == [("add.Tensor", 0, 1), ("add.Tensor", 1, 2), ("mul.Tensor", 0, 2)]
    assert native.rules[1][1] == [("dtype", "=", "", 0, [4])]
    assert native.rules[1][3].endswith("routes.conf:2")


def test_a_conf_of_the_user_and_overrides(installed, native, tmp_path, monkeypatch, capsys):
    conf = tmp_path / "mine.conf"
    conf.write_text("mm = acme\nmul.Tensor = boxing\n")
    monkeypatch.setenv("FLAGOS_BACKEND_CONFIG", str(conf))
    monkeypatch.setenv("FLAGOS_OP_mul__Tensor", "none")
    _routes.install(native, installed)
    assert lanes(native) == [("mm", 0, 1), ("mul.Tensor", 0, 0)]
    assert f"[flagos] loading backend config from {conf}" in capsys.readouterr().err


def test_an_unreadable_conf_is_told_at_first_use(installed, native, monkeypatch):
    monkeypatch.setenv("FLAGOS_BACKEND_CONFIG", "/nowhere/x.conf")
    _routes.install(native, installed)
    assert "cannot read the backend config /nowhere/x.conf" in native.routes_error


def test_an_override_of_an_unknown_op(installed, native, monkeypatch):
    monkeypatch.setenv("FLAGOS_OP_add__Tensr", "acme")
    _routes.install(native, installed)
    assert "FLAGOS_OP_add__Tensr: unknown op 'add.Tensr'; did you mean 'add.Tensor'?" in native.routes_error


def test_an_override_of_an_op_that_reaches_no_lane(installed, native, monkeypatch):
    monkeypatch.setenv("FLAGOS_OP_reshape", "none")
    with pytest.warns(UserWarning, match="FLAGOS_OP_reshape: reshape never reaches the device.*routes explain reshape"):
        _routes.install(native, installed)
    assert native.routes_error is None


def test_a_conf_for_an_op_that_reaches_no_lane(installed, native, tmp_path, monkeypatch):
    conf = tmp_path / "mine.conf"
    conf.write_text("add.Tensor = none\nreshape = none\nselect.int [inner(self) > 4] = none\n")
    monkeypatch.setenv("FLAGOS_BACKEND_CONFIG", str(conf))
    _routes.install(native, installed)
    assert f"{conf}:2: reshape never reaches the device" in native.routes_error
    assert (
        f"{conf}:3: inner(self)" in native.routes_error
        and "one int (those that it has: dim, index)" in native.routes_error
    )


def test_changes_nest(installed, native):
    before = lanes(native)
    with torch_fl.routes({"add.Tensor": "none"}):
        assert lanes(native) == [("mul.Tensor", 0, 2), ("add.Tensor", 0, 0)]
        with torch_fl.routes({"add.Tensor [rank<=2]": "boxing", "mul.Tensor": "none"}):
            assert lanes(native) == [("add.Tensor", 0, 0), ("add.Tensor", 1, 2), ("mul.Tensor", 0, 0)]
            assert native.rules[0][3] == "torch_fl.routes()"
        assert lanes(native) == [("mul.Tensor", 0, 2), ("add.Tensor", 0, 0)]
    assert lanes(native) == before


def test_changes_end_with_an_exception(installed, native):
    before = lanes(native)
    with pytest.raises(KeyError), torch_fl.routes({"add.Tensor": "none"}):
        raise KeyError
    assert lanes(native) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"add.Tensr": "none"}, "unknown op 'add.Tensr'; did you mean 'add.Tensor'?"),
        ({"add.Tensor": "acne"}, "unknown lane 'acne'; did you mean 'acme'?"),
        ({"add.Tensor [dtyp=int8]": "none"}, "unknown guard 'dtyp'"),
        ({"mul.Tensor": "acme"}, "mul.Tensor has no kernel in lane 'acme' (lanes that have one: none, boxing)"),
        ({"copy_": "none"}, "copy_ is served by core itself"),
        ({"matmul": "none"}, "matmul never reaches the device"),
        ({"add.Tensor": None}, "add.Tensor: a lane is named by a str, such as 'none', not by None"),
        ({torch_fl: "none"}, "an op is named by a str, such as 'add.Tensor'"),
        (
            {"add.Tensor [foo.dtype=int64]": "none"},
            "add.Tensor has no argument 'foo' (tensors that it has: self, other)",
        ),
        (
            {"index.Tensor [indices.rank=1, foo.rank=1]": "none"},
            "no argument 'foo' (tensors that it has: self, indices)",
        ),
    ],
)
def test_changes_that_cannot_be(installed, native, changes, message):
    before = lanes(native)
    with pytest.raises(ValueError) as error:
        torch_fl.routes(changes)
    assert message in str(error.value)
    assert lanes(native) == before


@pytest.mark.parametrize("changes", [None, "add.Tensor=none", [("add.Tensor", "none")]])
def test_changes_of_another_type(installed, changes):
    with pytest.raises(TypeError, match=r"takes a mapping of ops to lanes, such as \{'add.Tensor': 'none'\}, not "):
        torch_fl.routes(changes)


def test_threads(installed, native):
    before = lanes(native)

    def work():
        for _ in range(50):
            with torch_fl.routes({"add.Tensor": "none"}):
                assert native.rules is not None

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lanes(native) == before


def test_without_a_vendor(native, vendors):
    choice = discovery.choose()
    discovery.tell(choice, native)
    _routes._state = None
    _routes.install(native, choice)
    with pytest.raises(RuntimeError, match="no torch-fl-<vendor> wheel is installed"):
        torch_fl.routes({"add.Tensor": "none"})
