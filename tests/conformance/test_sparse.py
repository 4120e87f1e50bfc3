"""Sparse tensors (by coordinates, CSR, CSC, BSR, BSC) and nested ones: structure, values and errors as on the host.

A case is a function of a device. What it returns on the host and on the device under test is compared part by part:
indices, values, coalesced flags, not only the dense equivalent.
"""

import copy
import io
import warnings

import pytest
import torch
from harness import lanes
from harness.device import DEV, SELF_CHECK, TYPE, needs_device, needs_two_devices, on_device, synchronize
from torch.utils import _pytree as pytree

if not SELF_CHECK:
    import torch_fl

pytestmark = [
    pytest.mark.filterwarnings("ignore:Sparse"),
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors"),
]

COMPRESSED = [torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc]
_ROW_MAJOR = (torch.sparse_csr, torch.sparse_bsr)


@pytest.fixture(autouse=True, params=["default"] if SELF_CHECK else ["default", "none"])
def lane(request):
    """Default routes, then all that can be routed over copies on the host."""
    with lanes.forced(request.param):
        yield request.param


def parts(t: torch.Tensor) -> tuple:
    """The strided tensors of a composed tensor."""
    if t.is_nested:
        return tuple(t.unbind())
    if t.layout == torch.sparse_coo:
        return t._indices(), t._values()
    if t.layout in _ROW_MAJOR:
        return t.crow_indices(), t.col_indices(), t.values()
    return t.ccol_indices(), t.row_indices(), t.values()


def alike(got, want, device=TYPE):
    """``got``, on the device, is in every part what ``want`` is on the host."""
    if not isinstance(want, torch.Tensor):
        assert got == want
        return
    assert got.device.type == device and got.dtype == want.dtype and got.layout == want.layout
    assert got.is_nested == want.is_nested and got.requires_grad == want.requires_grad
    if want.is_nested or want.layout != torch.strided:
        if not want.is_nested:
            assert got.shape == want.shape and got._nnz() == want._nnz()
            assert got.sparse_dim() == want.sparse_dim() and got.dense_dim() == want.dense_dim()
        if want.layout == torch.sparse_coo:
            assert got.is_coalesced() == want.is_coalesced()
        with torch.no_grad():
            for g, w in zip(parts(got.detach()), parts(want.detach()), strict=True):
                alike(g, w, device)
        return
    torch.testing.assert_close(got.detach().cpu(), want.detach(), rtol=1e-5, atol=1e-6, equal_nan=True)


def alike_trees(got, want):
    for g, w in zip(pytree.tree_leaves(got), pytree.tree_leaves(want), strict=True):
        alike(g, w)


def dense(d, shape=(4, 6), dtype=torch.float32, seed=1):
    """A third of the elements is zero."""
    n = torch.Size(shape).numel()
    x = ((torch.arange(n) * 7 + seed) % 11 - 5).view(shape).to(dtype) / (2 if dtype.is_floating_point else 1)
    return torch.where((torch.arange(n) % 3 == seed % 3).view(shape), torch.zeros((), dtype=dtype), x).to(d)


def unsorted(d, dtype=torch.float32):
    """Not coalesced: (1, 2) is there twice, and the order is wrong."""
    indices = torch.tensor([[3, 1, 0, 1], [5, 2, 0, 2]])
    values = torch.tensor([3.0, 1.0, -2.0, 0.5]).to(dtype)
    return torch.sparse_coo_tensor(indices.to(d), values.to(d), (4, 6))


def hybrid(d):
    indices = torch.tensor([[0, 2, 2], [1, 0, 1]])
    return torch.sparse_coo_tensor(indices.to(d), (torch.arange(9.0).view(3, 3) - 4).to(d), (3, 2, 3))


def empty(d):
    return torch.sparse_coo_tensor(torch.empty(2, 0, dtype=torch.long).to(d), torch.empty(0).to(d), (4, 6))


def compressed(d, layout=torch.sparse_csr, **kwargs):
    block = {"blocksize": (2, 2)} if layout in (torch.sparse_bsr, torch.sparse_bsc) else {}
    return dense(d, **kwargs).to_sparse(layout=layout, **block)


def nested(d):
    return torch.nested.nested_tensor([torch.arange(6.0).view(2, 3), -torch.arange(12.0).view(4, 3)]).to(d)


