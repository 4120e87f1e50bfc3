"""torch_fl.as_key and from_key: one memory as a tensor of flagos and as one of the vendor's boxing key."""

import contextlib
import gc

import pytest
import torch
from harness import child
from harness.compare import close
from harness.device import DEV, SELF_CHECK, device_count, index, needs_device, needs_two_devices
from torch.nn import functional as F

if not SELF_CHECK:
    import torch_fl
    from torch_fl import _native, compile

pytestmark = needs_device


def _key() -> str | None:
    if SELF_CHECK or device_count() == 0 or compile.why_not() is not None:
        return None
    return _native.module().sharing_key()


KEY = _key()
shares = pytest.mark.skipif(KEY is None, reason="the vendor has no boxing key here (test_without_key)")


@contextlib.contextmanager
def readable(*devices: int):
    """The host waits for the devices and may touch their memory, which a simulated one may else protect."""
    torch.accelerator.synchronize()
    with _native.module().HostMemory(list(devices or (0,))) if KEY == "cpu" else contextlib.nullcontext():
        yield


def values(alias: torch.Tensor) -> torch.Tensor:
    with readable():
        return alias.cpu().clone()


@shares
@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.bfloat16, torch.complex64], ids=str)
def test_both_ways(dtype):
    h = torch.arange(12).view(3, 4).to(dtype)
    x = h.clone().to(DEV)
    alias = torch_fl.as_key(x)
    assert alias.device.type == KEY and alias.dtype == dtype and alias.data_ptr() == x.data_ptr()
    assert alias.device.index == (None if KEY == "cpu" else x.device.index)
    torch.testing.assert_close(values(alias), h)
    back = torch_fl.from_key(alias)
    assert back.device == DEV and back.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    close(back, h)
    back.zero_()
    torch.testing.assert_close(values(alias), torch.zeros_like(h))
    close(x, torch.zeros_like(h))


@shares
def test_writes_of_either_are_the_others():
    x = torch.zeros(4, device=DEV)
    alias = torch_fl.as_key(x)
    with readable():
        alias += 2
    close(x, [2.0] * 4)
    x.mul_(3)
    torch.accelerator.synchronize()
    assert values(alias).tolist() == [6.0] * 4


@shares
def test_geometry():
    base = torch.arange(48.0).to(DEV).view(6, 8)
    for x in (base[1:, ::2].t(), base[2], base[:0], base.view(2, 3, 8).permute(2, 0, 1), base[3, 4]):
        alias = torch_fl.as_key(x)
        assert alias.shape == x.shape and alias.stride() == x.stride()
        assert alias.storage_offset() == x.storage_offset()
        assert alias.untyped_storage().nbytes() == x.untyped_storage().nbytes()
        torch.testing.assert_close(values(alias), x.cpu())
        close(torch_fl.from_key(alias), x.cpu())
    z = torch.complex(base, base)
    with readable():
        got = torch_fl.as_key(z.conj()).cpu().resolve_conj().clone()
    torch.testing.assert_close(got, z.conj().cpu().resolve_conj())
    assert torch_fl.as_key(z.conj()).is_conj() and torch_fl.as_key(z.conj().imag).is_neg()


@shares
def test_overlap_is_seen():
    """Aliases of tensors that share a storage share one, too."""
    x = torch.zeros(8, device=DEV)
    first, second = torch_fl.as_key(x[:6]), torch_fl.as_key(x[2:])
    assert first.untyped_storage()._cdata == second.untyped_storage()._cdata
    with pytest.raises(RuntimeError, match="single memory location"), readable():
        torch.add(first, 1, out=second)


@shares
def test_one_version_counter():
    x = torch.zeros(3, device=DEV)
    alias = torch_fl.as_key(x)
    view = torch_fl.from_key(alias[1:])
    with readable():
        alias.add_(1)
    assert x._version == alias._version == 1
    view.add_(1)
    x.add_(1)
    assert alias._version == x._version >= 2


