"""Variables: known, retired, unknown."""

import pytest

from torch_fl import env, legacy


def test_known_ones_and_vendors_own_are_quiet():
    environ = dict.fromkeys([n for n in env.KNOWN if "<" not in n], "1")
    environ |= {"FLAGOS_OP_abs": "none", "FLAGOS_ACME_DEVICES": "2", "HOME": "/"}
    assert env.problems(environ, {"acme": None}) == []


def test_unknown_ones_name_the_nearest():
    assert env.problems({"FLAGOS_STRIKT": "1"}, {}) == [
        "FLAGOS_STRIKT means nothing to torch_fl; did you mean 'FLAGOS_STRICT'?"
    ]
    assert env.problems({"FLAGOS_ACME_DEVICES": "2"}, {})[0].startswith("FLAGOS_ACME_DEVICES means nothing")


def test_only_users_own_are_suggested():
    assert env.problems({"FLAGOS_TEST_DEVICES": "1"}, {}) == ["FLAGOS_TEST_DEVICES means nothing to torch_fl"]
    assert not set(env.FOR_USERS) & set(env.FOR_DEVELOPERS)


def test_the_variable_that_fork_rng_names():
    (problem,) = env.problems({"FLAGOS_VISIBLE_DEVICES": "0"}, {"acme": None})
    assert "variable of the vendor" in problem and "devices=[...]" in problem and "did you mean" not in problem


@pytest.mark.parametrize("name", [n for n in legacy.VARIABLES if n != "ACCELERATOR"])
def test_retired_ones_name_their_successor(name):
    assert env.problems({name: "1"}, {}) == [f"{name} is retired: {legacy.VARIABLES[name]}"]


def test_a_retired_name_is_never_a_known_one():
    assert not set(legacy.VARIABLES) & set(env.KNOWN)


def test_log():
    assert env.log_switches("dispatch, plan") == {"log_dispatch": True, "log_plan": True}
    assert env.log_switches("dispatch:legacy") == {"log_dispatch_legacy": True}
    with pytest.warns(UserWarning, match="FLAGOS_LOG knows no 'fallbck'; did you mean 'fallback'"):
        assert env.log_switches("fallbck") == {}


def test_switches_of_the_native_half(native, monkeypatch, vendors):
    from torch_fl import discovery

    vendors("acme")
    monkeypatch.setenv("FLAGOS_LOG", "fallback")
    monkeypatch.setenv("FLAGOS_STRICT", "yes")
    monkeypatch.setenv("FLAGOS_USE_FLAGGEMS", "1")
    with pytest.warns(UserWarning, match="FLAGOS_USE_FLAGGEMS is retired"):
        env.apply(native, discovery.choose())
    assert native.state["log_fallback"] and native.state["strict"] and not native.state["log_dispatch"]


def test_flags():
    assert env.flag("X", {"X": "On"}) and not env.flag("X", {})
    with pytest.warns(UserWarning, match="neither yes nor no"):
        assert not env.flag("X", {"X": "perhaps"})


def test_counts():
    assert env.count("X", {"X": " 12 "}) == 12 and env.count("X", {"X": ""}) == 0 and env.count("X", {}) == 0
    for value in ("-1", "often", "1.5"):
        with pytest.warns(UserWarning, match="no number from 0 on; taken as 0"):
            assert env.count("X", {"X": value}) == 0


@pytest.mark.parametrize(
    ("variables", "replay", "audit"),
    [
        ({}, True, 0),
        ({"FLAGOS_REPLAY": "0"}, False, 0),
        ({"FLAGOS_REPLAY": "off", "FLAGOS_REPLAY_AUDIT": "10"}, False, 10),
        ({"FLAGOS_REPLAY": "", "FLAGOS_REPLAY_AUDIT": "1"}, True, 1),
    ],
)
def test_replay(native, monkeypatch, vendors, variables, replay, audit):
    from torch_fl import discovery

    vendors("acme")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    env.apply(native, discovery.choose())
    assert (native.replay, native.audit) == (replay, audit)


def test_replay_that_is_neither_on_nor_off(native, monkeypatch, vendors):
    from torch_fl import discovery

    vendors("acme")
    monkeypatch.setenv("FLAGOS_REPLAY", "sometimes")
    with pytest.warns(UserWarning, match="FLAGOS_REPLAY='sometimes' is neither yes nor no; taken as 1"):
        env.apply(native, discovery.choose())
    assert native.replay is True


def test_variables_of_a_vendor_that_names_its_own():
    vendors = {"acme": ["FLAGOS_ACME_ASYNC"]}
    assert env.problems({"FLAGOS_ACME_ASYNC": "1"}, vendors) == []
    (problem,) = env.problems({"FLAGOS_ACME_ASYNCH": "1"}, vendors)
    assert problem == "FLAGOS_ACME_ASYNCH means nothing to the vendor acme; did you mean 'FLAGOS_ACME_ASYNC'?"
