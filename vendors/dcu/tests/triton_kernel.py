"""The kernel `scale` of module.cpp in Triton, for test_library.py. A module of its own: Triton reads the source."""

import triton
import triton.language as tl
from triton.compiler import ASTSource


@triton.jit
def scale(data, factor, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(data + at, tl.load(data + at, mask=inside) * factor, mask=inside)


def compiled() -> bytes:
    """The image for the device that Triton finds: blocks of 128 threads, one element each."""
    target = triton.runtime.driver.active.get_current_target()
    signature = {"data": "*fp32", "factor": "fp32", "count": "i32", "BLOCK": "constexpr"}
    source = ASTSource(fn=scale, signature=signature, constexprs={"BLOCK": 128})
    made = triton.compile(source, target=target, options={"num_warps": 128 // target.warp_size})
    assert made.metadata.name == "scale" and made.metadata.shared == 0
    return made.asm["cubin" if "cubin" in made.asm else "hsaco"]
