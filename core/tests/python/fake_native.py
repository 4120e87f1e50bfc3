"""A stand-in for torch_fl._C: same names, no device. Ops and lanes are a small fixed world."""

import sys
import types

import torch

OPS = {
    # name -> lanes that have a kernel (none 0, vendor 1, boxing 2); None: a primitive
    "add.Tensor": [0, 1, 2],
    "mul.Tensor": [0, 2],
    "sum.dim_IntList": [0, 1, 2],
    "mm": [0, 1],
    "addmm": [0, 2],
    "t": [0],
    "relu": [0, 1],
    "nonzero": [0, 2],
    "ones": [0],
    "fill_.Scalar": [0, 1],
    "copy_": None,
}


class FakeNative(types.ModuleType):
    """What the last calls were is in its attributes."""

    abi = (1, 0)
    lane_count = 5

    def __init__(self):
        super().__init__("torch_fl._C")
        self.reset()

    def reset(self):
        self.vendor = None
        self.no_vendor = None
        self.rules = None
        self.off = {}
        self.routes_error = None
        self.explained = []
        self.counts = []
        self.state = dict.fromkeys(
            ("log_dispatch", "log_dispatch_legacy", "log_fallback", "log_plan", "strict", "census"), False
        )
        self.replay = None
        self.audit = None
        self.replays = {}

    def switch_replay(self, on):
        self.replay = on

    def set_replay_audit(self, every):
        self.audit = every

    def replay_stats(self):
        return self.replays

    def shared_key(self):
        return None

    def set_vendor(self, facts):
        self.vendor = facts

    def offer(self, lane, ops, resolve, composed):
        return []

    def set_no_vendor(self, why):
        self.no_vendor = why

    def has_vendor(self):
        return self.vendor is not None

    def load(self):
        if self.vendor is None:
            raise RuntimeError(self.no_vendor)

    def vendor_info(self):
        return (
            None if self.vendor is None else {"name": self.vendor["name"], "version": "fake", "rows": 2, "abi": (1, 0)}
        )

    def device_count(self):
        return 2 if self.vendor else 0

    def in_bad_fork(self):
        return False

    def set_routes(self, rules, replaced):
        self.rules = rules
        self.replaced = replaced

    def set_routes_error(self, why):
        self.routes_error = why

    def set_lane_off(self, lane, why):
        self.off[lane] = why

    def ops(self):
        return [(name, f"aten::{name}(...)", lanes is None, lanes or [], [], False) for name, lanes in OPS.items()]

    def op_names(self):
        return [n.removeprefix("aten::") for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")]

    def op_exists(self, name):
        return name in self.op_names()

    def explain(self, op, *args, **kwargs):
        self.explained.append((op, args, kwargs))
        lanes = [("acme", True, ""), ("boxing", False, "behind acme")]
        return {
            "op": op,
            "lane": "acme",
            "source": "routes.conf:7",
            "routed": "acme",
            "lanes": lanes,
            "plan": "no conversion",
        }

    def set_switches(self, **changes):
        assert set(changes) <= set(self.state), changes
        self.state.update(changes)

    def switches(self):
        return dict(self.state)

    def reset_census(self):
        pass  # the tests set what was counted before a block

    def census(self):
        return list(self.counts)

    def plan_stats(self):
        return {"misses": 0, "plans": 0, "evictions": 0, "demotions": 0}


def install():
    """Puts the fake in the place of the native module, unless one is there."""
    sys.modules.setdefault("torch_fl._C", FakeNative())
