"""Calls by PyTorch's kernels of another key as they are when nobody watches: by typed entries, which a census or a log
turns off, and through aliases that outlive the call."""

import contextlib
import gc
import threading

import pytest
import torch
from harness import lanes, opinfo
from harness.compare import against, assert_same_call, assert_tree, close, concerns_device, same_grads
from harness.device import DEV, REFERENCE, SELF_CHECK, index, module, needs_device, needs_two_devices, synchronize

if not SELF_CHECK:
    import torch_fl

pytestmark = [
    needs_device,
    pytest.mark.skipif(not SELF_CHECK and "boxing" not in lanes.lanes(), reason="the vendor has no boxing lane"),
]

HOST = torch.device("cpu")
_SAMPLES = 3


@pytest.fixture(scope="module", params=["default"] if SELF_CHECK else ["boxing", "none"])
def lane(request):
    """A lane of another key's kernels, and no census: see test_opinfo.py for the same calls with one."""
    # The lane `none` is the host.
    with lanes.forced(request.param), against(HOST if request.param == "none" else REFERENCE):
        yield request.param


@pytest.fixture
def boxing():
    with lanes.forced("default" if SELF_CHECK else "boxing"):
        yield


def _ids(ops):
    return pytest.mark.parametrize("op", ops, ids=[opinfo.name(op) for op in ops])


@_ids([op for op in opinfo.all_ops() if op.supported_dtypes("cpu")])
def test_unwatched(lane, op):
    dtype = opinfo.first_dtype(op)
    values = not opinfo.is_random(op, dtype) and op.name not in opinfo.UNINITIALISED
    tol = opinfo.tolerance(op, dtype)
    for sample in opinfo.samples(op, dtype, _SAMPLES):
        arguments = opinfo.arguments(sample)
        if not concerns_device(arguments):
            continue
        assert_same_call(opinfo.function(op), arguments, values=values, tol=tol)
        if op.inplace_variant is not None and not sample.broadcasts_input:
            assert_same_call(op.inplace_variant, arguments, values=values, tol=tol)


# -- a tensor that is another one than at the last call


def _set(x):
    x.set_(x.untyped_storage(), 3, (2, 4), (4, 1))


def _set_other(x):
    x.set_(torch.full((4, 4), 9.0, device=x.device))


def _resize(x):
    x.resize_(2, 2)


def _grow(x):
    x.resize_(4, 8)
    x.fill_(3)


def _data(x):
    x.data = torch.arange(5.0, device=x.device)


def _data_of_another_dtype(x):
    x.data = torch.arange(6, dtype=torch.int32, device=x.device).view(2, 3)


def _storage_grows(x):
    x.untyped_storage().resize_(4096)
    x.fill_(2)


def _swap(x):
    torch.utils.swap_tensors(x, torch.full((3,), 7.0, device=x.device))


_CHANGES = {
    "set_": _set,
    "set_ to another storage": _set_other,
    "resize_": _resize,
    "resize_ beyond the storage": _grow,
    "data": _data,
    "data of another dtype": _data_of_another_dtype,
    "t_": lambda x: x.t_(),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "squeeze_ and transpose_": lambda x: x.unsqueeze_(0).transpose_(0, 2),
    "as_strided_": lambda x: x.as_strided_((3, 3), (1, 1), 2),
    "storage.resize_": _storage_grows,
    "swap_tensors": _swap,
}
_CALLS = {
    "add.Tensor": lambda x: x + x,
    "mul.Tensor": lambda x: x * 2,
    "add_.Tensor": lambda x: x.clone().add_(x),
    "neg": lambda x: -x,
    "cat": lambda x: torch.cat([x, x]),
    "_foreach_add.Scalar": lambda x: torch._foreach_add([x, x], 1),
    "logaddexp": lambda x: torch.logaddexp(x.float(), x.float()),  # without a typed entry
}


@pytest.mark.parametrize("call", _CALLS)
@pytest.mark.parametrize("change", _CHANGES)
def test_a_tensor_that_changed(boxing, change, call):
    def steps(device):
        x = torch.arange(16.0, device=device).view(4, 4)
        found = [_CALLS[call](x)]
        for _ in range(2):
            _CHANGES[change](x)
            found.append(_CALLS[call](x))
        return found

    assert_tree(steps(DEV), steps("cpu"))


def test_bits_are_part_of_what_an_alias_stands_for(boxing):
    x = torch.tensor([1 + 2j, 3 - 4j])
    y = x.to(DEV)
    for _ in range(2):
        close(y * y, x * x)
        close(y.conj() * y, x.conj() * x)
        close(y.conj().imag * 2, x.conj().imag * 2)  # a negative view
        close(y.imag * 2, x.imag * 2)


