"""The table and what is written from it."""

import subprocess
import sys

import pytest
import sdk as S

generate = S.generate


def test_written_files_are_up_to_date():
    done = subprocess.run([sys.executable, S.SDK / "generate.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_check_shows_a_difference(monkeypatch, capsys, tmp_path):
    text = (S.SDK / "include" / "topsaten" / "topsaten.h").read_text()
    for name in generate.FILES.values():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((S.SDK / name).read_text())
    (tmp_path / "include/topsaten/topsaten.h").write_text(text.replace("topsatenInit", "topsatenStart"))
    for name in ("table.yaml", "templates"):
        (tmp_path / name).symlink_to(S.SDK / name)
    monkeypatch.setattr(generate, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert generate.main() == 1
    out = capsys.readouterr().out
    assert "-TOPSATEN_EXPORT topsatenStatus_t topsatenStart();" in out and "1 of" in out
    monkeypatch.setattr(sys, "argv", ["generate.py"])
    assert generate.main() == 0
    assert (tmp_path / "include/topsaten/topsaten.h").read_text() == text


def test_every_line_names_its_source():
    runtime = S.TABLE["runtime"]
    lines = [*runtime["enums"].values(), *runtime["structs"].values(), *runtime["functions"]]
    lines += [runtime["constants"], runtime["handles"], runtime["aliases"]]
    lines += [*S.TABLE["topsaten"]["enums"].values(), *S.TABLE["topsaten"]["kinds"].values()]
    lines += [row for rows in S.TABLE["topsaten"]["ops"].values() for row in rows]
    known = ("section ", "appendix ", "ancestor ", "reference", "chosen")
    assert all(line["source"].startswith(known) for line in lines)


def test_headers_say_what_they_are():
    for name in generate.FILES.values():
        if name.startswith("include/"):
            assert "stand-in" in (S.SDK / name).read_text().splitlines()[0]


GOOD = {"call": "T& out, cT self", "aten": "abs", "kind": "unary", "source": "chosen"}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"call": "T& out, tensor self"}, '"tensor self" is not a type and a name'),
        ({"call": "T& self, cT self"}, "two arguments have one name"),
        ({"kind": "strange"}, 'no kind "strange"'),
        ({"custom": "neg"}, "either `aten` or `custom`"),
        ({"colour": "red"}, "unknown colour"),
        ({"source": None}, "no `source`"),
        ({"dtypes": "FP33"}, "no dtype FP33"),
        ({"args": {"mask": "PRED"}}, "`args` names mask"),
        ({"optional": ["mask"]}, "`optional` names mask"),
        ({"trap": "door"}, "no trap door"),
    ],
)
def test_a_wrong_line_is_an_error(change, words):
    row = {k: v for k, v in {**GOOD, **change}.items() if v is not None}
    with pytest.raises(generate.TableError, match=r"topsatenX, call 0") as found:
        generate.read_op(S.TABLE["topsaten"], "topsatenX", 0, row)
    assert words in str(found.value)


def test_two_calls_of_the_same_types_are_an_error():
    table = {**S.TABLE["topsaten"], "ops": {"topsatenX": [GOOD, GOOD]}}
    with pytest.raises(generate.TableError, match="the same types"):
        generate.read_ops(table)
