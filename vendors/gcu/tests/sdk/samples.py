"""Arguments for the ops of the table: what PyTorch's own op samples pass to ATen, seen below autograd."""

from __future__ import annotations

import functools
import itertools

import torch
from sdk import OPS
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map, tree_map_only

PER_OVERLOAD = 4
# Composite ops: they never reach the level at which the others are seen.
_F = torch.randn
_I = functools.partial(torch.tensor, dtype=torch.int32)
BY_HAND = {
    "_aminmax": [(_F(3, 4),)],
    "_aminmax.dim": [(_F(3, 4), 1, True)],
    "_fft_c2r": [(torch.fft.rfft(_F(3, 6)), [1], 0, 6)],
    "_foreach_norm.Scalar": [([_F(3), _F(2, 3)], 1.0), ([_F(3), _F(2, 3)], 2.0)],
    "_fused_adamw": [
        {
            **{
                n: [torch.rand(3), torch.rand(2, 2)]
                for n in ("self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs")
            },
            "state_steps": [torch.tensor([2.0]), torch.tensor([2.0])],
            "lr": 0.1,
            "beta1": 0.9,
            "beta2": 0.99,
            "weight_decay": 0.1,
            "eps": 1e-8,
            "amsgrad": True,
            "maximize": False,
            "grad_scale": None,
            "found_inf": None,
        }
    ],
    "_grouped_mm": [(_F(6, 4), _F(2, 4, 8), _I([2, 6]), None, None)],
    "_unique": [(torch.tensor([2.0, 1.0, 2.0]), True, True)],
    "_unique2": [(torch.tensor([2.0, 1.0, 2.0]), True, True, True)],
    "_upsample_bicubic2d_aa": [(_F(1, 2, 6, 6), [3, 4], True, None, None)],
    "_upsample_nearest_exact1d": [(_F(1, 2, 5), [7], None)],
    "_upsample_nearest_exact2d": [(_F(1, 2, 4, 5), [7, 3], None, None), (_F(1, 2, 4, 4), [8, 6], 2.0, 1.5)],
    "_upsample_nearest_exact3d": [(_F(1, 2, 3, 4, 5), [5, 4, 3], None, None, None)],
    "_weight_norm_interface": [(_F(3, 4), torch.rand(3, 1), 0)],
    "binary_cross_entropy": [(torch.rand(3, 4), torch.rand(3, 4), torch.rand(3, 4), r) for r in (0, 1, 2)],
    "bitwise_and.Scalar": [(_I([5, 6]), 3)],
    "bitwise_left_shift.Tensor_Scalar": [(_I([5, 6]), 3)],
    "bitwise_or.Scalar": [(_I([5, 6]), 9)],
    "bitwise_right_shift.Tensor_Scalar": [(_I([50, 60]), 3)],
    "bitwise_xor.Scalar": [(_I([5, 6]), 3)],
    "clamp": [(_F(3, 4), -0.5, 0.25), (_F(3, 4), None, 0.25), (_I([5, -6]), -2, 3)],
    "clamp_max": [(_F(3, 4), 0.25)],
    "col2im": [(_F(1, 8, 4), [3, 3], [2, 2], [1, 1], [0, 0], [1, 1])],
    "div.Scalar_mode": [(_F(3, 4), 0.3, "floor")],
    "embedding": [(_F(5, 3), torch.tensor([[0, 4], [2, 2]]), 2, False, False)],
    "fmod.Scalar": [(_F(3, 4), 0.3)],
    "im2col": [(_F(1, 2, 4, 4), [2, 2], [1, 1], [0, 1], [1, 2])],
    "index_fill.int_Tensor": [(_F(3, 4), 1, torch.tensor([0, 3]), torch.tensor(2.5))],
    "isin.Tensor_Scalar": [(_I([1, 2, 3]), 2, False, True)],
    "max.dim": [(_F(3, 4), 1, False), (_F(3, 4), 0, True)],
    "native_layer_norm_backward": [
        (_F(3, 4), _F(3, 4), [4], _F(3, 1), torch.rand(3, 1), _F(4), _F(4), [True, True, True])
    ],
    "relu6": [(_F(3, 4) * 6,)],
    "remainder.Scalar": [(_F(3, 4), 0.3)],
    "remainder.Scalar_Tensor": [(2.0, _F(3, 4))],
    "unique_consecutive": [(torch.tensor([2.0, 2.0, 1.0, 2.0]), True, True, None)],
    "upsample_bicubic2d": [(_F(1, 2, 6, 6), [3, 8], False, None, None)],
    "upsample_linear1d": [(_F(1, 2, 5), [7], False, None)],
    "upsample_trilinear3d": [(_F(1, 2, 3, 4, 5), [5, 4, 3], True, None, None, None)],
    "xlogy.Scalar_Other": [(_F(3, 4), 2.0)],
    "xlogy.Scalar_Self": [(2.0, torch.rand(3, 4))],
    "_fft_c2c": [(torch.complex(_F(3, 4), _F(3, 4)), [1], 1, False)],
    "convolution": [
        (_F(2, 4, 6), _F(6, 2, 3), _F(6), [2], [1], [1], False, [0], 2),
        (_F(2, 3, 6, 5), _F(4, 3, 3, 2), None, [1, 2], [1, 0], [2, 1], False, [0, 0], 1),
        (_F(2, 3, 4, 4), _F(3, 5, 3, 3), _F(5), [2, 2], [1, 1], [1, 1], True, [1, 0], 1),
        (_F(1, 2, 4, 4, 4), _F(3, 2, 2, 2, 2), _F(3), [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1),
    ],
    "convolution_backward": [
        (_F(2, 4, 4, 4), _F(2, 3, 6, 6), _F(4, 3, 3, 3), [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True] * 3)
    ],
    "copysign.Scalar": [(_F(3, 4), -2.0)],
    "ge.Scalar": [(_F(3, 4), 0.25)],
    "gt.Scalar": [(_F(3, 4), 0.25)],
    "le.Scalar": [(_F(3, 4), 0.25)],
    "pow.Scalar": [(2.0, _F(3, 4))],
    "reflection_pad3d": [(_F(1, 2, 4, 4, 4), [1, 2, 0, 1, 2, 1])],
    "replication_pad3d": [(_F(1, 2, 4, 4, 4), [1, 2, 0, 1, 2, 1])],
    "upsample_nearest3d": [(_F(1, 2, 3, 4, 5), [5, 4, 3], None, None, None)],
    "_fft_r2c": [(_F(3, 6), [1], 0, True)],
    "clamp_min": [(_F(3, 4), 0.25)],
    "div.Scalar": [(_F(3, 4), 2.0)],
    "eq.Scalar": [(_I([1, 2, 3]), 2)],
    "log_sigmoid_forward": [(_F(3, 4),)],
    "lt.Scalar": [(_F(3, 4), 0.25)],
    "max_pool2d_with_indices": [(_F(2, 3, 6, 6), [2, 3], [2, 1], [1, 0], [1, 1], True)],
    "max_pool3d_with_indices": [(_F(1, 2, 4, 6, 6), [2, 2, 3], [2, 2, 1], [0, 1, 0], [1, 1, 1], False)],
    "mse_loss_backward": [
        (_F(3, 4), _F(3, 4), _F(3, 4), 0),
        (_F(1), _F(3, 4), _F(3, 4), 1),
        (_F(1), _F(3, 4), _F(3, 4), 2),
    ],
    "mul.Scalar": [(_F(3, 4), 2.0)],
    "ne.Scalar": [(_I([1, 2, 3]), 2)],
    "nll_loss2d_forward": [(_F(2, 3, 2, 2), torch.randint(0, 3, (2, 2, 2)), torch.rand(3), 1, -100)],
    "reflection_pad1d": [(_F(2, 5), [2, 1])],
    "reflection_pad2d": [(_F(1, 2, 4, 4), [1, 2, 0, 1])],
    "repeat": [(_F(2, 3), [2, 1, 2])],
    "replication_pad1d": [(_F(2, 5), [2, 1])],
    "replication_pad2d": [(_F(1, 2, 4, 4), [1, 2, 0, 1])],
    "rsub.Scalar": [(_F(3, 4), 2.0, 0.5)],
    "sub.Scalar": [(_F(3, 4), 2.0, 0.5)],
    "upsample_bilinear2d": [(_F(1, 2, 4, 5), [7, 3], True, None, None), (_F(1, 2, 4, 4), [8, 6], False, 2.0, 1.5)],
    "upsample_nearest2d": [(_F(1, 2, 4, 5), [7, 3], None, None), (_F(1, 2, 4, 4), [8, 6], 2.0, 1.5)],
    "histc": [(_F(40), 8, -2.0, 2.0), (_F(40), 5, 0, 0)],
    "linalg_vector_norm": [(_F(3, 4), 2.0, [1], False, None), (_F(3, 4), 1.0, None, True, torch.float32)],
    "nll_loss_backward": [
        (_F(1), _F(3, 4), torch.tensor([0, 3, 1]), torch.rand(4), 1, -100, torch.tensor([1.5])),
    ],
    "nll_loss_forward": [
        (_F(3, 4), torch.tensor([0, 3, 1]), w, r, 1) for w in (None, torch.rand(4)) for r in (0, 1, 2)
    ],
    "zero": [(_F(3, 4),)],
    "adaptive_avg_pool2d": [(_F(2, 3, 6, 6), [3, 2])],
    "argsort.stable": [{"self": _F(3, 7), "stable": True, "dim": 1, "descending": True}],
    "clip": [(_F(3, 4), -0.5, 0.5), (_F(3, 4), None, 0.25)],
    "clip.Tensor": [(_F(3, 4), torch.full((3, 4), -0.5), torch.full((3, 4), 0.5))],
    "conv2d": [(_F(2, 3, 6, 6), _F(4, 3, 3, 3), _F(4), [1, 2], [1, 0], [1, 1], 1)],
    "conv_transpose2d.input": [(_F(2, 3, 4, 4), _F(3, 4, 3, 3), _F(4), [2, 1], [1, 0], [1, 0], 1, [1, 1])],
    "cross": [(_F(4, 3), _F(4, 3), 1)],
    "linalg_cross": [(_F(4, 3), _F(4, 3), 1)],
    "linear": [(_F(3, 4), _F(5, 4), _F(5)), (_F(2, 3, 4), _F(5, 4), None)],
    "matmul": [(_F(3, 4), _F(4, 5)), (_F(2, 3, 4), _F(2, 4, 5))],
    "max_pool2d": [(_F(2, 3, 6, 6), [2, 2], [2, 1], [1, 0], [1, 1], False)],
    "grid_sampler": [(_F(2, 3, 4, 4), _F(2, 5, 5, 2).clamp(-1, 1), 0, 0, True)],
    "instance_norm": [(_F(2, 3, 4, 4), _F(3), _F(3), None, None, True, 0.1, 1e-5, False)],
    "layer_norm": [(_F(3, 4), [4], _F(4), _F(4), 1e-5, False)],
    "log_sigmoid": [(_F(3, 4),)],
    "isclose": [(_F(3, 4), _F(3, 4), 0.5, 0.1, True)],
    "isinf": [(torch.tensor([1.0, float("inf"), float("nan")]),)],
    "isfinite": [(torch.tensor([1.0, float("inf"), float("nan")]),)],
    "floor_divide.Scalar": [(_F(3, 4), 0.75)],
    "meshgrid.indexing": [([_F(3), _F(4)], "xy")],
    "repeat_interleave.self_Tensor": [(_F(3, 2), torch.tensor([1, 0, 2]), 0, 3)],
    "repeat_interleave.self_int": [(_F(3, 2), 2, 1, None)],
    "square": [(_F(3, 4),)],
    "tile": [(_F(2, 3), [2, 2])],
    "_add_relu.Tensor": [(_F(3, 4), _F(3, 4), 1)],
    "_add_relu.Scalar": [(_F(3, 4), 0.5, 1)],
    "_amp_update_scale": [
        (torch.tensor([8.0]), torch.tensor([1], dtype=torch.int32), torch.tensor([0.0]), 2.0, 0.5, 2),
        (torch.tensor([8.0]), torch.tensor([1], dtype=torch.int32), torch.tensor([1.0]), 2.0, 0.5, 2),
    ],
    "_prelu_kernel": [(_F(2, 3), torch.rand(1, 3).expand(2, 3).contiguous())],
    "bincount": [(torch.tensor([1, 3, 1], dtype=torch.int32), torch.rand(3), 6)],
    "bucketize.Tensor": [(_F(3, 4), torch.tensor([-1.0, 0.0, 1.0]), False, True)],
    "channel_shuffle": [(_F(2, 4, 3, 3), 2)],
    "cholesky": [(torch.eye(3) * 2 + 0.1, False)],
    "_index_put_impl": [(_F(4, 3), [torch.tensor([0, 2])], _F(2, 3), True, False)],
    "index_put": [
        (_F(4, 3), [torch.tensor([0, 2]), torch.tensor([1, 2])], _F(2), False),
        (_F(4, 3), [None, torch.tensor([1, 2])], _F(4, 2), True),
    ],
    "index.Tensor": [(_F(4, 3), [torch.tensor([0, 3, -1])]), (_F(4, 3), [None, torch.tensor([1, 2])])],
    "median": [(_F(7),)],
    "nanmedian": [(torch.tensor([1.0, float("nan"), 3.0]),)],
    "glu_jvp": [(_F(3, 2), _F(3, 4), _F(3, 4), 1)],
    "multi_margin_loss": [(_F(3, 4), torch.tensor([0, 2, 1]), 1, 1.0, torch.rand(4), 1)],
    "native_dropout_backward": [(_F(3, 4), torch.rand(3, 4) > 0.5, 2.0)],
    "one_hot": [],
    "softplus": [(_F(3, 4) * 20, 2.0, 20.0)],
    "trace": [(_F(3, 4),)],
    "masked_select": [(_F(3, 4), torch.rand(3, 4) > 0.5)],
    "where.ScalarSelf": [(torch.rand(3, 4) > 0.5, 2.0, _F(3, 4))],
    "where.ScalarOther": [(torch.rand(3, 4) > 0.5, _F(3, 4), 2.0)],
    "where.Scalar": [(torch.rand(3, 4) > 0.5, 1.0, 2.0)],
    "__lshift__.Scalar": [(torch.tensor([1, 2], dtype=torch.int32), 3)],
    "__lshift__.Tensor": [(torch.tensor([1, 2], dtype=torch.int32), torch.tensor([3, 1], dtype=torch.int32))],
    "__rshift__.Scalar": [(torch.tensor([16, 9], dtype=torch.int32), 2)],
    "__rshift__.Tensor": [(torch.tensor([16, 9], dtype=torch.int32), torch.tensor([3, 1], dtype=torch.int32))],
}


def _foreach(op) -> list[dict]:
    """Two tensors per list, with values that every function is defined for."""
    made = {
        "tensors": lambda: [torch.rand(3) * 0.8 + 0.1, torch.rand(2, 2) * 0.8 + 0.1],
        "scalars": lambda: [0.5, 0.25],
    }
    numbers = {"other": torch.tensor(0.5), "scalars": torch.tensor([0.5, 0.25])}
    made |= {"scalar": lambda: 0.5}
    return [{p.name: numbers[p.name] if p.kind == "tensor" else made[p.kind]() for p in op.params if not p.written}]


class _Seen(TorchDispatchMode):
    def __init__(self, wanted: dict) -> None:
        super().__init__()
        self.wanted = wanted

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func._schema.name.removeprefix("aten::")
        overload = func._schema.overload_name
        found = self.wanted.get(f"{name}.{overload}" if overload else name)
        if found is not None and len(found) < PER_OVERLOAD:
            bound = bind(func, args, kwargs or {})
            if _usable(bound):
                found.append(tree_map_only(torch.Tensor, lambda t: t.detach().clone(), bound))
        return func(*args, **(kwargs or {}))


def bind(func, args, kwargs) -> dict:
    """The arguments of a call by the names of its schema."""
    bound = {a.name: a.default_value for a in func._schema.arguments if a.has_default_value()}
    bound |= {a.name: v for a, v in zip(func._schema.arguments, args)}
    return bound | kwargs


def _usable(bound: dict) -> bool:
    tensors = []
    tree_map(lambda v: tensors.append(v) if isinstance(v, torch.Tensor) else None, list(bound.values()))
    return bool(tensors) and all(t.numel() and 1 <= t.dim() <= 8 and t.layout == torch.strided for t in tensors)


def overload(name: str):
    """The ATen op of a table's row."""
    base, _, which = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), which or "default")


