"""Entries for a vendor's gaps.yaml (codegen/README.md) from a survey."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from typing import Any

from torch_fl.survey.verdicts import BAD

_FAMILIES = {"crash": "crashes", "hang": "hangs", "error": "errors", "refused": "refused calls"}
_WIDTH = 118
_IDLE = "# The vendor's order leads no call of these to the lane; an entry once it does:\n"


def entries(document: dict[str, Any], file: str, every_wrong: bool = False) -> str:
    """The text of a gaps.yaml.

    Args:
        document: a survey.
        file: how the evidence names it.
        every_wrong: close also what is right in its plain case and wrong, not only refused, in another one.

    An op that fails for every dtype that was run is closed, others get a guard with the dtypes that fail. A guard has
    an effect only where the vendor's lane order leads to this lane, so entries for other ops are comments.
    """
    groups: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    for op, result in sorted(document["ops"].items()):
        dtypes = _failing(result, every_wrong)
        if not dtypes:
            continue
        tested = {dtype for dtype, verdict in result["dtypes"].items() if verdict != "UNTESTED"}
        guard = "" if dtypes >= tested else f"dtype = {_set(dtypes)}"
        groups[guard, _family(result, dtypes), bool(guard) and not _first(op, document)].append(op)
    head = (
        f"# From a survey of the lane {document['lane']}: {file}, {document['date'][:10]}, on "
        f"{document['device']['model']}\n# with {_versions(document)}.\n"
    )
    if not groups:
        return f"{head}[]\n"
    parts = [_entry(document, file, *key, ops) for key, ops in sorted(groups.items())]
    return head + "\n" + "\n".join(parts) + ("" if any(not idle for _, _, idle in groups) else "[]\n")


def _failing(result: dict[str, Any], every_wrong: bool) -> set[str]:
    found = {dtype for dtype, verdict in result["dtypes"].items() if verdict == "FAILED"}
    if every_wrong:
        found |= {case["dtype"] for case in result["cases"] if case["status"] in BAD}
    return found


def _family(result: dict[str, Any], dtypes: set[str]) -> str:
    mine = [case for case in result["cases"] if case["dtype"] in dtypes]
    for status in ("crash", "hang", "wrong", "error", "refused"):
        for case in mine:
            if case["status"] == status:
                return f"wrong {case['wrong']}" if status == "wrong" else _FAMILIES[status]
    return "failures"


def _first(op: str, document: dict[str, Any]) -> bool:
    """The vendor's lane order leads this op to the lane."""
    if op in document.get("composed", ()):
        return False
    order, lane = document["lanes"], document["lane"]
    if lane not in order:  # nothing stands before it
        return True
    return not any(before in document["ops"][op]["lanes"] for before in order[: order.index(lane)])


def _entry(document: dict[str, Any], file: str, guard: str, family: str, idle: bool, ops: list[str]) -> str:
    lane = document["lane"]
    shown = document["ops"][ops[0]]
    why = _quoted(shown["why"])
    lines: list[str] = []
    names = textwrap.wrap(", ".join(ops), _WIDTH - 10, break_long_words=False, break_on_hyphens=False)
    names[0] = f"- ops: [{names[0]}"
    lines += [names[0], *(f"    {line}" for line in names[1:])]
    lines[-1] += "]"
    lines.append(f"  lane: {lane}")
    if guard:
        lines.append(f"  guard: {guard}")
    lines.append(f"  family: {family}")
    if lane == "flaggems" and "flag-gems" in document["versions"]:
        lines.append(f"  measured: flag-gems {document['versions']['flag-gems']}")
    lines.append("  evidence: >-")
    lines += _wrapped(f"{file} of {document['date'][:10]} ({_versions(document)}); {ops[0]}: {why}")
    lines.append("  command: >-")
    lines += _wrapped(f"torch-fl survey --lane {lane} --ops {','.join(ops)} --json again.json", keep=True)
    text = "\n".join(lines) + "\n"
    return _IDLE + "".join(f"# {line}\n" for line in text.splitlines()) if idle else text


def _wrapped(text: str, keep: bool = False) -> list[str]:
    if keep:
        return [f"    {text}"]
    return textwrap.wrap(text, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def _quoted(text: str) -> str:
    """One line that a folded block of YAML keeps as it is."""
    return " ".join(text.split())[:300]


def _versions(document: dict[str, Any]) -> str:
    kept = ("torch", "flag-gems", "triton", "flagtree", "tileops", "vendor")
    return ", ".join(f"{name} {document['versions'][name]}" for name in kept if name in document["versions"])


def _set(dtypes: set[str]) -> str:
    names = sorted(dtypes)
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
