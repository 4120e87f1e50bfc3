"""Only the functions that a build of PyTorch lacks are added to it."""

import torch

from torch_fl.flagos import parallel


def test_install_adds_what_is_missing(monkeypatch):
    names = [
        "_broadcast",
        "_broadcast_out",
        "_broadcast_coalesced",
        "_scatter",
        "_scatter_out",
        "_gather",
        "_gather_out",
    ]
    for name in names:
        monkeypatch.delattr(torch._C, name, raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch._C, "_gather", lambda *_: "PyTorch's own", raising=False)
    try:
        parallel.install()
        assert torch._C._gather([torch.ones(1)], 0, 0) == "PyTorch's own"
        assert torch._C._scatter is parallel.scatter
        assert all(hasattr(torch._C, name) for name in names)
    finally:
        for name in names:
            if name != "_gather" and hasattr(torch._C, name):
                delattr(torch._C, name)