@shares
def test_autograd_sees_a_write_through_the_alias():
    w = torch.ones(3, device=DEV, requires_grad=True)
    x = torch.tensor([1.0, 2.0, 3.0], device=DEV)
    y = (w * x).sum()
    with readable():
        torch_fl.as_key(x).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@shares
def test_the_alias_keeps_the_memory():
    gc.collect()
    before = torch.accelerator.memory_allocated()
    x = torch.arange(1000.0, device=DEV)
    alias = torch_fl.as_key(x)[500:]
    del x
    torch.full((1000,), -1.0, device=DEV)
    assert values(alias).tolist() == list(range(500, 1000))
    back = torch_fl.from_key(alias)
    del alias
    close(back, torch.arange(500.0, 1000.0))
    del back
    assert torch.accelerator.memory_allocated() == before


@shares
def test_other_memory():
    """An alias stays with the memory that it was made of."""
    x = torch.ones(4, device=DEV)
    alias = torch_fl.as_key(x)
    x.set_(torch.full((4,), 2.0, device=DEV))
    assert values(alias).tolist() == [1] * 4
    again = torch_fl.as_key(x)
    assert again.data_ptr() == x.data_ptr() and values(again).tolist() == [2] * 4
    with pytest.raises(RuntimeError, match="not resizable"):
        alias.resize_(100)


@shares
def test_the_keys_own_memory():
    if KEY == "cpu":
        with pytest.raises(ValueError, match=r'the host\'s .* tensor.to\("flagos"\)'):
            torch_fl.from_key(torch.ones(3))
        return
    t = torch.arange(6.0, device=KEY).view(2, 3).t()
    x = torch_fl.from_key(t)
    assert x.device == DEV and x.data_ptr() == t.data_ptr() and x.stride() == t.stride()
    assert torch_fl.as_key(x).untyped_storage()._cdata == t.untyped_storage()._cdata
    x.add_(1)
    assert t.flatten().tolist() == [1, 4, 2, 5, 3, 6] and t._version == 1
    x.record_stream(torch.Stream(DEV))
    del t
    close(x, torch.arange(1.0, 7.0).view(2, 3).t())


@shares
def test_what_gradients_ask_for():
    x = torch.ones(3, device=DEV, requires_grad=True)
    for wrong in (x, x * 2):
        with pytest.raises(RuntimeError, match=r"tensor\.detach\(\)"):
            torch_fl.as_key(wrong)
    alias = torch_fl.as_key(x.detach())
    assert not alias.requires_grad and alias.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match=r"tensor\.detach\(\)"):
        torch_fl.from_key(alias.requires_grad_())


@shares
def test_refused():
    with pytest.raises(ValueError, match="expected a tensor of flagos, got one of meta"):
        torch_fl.as_key(torch.ones(2, device="meta"))
    with pytest.raises(ValueError, match=f"expected a tensor of {KEY}, got one of flagos"):
        torch_fl.from_key(torch.ones(2, device=DEV))
    with pytest.raises(TypeError, match="strided"):
        torch_fl.as_key(torch.eye(2, device=DEV).to_sparse())


@pytest.mark.parametrize("function", ["as_key", "from_key"])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "expected a tensor of .*, got None$"),
        (3, "got 3 of type int$"),
        ([1.0], r"got \[1.0\] of type list; of a list give it each tensor$"),
    ],
    ids=["none", "number", "list"],
)
def test_what_is_no_tensor(function, value, text):
    with pytest.raises(TypeError, match=f"torch_fl.{function}: {text}" if text[0] == "e" else text):
        getattr(torch_fl, function)(value)


