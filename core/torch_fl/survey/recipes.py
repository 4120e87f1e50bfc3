"""Arguments of ops that want shapes of their own, by the op's name; each is taken with the dtype of a profile."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

# The size of a dimension that a product sums over, or that may be empty likewise: it is that where a profile has no
# elements.
INNER = 80


@dataclass(frozen=True)
class Recipe:
    """Values by argument: a tuple is the shape of a tensor of the profile's dtype, `Index` one of indices; anything
    else is the argument.

    Args:
        only: the op takes nothing else.
    """

    values: dict[str, Any]
    only: bool = True

    @property
    def inner(self) -> bool:
        """One of its dimensions may be empty."""
        return any(isinstance(value, tuple) and INNER in value for value in self.values.values())

    def make(self, name: str, profile: Any, seed: int, tensor: Callable[[Any, int], torch.Tensor]) -> Any:
        value = self.values[name]
        if isinstance(value, tuple) and not profile.elements:
            value = tuple(0 if size == INNER else size for size in value)
        if isinstance(value, Index):
            generator = torch.Generator().manual_seed(seed)
            if value.distinct:
                made = torch.randperm(value.below, generator=generator)[: value.shape[0]]
            else:
                made = torch.randint(value.below, value.shape, generator=generator)
            return made.to(value.dtype)
        if isinstance(value, tuple):
            return tensor(replace(profile, shape=value, strided=False), seed)
        if isinstance(value, list) and value and isinstance(value[0], tuple):
            return [tensor(replace(profile, shape=shape, strided=False), seed + i) for i, shape in enumerate(value)]
        return value


@dataclass(frozen=True)
class Index:
    """Whole numbers from 0 to below ``below``; `distinct`: each once, of one dimension."""

    below: int
    shape: tuple[int, ...]
    dtype: torch.dtype = torch.int64
    distinct: bool = False


# Which value stays where two are written to one place is not defined (torch.Tensor.scatter_, torch.Tensor.index_put_).
_WRITES_ONCE = re.compile(r"scatter_?\.(src|src_out)|_?(unsafe_)?index_put(_impl)?_?(\..*)?")


def writes_once(op: str) -> bool:
    """Whether an op's result is defined only where no index comes twice."""
    return _WRITES_ONCE.fullmatch(op) is not None


_IMAGE = (2, 3, 16, 16)
_PAD2 = [1, 1, 1, 1]