def test_views_at_one_address(boxing):
    """A view takes the place of one that is gone; only part of what they are differs."""
    base = torch.arange(24.0)
    there = base.to(DEV)
    for offset, sizes, strides in [(0, (4,), (1,)), (4, (4,), (1,)), (4, (2, 2), (2, 1)), (4, (2, 2), (1, 2))] * 2:
        close(there.as_strided(sizes, strides, offset) + 1, base.as_strided(sizes, strides, offset) + 1)
    for dtype in (torch.float32, torch.int32, torch.int32, torch.float32):
        close(there.view(dtype) == 0, base.view(dtype) == 0)


def test_dimensions_beyond_the_usual(boxing):
    for dims in (1, 7, 2, 9, 0):
        x = torch.arange(float(2**dims)).view((2,) * dims)
        close(x.to(DEV) + 1, x + 1)


# -- one storage


def test_operands_over_one_storage(boxing):
    x = torch.arange(12.0)
    y = x.to(DEV)
    for _ in range(2):
        close(y[:6] + y[6:], x[:6] + x[6:])
        close(torch.where(y[:4] > 1, y[4:8], y[8:]), torch.where(x[:4] > 1, x[4:8], x[8:]))
        close(torch.cat([y[:3], y[3:6], y]), torch.cat([x[:3], x[3:6], x]))


def test_overlap_is_seen(boxing):
    x = torch.arange(8.0, device=DEV)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="memory"):
            x[1:].add_(x[:-1])
        with pytest.raises(RuntimeError, match="memory"):
            torch._foreach_add_([x.view(2, 4).expand(3, 2, 4)], 1)
    close(x, torch.arange(8.0))


@pytest.mark.parametrize("count", [3, 40, 300])
def test_lists(boxing, count):
    """Some tensors of a list have memory of their own, some share one buffer, some are in it twice."""

    def steps(device):
        buffer = torch.arange(float(4 * count), device=device)
        tensors = list(buffer.view(count, 4).unbind()) + [
            torch.full((3,), float(i), device=device) for i in range(count)
        ]
        others = tensors[::2] + tensors[1::2]
        # A copy: in what order an operator reads and writes the elements of lists is its own.
        others = [o[:3].clone() if t.numel() == 3 else o.new_ones(4) for t, o in zip(tensors, others, strict=True)]
        for _ in range(2):
            torch._foreach_add_(tensors, others)
            torch._foreach_mul_(tensors, 0.5)
            torch._foreach_addcmul_(tensors, others, others, 0.25)
        return buffer, tensors, torch._foreach_norm(tensors), torch._foreach_mul([*tensors, *tensors], 2.0)

    assert_tree(steps(DEV), steps("cpu"))


# -- what a call leaves behind


def test_an_error_leaves_nothing_behind(boxing):
    x, y = torch.ones(3, device=DEV), torch.ones(4, device=DEV)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="must match"):
            x + y
        with pytest.raises(RuntimeError):
            torch.cat([x, y.view(2, 2)])
        close(x + x, [2.0, 2.0, 2.0])
        close(torch.cat([x, y]), [1.0] * 7)


def test_out_is_resized_and_moved(boxing):
    a, b = torch.randn(3, 4), torch.randn(4, 5)
    for shape in ((0,), (3, 5), (15,)):
        out = torch.empty(shape, device=DEV)
        with pytest.warns(UserWarning, match="resized") if shape == (15,) else contextlib.nullcontext():
            assert torch.mm(a.to(DEV), b.to(DEV), out=out) is out
        close(out, a @ b, rtol=1e-5, atol=1e-5)
        close(out + 1, a @ b + 1, rtol=1e-5, atol=1e-5)
    out = torch.empty(0, device=DEV)
    torch.cat([a.to(DEV), a.to(DEV)], out=out)
    close(out, torch.cat([a, a]))


def test_a_lazy_copy_is_made_before_it_is_written(boxing):
    x = torch.ones(4, device=DEV)
    y = torch._lazy_clone(x)
    close(x + y, [2.0] * 4)
    y.add_(1)
    close(x, [1.0] * 4)
    close(y, [2.0] * 4)


def _allocated():
    gc.collect()
    synchronize()
    return module().memory_allocated()


def test_memory_goes_with_its_tensor(boxing):
    base = _allocated()
    x = torch.ones(1 << 20, device=DEV)
    y = x + x
    z = torch.cat([x, y])
    torch._foreach_add_([x, y], 1)
    del x, y, z
    assert _allocated() == base, "an alias holds memory"