@shares
def test_explained():
    """What is done to the alias is the key's, and no step; neither memory is touched."""
    x = torch.ones(2, 3, device=DEV)

    def call(t):
        alias = torch_fl.as_key(t + 1)
        assert alias.device.type == KEY and alias.shape == (2, 3)
        alias.mul_(2)
        back = torch_fl.from_key(alias)
        assert back.device == DEV
        return back.exp()

    assert [step.op for step in torch_fl.explain(call, x).steps] == ["add.Tensor", "exp"]
    assert not torch_fl.explain(torch_fl.as_key, x).steps
    alias = torch_fl.as_key(x)
    assert [step.op for step in torch_fl.explain(lambda: torch_fl.from_key(alias) + 1).steps] == ["add.Tensor"]
    with pytest.raises(ValueError, match="expected a tensor of flagos, got one of cpu"):
        torch_fl.explain(torch_fl.as_key, torch.ones(2))
    with pytest.raises(ValueError, match=f"expected a tensor of {KEY}, got one of flagos"):
        torch_fl.explain(torch_fl.from_key, x)
    with pytest.raises(RuntimeError, match=r"tensor\.detach\(\)"):
        torch_fl.explain(torch_fl.as_key, x.clone().requires_grad_())
    assert values(torch_fl.as_key(x)).tolist() == [[1] * 3] * 2


@shares
def test_inference_tensors():
    with torch.inference_mode():
        x = torch.ones(3, device=DEV)
        alias = torch_fl.as_key(x)
        with readable():
            alias.add_(1)
    assert values(torch_fl.as_key(x)).tolist() == [2] * 3


@shares
@needs_two_devices
def test_the_same_device():
    x = torch.ones(3, device=index(1))
    alias = torch_fl.as_key(x)
    assert torch_fl.from_key(alias).device == index(1)
    assert KEY == "cpu" or alias.device.index == 1


@shares
def test_memory_that_the_key_takes_back():
    """Compiled graphs take the memory of earlier results; whoever uses those is told."""
    kept = []

    def graph(args):
        if kept:
            kept.pop().untyped_storage().resize_(0)
        kept.append(torch.full((1000,), 7.0, device=args[0].device))
        return (kept[0],)

    edge = _native.module().Edge(graph, [0], [-1], [0], False)
    x = torch.ones(2, device=DEV)
    (first,) = edge([x])
    close(first, torch.full((1000,), 7.0))
    (second,) = edge([x])
    close(second, torch.full((1000,), 7.0))
    with pytest.raises(RuntimeError, match="was taken"):
        first + 1


@shares
def test_fused_attention_is_asked_for_traced_tensors():
    """aot_eager too runs the attention that the key would choose."""
    q, k, v = (torch.randn(1, 2, 16, 16, device=DEV) for _ in range(3))
    seen = []

    def look(graph, _):
        seen.extend(str(node.target) for node in graph.graph.nodes)
        return graph

    from torch._dynamo.backends.common import aot_autograd

    compiled = torch.compile(F.scaled_dot_product_attention, backend=aot_autograd(fw_compiler=look), fullgraph=True)
    close(compiled(q, k, v), F.scaled_dot_product_attention(q.cpu(), k.cpu(), v.cpu()), rtol=1e-4, atol=1e-5)
    assert any("_scaled_dot_product_" in target for target in seen), seen


def test_without_key():
    """Of the vendor's own device, memory that no PyTorch device sees."""
    child.check(
        """
        from torch_fl import discovery
        facts = dict(discovery.chosen().vendor.facts)
        facts.pop("boxing_key", None)
        discovery.chosen().vendor.facts = facts
        facts["lanes"] = [lane for lane in facts["lanes"] if lane != "boxing"]
        discovery.tell(discovery.chosen(), torch_fl._C)
        import torch_fl
        for share in (torch_fl.as_key, torch_fl.from_key):
            try:
                share(torch.ones(2, device=DEV))
            except NotImplementedError as error:
                assert "no boxing key" in str(error), error
                assert 'tensor.to("cpu")' in str(error) and "dlpack" in str(error), error
            else:
                raise AssertionError("shared")
        """
    )


@shares
def test_shared_memory_is_not_resized_away():
    """It would be freed under the alias, and somebody else's next."""
    t = torch.ones(1024, device=DEV)
    alias = torch_fl.as_key(t)
    for resize in (lambda: t.resize_(100_000), lambda: t.untyped_storage().resize_(0)):
        with pytest.raises(RuntimeError, match="not resizable"):
            resize()
    assert (values(alias) == 1).all() and alias.data_ptr() == t.data_ptr()
    t.resize_(10)  # needs no other memory
    assert t.numel() == 10