def gradients(fn, *leaves):
    """fn's result and the gradients of its leaves under a fixed cotangent."""
    leaves = [x.detach().requires_grad_() for x in leaves]
    out = fn(*leaves)
    strided = out.to_dense() if out.layout != torch.strided else out
    (strided * (torch.arange(strided.numel()).view(strided.shape) % 5 - 1.0).to(strided.device)).sum().backward()
    # Whether a gradient's coalesced flag survives hangs on the strides of its indices.
    return [out.detach()] + [x.grad.coalesce() if x.grad.layout == torch.sparse_coo else x.grad for x in leaves]


def after(t, *calls):
    """t after in-place calls: they return t itself, and bump its version by as much as on the host."""
    for call in calls:
        assert call(t) is t
    return t, t._version


def embedding_steps(d, optimizer, mode=None):
    torch.manual_seed(0)
    kind = torch.nn.Embedding if mode is None else torch.nn.EmbeddingBag
    layer = kind(10, 4, sparse=True, **({} if mode is None else {"mode": mode})).to(d)
    steps = optimizer(layer.parameters())
    grads = []
    for words in ([[1, 2, 2], [9, 1, 0]], [[4, 4, 4], [0, 1, 2]]):
        steps.zero_grad()
        layer(torch.tensor(words).to(d)).square().sum().backward()
        grads.append(layer.weight.grad.clone())
        steps.step()
    return grads, layer.weight.detach()


def saved(t):
    buffer = io.BytesIO()
    torch.save(t, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=True)


def new_out(fn, d, layout=torch.sparse_coo):
    out = torch.zeros(4, 6, device=d).to_sparse(layout=layout)
    assert fn(out) is out
    return out


