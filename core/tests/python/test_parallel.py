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
    own = object()
    monkeypatch.setattr(torch._C, "_gather", own, raising=False)
    try:
        parallel.install()
        assert torch._C._gather is own
        assert torch._C._scatter is parallel.scatter
        assert all(hasattr(torch._C, name) for name in names)
    finally:
        for name in names:
            if getattr(torch._C, name, None) in vars(parallel).values():
                delattr(torch._C, name)
