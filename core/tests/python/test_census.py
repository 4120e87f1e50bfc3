"""The census: differences, nesting, sums, and the file that FLAGOS_CENSUS names."""

import json
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import HERE

import torch_fl
from torch_fl import _census


def row(op="add.Tensor", lane="acme", calls=1, ns=1000, size=8, reason=""):
    return (op, lane, "float32", "[2]", reason, calls, ns, size)


def test_only_what_ran_inside(native):
    native.counts = [row(calls=5, ns=50, size=500), row("abs", calls=2)]
    with torch_fl.census() as counted:
        assert native.state["census"]
        native.counts = [row(calls=7, ns=80, size=900), row("abs", calls=2), row("mm", "none", ns=9000)]
        assert [r.op for r in counted.rows()] == ["mm", "add.Tensor"]
        native.counts.append(row("exp"))
    native.counts.append(row("log"))
    assert not native.state["census"]
    by_op = {r.op: r for r in counted.rows()}
    assert set(by_op) == {"mm", "add.Tensor", "exp"}
    assert by_op["add.Tensor"][5:8] == (2, 30, 400)
    assert counted.total().calls == 4
    assert counted.by_lane()["none"].calls == 1
    assert "mm" in counted.table() and "sum of none" in counted.table()


def test_blocks_nest(native):
    with torch_fl.census():
        with torch_fl.census():
            pass
        assert native.state["census"]
    assert not native.state["census"]


def test_a_long_table_says_what_it_leaves_out(native):
    with torch_fl.census() as counted:
        native.counts = [row(f"op{i}") for i in range(40)]
    assert "... and 10 more" in counted.table(30)


def test_documents_are_read_back(native, tmp_path):
    with torch_fl.census() as counted:
        native.counts = [row()]
    path = tmp_path / "census.json"
    path.write_text(json.dumps(counted.to_json()))
    document, rows = _census.read_document(path)
    assert document["finished"] and rows == counted.rows()
    path.write_text('{"format": 99, "rows": []}')
    with pytest.raises(ValueError, match="format 99"):
        _census.read_document(path)
    path.write_text("{")
    with pytest.raises(ValueError, match="no census that can be read"):
        _census.read_document(path)


def child(tmp_path, body):
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport conftest, os\nimport torch_fl._census as c\n"
        f"c._native.module().counts = [('abs', 'none', 'float32', '[2]', 'why', 3, 5, 7)]\n"
        f"c.start_writer({str(tmp_path / 'census.json')!r}, every_s=0.05)\n" + textwrap.dedent(body)
    )
    return subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE)


def test_the_file_at_exit(tmp_path):
    assert child(tmp_path, "assert 'FLAGOS_CENSUS' not in os.environ\n").wait() == 0
    document, _ = _census.read_document(tmp_path / "census.json")
    assert document["finished"]


def test_a_killed_process_leaves_a_readable_file(tmp_path):
    body = """
        c._native.module().counts = [('abs', 'none', 'float32', '[2]', 'why', 4, 6, 8)]
        import time
        time.sleep(0.5)
        print("counted", flush=True)
        time.sleep(60)
    """
    process = child(tmp_path, body)
    process.stdout.readline()
    time.sleep(0.1)
    process.kill()
    process.wait()
    process.stdout.close()
    document, rows = _census.read_document(tmp_path / "census.json")
    assert not document["finished"]
    assert [(r.op, r.calls) for r in rows] == [("abs", 1)]
