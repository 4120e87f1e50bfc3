"""An image of 1024 x 1024 from a diffusion transformer in the shape of Qwen-Image's, bfloat16, random weights.

4096 tokens of latents beside the prompt's, ten steps through the library's own pipeline, and the decoder of the VAE.
"""

import copy

import harness
import torch
from harness import Result

from workloads.sides import Options, Sides, Unfit, boxing, clocked, counted, furthest, none_calls, ratio, typed_share

# Qwen-Image has 60 layers of this width.
LAYERS = 20
TRANSFORMER = {
    "patch_size": 2,
    "in_channels": 64,
    "out_channels": 16,
    "attention_head_dim": 128,
    "num_attention_heads": 24,
    "joint_attention_dim": 3584,
    "axes_dims_rope": (16, 56, 56),
}
VAE = {
    "base_dim": 96,
    "z_dim": 16,
    "dim_mult": [1, 2, 4, 4],
    "num_res_blocks": 2,
    "temperal_downsample": [False, True, True],
}
TRANSFORMER_SMALL = {
    "patch_size": 2,
    "in_channels": 16,
    "out_channels": 4,
    "attention_head_dim": 16,
    "num_attention_heads": 2,
    "joint_attention_dim": 16,
    "axes_dims_rope": (4, 6, 6),
}
VAE_SMALL = {"base_dim": 8, "z_dim": 4, "dim_mult": [1, 2], "num_res_blocks": 1, "temperal_downsample": [False]}
# pixels, tokens of the prompt, steps, layers
FULL, SMALL = (1024, 256, 10, LAYERS), (32, 5, 2, 2)
ROUNDS = 7
BAR = 1.03
# Of pixels in 0 to 1: the libraries' convolutions choose their algorithm for each process and shape.
FURTHEST = 0.02


def needs() -> None:
    try:
        import diffusers  # noqa: F401
    except ImportError as error:
        raise Unfit(f"the diffusion transformer needs diffusers ({error}): pip install diffusers") from error


def build(device: torch.device, small: bool, layers: int) -> tuple[torch.nn.Module, torch.nn.Module]:
    """The transformer and the VAE, made on `device` from a fixed seed."""
    from diffusers import AutoencoderKLQwenImage, QwenImageTransformer2DModel

    shape, vae = (TRANSFORMER_SMALL, VAE_SMALL) if small else (TRANSFORMER, VAE)
    usual = torch.get_default_dtype()
    torch.manual_seed(0)
    try:
        torch.set_default_dtype(torch.bfloat16)
        with torch.device(device):
            transformer = QwenImageTransformer2DModel(num_layers=layers, **shape)
            decoder = AutoencoderKLQwenImage(latents_mean=[0.0] * vae["z_dim"], latents_std=[1.0] * vae["z_dim"], **vae)
            return transformer.eval(), decoder.eval()
    finally:
        torch.set_default_dtype(usual)


class Drawing:
    """The pipeline on one device. The inputs are drawn on the host, so that they are the same on all."""

    def __init__(self, device: torch.device, transformer, vae, pixels: int, words: int, steps: int) -> None:
        from diffusers import FlowMatchEulerDiscreteScheduler, QwenImagePipeline

        scheduler = FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True)
        self.pipeline = QwenImagePipeline(scheduler, vae, None, None, transformer)
        self.pipeline.set_progress_bar_config(disable=True)
        generator = torch.Generator().manual_seed(0)
        side = pixels // 2 ** len(vae.temperal_downsample) // 2  # of the image in tokens
        channels, width = transformer.config.in_channels, transformer.config.joint_attention_dim
        self.tokens = side * side

        def draw(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, generator=generator).to(device, torch.bfloat16)

        self.request = {
            "latents": draw(1, self.tokens, channels),
            "prompt_embeds": draw(1, words, width),
            "prompt_embeds_mask": torch.ones(1, words, dtype=torch.int64, device=device),
            "height": pixels,
            "width": pixels,
            "num_inference_steps": steps,
            "true_cfg_scale": 1.0,
            "output_type": "pt",
        }

    def __call__(self) -> torch.Tensor:
        return self.pipeline(**self.request).images


def measure(sides: Sides, options: Options) -> list[Result]:
    needs()
    pixels, words, steps, layers = SMALL if options.small else FULL
    layers = options.layers or layers
    transformer, vae = build(sides.native, options.small, layers)
    draw = {
        sides.native: Drawing(sides.native, transformer, vae, pixels, words, steps),
        sides.own: Drawing(
            sides.own,
            copy.deepcopy(transformer).to(sides.own),
            copy.deepcopy(vae).to(sides.own),
            pixels,
            words,
            steps,
        ),
    }
    tokens = draw[sides.own].tokens
    name = f"diffusion {pixels} x {pixels}, {layers} layers, {steps} steps and VAE, boxing"
    with torch.no_grad(), boxing()(sides.own):
        for device, run in draw.items():
            clocked(device, run)
        samples = harness.interleave(
            options.rounds_or(ROUNDS),
            {
                "native": lambda: clocked(sides.native, draw[sides.native]),
                "own": lambda: clocked(sides.own, draw[sides.own]),
            },
            name,
        )
        apart = furthest(draw[sides.own](), draw[sides.native]())
        seen = counted(sides.own, draw[sides.own])
    billions = sum(p.numel() for p in transformer.parameters()) / 1e9
    return [
        ratio(name, samples, options.bar(BAR), f"; {billions:.1f}B parameters, {tokens} + {words} tokens"),
        Result(f"{name}, pixels apart", apart, "of the largest", FURTHEST),
        none_calls(name, seen),
        typed_share(name, seen),
    ]
