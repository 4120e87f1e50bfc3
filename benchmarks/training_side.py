"""One side of the training benchmark, in its own process, which `workloads/training.py` starts and asks."""

import json
import sys

import harness
import torch
from workloads import decoder, paired
from workloads.sides import boxing, clocked, counted

LEARNING_RATE = 1e-4


class Side:
    def __init__(self, job: dict) -> None:
        name = job["device"]
        if name.startswith("flagos"):
            self.device = harness.open_device(name)
            # For the rest of the process: backward runs on other threads, and routes are the process's.
            boxing()(self.device).__enter__()
        else:
            self.device = torch.device(name)
            torch.set_num_threads(1)
        # Drawn by the same kernels on both sides, so that they begin with the same numbers.
        self.model = decoder.build(torch.device(job["native"]), job["small"]).to(self.device).train()
        # What AdamW takes by itself on cuda, said so that the CPU takes it too.
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=LEARNING_RATE, foreach=True)
        generator = torch.Generator().manual_seed(0)
        ids = torch.randint(self.model.config.vocab_size, tuple(job["size"]), generator=generator)
        self.ids, self.steps = ids.to(self.device), job["steps"]
        self.first = [float(loss) for loss in self.train()]

    def step(self) -> torch.Tensor:
        loss = self.model(input_ids=self.ids, labels=self.ids, use_cache=False).loss
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def train(self) -> list[torch.Tensor]:
        return [self.step() for _ in range(self.steps)]

    def answer(self, word: str) -> dict:
        if word == "first":
            return {"losses": self.first}
        if word == "census":
            return counted(self.device, self.step).to_json()
        losses: list[torch.Tensor] = []
        took = clocked(self.device, lambda: losses.extend(self.train()))
        return {"ms": took / self.steps, "losses": [float(loss) for loss in losses]}


def main() -> None:
    job = json.loads(sys.argv[1])
    side = Side(job)
    if job["plain"] and "torch_fl" in sys.modules:
        raise RuntimeError("the native side has loaded torch_fl")
    paired.serve({"ready": True}, side.answer)


if __name__ == "__main__":
    main()
