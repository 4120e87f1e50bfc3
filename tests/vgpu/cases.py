"""Calls of ops that FlagGems has: what makes fresh arguments, by op. Shapes stay, values and places change."""

import torch


def r(*shape, dtype=torch.float32):
    return torch.randn(shape).to(dtype)


def p(*shape):
    return torch.rand(shape) + 0.5


def n(high, *shape, dtype=torch.int64):
    return torch.randint(0, high, shape, dtype=dtype)


def places(high, rows, count):
    """Indices of which none repeats in its row: the order of writes is nobody's promise."""
    return torch.stack([torch.randperm(high)[:count] for _ in range(rows)])


BF16, F16 = torch.bfloat16, torch.float16

# Op -> argument makers. All of these are replayed, and give what the CPU gives.
REPLAYED = {
    "add.Tensor": [
        lambda: (r(5, 33), r(33)),
        lambda: (r(4, 6, dtype=F16), 2),
        lambda: (r(3, 4, 5).transpose(0, 2), r(5, 4, 3)),
    ],
    "sub.Tensor": [lambda: (r(5, 33), r(5, 33))],
    "mul.Tensor": [lambda: (r(4, 1, 6), r(5, 1)), lambda: (r(4, 6, dtype=BF16), 2.5)],
    "div.Tensor": [lambda: (r(9), p(9)), lambda: (n(50, 9), n(9, 9) + 1)],
    "remainder.Tensor": [lambda: (r(33), p(33))],
    "pow.Tensor_Scalar": [lambda: (p(33), 2.0)],
    "pow.Tensor_Tensor": [lambda: (p(33), r(33))],
    "maximum": [lambda: (r(33), r(33))],
    "minimum": [lambda: (n(99, 33), n(99, 33))],
    "fmin": [lambda: (r(33), r(33))],
    "eq.Tensor": [lambda: (n(3, 33), n(3, 33))],
    "lt.Tensor": [lambda: (r(33), r(33))],
    "ge.Scalar": [lambda: (r(33), 0.0)],
    "bitwise_and.Tensor": [lambda: (n(99, 33), n(99, 33))],
    "where.self": [lambda: (r(33) > 0, r(33), r(33))],
    "clamp": [lambda: (r(33), -0.5, 0.5)],
    "lerp.Tensor": [lambda: (r(33), r(33), r(33))],
    "addcmul": [lambda: (r(33), r(33), r(33))],
    "addcdiv": [lambda: (r(33), r(33), p(33))],
    "relu": [lambda: (r(7, 5).t(),), lambda: (r(64, dtype=BF16),)],
    "silu": [lambda: (r(64),), lambda: (r(64, dtype=F16),)],
    "gelu": [lambda: (r(64),)],
    "elu": [lambda: (r(33),)],
    "softplus": [lambda: (r(33),)],
    "sigmoid": [lambda: (r(4, 18)[:, ::3],)],
    "tanh": [lambda: (r(100),)],
    "exp": [lambda: (r(33),)],
    "log": [lambda: (p(33),)],
    "sqrt": [lambda: (p(33),)],
    "rsqrt": [lambda: (p(33),)],
    "reciprocal": [lambda: (p(33),)],
    "sin": [lambda: (r(33),)],
    "cos": [lambda: (r(33),)],
    "erf": [lambda: (r(33),)],
    "neg": [lambda: (r(33),)],
    "isnan": [lambda: (r(33),)],
    "_softmax": [lambda: (r(6, 40), -1, False)],
    "_log_softmax": [lambda: (r(6, 40), -1, False)],
    "sum.dim_IntList": [lambda: (r(6, 40), [1]), lambda: (r(6, 40), [0], True)],
    "mean.dim": [lambda: (r(6, 40), [1])],
    "amax": [lambda: (r(6, 40), [1])],
    "argmax": [lambda: (r(6, 40), 1)],
    "max.dim": [lambda: (r(6, 40), 1)],
    "prod": [lambda: (p(33),)],
    "all": [lambda: (n(2, 33).bool(),)],
    "any": [lambda: (n(2, 33).bool(),)],
    "linalg_vector_norm": [lambda: (r(6, 40), 2, [1])],
    "var_mean.correction": [lambda: (r(6, 40), [1])],
    "cumsum": [lambda: (r(5, 33), 1)],
    "native_group_norm": [lambda: (r(2, 4, 8), r(4), r(4), 2, 4, 8, 2, 1e-5)],
    "dot": [lambda: (r(33), r(33))],
    "bmm": [lambda: (r(2, 16, 16), r(2, 16, 16))],
    "gather": [lambda: (r(5, 7), 1, n(7, 5, 3))],
    "triu": [lambda: (r(6, 6), 0)],
    "flip": [lambda: (r(4, 5), [0])],
    "cat": [lambda: ([r(3, 4), r(2, 4)], 0)],
    # With tensor maps.
    "mm": [lambda: (r(32, 48), r(48, 16)), lambda: (r(32, 48, dtype=BF16), r(16, 48, dtype=BF16).t())],
    # With an op of another lane before the launch: they clone an argument.
    "scatter.src": [lambda: (r(5, 7), 1, places(7, 5, 3), r(5, 3))],
    "index_select": [lambda: (r(5, 7), 0, n(5, 3))],
    "silu_backward": [lambda: (r(33), r(33))],
    "gelu_backward": [lambda: (r(33), r(33))],
    "sigmoid_backward": [lambda: (r(33), r(33))],
    "tanh_backward": [lambda: (r(33), r(33))],
    "threshold_backward": [lambda: (r(33), r(33), 0.0)],
    "_softmax_backward_data": [lambda: (r(6, 40), r(6, 40), -1, torch.float32)],
    # In place, and into out=.
    "add_.Tensor": [lambda: (r(5, 33), r(33))],
    "mul_.Tensor": [lambda: (r(5, 33), 0.5)],
    "relu_": [lambda: (r(7, 5),)],
    "sigmoid_": [lambda: (r(33),)],
    "exp.out": [lambda: (r(33), {"out": torch.empty(33)})],
    "sum.IntList_out": [lambda: (r(6, 40), [1], {"out": torch.empty(6)})],
}  # fmt: skip
