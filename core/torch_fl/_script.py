"""``python -m torch_fl._script [--default-device] script.py ...``: runs a script with torch_fl imported before it."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path


def main() -> None:
    """Runs the script as ``python script.py ...`` would: its own sys.argv, its folder first on the path."""
    import torch

    import torch_fl  # noqa: F401 (activates the device)

    arguments = sys.argv[1:]
    if arguments[0] == "--default-device":
        arguments.pop(0)
        torch.set_default_device("flagos")
    sys.argv = arguments
    sys.path[0] = str(Path(arguments[0]).resolve().parent)
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
