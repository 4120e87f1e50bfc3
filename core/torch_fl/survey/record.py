"""The file of a survey: what was measured, on what, and with which routes in force."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import platform
from collections import Counter
from pathlib import Path
from typing import Any

from torch_fl.survey.verdicts import VERDICTS

FORMAT = 1
ALL = "all"  # of options: no --ops
# A survey goes on where these are what they were.
_SAME = ("lane", "vendor", "versions", "device", "conf_sha256", "setup")


def head(lane: str, device: str, setup: str, options: dict[str, Any]) -> dict[str, Any]:
    """What a survey says of itself. Loads the vendor.

    Raises:
        RuntimeError: there is no vendor, or it cannot be loaded.
    """
    import torch

    from torch_fl import _native, _routes

    native = _native.module()
    native.load()
    info = native.vendor_info()
    files = [Path(file) for file in _routes.current().conf.files]
    conf = [{"file": file.name, "text": file.read_text(encoding="utf-8")} for file in files]
    overrides = {k: v for k, v in sorted(os.environ.items()) if k.startswith("FLAGOS_OP_")}
    if torch.device(device).type != "flagos":
        raise ValueError(f"--device is one of flagos, such as flagos:0, not {device}")
    index = torch.device(device).index or 0
    properties = torch.flagos.get_device_properties(index)
    said = json.dumps([[c["text"] for c in conf], overrides])
    return {
        "format": FORMAT,
        "kind": "survey",
        "finished": False,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "lane": lane,
        "vendor": info["name"],
        "lanes": list(info["lanes"]),
        "versions": versions(info),
        "device": {"name": device, "model": properties.name, "architecture": properties.architecture},
        "setup": setup,
        "options": options,
        "earlier": [],
        "conf": conf,
        "overrides": overrides,
        "conf_sha256": hashlib.sha256(said.encode()).hexdigest(),
        "beside": {},
        "composed": [],
        "ops": {},
    }


def versions(info: dict[str, Any]) -> dict[str, str]:
    """Versions of all that may change a result; a vendor's own text tells those of its SDK and driver."""
    import torch

    found = {"python": platform.python_version(), "torch": torch.__version__, "vendor": str(info["version"])}
    for name in ("torch-fl-core", "flag-gems", "triton", "flagtree", "tileops", "numpy"):
        if version := version_of(name):
            found[name] = version
    for name in ("cuda", "hip"):
        if version := getattr(torch.version, name, None):
            found[name] = version
    return found


def version_of(distribution: str) -> str | None:
    """The release of an installed distribution; None where there is none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def write(path: Path, document: dict[str, Any]) -> None:
    """Writes a survey as a whole, so that a reader, or the next run, never finds half of one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(document, indent=1), encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path) -> dict[str, Any]:
    """A survey from its file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no survey, or one of another format.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(document, dict):
            raise ValueError(f"it holds a {type(document).__name__}, not an object")
        if document["kind"] != "survey" or document["format"] != FORMAT:
            raise ValueError(f"{document['kind']} of format {document['format']}, this version reads {FORMAT}")
        _check(document)
        return document
    except KeyError as error:
        raise ValueError(f"{path} is no survey that can be read: it has no {error}") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no survey that can be read: {error}") from error


def _check(document: dict[str, Any]) -> None:
    """Raises KeyError or ValueError where something that is read later is missing, or is of another kind."""
    # A survey of an older version has not all of them.
    later = {"beside": dict, "composed": list, "earlier": list}
    kinds = {
        "date": str,
        "finished": bool,
        "options": dict,
        "ops": dict,
        **{k: v for k, v in later.items() if k in document},
    }
    for key, kind in kinds.items():
        if not isinstance(document[key], kind):
            raise ValueError(f"{key} is a {type(document[key]).__name__}, not a {kind.__name__}")
    if not isinstance(document["options"]["ops"], str):
        raise ValueError("its options are not those of a survey")
    for op, result in document["ops"].items():
        if not isinstance(result, dict) or not {"verdict", "ended", "cases", "dtypes", "why", "notes"} <= set(result):
            raise ValueError(f"what it says of {op} is no result")
        if result["verdict"] not in VERDICTS:
            raise ValueError(f"{op}: there is no verdict {result['verdict']!r}")


def continued(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The document of a survey that goes on: what has a result stays, and what could not even start is tried again.

    Its options are this run's, but for the ops, which are those of both; options of earlier runs that were others are
    in "earlier".
    """
    results = {op: r for op, r in before["ops"].items() if not r["ended"]}
    options = {**now["options"], "ops": _both(before, now["options"]["ops"])}
    earlier = before.get("earlier", [])
    if before["options"] not in (now["options"], options, *earlier):
        earlier = [*earlier, before["options"]]
    return {
        **now,
        "date": before["date"],
        "options": options,
        "earlier": earlier,
        "beside": {**before.get("beside", {}), **now["beside"]},
        "composed": sorted({*before.get("composed", []), *now["composed"]}),
        "ops": results,
    }


def _both(before: dict[str, Any], ops: str) -> str:
    """The ops that a survey is of, behind --ops: "all", or their names. One of all ops that was cut short, and then is
    asked for some, is of those that it has a result for."""
    old = before["options"]["ops"]
    if ALL in (old, ops):
        if ops == ALL or before["finished"]:
            return ALL
        old = ",".join(before["ops"])
    return ",".join(dict.fromkeys(op.strip() for op in f"{old},{ops}".split(",") if op.strip()))


def complete(document: dict[str, Any]) -> bool:
    """Each op that a survey names has a result; of one of all ops the caller knows."""
    ops = document["options"]["ops"]
    return ops == ALL or all(op in document["ops"] for op in ops.split(","))


def changed(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What is no longer as it was when a survey began, so that it cannot go on: ``"torch: 2.12.0, now 2.13.0"``."""
    found = []
    for key in _SAME:
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            found += [f"{k}: {old.get(k)}, now {new.get(k)}" for k in sorted({*old, *new}) if old.get(k) != new.get(k)]
        else:
            found.append("the routes in force" if key == "conf_sha256" else f"{key}: {old}, now {new}")
    return found


def totals(ops: dict[str, dict[str, Any]]) -> dict[str, int]:
    """How many ops have which verdict."""
    counted = Counter(op["verdict"] for op in ops.values())
    return {verdict: counted[verdict] for verdict in VERDICTS}