@functools.cache
def all_samples() -> dict[str, list[dict]]:
    """Arguments by name for every ATen op of the table that PyTorch's samples reach."""
    torch.manual_seed(0)
    wanted: dict[str, list] = {op.aten: [] for op in OPS if op.aten}
    bases = {name.partition(".")[0].strip("_") for name in wanted if name not in BY_HAND}
    gradients = [base for base in bases if base.endswith(("backward", "backward_data"))]
    for info in op_db:
        names = {info.aten_name, info.name.rpartition(".")[2]}
        dtypes = info.supported_dtypes("cpu")
        dtype = torch.float32 if torch.float32 in dtypes else torch.int32 if torch.int32 in dtypes else None
        backward = any(n and b.startswith(n.strip("_")) for n in names for b in gradients)
        if dtype is None or not (backward or any(n.strip("_") in bases for n in names)):
            continue
        backward = backward and info.supports_autograd and dtype.is_floating_point
        try:
            # Not info.sample_inputs(): it seeds every device before each sample, which is most of its time.
            torch.default_generator.manual_seed(0)
            samples = list(itertools.islice(info.sample_inputs_func(info, "cpu", dtype, backward), 8))
        except Exception:
            continue
        for sample in samples:
            with _Seen(wanted):
                try:
                    out = info.op(sample.input, *sample.args, **sample.kwargs)
                    leaves = [
                        t for t in (out if isinstance(out, (tuple, list)) else [out]) if isinstance(t, torch.Tensor)
                    ]
                    leaves = [t for t in leaves if t.requires_grad]
                    if leaves:
                        torch.autograd.backward(leaves, [torch.ones_like(t) for t in leaves])
                except (RuntimeError, ValueError, NotImplementedError, TypeError, IndexError):
                    continue
    for name, rows in BY_HAND.items():
        func = overload(name)
        wanted[name] = [row if isinstance(row, dict) else bind(func, row, {}) for row in rows] + wanted.get(name, [])
    for op in OPS:
        if op.aten.startswith("_foreach") and not wanted[op.aten]:
            wanted[op.aten] = _foreach(op)
    return wanted
