"""save and load, pickle, deepcopy, map_location, state dicts, shared storages."""

import copy
import io
import pickle

import pytest
import torch
from harness import child
from harness.compare import close
from harness.device import DEV, TYPE, index, needs_device, needs_two_devices
from torch import nn


def _round_trip(value, **options):
    f = io.BytesIO()
    torch.save(value, f)
    f.seek(0)
    return torch.load(f, **{"weights_only": True, **options})


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.complex64, torch.uint16],
    ids=str,
)
def test_dtypes(dtype):
    h = torch.arange(6).to(dtype)
    r = _round_trip(h.clone().to(DEV))
    assert r.device == DEV
    close(r, h)


def test_views_share_their_storage_afterwards():
    base = torch.arange(12.0).view(3, 4).clone().to(DEV)
    r = _round_trip({"b": base, "v": base[1:, 2], "t": base.t()})
    assert r["t"].stride() == (1, 4) and r["v"].storage_offset() == 6
    r["b"][1, 2] = -1
    close(r["v"], [-1.0, 10.0])
    assert r["t"][2, 1].item() == -1 and base[1, 2].item() == 6


def test_conj_and_neg_bits():
    x = torch.tensor([1 + 2j, 3 - 1j]).to(DEV)
    close(_round_trip(x.conj()).resolve_conj(), torch.tensor([1 - 2j, 3 + 1j]))
    close(_round_trip(torch._neg_view(x.real)).resolve_neg(), torch.tensor([-1.0, -3.0]))


def test_parameters_and_grad_flags():
    p = nn.Parameter(torch.ones(2, device=DEV), requires_grad=False)
    r = _round_trip({"p": p, "x": torch.ones(2, device=DEV, requires_grad=True)})
    assert type(r["p"]) is nn.Parameter and not r["p"].requires_grad and r["x"].requires_grad


@needs_device
@pytest.mark.parametrize(
    "where", ["cpu", torch.device("cpu"), lambda storage, location: storage.cpu(), {f"{TYPE}:0": "cpu"}]
)
def test_map_location_to_the_host(where):
    r = _round_trip(torch.arange(3.0).to(DEV), map_location=where)
    assert r.device.type == "cpu" and r.tolist() == [0, 1, 2]


@needs_device
def test_map_location_to_the_device():
    r = _round_trip(torch.arange(3.0), map_location=TYPE)
    close(r, [0.0, 1.0, 2.0])


@needs_two_devices
def test_device_index_is_kept():
    assert _round_trip(torch.ones(2, device=index(1))).device == index(1)
    assert _round_trip(torch.ones(2, device=index(1)), map_location=f"{TYPE}:0").device == index(0)


@needs_device
def test_file_of_a_device_is_readable_without_torch_fl(tmp_path):
    """On a machine without the device the file loads with map_location."""
    path = tmp_path / "x.pt"
    torch.save({"x": torch.arange(3.0).to(DEV)}, path)
    child.check(
        f"""
        import torch
        x = torch.load({str(path)!r}, map_location="cpu", weights_only=True)["x"]
        assert x.device.type == "cpu" and x.tolist() == [0, 1, 2]
        """,
        env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        head=False,
    )


def test_pickle():
    x = torch.arange(6.0).view(2, 3).clone().to(DEV).t()
    r = pickle.loads(pickle.dumps(x))
    assert r.device == DEV and r.stride() == x.stride()
    close(r, torch.arange(6.0).view(2, 3).t())


def test_deepcopy():
    x = torch.arange(4.0).clone().to(DEV)
    d = copy.deepcopy({"x": x, "v": x[1:3]})
    d["x"][1] = 9
    close(d["v"], [9.0, 2.0])
    close(x, torch.arange(4.0))
    assert copy.copy(x).data_ptr() == x.data_ptr()
    m = copy.deepcopy(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).to(DEV))
    assert all(t.device == DEV for t in m.state_dict().values())


def test_state_dict_of_model_and_optimizer():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)).to(DEV)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    x = torch.arange(15.0).view(5, 3).to(DEV) / 10

    def step(model, optimizer):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    step(model, optimizer)
    saved = _round_trip({"model": model.state_dict(), "optimizer": optimizer.state_dict()})
    want = [step(model, optimizer) for _ in range(3)]
    other = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)).to(DEV)
    other_optimizer = torch.optim.AdamW(other.parameters(), lr=0.1)
    other.load_state_dict(saved["model"])
    other_optimizer.load_state_dict(saved["optimizer"])
    assert [step(other, other_optimizer) for _ in range(3)] == pytest.approx(want, rel=1e-5)
    assert all(s["exp_avg"].device == DEV for s in other_optimizer.state.values())


def test_module_moves():
    m = nn.LSTM(2, 3, 2).to(DEV)
    assert all(p.device == DEV and p.is_leaf for p in m.parameters())
    ids = [id(p) for p in m.parameters()]
    m.double()
    assert ids == [id(p) for p in m.parameters()]
    assert all(p.dtype == torch.float64 and p.device == DEV for p in m.parameters())
    m.cpu().float()
    assert all(p.device.type == "cpu" for p in m.parameters())
    with torch.device("meta"):
        empty = nn.Linear(3, 3)
    empty.to_empty(device=DEV)
    assert empty.weight.device == DEV
