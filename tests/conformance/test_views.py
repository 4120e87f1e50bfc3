"""Views share memory and version counters; set_, .data= and storages may be exchanged under the feet of any cache."""

import pytest
import torch
from harness import lanes
from harness.compare import close, same
from harness.device import DEV, SELF_CHECK, TYPE, index, needs_two_devices

VIEWS = {
    "view": lambda t: t.view(4, 6),
    "reshape": lambda t: t.reshape(3, 8),
    "transpose": lambda t: t.transpose(0, 2),
    "permute": lambda t: t.permute(2, 0, 1),
    "slice": lambda t: t[:, 1:, ::2],
    "select": lambda t: t[1],
    "narrow": lambda t: t.narrow(2, 1, 2),
    "unsqueeze": lambda t: t.unsqueeze(1),
    "squeeze": lambda t: t[:1].squeeze(0),
    "expand": lambda t: t[:1].expand(3, 3, 4),
    "diagonal": lambda t: t.diagonal(0, 1, 2),
    "unfold": lambda t: t.unfold(2, 2, 1),
    "as_strided": lambda t: t.as_strided((2, 2), (5, 1), 3),
    "flatten": lambda t: t.flatten(),
    "unflatten": lambda t: t.unflatten(2, (2, 2)),
    "movedim": lambda t: t.movedim(0, -1),
    "view_dtype": lambda t: t.view(torch.int32),
    "view_smaller": lambda t: t.view(torch.int16),
    "view_larger": lambda t: t.view(torch.float64),
    "detach": lambda t: t.detach(),
    "real": lambda t: torch.view_as_complex(t.view(2, 3, 2, 2)).real,
    "imag": lambda t: torch.view_as_complex(t.view(2, 3, 2, 2)).conj().imag,
    "alias": lambda t: torch.ops.aten.alias(t),
    "neg_view": lambda t: torch._neg_view(t),
}
MANY = {
    "split": lambda t: t.split(1, 1),
    "split_sizes": lambda t: t.split([1, 3], 2),
    "chunk": lambda t: t.chunk(2, 2),
    "unbind": lambda t: t.unbind(1),
    "tensor_split": lambda t: t.tensor_split(3, 2),
    "hsplit": lambda t: t.hsplit(3),
}


def _base():
    return torch.arange(24.0).view(2, 3, 4)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_view_is_what_the_host_gives(view):
    h, d = _base(), _base().to(DEV)
    vh, vd = view(h), view(d)
    assert vd.device == DEV and vd.shape == vh.shape and vd.stride() == vh.stride()
    assert vd.storage_offset() == vh.storage_offset() and vd.dtype == vh.dtype
    assert vd.untyped_storage().data_ptr() == d.untyped_storage().data_ptr()
    assert vd._is_view() == vh._is_view()
    close(vd.resolve_neg().resolve_conj(), vh.resolve_neg().resolve_conj())


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_writes_go_through(view):
    h, d = _base(), _base().to(DEV)
    vh, vd = view(h), view(d)
    if 0 in vh.stride():
        vh, vd = vh[:1], vd[:1]
    version = d._version
    vh.mul_(2)
    vd.mul_(2)
    close(d, h)
    assert d._version > version or not vd._is_view()
    h[0, 0, 0] = -1
    d[0, 0, 0] = -1
    close(vd.resolve_neg().resolve_conj(), vh.resolve_neg().resolve_conj())


@pytest.mark.parametrize("views", MANY.values(), ids=MANY)
def test_lists_of_views(views):
    h, d = _base(), _base().to(DEV)
    for vh, vd in zip(views(h), views(d), strict=True):
        assert vd.stride() == vh.stride() and vd._is_view() and vd.device == DEV
        vh.add_(1)
        vd.add_(1)
    close(d, h)


def test_version_counter_is_shared():
    x = torch.ones(3, device=DEV, requires_grad=True)
    y = x * 1
    z = y * y
    y.view(3)[0] = 5
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_saved_tensor_that_was_written_is_noticed():
    x = torch.ones(3, device=DEV, requires_grad=True)
    y = x * 2
    z = y * y
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_wrong_views_are_refused():
    d = _base().to(DEV)
    for wrong in (lambda: d.view(5, 5), lambda: d.transpose(0, 1).view(24), lambda: d.as_strided((99,), (1,))):
        with pytest.raises(RuntimeError):
            wrong()
    with pytest.raises(RuntimeError):
        d[:, :, :3].view(torch.float64)
    with pytest.raises(RuntimeError):
        torch.view_as_complex(d.view(2, 4, 3))


def test_set_to_another_tensor():
    a, b = torch.arange(4.0, device=DEV), torch.arange(10.0, 16.0, device=DEV)
    close(a + 1, [1.0, 2.0, 3.0, 4.0])
    a.set_(b)
    assert a.data_ptr() == b.data_ptr() and a.shape == (6,)
    close(a + 1, torch.arange(11.0, 17.0))
    b.add_(1)
    close(a, torch.arange(11.0, 17.0))


