"""What the cases of an op say about it."""

from __future__ import annotations

from collections import Counter
from typing import Any

# Best first.
VERDICTS = ("STRICT", "BASIC_ONLY", "FAILED", "UNTESTED")
MEANING = {
    "STRICT": "every case is right",
    "BASIC_ONLY": "the plain case is right, some other one is wrong or refused",
    "FAILED": "the plain case is not right, or some case crashed or hung",
    "UNTESTED": "no case could be run",
}
# How a case ends. invalid: the host does not take the call, so that it says nothing.
STATUSES = ("right", "wrong", "error", "refused", "crash", "hang", "invalid")
_ENDS_PROCESS = ("crash", "hang")
# A call that the lane refuses is served by the next one: no result is wrong.
BAD = ("wrong", "error", "crash", "hang")


def of_cases(cases: list[dict[str, Any]]) -> str:
    """The verdict on cases, which are in the order in which they were run: the first valid one is the plain one."""
    valid = [case["status"] for case in cases if case["status"] != "invalid"]
    if not valid:
        return "UNTESTED"
    if any(status in _ENDS_PROCESS for status in valid):
        return "FAILED"
    if all(status == "right" for status in valid):
        return "STRICT"
    return "BASIC_ONLY" if valid[0] == "right" else "FAILED"


def by_dtype(cases: list[dict[str, Any]]) -> dict[str, str]:
    """The verdict on the cases of each dtype."""
    dtypes = dict.fromkeys(case["dtype"] for case in cases)
    return {dtype: of_cases([case for case in cases if case["dtype"] == dtype]) for dtype in dtypes}


def counts(cases: list[dict[str, Any]]) -> dict[str, int]:
    """How many cases ended in which way."""
    counted = Counter(case["status"] for case in cases)
    return {status: counted[status] for status in STATUSES if counted[status]}


def why(answer: dict[str, Any]) -> str:
    """What keeps an op from STRICT, in one line: the first case of the worst kind."""
    cases = answer["cases"]
    for status in ("crash", "hang", "wrong", "error", "refused"):
        for case in cases:
            if case["status"] == status:
                what = f"{case['wrong']}: " if "wrong" in case else ""
                return f"{case['name']} {status}: {what}{case.get('text', '')}".splitlines()[0]
    if answer.get("ended"):
        return f"the process {answer['ended']} before its first case; the log says more"
    if not any(case["status"] == "right" for case in cases):
        said = next((case["text"] for case in cases if case["status"] == "invalid"), "there is no input")
        return f"the host takes no input that was made: {said}".splitlines()[0]
    return ""


def judged(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer of the server, with its verdicts."""
    return {
        "verdict": of_cases(answer["cases"]),
        "why": why(answer),
        "dtypes": by_dtype(answer["cases"]),
        "counts": counts(answer["cases"]),
        "seconds": answer["seconds"],
        "notes": answer["notes"],
        "ended": answer.get("ended", ""),
        "cases": answer["cases"],
        "log": answer["log"],
    }
