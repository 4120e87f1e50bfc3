"""Writes the golden outputs of the toy vendor again: python -m codegen.tests.golden

routes.conf is not among them in full (it changes with every torch): `routes.txt` holds the lines that the toy's own
rows and gaps decide.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from codegen.__main__ import generate

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "golden"
OPS = (
    "add.Tensor",
    "add_.Tensor",
    "add.out",
    "sub.Tensor",
    "sub_.Tensor",
    "exp",
    "exp_",
    "fill_.Scalar",
    "mm",
    "neg",
    "topk",
    "_cudnn_rnn",
    "include",
)


def outputs(root: Path) -> dict[str, str]:
    """Golden file name -> what the generator makes of the toy vendor under `root` now."""
    files, _ = generate(root, "toy")
    found = {
        path.name: text for path, text in files.items() if path.suffix in (".h", ".cpp") or path.name == "calls.txt"
    }
    conf = next(text for path, text in files.items() if path.name == "routes.conf")
    lines = [line for line in conf.splitlines() if line.split(" ")[0] in OPS]
    found["routes.txt"] = "\n".join(lines) + "\n"
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repo"
        shutil.copytree(DATA, root, ignore=shutil.ignore_patterns("golden"))
        GOLDEN.mkdir(exist_ok=True)
        for name, text in outputs(root).items():
            (GOLDEN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