def test_a_storage_that_is_emptied_is_free(boxing):
    x = torch.ones(1 << 20, device=DEV)
    x + x
    held = _allocated()
    x.untyped_storage().resize_(0)  # what sharded parameters do
    assert held - _allocated() >= 4 << 20
    x.untyped_storage().resize_(4 << 20)
    x.fill_(2)
    close((x + x)[:2], [4.0, 4.0])


def test_a_result_can_be_written(boxing):
    x = torch.ones(4, device=DEV)
    y = x + x
    y.add_(1)
    y.resize_(8)[4:].fill_(5)
    close(y, [3.0] * 4 + [5.0] * 4)
    close(x, [1.0] * 4)


# -- devices, threads, gradients


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.inference_mode])
def test_a_result_has_the_keys_of_a_fresh_tensor(boxing, mode):
    with mode():
        x = torch.ones(3, device=DEV)
        lazy = torch.ones(3, dtype=torch.complex64, device=DEV).conj()
        for made, alike in [(x + x, x), (x.sum(), x), (lazy + lazy, lazy.resolve_conj()), (x > 0, x > 0)]:
            fresh = torch.empty_like(alike)
            assert torch._C._dispatch_keys(made) == torch._C._dispatch_keys(fresh)
            assert made.device == fresh.device == x.device
            assert made.is_inference() == fresh.is_inference()


@needs_two_devices
def test_devices_in_turns(boxing):
    for _ in range(3):
        for device in (0, 1):
            x = torch.full((3,), device + 1.0, device=index(device))
            empty = torch.empty(0, device=index(device))
            for result in (x + x, torch.cat([x, empty]), empty + empty, torch._foreach_add([x], 1)[0]):
                assert result.device == index(device)
            close((x + x).cpu().to(DEV), [2.0 * (device + 1)] * 3)
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(2, device=index(0)) + torch.ones(2, device=index(1))


def test_host_tensors_among_them(boxing):
    x = torch.ones(3, device=DEV)
    close(x + torch.tensor(2.0), [3.0] * 3)
    close(torch.tensor(2.0) * x, [2.0] * 3)
    close(torch.where(x > 0, torch.tensor(4.0), x), [4.0] * 3)
    for wrong in (lambda: x + torch.ones(3), lambda: torch.ones(()).add_(x[0]), lambda: torch.cat([x, torch.ones(3)])):
        got, want = _error(wrong)
        assert got is not None, want


def _error(call):
    try:
        return None, call()
    except RuntimeError as error:
        return error, None


def test_one_tensor_on_many_threads(boxing):
    """Each thread has aliases of its own; the tensor changes in between, and is freed by whoever is last."""
    rounds, errors = 60, []
    shared = torch.arange(64.0, device=DEV)
    gate = threading.Barrier(4)

    def work(k):
        try:
            for i in range(rounds):
                gate.wait()
                mine = shared[k * 16 : (k + 1) * 16]
                want = torch.arange(64.0)[k * 16 : (k + 1) * 16] + i
                close(mine + 0, want)
                close(torch.cat([mine, mine]), torch.cat([want, want]))
                gate.wait()
                if k == 0:
                    shared.add_(1)
        except BaseException as error:
            errors.append(error)
            gate.abort()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors[0]


def test_freed_by_another_thread(boxing):
    base = _allocated()
    box = [torch.ones(1 << 18, device=DEV)]
    box.append(box[0] + box[0])
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert _allocated() == base
    x = torch.full((1 << 18,), 3.0, device=DEV)
    close((x + x)[:1], [6.0])


def test_training(boxing):
    """Typed entries forward and backward, and the lists of an optimizer."""

    def run(device, foreach, fused):
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Embedding(11, 8),
            torch.nn.Linear(8, 16),
            torch.nn.GELU(),
            torch.nn.LayerNorm(16),
            torch.nn.Linear(16, 8),
            torch.nn.SiLU(),
            torch.nn.GroupNorm(5, 5),
            torch.nn.Flatten(),
            torch.nn.Linear(40, 4),
        ).to(device)
        ids, want = torch.arange(15).view(3, 5) % 11, torch.tensor([0, 3, 1])
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=foreach, fused=fused)
        losses = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(ids.to(device)), want.to(device))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
        return losses

    for foreach, fused in ((True, False), (False, True), (False, False)):
        torch.testing.assert_close(run(DEV, foreach, fused), run("cpu", foreach, fused), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "module_of", [lambda: torch.nn.Conv2d(3, 4, 3), lambda: torch.nn.ConvTranspose2d(3, 4, 3, stride=2, groups=1)]
)
def test_convolution(boxing, module_of):
    torch.manual_seed(0)
    weights = dict(module_of().named_parameters())
    transposed = "Transpose" in type(module_of()).__name__
    convolve = torch.nn.functional.conv_transpose2d if transposed else torch.nn.functional.conv2d
    x = torch.randn(2, 3, 8, 8)
    same_grads(
        lambda x, w, b: convolve(x, w, b), x, weights["weight"].detach(), weights["bias"].detach(), rtol=1e-4, atol=1e-4
    )


