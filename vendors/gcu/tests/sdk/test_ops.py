"""Every op of the table computes what ATen's op of its name does, on what the device takes."""

import pytest
import samples
import torch
from sdk import NOT_SUPPORT, OK, OPS, find

ROWS = [op for op in OPS if op.aten]


def _results(found) -> list[torch.Tensor]:
    if isinstance(found, torch.Tensor):
        return [found]
    flat = []
    for one in found if isinstance(found, (tuple, list)) else []:
        flat += _results(one)
    return flat


def _for_device(op, bound: dict, shape) -> dict | None:
    """The arguments as the device takes them: int32 indices, nothing to broadcast; None where it takes them not."""
    numbers = {v: k for k, v in DTYPE_NAMES.items()}
    made = {}
    for param in op.params:
        value = bound.get(param.name)
        if param.tensor and not (param.written and param.name not in bound):
            values = value if isinstance(value, (list, tuple)) else [value]
            ready = []
            for one in values:
                if one is None:
                    ready.append(None)
                    continue
                if one.dtype == torch.int64 and "I64" not in param.dtypes:
                    one = one.to(torch.int32)
                if one.dtype == torch.float64 and "F64" not in param.dtypes:
                    one = one.to(torch.float32)
                if numbers[one.dtype] not in param.dtypes:
                    return None
                if op.shape == "same" and one.shape != shape:
                    one = one.expand(shape)
                ready.append(one)
            made[param.name] = ready if param.kind == "tensors" else ready[0]
        elif param.name in bound:
            made[param.name] = value
    own = {t.dtype for p in op.params if p.own for t in _results(made.get(p.name))}
    return made if len(own) <= 1 else None


DTYPE_NAMES = {
    "I8": torch.int8,
    "U8": torch.uint8,
    "I16": torch.int16,
    "FP16": torch.float16,
    "BF16": torch.bfloat16,
    "I32": torch.int32,
    "FP32": torch.float32,
    "I64": torch.int64,
    "F64": torch.float64,
    "PRED": torch.bool,
    "CFP32": torch.complex64,
}


def _long(index):
    return index.long() if index is not None and index.dtype == torch.int32 else index


def _aten(op, made: dict):
    """What ATen says of the same arguments."""
    func = samples.overload(op.aten)
    call = {}
    for argument in func._schema.arguments:
        if argument.name in op.given:
            call[argument.name] = op.given[argument.name]
        elif argument.name in made:
            value = made[argument.name]
            if argument.name in ("index", "indices", "target"):
                value = [_long(v) for v in value] if isinstance(value, list) else _long(value)
            call[argument.name] = value
    keyword = {a.name for a in func._schema.arguments if a.kwarg_only}
    names = [a.name for a in func._schema.arguments if not a.kwarg_only]
    copies = {k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in call.items()}
    positional = [copies.get(n, next(a.default_value for a in func._schema.arguments if a.name == n)) for n in names]
    return func(*positional, **{k: v for k, v in copies.items() if k in keyword})


def _on_device(value):
    return value.to(torch.int32) if value.dtype == torch.int64 else value


def check(sdk, op, bound: dict, refused: bool) -> bool:
    """Compares one call; False where the device does not take it. `refused`: the call has to be."""
    result = _results(_aten(op, bound))
    shape = result[0].shape
    made = _for_device(op, bound, shape)
    if made is None or not result or any(not r.numel() for r in result):
        return False
    expected = [_on_device(r) for r in _results(_aten(op, made))]
    args, outs = {}, []
    queue = list(expected)
    for param in op.params:
        value = made.get(param.name)
        if param.written and param.kind == "tensors":
            count = len(queue) if param is [p for p in op.params if p.written][-1] else len(made["self"])
            args[param.name] = [sdk.empty(e.shape, e.dtype) for e in queue[:count]]
            outs += args[param.name]
            queue = queue[count:]
        elif param.written and param.name in bound:
            args[param.name] = sdk.put(value)
            outs.append(args[param.name])
            queue.pop(0)
        elif param.written:
            args[param.name] = sdk.empty(queue[0].shape, queue.pop(0).dtype)
            outs.append(args[param.name])
        elif param.kind == "tensor":
            args[param.name] = None if value is None else sdk.put(value)
        elif param.kind == "tensors":
            args[param.name] = [None if v is None else sdk.put(v) for v in value]
        else:
            args[param.name] = value
    status = sdk.call(op, args)
    if refused:
        assert status == NOT_SUPPORT
    elif not op.traps:
        assert status == OK, f"status {status}"
    if status == OK and "writes_nothing" not in op.traps:
        assert sdk.rt.topsDeviceSynchronize() == 0
        for got, want in zip([sdk.get(o) for o in outs], expected):
            torch.testing.assert_close(got.reshape(want.shape), want, equal_nan=True, rtol=2e-4, atol=2e-5)
    sdk.free(*args.values())
    return True


@pytest.mark.parametrize("op", ROWS, ids=[f"{op.name}-{op.index}-{op.aten}" for op in ROWS])
def test_row(sdk, op):
    taken = sum(check(sdk, op, bound, op.refuse != "no") for bound in samples.all_samples()[op.aten])
    assert taken, f"no case of {op.aten} is one that the device takes"


def test_what_s60_refuses_is_right_where_it_is_computed(script, tmp_path):
    rows = {op.aten: samples.all_samples()[op.aten] for op in ROWS if op.refuse == "s60"}
    torch.save(rows, tmp_path / "samples")
    text = f"""
import torch, test_ops
for name, rows in torch.load({str(tmp_path / "samples")!r}, weights_only=False).items():
    op = next(op for op in OPS if op.aten == name)
    assert sum([test_ops.check(s, op, bound, False) for bound in rows]), name  # s.call
    print(name)
"""
    status, out, error = script(text, S60="compute")
    assert status == 0, error
    assert len(out.split()) == len(rows) > 10


def test_names():
    assert find("topsatenAdd/1").aten == "add.Scalar"
    with pytest.raises(StopIteration):
        find("topsatenNothing")