CASES = {
    # ---- making
    "unsorted": unsorted,
    "coordinates-from-lists": lambda d: torch.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], (2, 3), device=d),
    "coordinates-inferred-size": lambda d: torch.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], device=d),
    "coordinates-by-size": lambda d: torch.sparse_coo_tensor((3, 2), device=d),
    "coordinates-checked": lambda d: torch.sparse_coo_tensor(
        [[0, 1]], [1.0, 2.0], (4,), device=d, check_invariants=True
    ),
    "coordinates-empty": empty,
    "coordinates-hybrid": hybrid,
    "coordinates-scalar": lambda d: torch.sparse_coo_tensor(torch.zeros(0, 1, dtype=torch.long), [3.0], (), device=d),
    "torch.empty": lambda d: torch.empty(3, 4, layout=torch.sparse_coo, device=d),
    "torch.zeros": lambda d: torch.zeros(3, 4, layout=torch.sparse_coo, device=d),
    "torch.empty-csr": lambda d: torch.empty(3, 4, layout=torch.sparse_csr, device=d).shape,
    "zeros_like": lambda d: [
        torch.zeros_like(unsorted(d)),
        torch.zeros_like(compressed(d)),
        torch.empty_like(unsorted(d)),
    ],
    "csr": lambda d: torch.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [1.0, 2.0, 3.0], (2, 3), device=d),
    "csr-int32": lambda d: torch.sparse_csr_tensor(
        torch.tensor([0, 1, 1], dtype=torch.int32), torch.tensor([2], dtype=torch.int32), [4.0], (2, 3), device=d
    ),
    "csr-batched": lambda d: torch.sparse_csr_tensor([[0, 1, 2]] * 2, [[0, 1]] * 2, [[1.0, 2], [3, 4]], device=d),
    "csc": lambda d: torch.sparse_csc_tensor([0, 1, 1, 2], [0, 1], [1.0, 2.0], (2, 3), device=d),
    "bsr": lambda d: torch.sparse_bsr_tensor([0, 1, 2], [0, 1], torch.ones(2, 2, 3), (4, 6), device=d),
    "bsc": lambda d: torch.sparse_bsc_tensor([0, 1, 2], [0, 1], torch.ones(2, 2, 3), (4, 6), device=d),
    "compressed": lambda d: torch.sparse_compressed_tensor(
        [0, 1, 2], [0, 1], [1.0, 2.0], (2, 3), layout=torch.sparse_csr, device=d
    ),
    "spdiags": lambda d: torch.sparse.spdiags(dense("cpu", (2, 4)), torch.tensor([0, 1]), (4, 4)).to(d),
    # ---- conversions
    "to_sparse": lambda d: dense(d).to_sparse(),
    "to_sparse-dims": lambda d: dense(d, (2, 3, 4)).to_sparse(2),
    "to_sparse-int": lambda d: dense(d, dtype=torch.int64).to_sparse(),
    "to_sparse-strided-view": lambda d: dense(d).t()[1:, ::2].to_sparse(),
    "to_dense": lambda d: [unsorted(d).to_dense(), hybrid(d).to_dense(), empty(d).to_dense()],
    "to_dense-csr": lambda d: compressed(d).to_dense(),
    "csr-and-back": lambda d: unsorted(d).coalesce().to_sparse_csr().to_sparse_coo(),
    "dtypes": lambda d: [
        unsorted(d, t) for t in (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.complex64)
    ],
    "double": lambda d: [unsorted(d).double(), compressed(d).half(), unsorted(d).to(torch.int64)],
    "from-host": lambda d: [unsorted("cpu").to(d), compressed("cpu").to(d), hybrid("cpu").to(d), empty("cpu").to(d)],
    "to-host-and-back": lambda d: unsorted(d).cpu().to(d),
    "copy_": lambda d: after(empty(d), lambda t: t.copy_(unsorted(d)), lambda t: t.copy_(unsorted("cpu"))),
    "copy_-csr": lambda d: after(
        compressed(d), lambda t: t.copy_(compressed(d) * 2), lambda t: t.copy_(compressed("cpu"))
    ),
    "clone": lambda d: [unsorted(d).clone(), compressed(d).clone(), hybrid(d).clone()],
    "deepcopy": lambda d: [copy.deepcopy(unsorted(d)), copy.deepcopy(hybrid(d))],
    "saved": lambda d: [saved(unsorted(d)), saved(unsorted(d).coalesce()), saved(compressed(d))],
    # ---- structure
    "coalesce": lambda d: [unsorted(d).coalesce(), hybrid(d).coalesce(), empty(d).coalesce()],
    "coalesce-again": lambda d: (lambda t: t.coalesce() is t)(unsorted(d).coalesce()),
    "indices-values": lambda d: [f(unsorted(d).coalesce()) for f in (torch.Tensor.indices, torch.Tensor.values)],
    "values-share-memory": lambda d: (lambda t: (t._values().mul_(2), t)[1])(unsorted(d)),
    "_coalesced_": lambda d: after(unsorted(d), lambda t: t._coalesced_(True)),
    "sparse_resize_": lambda d: after(unsorted(d), lambda t: t.sparse_resize_((5, 8), 2, 0)),
    "sparse_resize_and_clear_": lambda d: after(unsorted(d), lambda t: t.sparse_resize_and_clear_((5, 8, 2), 2, 1)),
    "zero_": lambda d: [after(unsorted(d), torch.Tensor.zero_), after(compressed(d), torch.Tensor.zero_)],
    "transpose": lambda d: [
        unsorted(d).t(),
        unsorted(d).coalesce().transpose(0, 1),
        compressed(d).t(),
        hybrid(d).permute(1, 0, 2),
    ],
    "unsqueeze-cat": lambda d: [
        unsorted(d).unsqueeze(1),
        torch.cat([unsorted(d), unsorted(d)]),
        torch.stack([unsorted(d), unsorted(d)]),
    ],
    "select": lambda d: [unsorted(d)[1], compressed(d)[1, 2], hybrid(d)[2], unsorted(d).narrow_copy(0, 1, 2)],
    "index_select": lambda d: unsorted(d).index_select(1, torch.tensor([5, 2, 2]).to(d)),
    "sparse_mask": lambda d: [
        dense(d).sparse_mask(unsorted(d).coalesce()),
        unsorted(d).coalesce().sparse_mask(dense(d).to_sparse()),
    ],
    # ---- arithmetic
    "add-sub-mul": lambda d: [
        unsorted(d) + unsorted(d),
        unsorted(d) - dense(d).to_sparse(),
        unsorted(d) * unsorted(d),
        unsorted(d) * 3,
        unsorted(d) / 2,
    ],
    "same-twice": lambda d: (lambda t: t * t + t)(unsorted(d).coalesce()),
    "dense+sparse": lambda d: [
        dense(d) + unsorted(d),
        torch.add(dense(d), unsorted(d), alpha=2),
        dense(d) * unsorted(d),
    ],
    "csr-arithmetic": lambda d: [compressed(d) + compressed(d, seed=2), compressed(d) * 2, dense(d) + compressed(d)],
    "promotion": lambda d: [unsorted(d, torch.int32) * 1.5, unsorted(d, torch.float16) + unsorted(d)],
    "unary": lambda d: [
        f(t) for f in (torch.sin, torch.abs, torch.neg, torch.sqrt, torch.isnan) for t in (unsorted(d), compressed(d))
    ],
    "relu": lambda d: [unsorted(d).relu(), compressed(d).relu(), torch.nn.functional.relu(hybrid(d))],
    "pow-norm": lambda d: [
        unsorted(d).coalesce().pow(2),
        unsorted(d).norm(),
        torch.sparse.sum(unsorted(d)),
        compressed(d).sum(),
    ],
    "sums": lambda d: [
        torch.sparse.sum(unsorted(d), 0),
        unsorted(d).sum(),
        hybrid(d).sum(2),
        torch.sparse.sum(hybrid(d), [0, 2]),
    ],
    "softmax": lambda d: [torch.sparse.softmax(unsorted(d), 1), torch.sparse.log_softmax(hybrid(d), 0)],
    "mm": lambda d: [
        torch.sparse.mm(unsorted(d), dense(d, (6, 3))),
        unsorted(d) @ dense(d, (6,)),
        torch.mm(compressed(d), dense(d, (6, 3))),
    ],
    "mm-sparse": lambda d: [
        torch.sparse.mm(unsorted(d), unsorted(d).t()),
        (compressed(d) @ compressed(d, shape=(6, 4))),
    ],
    "addmm": lambda d: [
        torch.sparse.addmm(dense(d, (4, 3)), unsorted(d), dense(d, (6, 3)), beta=2),
        torch.addmm(dense(d, (4, 3)), compressed(d), dense(d, (6, 3)), alpha=3),
    ],
    "bmm": lambda d: torch.bmm(torch.stack([unsorted(d), unsorted(d)]).coalesce(), dense(d, (2, 6, 3))),
    "hspmm-sspaddmm": lambda d: [
        torch.hspmm(unsorted(d), dense(d, (6, 3))),
        torch.sspaddmm(unsorted(d), unsorted(d), dense(d, (6, 6))),
    ],
    "sampled_addmm": lambda d: torch.sparse.sampled_addmm(compressed(d), dense(d, (4, 5)), dense(d, (5, 6))),
    "mm-reduce": lambda d: [
        torch.sparse.mm(compressed(d), dense(d, (6, 3)), r) for r in ("sum", "mean", "amax", "amin")
    ],
    "triangular_solve": lambda d: torch.triangular_solve(
        dense(d, (3, 2)), torch.tensor([[2.0, 1, 0], [0, 1, 3], [0, 0, 4]]).to(d).to_sparse_csr()
    )[0],
    # ---- in place and out=
    "dense.add_(sparse)": lambda d: after(
        dense(d), lambda t: t.add_(unsorted(d)), lambda t: t.add_(hybrid(d).sum(2).to_dense()[0, 0])
    ),
    "dense-view.add_(sparse)": lambda d: (lambda t: (t.t()[1:].add_(unsorted(d)), t)[1])(dense(d, (6, 5))),
    "dense.sub_(sparse)": lambda d: after(dense(d), lambda t: t.sub_(unsorted(d), alpha=3)),
    "add_": lambda d: after(
        unsorted(d), lambda t: t.add_(unsorted(d)), lambda t: t.add_(dense(d).to_sparse(), alpha=2)
    ),
    "mul_-div_": lambda d: after(unsorted(d), lambda t: t.mul_(2), lambda t: t.div_(4), lambda t: t.mul_(unsorted(d))),
    "add_-itself": lambda d: after(unsorted(d), lambda t: t.add_(t)),
    "add_-empty": lambda d: after(empty(d), lambda t: t.add_(unsorted(d))),
    "unary_": lambda d: [
        after(unsorted(d).coalesce(), torch.Tensor.sin_, torch.Tensor.neg_),
        after(compressed(d), torch.Tensor.sin_),
    ],
    "csr-in-place": lambda d: after(
        compressed(d), lambda t: t.mul_(3), lambda t: t.add_(compressed(d)), lambda t: t.fill_(1)
    ),
    "old-parts-live-on": lambda d: (lambda t, v: (t.add_(unsorted(d)), t, v)[1:])(
        *(lambda t: (t, t._values()))(unsorted(d))
    ),
    "add-out": lambda d: [
        new_out(lambda out: torch.add(unsorted(d), unsorted(d), out=out), d),
        new_out(lambda out: torch.add(compressed(d), compressed(d, seed=2), out=out), d, torch.sparse_csr),
    ],
    "mul-out": lambda d: new_out(lambda out: torch.mul(unsorted(d), dense(d).to_sparse(), out=out), d),
    "sin-out": lambda d: new_out(lambda out: torch.sin(unsorted(d), out=out), d),
    "mm-out": lambda d: (lambda out: (torch.mm(unsorted(d), dense(d, (6, 3)), out=out) is out, out))(
        torch.empty(4, 3).to(d)
    ),
    "addmm_": lambda d: after(dense(d, (4, 3)), lambda t: t.addmm_(unsorted(d), dense(d, (6, 3)))),
    # ---- gradients
    "grad-to_sparse": lambda d: gradients(lambda x: x.to_sparse() * 2, dense(d)),
    "grad-to_sparse_csr": lambda d: gradients(lambda x: x.to_sparse_csr(), dense(d)),
    "grad-to_dense": lambda d: gradients(torch.Tensor.to_dense, unsorted(d)),
    "grad-csr-to_dense": lambda d: gradients(torch.Tensor.to_dense, compressed(d)),
    "grad-values": lambda d: gradients(
        lambda v: torch.sparse_coo_tensor([[0, 2, 0]], v, (3,), device=d) * 3, dense(d, (3,))
    ),
    "grad-coalesce": lambda d: gradients(lambda x: x.coalesce().values().square(), unsorted(d)),
    "grad-mm": lambda d: gradients(torch.sparse.mm, unsorted(d).coalesce(), dense(d, (6, 3))),
    "grad-csr-mm": lambda d: gradients(lambda a, b: a @ b, compressed(d), dense(d, (6, 3))),
    "grad-mm-reduce": lambda d: gradients(lambda a, b: torch.sparse.mm(a, b, "amax"), compressed(d), dense(d, (6, 3))),
    "grad-mm-reduce-of-other": lambda d: gradients(
        lambda b: torch.sparse.mm(compressed(d), b, "amin"), dense(d, (6, 3))
    ),
    "grad-sampled_addmm": lambda d: gradients(
        torch.sparse.sampled_addmm, compressed(d), dense(d, (4, 5)), dense(d, (5, 6))
    ),
    "grad-addmm": lambda d: gradients(
        lambda a, b, c: torch.sparse.addmm(a, b, c), dense(d, (4, 3)), unsorted(d).coalesce(), dense(d, (6, 3))
    ),
    "grad-sum": lambda d: gradients(lambda x: torch.sparse.sum(x, 0), unsorted(d).coalesce()),
    "grad-softmax": lambda d: gradients(lambda x: torch.sparse.softmax(x, 1), unsorted(d).coalesce()),
    "grad-dense+sparse": lambda d: gradients(lambda a, b: a + b, dense(d), unsorted(d)),
    "grad-gather": lambda d: gradients(
        lambda x: torch.gather(x, 1, torch.tensor([[1], [0], [5], [2]]).to(d), sparse_grad=True), dense(d)
    ),
    "embedding-sgd": lambda d: embedding_steps(d, lambda p: torch.optim.SGD(p, lr=0.1)),
    "embedding-adagrad": lambda d: embedding_steps(d, lambda p: torch.optim.Adagrad(p, lr=0.1)),
    "embedding-sparse-adam": lambda d: embedding_steps(d, lambda p: torch.optim.SparseAdam(list(p), lr=0.1)),
    "embedding-bag": lambda d: embedding_steps(d, lambda p: torch.optim.SGD(p, lr=0.1), "mean"),
    "accumulated-grads": lambda d: (
        lambda w: (
            [
                torch.nn.functional.embedding(torch.tensor(i).to(d), w, sparse=True).sum().backward()
                for i in ([1, 1], [0])
            ],
            w.grad,
        )
    )(dense(d).requires_grad_())[1],
    # ---- nested
    "nested": nested,
    "nested-made-here": lambda d: torch.nested.nested_tensor([[1.0, 2.0], [3.0]], device=d),
    "nested-padded": lambda d: nested(d).to_padded_tensor(-1.0),
    "nested-arithmetic": lambda d: [
        nested(d) + nested(d),
        nested(d) * 2,
        nested(d).relu(),
        nested(d).sgn(),
        -nested(d),
    ],
    "nested-in-place": lambda d: [
        after(nested(d), lambda t: t.mul_(3), lambda t: t.add_(nested(d)), torch.Tensor.relu_)
    ],
    "nested-views": lambda d: [
        nested(d)[1],
        nested(d).transpose(1, 2),
        nested(d).unbind(),
        nested(d).transpose(1, 2).contiguous(),
    ],
    "nested-matmul": lambda d: torch.matmul(nested(d), nested(d).transpose(1, 2)),
    "nested-linear": lambda d: gradients(
        lambda w: torch.nn.functional.linear(nested(d), w).to_padded_tensor(0.0), dense(d, (5, 3))
    ),
    "nested-softmax-norm": lambda d: [
        nested(d).softmax(-1),
        torch.nn.LayerNorm(3).to(d)(nested(d)).detach(),
        nested(d).sum(-1, True),
    ],
    "nested-clone": lambda d: [nested(d).clone(), nested(d).detach(), torch.ones_like(nested(d)), nested(d).half()],
    "nested-to-host": lambda d: nested(d).cpu().to(d),
    "nested-as": lambda d: gradients(
        lambda a, b: torch.nested.as_nested_tensor([a, b]).to_padded_tensor(0.0), dense(d, (2, 3)), dense(d, (4, 3))
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_as_on_host(case):
    got = CASES[case](DEV)
    synchronize()
    alike_trees(got, CASES[case]("cpu"))


@pytest.mark.parametrize("layout", COMPRESSED, ids=str)
def test_compressed_layouts(layout):
    def steps(d):
        t = compressed(d, layout)
        batched = (
            torch.stack([dense("cpu"), dense("cpu")])
            .to(d)
            .to_sparse(
                layout=layout, **({"blocksize": (2, 2)} if layout in (torch.sparse_bsr, torch.sparse_bsc) else {})
            )
        )
        results = [
            t,
            t.to_dense(),
            t.to_sparse(),
            t.clone(),
            t.to(torch.float64),
            t.cpu().to(d),
            t.sin(),
            batched,
            batched.to_dense(),
        ]
        if layout in (torch.sparse_csr, torch.sparse_bsr):
            results += [t @ dense(d, (6, 4)), t * 2]
        results.append(after(t.clone(), lambda t: t.copy_(compressed(d, layout)), torch.Tensor.zero_))
        return results

    alike_trees(steps(DEV), steps("cpu"))


def test_host_copies_are_on_the_host():
    for make in (unsorted, hybrid, empty, compressed, nested):
        alike(make(DEV).cpu(), make("cpu"), device="cpu")


def test_printed():
    for make in (unsorted, hybrid, compressed, nested):
        want = repr(make("cpu"))
        got = repr(make(DEV)).replace(f"device='{DEV}', ", "").replace(f", device='{DEV}'", "")
        assert "".join(got.split()) == "".join(want.split())


ERRORS = {
    "index out of range": lambda d: torch.sparse_coo_tensor(
        [[0, 4]], [1.0, 2.0], (3,), device=d, check_invariants=True
    ),
    "negative index": lambda d: torch.sparse_coo_tensor([[0, -1]], [1.0, 2.0], (3,), device=d, check_invariants=True),
    "sizes disagree": lambda d: torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0, 3.0], (3,), device=d),
    "bad crow": lambda d: torch.sparse_csr_tensor(
        [0, 3, 2], [0, 1], [1.0, 2.0], (2, 2), device=d, check_invariants=True
    ),
    "values not coalesced": lambda d: unsorted(d).values(),
    "shapes": lambda d: unsorted(d) + torch.sparse_coo_tensor((2, 2), device=d),
    "mm shapes": lambda d: torch.sparse.mm(unsorted(d), dense(d, (4, 3))),
    "no kernel": lambda d: torch.cumsum(unsorted(d), 0),
    "no csr kernel": lambda d: torch.fft.fft(compressed(d)),
    "sparse into dense": lambda d: dense(d).copy_(unsorted(d)),
    "in place into int": lambda d: unsorted(d, torch.int32).div_(2),
    "dense out": lambda d: torch.add(unsorted(d), unsorted(d), out=dense(d)),
    "shrink": lambda d: unsorted(d).sparse_resize_((2, 2), 2, 0),
    "storage": lambda d: unsorted(d).untyped_storage(),
    "view": lambda d: unsorted(d).view(-1),
    "leaf in place": lambda d: unsorted(d).requires_grad_().mul_(2),
    "nested size": lambda d: nested(d).size(1),
    "nested add": lambda d: nested(d) + nested(d)[0],
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_as_on_host(case):
    with pytest.raises(Exception) as want:
        ERRORS[case]("cpu")
    with pytest.raises(want.type):
        ERRORS[case](DEV)
    alike(unsorted(DEV) * 2, unsorted("cpu") * 2)