# -- recurrent networks

_NETWORKS = {
    "lstm": lambda **k: torch.nn.LSTM(5, 6, **k),
    "lstm projected": lambda **k: torch.nn.LSTM(5, 6, proj_size=3, **k),
    "gru": lambda **k: torch.nn.GRU(5, 6, **k),
    "rnn tanh": lambda **k: torch.nn.RNN(5, 6, **k),
    "rnn relu": lambda **k: torch.nn.RNN(5, 6, nonlinearity="relu", **k),
}
_SHAPES = {
    "plain": {},
    "two layers both ways": {"num_layers": 2, "bidirectional": True},
    "batch first": {"batch_first": True},
    "no bias": {"bias": False},
}
# Where the boxing key is a device of PyTorch's own, whole layers are one op of it.
_LAYERS = not SELF_CHECK and torch_fl._C.shared_key() is not None


def _network(network, shape, device, packed):
    torch.manual_seed(0)
    net = _NETWORKS[network](**_SHAPES[shape]).to(device).train()
    x = torch.randn(4, 3, 5).to(device).requires_grad_()
    given = x
    if packed:
        given = torch.nn.utils.rnn.pack_padded_sequence(
            x, [3, 2, 2] if net.batch_first is False else [3, 3, 2, 1], batch_first=net.batch_first
        )
    out, state = net(given)
    if packed:
        out, _ = torch.nn.utils.rnn.pad_packed_sequence(out, batch_first=net.batch_first)
    states = state if isinstance(state, tuple) else (state,)
    (out.sin().sum() + sum(s.sum() for s in states)).backward()
    return [out, *states, x.grad, *(p.grad for p in net.parameters())]


@pytest.mark.parametrize("packed", [False, True], ids=["padded", "packed"])
@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("network", _NETWORKS)
def test_recurrent(boxing, network, shape, packed):
    found, want = _network(network, shape, DEV, packed), _network(network, shape, "cpu", packed)
    for f, w in zip(found, want, strict=True):
        close(f, w, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(not _LAYERS, reason="the boxing key has no kernel for whole layers")
@pytest.mark.parametrize("network", _NETWORKS)
def test_layers_are_the_keys(boxing, network):
    with lanes.served_by("boxing", "_cudnn_rnn", "_cudnn_rnn_backward"):
        _network(network, "two layers both ways", DEV, packed=False)
    with torch.backends.cudnn.flags(enabled=False), torch_fl.census() as census:
        _network(network, "plain", DEV, packed=False)
    assert "_cudnn_rnn" not in {row.op for row in census.rows()}


@pytest.mark.skipif(not _LAYERS, reason="the boxing key has no fused cell")
def test_cells_are_the_keys(boxing):
    cells = (torch.nn.LSTMCell, "_thnn_fused_lstm_cell"), (torch.nn.GRUCell, "_thnn_fused_gru_cell")
    for cell, op in cells:
        net, x = cell(5, 6).to(DEV), torch.randn(3, 5, device=DEV, requires_grad=True)
        backward = op + ("_backward_impl" if "lstm" in op else "_backward")
        with lanes.served_by("boxing", op, backward):
            out = net(x)
            (out[0] if isinstance(out, tuple) else out).sum().backward()


def test_dropout_between_layers(boxing):
    net = torch.nn.LSTM(5, 6, num_layers=2, dropout=0.5).to(DEV).train()
    x = torch.randn(4, 3, 5, device=DEV)

    def run():
        torch.manual_seed(3)
        return net(x)[0].detach()

    first = run()
    assert not torch.equal(first, net(x)[0]), "the mask is the same at each call"
    close(run(), first)
    assert torch.equal(net.eval()(x)[0], net(x)[0])


def test_recurrent_under_autocast(boxing):
    net = torch.nn.LSTM(5, 6).to(DEV)
    with torch.autocast(DEV.type, torch.bfloat16):
        out, _ = net(torch.randn(4, 3, 5, device=DEV))
    out.float().sum().backward()
    assert all(torch.isfinite(p.grad.cpu()).all() for p in net.parameters())
