"""Which ops FlagGems has: recorded per version under codegen/recorded/, because the generator must not need Triton.

    python -m codegen.flaggems flag_gems-5.0.2-py3-none-any.whl

reads the registration table out of a wheel without importing it, and writes codegen/recorded/flag_gems-5.0.2.yaml.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from codegen import universe
from codegen.schemas import Schemas
from codegen.source import Problem, Problems, Source, did_you_mean

ROOT = Path(__file__).parents[1]
KEYS = ("op", "torch", "off")
_SINCE = re.compile(r"lambda: version\.parse\(torch\.__version__\) >= version\.parse\('(\d+\.\d+)'\)")


@dataclass(frozen=True)
class Recorded:
    """The ops of one FlagGems on one vendor, for one torch.

    ops: what a route may name. The other names of its table, by the reason: unknown (no such overload in this torch),
    composites (PyTorch only ever serves them by other ops, above autograd), elsewhere (core serves them, no device
    kernel exists, this torch is too old, or FlagGems itself leaves them out for this vendor).
    """

    version: str
    path: Path
    ops: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    composites: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = field(default=frozenset())

    @property
    def size(self) -> int:
        return len(self.ops) + len(self.unknown) + len(self.composites) + len(self.elsewhere)


def folder(root: Path) -> Path:
    return root / "codegen" / "recorded"


def load(root: Path, version: str, vendor: str, schemas: Schemas, ops: frozenset[str]) -> Recorded:
    """The recorded ops of a version, matched against PyTorch's schemas.

    Args:
        vendor: FlagGems' name of the vendor ("enflame"), for which it may leave ops out.
        ops: the universe.

    Raises:
        Problems: nothing is recorded for that version, or the file is wrong.
    """
    path = folder(root) / f"flag_gems-{version}.yaml"
    if not path.exists():
        have = sorted(p.stem.removeprefix("flag_gems-") for p in folder(root).glob("flag_gems-*.yaml"))
        what = f"the ops of flag-gems {version} are not recorded{did_you_mean(version, have)}; get its wheel and run "
        raise Problems([Problem(path.relative_to(root).as_posix(), 1, what + "`python -m codegen.flaggems WHEEL`")])
    source = Source(path, root)
    kinds: dict[str, set[str]] = {"ops": set(), "unknown": set(), "composites": set(), "elsewhere": set()}
    seen: set[str] = set()
    for entry in source.entries():
        source.unknown_keys(entry, KEYS)
        op = str(entry.values.get("op", ""))
        if not op or op in seen:
            source.complain(entry.line, f"`{op}` is given twice" if op else "`op` is missing")
        seen.add(op)
        kinds[_kind(op, entry.values, vendor, schemas, ops)].add(op)
    if source.problems:
        raise Problems(source.problems)
    return Recorded(version, path, **{kind: frozenset(found) for kind, found in kinds.items()})


def _kind(op: str, values: dict, vendor: str, schemas: Schemas, ops: frozenset[str]) -> str:
    if op not in schemas.functions:
        return "unknown"
    if universe.decomposes(schemas, op):
        return "composites"
    too_old = _minor(schemas.version) < _minor(str(values.get("torch", "0.0")))
    return "elsewhere" if op not in ops or too_old or vendor in values.get("off", ()) else "ops"


def _minor(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


# ---- recording


def read_wheel(wheel: Path) -> tuple[str, str]:
    """(version, text of the yaml file) of a wheel.

    Raises:
        ValueError: the wheel has no table in the form that this reader knows.
    """
    version = wheel.name.split("-")[1]
    with zipfile.ZipFile(wheel) as archive:
        table = _table(archive.read("flag_gems/__init__.py").decode())
        off = _left_out(archive)
    lines = [
        f"# The ops of flag-gems {version}, read from {wheel.name}",
        f"# (sha256 {hashlib.sha256(wheel.read_bytes()).hexdigest()})",
        "# by `python -m codegen.flaggems WHEEL`. torch: the oldest one that FlagGems registers the op for; off: the",
        "# vendors, by FlagGems' names, that it leaves the op out for.",
    ]
    for op, function, since in sorted(table):
        extra = f", torch: '{since}'" if since else ""
        vendors = sorted(vendor for vendor, functions in off.items() if function in functions)
        extra += f", off: [{', '.join(vendors)}]" if vendors else ""
        lines.append(f"- {{op: {op}{extra}}}")
    return version, "\n".join(lines) + "\n"


def _table(text: str) -> list[tuple[str, str, str]]:
    """(op, name of its function, oldest torch or "") per entry of FlagGems' registration table."""
    (value,) = _assigned(text, "_FULL_CONFIG") or (None,)
    if not isinstance(value, ast.Tuple):
        raise ValueError("flag_gems/__init__.py has no tuple _FULL_CONFIG")
    found = []
    for entry in value.elts:
        op, function, *condition = entry.elts
        since = _SINCE.fullmatch(ast.unparse(condition[0])) if condition else None
        if condition and since is None:
            raise ValueError(f"{op.value}: a condition that this reader does not know: {ast.unparse(condition[0])}")
        found.append((op.value, ast.unparse(function), since[1] if since else ""))
    return found


def _left_out(archive: zipfile.ZipFile) -> dict[str, set[str]]:
    """FlagGems' name of a vendor -> the functions that it does not register there."""
    found: dict[str, set[str]] = {}
    for name in archive.namelist():
        if match := re.fullmatch(r"flag_gems/runtime/backend/_(\w+)/__init__\.py", name):
            for value in _assigned(archive.read(name).decode(), "CUSTOMIZED_UNUSED_OPS"):
                found[match[1]] = set(ast.literal_eval(value))
    return found


def _assigned(text: str, name: str) -> list[ast.expr]:
    """What a module assigns to a global name."""
    return [
        statement.value
        for statement in ast.parse(text).body
        if isinstance(statement, ast.Assign) and [ast.unparse(target) for target in statement.targets] == [name]
    ]


def main(argv: list[str] | None = None, root: Path = ROOT) -> int:
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 1 or not Path(arguments[0]).is_file():
        print("usage: python -m codegen.flaggems flag_gems-<version>-py3-none-any.whl", file=sys.stderr)
        return 2
    try:
        version, text = read_wheel(Path(arguments[0]))
    except (ValueError, KeyError, IndexError, zipfile.BadZipFile) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    path = folder(root) / f"flag_gems-{version}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.relative_to(root)}: {text.count(chr(10) + '- ')} ops")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
