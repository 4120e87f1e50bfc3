"""Triton functions as Python functions that do to tensors what the compiler would make of their source.

The source of a function stays as it is; what differs between Triton and Python in a line of it becomes a call of one of
the helpers below: elementwise `and`, `or`, `not`; what an assignment makes a tensor; loops whose variable is a tensor;
calls that need the compiler's hidden argument.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.jit import JITFunction

from torch_fl.flaggems import blocks
from torch_fl.flaggems.blocks import semantic

# The name by which rewritten code finds the helpers, and those of Python's own functions that Triton gives a meaning.
HELPERS = "__torch_fl_interpreter__"
_PYTHONS = {"range", "min", "max", "print"}


def python_of(function: JITFunction) -> Callable[..., Any]:
    """The rewritten function; kept with the original.

    Raises:
        SyntaxError: it is no Triton.
    """
    found = function.__dict__.get("_torch_fl_python")
    if found is None:
        found = function.__dict__["_torch_fl_python"] = _rewrite(function)
    return found


def _rewrite(function: JITFunction) -> Callable[..., Any]:
    original = function.fn
    tree = function.parse()
    definition = tree.body[0]
    definition.decorator_list = []
    definition.returns = None
    for argument in ast.walk(definition.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    shadowed = {n for n in _PYTHONS if original.__globals__.get(n, getattr(builtins, n)) is not getattr(builtins, n)}
    definition.body = [_Rewriter(shadowed).visit(statement) for statement in definition.body]
    # What the function closes over becomes the parameters of one around it, as do the defaults of its own.
    cells = inspect.getclosurevars(original).nonlocals
    outer = ast.parse(f"def outer({', '.join(cells)}):\n return {definition.name}").body[0]
    outer.body.insert(0, definition)
    module = ast.Module(body=[outer], type_ignores=[])
    ast.fix_missing_locations(module)
    # Parsed from the line of its name on; the original begins with its decorators.
    decorators = next((i for i, line in enumerate(function.raw_src) if line.lstrip().startswith("def ")), 0)
    ast.increment_lineno(module, function.starting_line_number + decorators - 1)
    scope: dict[str, Any] = {}
    original.__globals__[HELPERS] = _Helpers
    exec(compile(module, inspect.getfile(original), "exec"), original.__globals__, scope)
    made = scope["outer"](**cells)
    return functools.wraps(original)(made)


def _helper(name: str, *args: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    helper = ast.Attribute(value=ast.Name(id=HELPERS, ctx=ast.Load()), attr=name, ctx=ast.Load())
    return ast.Call(func=helper, args=list(args), keywords=keywords or [])


def _later(expression: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(args=nothing, body=expression)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, shadowed: set[str]):
        self.shadowed = shadowed

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        node.value = _helper("assigned", node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        constant = ast.unparse(node.annotation).endswith("constexpr")
        self.generic_visit(node)
        if node.value is None:
            return ast.Pass()
        value = _helper("constant", node.value) if constant else _helper("assigned", node.value)
        return ast.Assign(targets=[node.target], value=value, lineno=node.lineno)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.Assign:
        before = ast.parse(ast.unparse(node.target), mode="eval").body
        value = ast.BinOp(left=before, op=node.op, right=node.value)
        return self.visit(ast.copy_location(ast.Assign(targets=[node.target], value=value), node))

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        node.test = _helper("truth", node.test)
        return node

    visit_While = visit_IfExp = visit_If

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs = [_helper("truth", test) for test in node.ifs]
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.Pass:
        return ast.Pass()  # of the device, and only when debugging

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.Call:
        self.generic_visit(node)
        return _helper("all_of" if isinstance(node.op, ast.And) else "any_of", *map(_later, node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _helper("not_", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) > 1:
            raise SyntaxError(f"Triton has no chains of comparisons: {ast.unparse(node)}")
        self.generic_visit(node)
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            node.left, node.comparators = _helper("constant", node.left), [_helper("constant", node.comparators[0])]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and node.attr in ("T", "value"):
            return _helper("transposed" if node.attr == "T" else "value_of", node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        self.generic_visit(node)
        if name in _PYTHONS - self.shadowed:
            return _helper(name, *node.args, keywords=node.keywords)
        return _helper("call", node.func, *node.args, keywords=node.keywords)


def _is_tensor(x: Any) -> bool:
    return isinstance(x, tl.tensor)


def _truth(x: tl.tensor) -> tl.tensor:
    """The truth of each element."""
    return x if x.dtype == tl.int1 else semantic.not_equal(x, semantic.to_tensor(0))


class _Helpers:
    """What rewritten code calls."""

    @staticmethod
    def assigned(value: Any) -> Any:
        """What a variable holds: numbers become tensors; types, functions, None and strings stay."""
        if isinstance(value, tl.tensor):
            return value
        if isinstance(value, tl.constexpr):
            value = value.value
        if isinstance(value, (bool, int, float)):
            return semantic.to_tensor(value)
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            return semantic.to_tensor(value.item())
        if type(value) is tuple:
            return tuple(map(_Helpers.assigned, value))
        return value

    @staticmethod
    def constant(value: Any) -> Any:
        return value.value if isinstance(value, tl.constexpr) else value

    @staticmethod
    def value_of(x: Any) -> Any:
        """``x.value``, also of the constants, which carry no wrapper here."""
        return x.value if hasattr(x, "value") else x

    @staticmethod
    def transposed(x: Any) -> Any:
        if not _is_tensor(x):
            return x.T
        order = list(range(len(x.shape)))
        order[-2:] = reversed(order[-2:])
        return semantic.permute(x, tuple(order))

    @staticmethod
    def truth(x: Any) -> Any:
        """What decides a branch: a constant, or a tensor of one element."""
        if not _is_tensor(x):
            return x
        data = x.handle.data
        if data.size != 1:
            raise blocks.Ambiguous(f"a block of shape {data.shape} is neither true nor false; only a scalar is")
        return bool(data.reshape(()))

    @staticmethod
    def all_of(*operands: Callable[[], Any]) -> Any:
        """`and`: of the elements where tensors take part; constants decide before."""
        result = None
        for operand in operands:
            value = operand()
            if _is_tensor(value):
                result = _truth(value) if result is None else semantic.and_(result, _truth(value))
            elif not value:
                return False
        return True if result is None else result

    @staticmethod
    def any_of(*operands: Callable[[], Any]) -> Any:
        result = None
        for operand in operands:
            value = operand()
            if _is_tensor(value):
                result = _truth(value) if result is None else semantic.or_(result, _truth(value))
            elif value:
                return True
        return False if result is None else result

    @staticmethod
    def not_(value: Any) -> Any:
        return semantic.not_(_truth(value)) if _is_tensor(value) else not value

    @staticmethod
    def range(*bounds: Any, **options: Any) -> Iterator[tl.tensor]:
        """`range` and `tl.range`: the variable is a tensor, of the integer type of the bounds."""
        named = [options[k] for k in ("arg1", "arg2", "step") if options.get(k) is not None]
        tensors = [semantic.to_tensor(b) for b in (*bounds[:3], *named) if b is not None]
        dtype = tensors[0].dtype
        for other in tensors[1:]:
            dtype = semantic.integer_promote_impl(dtype, other.dtype)
        for i in builtins.range(*(int(t.handle.data.item()) for t in tensors)):
            yield blocks.scalar(i, dtype)

    @staticmethod
    def static_range(arg1: Any, arg2: Any = None, step: Any = None) -> builtins.range:
        start, end = (0, arg1) if arg2 is None else (arg1, arg2)
        return builtins.range(*(int(_Helpers._number(v)) for v in (start, end, 1 if step is None else step)))

    @staticmethod
    def _number(value: Any) -> Any:
        return value.handle.data.item() if _is_tensor(value) else _Helpers.constant(value)

    @staticmethod
    def min(*args: Any, **kwargs: Any) -> Any:
        return _Helpers._extreme(builtins.min, semantic.minimum, args, kwargs)

    @staticmethod
    def max(*args: Any, **kwargs: Any) -> Any:
        return _Helpers._extreme(builtins.max, semantic.maximum, args, kwargs)

    @staticmethod
    def _extreme(python: Callable[..., Any], of_tensors: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if not any(map(_is_tensor, args)):
            return python(*map(_Helpers.constant, args), **kwargs)
        result = semantic.to_tensor(args[0])
        for other in args[1:]:
            result = of_tensors(result, semantic.to_tensor(other), tl.PropagateNan.NONE)
        return result

    @staticmethod
    def print(*_: Any, **__: Any) -> None:
        """Triton's, which is for debugging."""

    @staticmethod
    def static_assert(condition: Any, message: Any = "") -> None:
        if not _Helpers.truth(condition):
            raise AssertionError(message)

    @staticmethod
    def same(x: Any, *_: Any, **__: Any) -> Any:
        """For hints to the compiler."""
        return x

    @staticmethod
    def call(function: Any, *args: Any, **kwargs: Any) -> Any:
        """Any call: of Triton's own functions with the argument that the compiler adds."""
        other = _INSTEAD.get(id(getattr(function, "__func__", function)))
        if other is not None:
            return (
                other(function.__self__, *args, **kwargs) if hasattr(function, "__func__") else other(*args, **kwargs)
            )
        if isinstance(function, JITFunction):
            return python_of(function)(*args, **kwargs)
        if tl.core.is_builtin(function):
            kwargs["_semantic"] = semantic
        return function(*args, **kwargs)


