"""Faults that users of other accelerator backends reported: serialization, deepcopy, moves of modules."""

import copy
import io
import pickle

import torch
from harness.compare import close
from harness.device import DEV, TYPE, on_device
from torch import nn


def test_save_load():
    """No storage (de)serializer -> values, device, dtype, strides and storage sharing survive.

    Report: artyom-beilis/pytorch_dlprim#84, pytorch/pytorch#98920 (save/load of device tensors)
    """
    base = torch.arange(12.0).view(3, 4).to(DEV)
    f = io.BytesIO()
    torch.save(
        {
            "b": base,
            "v": base[1:, 2],
            "t": base.t(),
            "p": nn.Parameter(on_device([1.0])),
            "e": base[:0],
            "s": on_device(3),
        },
        f,
    )
    f.seek(0)
    r = torch.load(f, weights_only=True)
    assert (
        all(x.device.type == TYPE for x in r.values())
        and isinstance(r["p"], nn.Parameter)
        and r["t"].stride() == (1, 4)
        and r["e"].shape == (0, 4)
    )
    close(r["v"], [6.0, 10.0])
    close(r["s"], torch.tensor(3))
    r["b"][1, 2] = -1.0
    close(r["v"], [-1.0, 10.0])
    close(base[1, 2], torch.tensor(6.0))


def test_deepcopy_and_pickle():
    """Deepcopy failed on the storage type -> independent copy, device/grad flag/aliasing kept; pickle too.

    Report: intel/intel-extension-for-pytorch#51, pytorch/pytorch#107427 (deepcopy)
    """
    p = nn.Parameter(on_device([1.0, 2.0]))
    p.grad = on_device([3.0, 4.0])
    q = copy.deepcopy(p)
    assert type(q) is nn.Parameter and q.requires_grad and q.device == p.device and q.data_ptr() != p.data_ptr()
    t = on_device([1.0]).requires_grad_()
    t.grad = on_device([5.0])
    u = copy.deepcopy(t)
    close(u.grad, [5.0])
    assert u.is_leaf and u.grad.data_ptr() != t.grad.data_ptr()
    b = on_device([1, 2, 3, 4])
    d = copy.deepcopy({"x": b, "y": b[1:3]})
    d["x"][1] = 9
    close(d["y"], torch.tensor([9, 3]))
    close(b, torch.tensor([1, 2, 3, 4]))
    r = pickle.loads(pickle.dumps(on_device([[1.0, 2.0], [3.0, 4.0]]).t()))
    close(r, [[1.0, 3.0], [2.0, 4.0]])
    m = copy.deepcopy(nn.Linear(2, 2).to(DEV))
    assert m.weight.device.type == TYPE
    o = torch.optim.Adam([p])
    o.step()
    o2 = torch.optim.Adam([q])
    o2.load_state_dict(copy.deepcopy(o.state_dict()))
    q.grad = on_device([3.0, 4.0])
    o2.step()
    assert o2.state[q]["exp_avg"].device.type == TYPE and o2.state[q]["step"].item() == 2


def test_set_data_across_devices():
    """'incompatible tensor type' -> p.data = p.data.to(dev) works both ways with p the same object.

    Report: pytorch/pytorch#196975, #116258, #172564 (assigning .data across devices)
    """
    p = nn.Parameter(torch.ones(3))
    p.data = p.data.to(DEV)
    close(p, [1.0, 1.0, 1.0])
    assert p.is_leaf and p.requires_grad
    (p * 2).sum().backward()
    close(p.grad, [2.0, 2.0, 2.0])
    p.grad = None
    p.data = p.data.cpu() + 1
    assert p.device.type == "cpu" and p.tolist() == [2.0] * 3
    lin = nn.Linear(2, 2)
    ids = [id(q) for q in lin.parameters()]
    lin.to(DEV)
    assert ids == [id(q) for q in lin.parameters()]
