"""Which releases of a package will do. Standard library only: provisioning reads this file without torch_fl."""

from __future__ import annotations

import re


def meets(release: str, ranges: str) -> bool:
    """Whether a release is in ranges such as ``"<2.14.0,>=2.13.0"``; what is behind ``+`` in it does not count."""
    have = _numbers(release.partition("+")[0])
    for part in filter(None, (p.strip() for p in ranges.split(","))):
        match = re.fullmatch(r"(==|>=|<=|!=|~=|<|>)\s*([\w.*]+)", part)
        if match is None:
            return False
        sign, text = match[1], match[2]
        wanted = _numbers(text)
        size = max(len(have), len(wanted))
        left, right = (n + (0,) * (size - len(n)) for n in (have, wanted))
        if text.endswith(".*"):
            left, right = have[: len(wanted)], wanted
        agrees = {
            "==": left == right,
            "!=": left != right,
            ">=": left >= right,
            "<=": left <= right,
            ">": left > right,
            "<": left < right,
            "~=": left >= right and have[: len(wanted) - 1] == wanted[:-1],
        }[sign]
        if not agrees:
            return False
    return True


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", re.match(r"[\d.]*", release)[0]))