# The first pattern that fits the whole name counts.
_TABLE: tuple[tuple[str, dict[str, Any], bool], ...] = (
    (r"bmm(\..*)?", {"self": (2, 16, INNER), "mat2": (2, INNER, 8)}, True),
    (r"baddbmm.*", {"self": (2, 16, 8), "batch1": (2, 16, INNER), "batch2": (2, INNER, 8)}, True),
    (r"mm(\..*)?", {"self": (48, INNER), "mat2": (INNER, 33)}, False),
    (r"addmm.*", {"self": (33,), "mat1": (48, INNER), "mat2": (INNER, 33)}, False),
    (r"addmv.*", {"self": (48,), "mat": (48, INNER), "vec": (INNER,)}, True),
    (r"mv(\..*)?", {"self": (48, INNER), "vec": (INNER,)}, True),
    (r"addr.*", {"self": (48, 80), "vec1": (48,), "vec2": (80,)}, True),
    (r"v?dot(\..*)?", {"self": (INNER,), "other": (INNER,), "tensor": (INNER,)}, True),
    (
        r"_conv_depthwise2d(\..*)?",
        {
            "self": (2, 4, 16, 16),
            "weight": (4, 1, 3, 3),
            "kernel_size": [3, 3],
            "bias": (4,),
            "stride": [1, 1],
            "padding": [1, 1],
            "dilation": [1, 1],
        },
        True,
    ),
    (
        r"(conv2d|conv_depthwise.*|thnn_conv2d.*|slow_conv2d.*)(\..*)?",
        {"input": (2, 4, 16, 16), "self": (2, 4, 16, 16), "weight": (8, 4, 3, 3), "kernel_size": [3, 3], "bias": (8,)},
        True,
    ),
    (r"conv1d(\..*)?", {"input": (2, 4, 32), "weight": (8, 4, 3)}, True),
    (r"conv3d(\..*)?", {"input": (1, 4, 6, 8, 8), "weight": (8, 4, 3, 3, 3)}, True),
    (
        r"native_group_norm",
        {"input": (2, 12, 5), "weight": (12,), "bias": (12,), "N": 2, "C": 12, "HxW": 5, "group": 4, "eps": 1e-5},
        True,
    ),
    (
        r"native_group_norm_backward",
        {
            "grad_out": (2, 12, 5),
            "input": (2, 12, 5),
            "mean": (2, 4),
            "rstd": (2, 4),
            "weight": (12,),
            "N": 2,
            "C": 12,
            "HxW": 5,
            "group": 4,
            "output_mask": [True, True, True],
        },
        True,
    ),
    (
        r"native_layer_norm",
        {"input": (33, 100), "normalized_shape": [100], "weight": (100,), "bias": (100,), "eps": 1e-5},
        True,
    ),
    (
        r"native_batch_norm",
        {
            "input": _IMAGE,
            "weight": (3,),
            "bias": (3,),
            "running_mean": (3,),
            "running_var": (3,),
            "training": True,
            "momentum": 0.1,
            "eps": 1e-5,
        },
        True,
    ),
    (
        r"native_batch_norm_backward",
        {
            "grad_out": _IMAGE,
            "input": _IMAGE,
            "weight": (3,),
            "running_mean": (3,),
            "running_var": (3,),
            "save_mean": (3,),
            "save_invstd": (3,),
            "train": True,
            "eps": 1e-5,
            "output_mask": [True, True, True],
        },
        True,
    ),
    (
        r"native_layer_norm_backward",
        {
            "grad_out": (33, 100),
            "input": (33, 100),
            "normalized_shape": [100],
            "mean": (33, 1),
            "rstd": (33, 1),
            "weight": (100,),
            "bias": (100,),
            "output_mask": [True, True, True],
        },
        True,
    ),
    (
        r"_weight_norm_interface_backward",
        {"grad_w": (8, 16), "saved_v": (8, 16), "saved_g": (8, 1), "saved_norms": (8, 1), "dim": 0},
        True,
    ),
    (
        r"nll_loss_backward.*",
        {
            "grad_output": (8,),
            "self": (8, 5),
            "target": Index(5, (8,)),
            "reduction": 0,
            "ignore_index": -100,
            "total_weight": (),
        },
        True,
    ),
    (
        r"nll_loss2d_backward.*",
        {
            "grad_output": (2, 4, 4),
            "self": (2, 5, 4, 4),
            "target": Index(5, (2, 4, 4)),
            "reduction": 0,
            "ignore_index": -100,
            "total_weight": (),
        },
        True,
    ),
    (r"diagonal_backward.*", {"grad_output": (7,), "input_sizes": [7, 9], "offset": 0, "dim1": 0, "dim2": 1}, True),
    (r"select_backward.*", {"grad_output": (9,), "input_sizes": [7, 9], "dim": 0, "index": 2}, True),
    (r"(masked_)?fill_?\.Tensor(_out)?", {"value": ()}, False),
    (r"native_dropout", {"p": 0.5, "train": True}, False),
    (r"clamp_?(\.out)?", {"min": -1, "max": 2}, False),
    (r"embedding(\..*)?", {"weight": (40, 16), "indices": Index(40, (5, 7))}, True),
    (
        r"embedding_dense_backward(\..*)?",
        {
            "grad_output": (35, 16),
            "indices": Index(40, (35,)),
            "num_weights": 40,
            "padding_idx": -1,
            "scale_grad_by_freq": False,
        },
        True,
    ),
    (
        r"nll_loss_forward.*|nll_loss(\..*)?",
        {"self": (8, 5), "target": Index(5, (8,)), "reduction": 1, "ignore_index": -100},
        True,
    ),
    (
        r"nll_loss2d_forward.*|nll_loss2d(\..*)?",
        {"self": (2, 5, 4, 4), "target": Index(5, (2, 4, 4)), "reduction": 1, "ignore_index": -100},
        True,
    ),
    (
        r"index_copy_?(\..*)?",
        {"self": (32, 32), "dim": 0, "index": Index(32, (8,), distinct=True), "source": (8, 32)},
        True,
    ),
    (r"put_?(\..*)?", {"self": (32, 32), "index": Index(1024, (64,), distinct=True), "source": (64,)}, True),
    (
        r"index_(add|reduce)_?.*",
        {"self": (32, 32), "dim": 0, "index": Index(32, (8,)), "source": (8, 32), "reduce": "amax"},
        True,
    ),
    (r"index_select.*", {"self": (32, 32), "dim": 0, "index": Index(32, (9,))}, True),
    (r"index_fill.*", {"self": (32, 32), "dim": 0, "index": Index(32, (9,))}, True),
    (r"repeat_interleave\.Tensor", {"repeats": Index(4, (9,))}, True),
    (r"bincount.*", {"self": Index(9, (64,)), "weights": None}, True),
    (r"reflection_pad1d(\..*)?|replication_pad1d(\..*)?", {"self": (2, 3, 16), "padding": [2, 1]}, True),
    (r"reflection_pad2d(\..*)?|replication_pad2d(\..*)?", {"self": _IMAGE, "padding": _PAD2}, True),
    (
        r"reflection_pad3d(\..*)?|replication_pad3d(\..*)?",
        {"self": (1, 2, 5, 6, 7), "padding": [1, 1, 1, 1, 1, 1]},
        True,
    ),
    (
        r"(avg|max)_pool2d.*_backward.*",
        {
            "grad_output": (2, 3, 8, 8),
            "self": _IMAGE,
            "kernel_size": [2, 2],
            "stride": [2, 2],
            "padding": [0, 0],
            "dilation": [1, 1],
            "ceil_mode": False,
            "count_include_pad": True,
            "divisor_override": None,
            "indices": Index(256, (2, 3, 8, 8)),
        },
        True,
    ),
    (r"(avg|max)_pool2d.*", {"self": _IMAGE, "kernel_size": [2, 2], "padding": [0, 0]}, True),
    (r"(avg|max)_pool3d.*", {"self": (1, 2, 6, 8, 8), "kernel_size": [2, 2, 2], "padding": [0, 0, 0]}, True),
    (
        r"_?upsample_.*1d(\.out)?",
        {"self": (2, 3, 16), "output_size": [29], "align_corners": False, "scales": None},
        True,
    ),
    (r"_?upsample_.*2d(_aa)?(\.out)?", {"self": _IMAGE, "output_size": [29, 9], "align_corners": False}, True),
    (
        r"_?upsample_.*2d(_aa)?_backward.*",
        {"grad_output": (2, 3, 29, 9), "output_size": [29, 9], "input_size": [2, 3, 16, 16], "align_corners": False},
        True,
    ),
    (r"_?upsample_.*3d(\.out)?", {"self": (1, 2, 4, 6, 6), "output_size": [7, 9, 5], "align_corners": False}, True),
    (r"unfold_backward.*", {"grad_in": (7, 4), "input_sizes": [16], "dim": 0, "size": 4, "step": 2}, True),
    (
        r"im2col.*",
        {"self": _IMAGE, "kernel_size": [2, 2], "dilation": [1, 1], "padding": [0, 0], "stride": [1, 1]},
        True,
    ),
    (
        r"col2im.*",
        {
            "self": (2, 12, 225),
            "output_size": [16, 16],
            "kernel_size": [2, 2],
            "dilation": [1, 1],
            "padding": [0, 0],
            "stride": [1, 1],
        },
        True,
    ),
    (r"pixel_(un)?shuffle.*", {"self": (2, 4, 8, 8), "upscale_factor": 2, "downscale_factor": 2}, True),
    (r"isin\..*", {"elements": (32, 32), "test_elements": (INNER,), "invert": True}, True),
    (r"glu(\..*)?", {"self": (32, 32)}, False),
    (r"glu_backward.*", {"grad_output": (32, 16), "self": (32, 32), "dim": -1}, True),
    (r"_weight_norm_interface", {"v": (8, 16), "g": (8, 1), "dim": 0}, True),
    (
        r"scatter_?\.reduce.*",
        {"self": (32, 32), "dim": 0, "index": Index(32, (4, 32)), "src": (4, 32), "reduce": "add"},
        True,
    ),
    (r"multinomial.*", {"num_samples": 4, "replacement": True}, False),
    (r"_grouped_mm", {"self": (32, 16), "mat2": (2, 16, 8), "offs": torch.tensor([16, 32], dtype=torch.int32)}, True),
    (r"_assert_async.*", {"self": torch.tensor(True)}, True),
    (
        r"scaled_dot_product_attention|_scaled_dot_product_.*",
        {"query": (1, 2, 32, 16), "key": (1, 2, 32, 16), "value": (1, 2, 32, 16)},
        True,
    ),
    (r"linspace.*|logspace.*", {"start": 0, "end": 5, "steps": 33}, True),
    (r"arange.*|range.*", {"start": 0, "end": 33, "step": 1}, True),
    (r"eye.*", {"n": 9, "m": 7}, True),
)


def of(op: str) -> Recipe | None:
    """The recipe of an op, ``"bmm.out"``; None where it takes what others do."""
    for pattern, values, only in _TABLE:
        if re.fullmatch(pattern, op):
            return Recipe(values, only)
    return None
