"""A device that PyTorch has too (NVIDIA: `cuda`): memory, streams, random numbers and kernels are shared with it."""

import pytest
import torch
from harness import child
from harness.compare import close
from harness.device import DEV, REFERENCE, SELF_CHECK, module, seed

pytestmark = pytest.mark.skipif(
    SELF_CHECK or REFERENCE.type == "cpu", reason="no device of PyTorch's own is behind this one"
)
if not SELF_CHECK:
    import torch_fl

KEY = REFERENCE.type


def native():
    """``torch.cuda``, initialised: it counts from then on."""
    module_of_key = getattr(torch, KEY)
    module_of_key.init()
    return module_of_key


def test_one_pool_of_memory():
    before = native().memory_allocated()
    x = torch.empty(1 << 20, device=DEV)
    assert native().memory_allocated() - before == 4 << 20 == x.untyped_storage().nbytes()
    assert module().memory_allocated() == native().memory_allocated()
    theirs = torch.empty(1 << 10, device=REFERENCE)
    assert module().memory_allocated() == native().memory_allocated() == before + (4 << 20) + (4 << 10)
    address = x.data_ptr()
    del x, theirs
    assert native().memory_allocated() == before
    assert torch.empty(1 << 20, device=REFERENCE).data_ptr() == address, "what one freed the other uses"


def test_current_streams_are_the_same():
    ours = module().Stream()
    with module().stream(ours):
        assert native().current_stream().stream_id == ours.stream_id
        x = torch.full((1 << 20,), 3.0, device=DEV)
    assert native().current_stream().stream_id == module().current_stream().stream_id != ours.stream_id
    theirs = native().Stream()
    theirs.wait_stream(native().current_stream())
    module().current_stream().wait_stream(ours)
    with native().stream(theirs):
        assert module().current_stream().stream_id == theirs.stream_id
        theirs.wait_stream(native().default_stream())
        y = x * 2
    native().current_stream().wait_stream(theirs)
    close(y[:3], [6.0] * 3)


def test_work_of_both_is_in_one_order():
    x = torch.zeros(1 << 22, device=DEV)
    for i in range(20):
        x += 1
        theirs = x.to(REFERENCE)  # no synchronisation in between
        theirs *= 2
        x = theirs.to(DEV) if i % 2 else x + 1
    assert (x.cpu() == 6138).all()


def test_to_the_key_copies():
    x = torch.arange(4.0, device=DEV)
    theirs = x.to(KEY)
    assert theirs.device == REFERENCE and theirs.data_ptr() != x.data_ptr()
    theirs += 1
    close(x, [0.0, 1.0, 2.0, 3.0])
    back = theirs.to(DEV)
    assert back.device == DEV and back.data_ptr() != theirs.data_ptr()
    close(back, [1.0, 2.0, 3.0, 4.0])


def test_tensors_of_both_do_not_mix_by_accident():
    with pytest.raises(RuntimeError, match="two devices"):
        torch.ones(2, device=DEV) + torch.ones(2, device=REFERENCE)


def test_random_numbers_are_the_keys():
    for draw in (
        lambda d, g: torch.rand(5, device=d, generator=g),
        lambda d, g: torch.randn(5, device=d, generator=g),
        lambda d, g: torch.randperm(50, device=d, generator=g),
        lambda d, g: torch.empty(9, device=d).exponential_(generator=g),
        lambda d, g: torch.multinomial(torch.ones(9, device=d), 4, generator=g),
    ):
        ours, theirs = torch.Generator(DEV).manual_seed(7), torch.Generator(REFERENCE).manual_seed(7)
        assert torch.equal(draw(DEV, ours).cpu(), draw(REFERENCE, theirs).cpu())
        assert torch.equal(ours.get_state(), theirs.get_state())
    seed(3)
    native().manual_seed_all(3)
    first = torch.rand(5, device=DEV).cpu()
    native().manual_seed_all(3)
    assert torch.equal(first, torch.rand(5, device=REFERENCE).cpu())


def test_attention_is_chosen_as_the_key_does():
    q = torch.randn(2, 4, 64, 32, device=DEV, dtype=torch.float16)
    with torch_fl.census() as census, torch.no_grad():
        ours = torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
    (op,) = {row.op for row in census.rows() if "attention" in row.op}
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile, torch.no_grad():
        theirs = q.to(REFERENCE)
        theirs = torch.nn.functional.scaled_dot_product_attention(theirs, theirs, theirs, is_causal=True)
    assert f"aten::{op}" in {event.key for event in profile.key_averages()}
    assert torch.equal(ours.cpu(), theirs.cpu())


def test_convolution_is_the_keys():
    x, w = torch.randn(2, 3, 16, 16, device=DEV), torch.randn(4, 3, 3, 3, device=DEV)
    with torch_fl.census() as census:
        ours = torch.nn.functional.conv2d(x, w, padding=1)
    assert {row.lane for row in census.rows() if "conv" in row.op} == {"boxing"}
    theirs = torch.nn.functional.conv2d(x.to(REFERENCE), w.to(REFERENCE), padding=1)
    assert torch.equal(ours.cpu(), theirs.cpu())


def test_a_graph_of_the_key_replays_what_ours_did():
    x = torch.zeros(4, device=DEV)
    side = native().Stream()
    side.wait_stream(native().current_stream())
    with native().stream(side):
        torch.softmax(x * 2 + 1, 0)  # what a first call sets up is not captured
    native().current_stream().wait_stream(side)
    graph = native().CUDAGraph()
    with native().graph(graph):
        y = x * 2 + 1
        z = torch.softmax(y, 0)
    x.copy_(torch.tensor([5.0, 6.0, 7.0, 8.0]))
    graph.replay()
    close(y, [11.0, 13.0, 15.0, 17.0])
    torch.testing.assert_close(z.cpu(), torch.softmax(torch.tensor([11.0, 13.0, 15.0, 17.0]), 0))


TRAINING = """
import torch
torch.manual_seed(0)
parts = torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.LayerNorm(128), torch.nn.Linear(128, 8)
model = torch.nn.Sequential(*parts).to(NAME)
x, t = torch.randn(32, 64).to(NAME), torch.arange(32).remainder(8).to(NAME)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _ in range(5):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), t)
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


def test_training_gives_the_keys_numbers():
    """In a process each: an active flagos breaks the gradients of the key's tensors."""
    ours = child.check(f"import torch_fl\nNAME = {str(DEV)!r}\n{TRAINING}", head=False)
    asleep = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "FLAGOS_ACCELERATOR": None}
    theirs = child.check(f"NAME = {str(REFERENCE)!r}\n{TRAINING}", env=asleep, head=False)
    assert ours.stdout == theirs.stdout and len(ours.stdout.split()) == 5


@pytest.mark.xfail(
    strict=True,
    reason="PyTorch's autograd engine knows the streams of the process's one accelerator, which is flagos (2.10-2.13)",
)
def test_gradients_of_the_keys_own_tensors():
    code = f"""
        x = torch.ones(3, device={str(REFERENCE)!r}, requires_grad=True)
        (x * 2).sum().backward()
        assert x.grad.tolist() == [2.0] * 3
    """
    assert child.run(code).returncode == 0
