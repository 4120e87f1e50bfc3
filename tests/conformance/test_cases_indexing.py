"""Faults that users of other accelerator backends reported: indexing."""

import pytest
import torch
from harness import child
from harness.compare import close, same
from harness.device import DEV, on_device


@pytest.mark.parametrize(
    "expr",
    [
        "x[j]",
        "x[:, j]",
        "x[j, ...]",
        "x.index_select(0, j)",
        "x.gather(0, j.view(1, 1))",
        "torch.nn.functional.embedding(j, x)",
        "x.index_put((j,), x[0])",
    ],
)
def test_out_of_range_index(expr):
    """Read unrelated memory or killed the device -> a catchable error, in a child process so a fault cannot poison the
    run.

    Report: flagos-ai/Torch-FL#381 (index out of range not rejected)
    """
    r = child.run(f"""
        x = torch.zeros(4, 4).to(DEV)
        j = torch.tensor([1000]).to(DEV)
        try:
            r = ({expr}).cpu()
            print("NOERR")
        except (IndexError, RuntimeError):
            print("RAISED")
    """)
    assert r.returncode == 0 and "RAISED" in r.stdout, (r.returncode, r.stdout, r.stderr[-500:])


def test_gap_between_index_tensors():
    """None between index tensors crashed -> indexed dims move to the front.

    Report: flagos-ai/FlagGems#724 (slice between two index tensors)
    """
    x = torch.arange(120).view(4, 5, 6)
    same(lambda x: x[x.new_tensor([1, 2, 3]), :, x.new_tensor([0, 5, 2])], x)
    same(lambda x: x[:, x.new_tensor([[1], [2]]), x.new_tensor([0, 3])], x)
    same(lambda x: x[1, :, x.new_tensor([0, 5])], x)
    same(lambda x: x[x.new_tensor([0, 1]), None, 2:, x.new_tensor([3, 4])], x)
    same(lambda x: x[..., x.new_tensor([5])], x)
    with pytest.raises(IndexError):
        x.to(DEV)[on_device([1, 2, 3]), :, on_device([0, 1])]


def test_repeated_index_accumulates():
    """Repeated indices lost updates; alpha / bool variants wrong -> every update counts.

    Report: flagos-ai/FlagGems#445, intel/torch-xpu-ops#184, #3530 (accumulating into one cell)
    """
    i = torch.zeros(1000, dtype=torch.int64).to(DEV)
    for dt in (torch.float32, torch.int64, torch.int32, torch.float16):
        one, z = torch.ones(1000, dtype=dt).to(DEV), torch.zeros(2, dtype=dt).to(DEV)
        for r in (
            z.scatter_add(0, i, one),
            z.scatter_reduce(0, i, one, "sum"),
            z.index_add(0, i, one),
            z.index_put((i,), one, accumulate=True),
        ):
            close(r, torch.tensor([1000, 0], dtype=dt))
    close(torch.zeros(2).to(DEV).index_add(0, i, torch.ones(1000).to(DEV), alpha=0.5), [500.0, 0.0])
    close(torch.bincount(i, minlength=3), [1000, 0, 0])
    close(
        on_device([1.0, 2.0]).scatter_reduce(
            0, on_device([0, 0, 1]), on_device([4.0, 6.0, 5.0]), "mean", include_self=False
        ),
        [5.0, 5.0],
    )
    close(on_device([1.0, 9.0]).scatter_reduce(0, on_device([0, 0]), on_device([4.0, 6.0]), "amax"), [6.0, 9.0])


def test_negative_index_tensor():
    """Negative int64 index put the stream in an error state -> counts from the end.

    Report: torch-spyre/torch-spyre#4731, artyom-beilis/pytorch_dlprim#78 (negative indices, gather)
    """
    x = torch.arange(12).view(3, 4)
    same(lambda x: x[x.new_tensor([-1, 0, -3])], x)
    same(lambda x: x[:, x.new_tensor([-4, 3])], x)
    same(lambda x: x.take(x.new_tensor([-1, 5])), x)
    same(lambda x: x.gather(-1, x.new_tensor([[0, 3], [1, 1], [2, 0]])), x)
    same(lambda x: x.index_put((x.new_tensor([-1]), x.new_tensor([-2])), x.new_tensor(99)), x)
    same(lambda x: x[x.new_tensor([1, 2]).to(torch.int32)], x)


def test_masked_inplace_scale():
    """Out[mask] *= k returned the selected values -> whole tensor, masked part scaled.

    Report: pytorch/pytorch#100224 (write through a computed mask under compile)
    """

    def f(x):
        y = x.clone()
        y[y > 0] *= 0.5
        return y

    x = torch.tensor([[-1.6, 0.6], [0.2, -0.4]])
    same(f, x)
    torch._dynamo.reset()
    close(torch.compile(f, backend="aot_eager")(x.to(DEV)), f(x))
