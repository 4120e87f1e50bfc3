"""Trains a tiny network to tell two interleaved spirals apart, on whatever accelerator PyTorch finds.

The script names no device and imports nothing of torch_fl, as most scripts do not. Try

    torch-fl run examples/train_mlp.py            # and see a summary of the lanes
    torch-fl census -- examples/train_mlp.py      # and see every op, where it ran, and what to accelerate next
"""

import argparse
import math

import torch
from torch import nn


def spirals(points: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns `points` positions, float32 of shape (points, 2), and their spiral, int64 of shape (points,)."""
    generator = torch.Generator().manual_seed(0)
    label = torch.arange(points, device="cpu") % 2
    turn = torch.rand(points, generator=generator, device="cpu") * 2 * math.pi
    angle = turn + label * math.pi
    position = torch.stack([turn * angle.cos(), turn * angle.sin()], dim=1) / (2 * math.pi)
    return position, label


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200, help="optimizer steps (default: 200)")
    parser.add_argument("--points", type=int, default=512, help="points in the two spirals (default: 512)")
    options = parser.parse_args()

    device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    position, label = (tensor.to(device) for tensor in spirals(options.points))

    for step in range(1, options.steps + 1):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(position), label)
        loss.backward()
        optimizer.step()
        if step % max(1, options.steps // 5) == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}", flush=True)
    accuracy = (model(position).argmax(dim=1) == label).float().mean().item()
    print(f"accuracy {accuracy:.1%} on {next(model.parameters()).device}")


if __name__ == "__main__":
    main()
