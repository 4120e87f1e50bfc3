"""Joins wheels of core for several minors of torch: ``python tools/merge_wheels.py a/x.whl b/x.whl -o OUT``.

The wheels are of one version, Python and platform, and differ in torch_fl/lib/torch<minor>/ alone; any other difference
is an error, since it would be lost. The result is written as OUT/<the wheels' common name>.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

NATIVE = re.compile(r"^torch_fl/lib/torch[\d.]+/")


def record_line(name: str, data: bytes) -> str:
    """A line of a wheel's RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def merge(wheels: list[Path], folder: Path) -> Path:
    """Writes the joined wheel to ``folder``; raises ValueError where the wheels do not belong together."""
    contents: dict[str, bytes] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            files = {n: archive.read(n) for n in archive.namelist() if not n.endswith(("/", "/RECORD"))}
        common = {n: d for n, d in files.items() if not NATIVE.match(n)}
        others = {n: d for n, d in contents.items() if not NATIVE.match(n)}
        different = [n for n in common.keys() | others.keys() if common.get(n) != others.get(n)]
        if contents and different:
            raise ValueError(f"{wheel.name} differs from {wheels[0].name} in {', '.join(sorted(different))}")
        again = [n for n in files if NATIVE.match(n) and n in contents]
        if again:
            raise ValueError(f"{wheel.name} is for a torch that another wheel has already: {again[0]}")
        contents.update(files)

    info = next(n for n in contents if n.endswith(".dist-info/WHEEL")).rsplit("/", 1)[0]
    lines = [record_line(n, d) for n, d in contents.items()] + [f"{info}/RECORD,,"]
    contents[f"{info}/RECORD"] = ("\n".join(lines) + "\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / wheels[0].name
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("dist/merged"))
    options = parser.parse_args()
    names = {w.name for w in options.wheels}
    if len(names) != 1 or len(options.wheels) < 2:
        print("needed are two wheels or more, of one name, in a folder per torch", file=sys.stderr)
        return 2
    try:
        print(merge(options.wheels, options.out))
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