# What Triton's compiler knows by itself, by the identity of the function that a kernel names.
_INSTEAD: dict[int, Callable[..., Any]] = {
    id(tl.range): _Helpers.range,
    id(tl.static_range): _Helpers.static_range,
    id(tl.static_assert): _Helpers.static_assert,
    id(tl.static_print): _Helpers.print,
    id(tl.device_print): _Helpers.print,
    id(tl.device_assert): _Helpers.print,
    id(tl.multiple_of): _Helpers.same,
    id(tl.max_contiguous): _Helpers.same,
    id(tl.max_constancy): _Helpers.same,
    id(tl.reduce): blocks.reduce,
    id(tl.associative_scan): blocks.associative_scan,
    id(tl.tensor.reduce): blocks.reduce,
    id(tl.tensor.associative_scan): blocks.associative_scan,
    id(tl.core._reduce_with_indices): blocks.reduce_with_indices,
}


def replace(function: Any, other: Callable[..., Any]) -> None:
    """Kernels that call `function` call `other` from now on; the caller keeps both alive."""
    _INSTEAD[id(function)] = other


_OPERATORS = [
    f"__{prefix}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift")
    for prefix in ("", "r")
] + [f"__{name}__" for name in ("neg", "invert", "pos", "lt", "le", "gt", "ge", "eq", "ne", "getitem")]


def install() -> None:
    """Lets tensors of kernels be computed with by Python's operators.

    The compiler gives these methods their hidden argument itself, so nothing changes for it.
    """
    for name in _OPERATORS:
        method = getattr(tl.tensor, name, None)
        if method is not None and tl.core.is_builtin(method):
            setattr(tl.tensor, name, _with_semantic(method))
    to_ir = tl.dtype.to_ir

    def typed(self: tl.dtype, builder: Any) -> Any:
        # The compiler's types of integers have no sign; the interpreter's need it.
        return self if isinstance(builder, blocks.Builder) else to_ir(self, builder)

    tl.dtype.to_ir = typed


def _with_semantic(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def operator(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        return method(*args, _semantic=semantic if _semantic is None else _semantic, **kwargs)

    return operator