@needs_device
def test_no_kernel_is_told():
    with pytest.raises(NotImplementedError, match=r"no lane of flagos serves cumsum.*to_dense"):
        torch.cumsum(unsorted(DEV), 0)


@needs_device
def test_two_devices_are_told():
    with pytest.raises(RuntimeError, match="same device"):
        torch.sparse.mm(unsorted("cpu"), dense(DEV, (6, 3)))
    with pytest.raises(RuntimeError, match="same device"):
        unsorted(DEV) + unsorted("cpu")


@needs_two_devices
def test_second_device():
    second = torch.device(TYPE, 1)
    for make in (unsorted, hybrid, empty, compressed, nested):
        there = make(second)
        assert all(part.device == second for part in (there, *parts(there)))
        here = there.to(DEV)
        assert here.device == DEV
        alike(here, make("cpu"))
        alike(there * 2, make("cpu") * 2)


@needs_device
def test_calls_are_counted(lane):
    t = unsorted(DEV)
    with torch_fl.census() as census:
        t.coalesce()
        torch.mm(t, dense(DEV, (6, 3)))
        compressed(DEV).sin()
        nested(DEV).relu()
    seen = {row.op: row.lane for row in census.rows()}
    best = "none" if lane == "none" else next(name for name in lanes.lanes() if name != lanes.vendor_name())
    for op in ("_coalesce", "mm", "sin", "relu"):
        assert seen[op] == best
    rows = [row for row in census.rows() if row.op == "_coalesce"]
    assert rows[0].bytes == (4 * 2 * 8 + 4 * 4) + (3 * 2 * 8 + 3 * 4)  # of the parts


