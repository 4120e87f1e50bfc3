"""What a shared library offers and needs, read from its ELF file: binutils may be absent where this is asked.

Standard library only, and without torch_fl: provisioning uses it before either is installed.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

_DYNSYM = 11
_VERNEED = 0x6FFFFFFE
_WEAK = 2


@dataclass
class Library:
    """defined, undefined: mangled names of dynamic symbols; weak undefined ones count as neither.

    needs: file name of a library -> the symbol versions that are asked of it, e.g. ``{"libc.so.6": {"GLIBC_2.38"}}``.
    """

    defined: set[str] = field(default_factory=set)
    undefined: set[str] = field(default_factory=set)
    needs: dict[str, set[str]] = field(default_factory=dict)

    def newest(self, prefix: str) -> str:
        """The highest version with a prefix that is asked of any library: ``newest("GLIBC_")`` is "2.38", or ""."""
        found = [v.removeprefix(prefix) for versions in self.needs.values() for v in versions if v.startswith(prefix)]
        numbers = [v for v in found if v.replace(".", "").isdigit()]
        return max(numbers, key=version_key, default="")


def version_key(version: str) -> tuple[int, ...]:
    """``"2.38"`` -> ``(2, 38)``; ends at the first part that is no number."""
    key = []
    for part in version.split("."):
        if not part.isdigit():
            break
        key.append(int(part))
    return tuple(key)


def read(path: Path) -> Library:
    """Reads a 64-bit little-endian shared library.

    Raises:
        ValueError: the file is something else, or cut short.
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    if data[:4] != b"\x7fELF" or data[4:6] != b"\x02\x01":
        raise ValueError(f"{path} is no 64-bit little-endian ELF file")
    try:
        return _read(data)
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def _read(data: bytes) -> Library:
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    library = Library()
    for _, kind, _, _, offset, length, link, info, _, _ in sections:
        if kind == _DYNSYM:
            _symbols(data, offset, length, sections[link][4], library)
        elif kind == _VERNEED:
            _versions(data, offset, info, sections[link][4], library)
    return library


def _symbols(data: bytes, offset: int, length: int, strings: int, library: Library) -> None:
    for at in range(offset, offset + length, 24):
        name, info, _, section = struct.unpack_from("<IBBH", data, at)
        if name == 0:
            continue
        if section != 0:
            library.defined.add(_text(data, strings + name))
        elif info >> 4 != _WEAK:
            library.undefined.add(_text(data, strings + name))


def _versions(data: bytes, at: int, count: int, strings: int, library: Library) -> None:
    for _ in range(count):
        _, versions, file, aux, following = struct.unpack_from("<HHIII", data, at)
        needed = library.needs.setdefault(_text(data, strings + file), set())
        each = at + aux
        for _ in range(versions):
            _, _, _, name, step = struct.unpack_from("<IHHII", data, each)
            needed.add(_text(data, strings + name))
            each += step
        at += following


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("ascii", "replace")
