"""Which overloads PyTorch has a derivative formula for, read from the file that its autograd is generated from."""

import functools
import pathlib

import torchgen
import yaml


def _is_formula(text) -> bool:
    return isinstance(text, str) and not text.startswith(("non_differentiable", "not_implemented"))


@functools.cache
def differentiable() -> frozenset[str]:
    """Overloads ("add.Tensor") with a formula for the gradient of at least one argument."""
    path = pathlib.Path(torchgen.__file__).parent / "packaged" / "autograd" / "derivatives.yaml"
    found = set()
    for entry in yaml.safe_load(path.read_text()):
        parts = [entry, *entry.get("dispatch", {}).values()]
        if entry.get("output_differentiability") == [False]:
            continue
        formulas = [
            value
            for part in parts
            for key, value in part.items()
            if key not in ("name", "dispatch", "output_differentiability", "result")
        ]
        if any(map(_is_formula, formulas)):
            found.add(entry["name"].split("(")[0])
    return frozenset(found)