@needs_device
def test_calls_are_explained(lane):
    best = "none" if lane == "none" else next(name for name in lanes.lanes() if name != lanes.vendor_name())
    for fn, args in ((torch.mm, (unsorted(DEV), dense(DEV, (6, 3)))), (torch.sin, (compressed(DEV),))):
        step = torch_fl.explain(fn, *args).steps[0]
        assert step.op == fn.__name__ and step.lane == best
    assert torch_fl.explain(torch.Tensor._nnz, unsorted(DEV)).steps[0].lane == "core"


@needs_device
def test_parts_are_not_copied(lane):
    """By boxing, results adopt memory, and operands share theirs."""
    if lane == "none" or "boxing" not in torch_fl.lanes():
        pytest.skip("copies by design")
    t = unsorted(DEV).coalesce()
    kept = t.values().data_ptr()
    assert t.sin_().values().data_ptr() == kept and t.permute(1, 0)._values().data_ptr() == kept


def test_many_in_inference_mode():
    def run(d):
        with torch.inference_mode():
            t = unsorted(d)
            for _ in range(20):
                t = (t + unsorted(d)).coalesce()
            return t.to_dense()

    alike(run(DEV), run("cpu"))


def test_encoder_with_padding():
    """nn.TransformerEncoder packs padded rows into a nested tensor."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 2).eval()
    x = torch.randn(3, 5, 8)
    mask = torch.arange(5) >= torch.tensor([[5], [3], [1]])
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        want = model(x, src_key_padding_mask=mask)
        got = copy.deepcopy(model).to(DEV)(x.to(DEV), src_key_padding_mask=mask.to(DEV))
    torch.testing.assert_close(got.cpu(), want, rtol=1e-4, atol=1e-5)
    assert got.device == on_device([0]).device


def test_explain_of_a_nested_tensor_says_what_to_do():
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device=DEV)
    with pytest.raises(TypeError, match="unbind"):
        torch_fl.explain(torch.add, nested, nested)
