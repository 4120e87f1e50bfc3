"""What a shape's template, and those that it includes, read of a row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import jinja2
from jinja2 import nodes


@dataclass(frozen=True)
class Uses:
    """kernel: the template reads `row.kernel`. params: the names of `row.params` that it reads."""

    kernel: bool = False
    params: frozenset[str] = frozenset()


def uses(folder: Path, name: str) -> Uses | None:
    """Of the template `<name>.cpp`; None where it, or one that it includes, is not there or no template."""
    kernel, params = False, set()
    waiting, seen = [f"{name}.cpp"], set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        try:
            tree = jinja2.Environment().parse((folder / file).read_text(encoding="utf-8"))
        except (FileNotFoundError, jinja2.TemplateSyntaxError):
            return None  # said where the template is loaded
        kernel |= any(_is_of_row(node, "kernel") for node in tree.find_all(nodes.Getattr))
        params.update(_params(tree))
        referenced = tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends))
        waiting += [node.template.value for node in referenced if isinstance(node.template, nodes.Const)]
    return Uses(kernel, frozenset(params))


def _is_of_row(node: nodes.Node, what: str) -> bool:
    return (
        isinstance(node, nodes.Getattr)
        and node.attr == what
        and isinstance(node.node, nodes.Name)
        and node.node.name == "row"
    )


def _params(tree: nodes.Template) -> set[str]:
    """`row.params.x`, `row.params['x']`, `row.params.get('x')`."""
    found = {node.attr for node in tree.find_all(nodes.Getattr) if _is_of_row(node.node, "params")} - {"get"}
    keys = [node.arg for node in tree.find_all(nodes.Getitem) if _is_of_row(node.node, "params")]
    for call in tree.find_all(nodes.Call):
        method = call.node
        if isinstance(method, nodes.Getattr) and method.attr == "get" and _is_of_row(method.node, "params"):
            keys += call.args[:1]
    return found | {key.value for key in keys if isinstance(key, nodes.Const)}