def test_set_to_a_storage():
    base = torch.arange(12.0, device=DEV)
    x = torch.zeros(3, device=DEV)
    layouts = [(0, (3,), (1,)), (1, (3,), (1,)), (1, (3,), (2,)), (2, (2, 3), (1, 4)), (0, (12,), (1,))]
    for offset, size, stride in layouts:
        x.set_(base.untyped_storage(), offset, size, stride)
        want = torch.arange(12.0).as_strided(size, stride, offset)
        close(x, want)
        close(x * 2, want * 2)
        close(x.exp(), want.exp())
    x.set_()
    assert x.numel() == 0 and x.device == DEV


def test_set_refuses_another_device_or_dtype():
    if not SELF_CHECK:
        with pytest.raises(RuntimeError):
            torch.ones(2, device=DEV).set_(torch.ones(2))
    with pytest.raises(RuntimeError):
        torch.ones(2, device=DEV).set_(torch.ones(2, dtype=torch.int64, device=DEV))


def test_data_assignment():
    x = torch.ones(3, device=DEV)
    close(x + 1, [2.0, 2.0, 2.0])
    for value in (2.0, 5.0):
        other = torch.full((4,), value, device=DEV)
        x.data = other
        close(x + 1, torch.full((4,), value + 1))
        assert x.data_ptr() == other.data_ptr()
    x.data = torch.arange(6.0, device=DEV).view(2, 3).t()
    close(x * 1, torch.arange(6.0).view(2, 3).t())


@pytest.mark.parametrize("lane", ["default"] if SELF_CHECK else ["default", *lanes.lanes()])
def test_ops_follow_every_change_of_a_tensor(lane):
    """Whatever a lane caches about a tensor, it must notice each way to change what the tensor is."""

    def use(t):
        return (t + 1).cpu(), (t * t).cpu(), t.sum().cpu(), torch.cat([t.flatten(), t.flatten()]).cpu()

    def check(d, h):
        for got, want in zip(use(d), use(h), strict=True):
            torch.testing.assert_close(got, want)

    with lanes.forced(lane):
        h, d = torch.arange(6.0), torch.arange(6.0).to(DEV)
        check(d, h)
        changes = [
            lambda t: t.set_(torch.arange(20.0, 26.0, device=t.device)),
            lambda t: t.set_(t.untyped_storage(), 2, (3,), (1,)),
            lambda t: t.set_(t.untyped_storage(), 1, (3,), (1,)),
            lambda t: t.set_(t.untyped_storage(), 0, (2, 3), (1, 2)),
            lambda t: t.set_(t.untyped_storage(), 0, (3, 2), (2, 1)),
            lambda t: setattr(t, "data", torch.arange(3.0, device=t.device)),
            lambda t: t.resize_(0).resize_(5).fill_(3.0),
            lambda t: t.untyped_storage().resize_(0),
            lambda t: t.untyped_storage().resize_(400),
            lambda t: t.resize_(50).fill_(2.0),
            lambda t: t.t_() if t.dim() == 2 else t.unsqueeze_(0),
            lambda t: t.squeeze_(),
            lambda t: t.as_strided_((2, 2), (3, 1), 1),
            lambda t: t.zero_(),
        ]
        for i, change in enumerate(changes):
            change(h)
            change(d)
            if i == 7:  # its memory is gone until the next step
                continue
            if i == 8:
                h.fill_(4.0)
                d.fill_(4.0)
            check(d, h)


def test_swap_of_storages():
    a, b = torch.ones(3, device=DEV), torch.zeros(3, device=DEV)
    (a + b).cpu()
    torch.utils.swap_tensors(a, b)
    close(a + 1, [1.0, 1.0, 1.0])
    close(b + 1, [2.0, 2.0, 2.0])


@needs_two_devices
def test_data_of_another_device():
    p = torch.nn.Parameter(torch.ones(3, device=index(0)))
    (p + 1).cpu()
    try:
        p.data = p.data.to(index(1)) * 2
    except RuntimeError:
        assert p.device == index(0)
        return
    r = p + 1
    assert r.device == index(1) and r.tolist() == [3, 3, 3]


def test_results_of_views_on_the_host_and_back():
    def f(t):
        a = t.transpose(0, 1)
        b = a[1:]
        b.add_(10)
        return a.contiguous(), b.flatten(), t.view(-1)[5:], t.unfold(1, 2, 2).sum(-1)

    same(f, _base())


def test_in_place_through_a_view_of_a_view():
    d = torch.zeros(4, 4, device=DEV)
    d[1:3][:, 1:3].fill_(1)
    d.t()[0].add_(2)
    d.diagonal().mul_(3)
    h = torch.zeros(4, 4)
    h[1:3][:, 1:3].fill_(1)
    h.t()[0].add_(2)
    h.diagonal().mul_(3)
    close(d, h)


def test_shared_storage_is_seen_by_the_type_too():
    x = torch.arange(4, device=DEV)
    s = x.untyped_storage()
    assert s.device.type == TYPE and s.nbytes() == 32
    y = torch.empty(0, dtype=torch.int64, device=DEV).set_(s)
    y.add_(1)
    close(x, torch.tensor([1, 2, 3, 4]))
    assert x.is_set_to(torch.empty(0, dtype=torch.int64, device=DEV).set_(s, 0, (4,), (1,)))
