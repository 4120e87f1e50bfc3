"""What the host answers for ops that PyTorch has no host kernel for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def of(op: str, function: Callable) -> Callable:
    """The host's function for an op: its own one, or what PyTorch defines it as."""
    return _ELSEWHERE.get(op, function)


def _depthwise(x: Any, weight: Any, kernel_size: Any, bias: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    return torch.conv2d(x, weight, bias, stride, padding, dilation, x.shape[-3])


def _max_pool2d_backward(grad: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        return torch.autograd.grad(torch.max_pool2d(x, *args, **kwargs), x, grad)[0]


_ELSEWHERE: dict[str, Callable] = {
    "_conv_depthwise2d": _depthwise,
    "max_pool2d_backward": _max_pool2d_backward,
}
